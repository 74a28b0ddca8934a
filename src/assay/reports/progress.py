"""While a run goes on: a live bar, plain lines, or nothing. Rate, time left and mean count only
what is asked now, never replies that were in the store already.
"""

import io
import math
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import Self, TextIO, cast

from rich.cells import cell_len
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from assay.messages import labelled, tr, trn
from assay.reports.formats.terminal import console_for
from assay.stats.intervals import wilson
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Failed, Observer, Reply, Score
from assay.types.scores import SilentProgress

LIVE_EVERY_S = 0.1  # a bar must not slow the run
NOTEBOOK_EVERY_S = 0.25  # each update is a message to the browser
PLAIN_EVERY_S = 15.0  # while replies come, and in a phase
LIFE_EVERY_S = 1.0  # in a phase that has no count: reading files, hashing, waiting for a server
NAME_STYLE = "bold cyan"
BETWEEN = " · "
# Where a line is too narrow, the least goes first; never how far it is, nor an interval.
WEIGHTS = {
    "reused": 1, "rate": 2, "more": 3, "writing": 4, "to_judge": 5, "unscored": 6, "failed": 7,
    "left": 8, "mean": 9, "done": 10,
}  # fmt: skip


class _ForgivingStream:
    """A stream that may become unwritable: a run does not end for that."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError, ValueError):  # of a stream that is closed
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@dataclass(slots=True)
class Tally:
    spec: str
    total: int
    reused: int
    started: float
    asked: int = 0
    failed: int = 0
    scored: int = 0
    unscored: int = 0
    to_judge: int = 0
    points: float = 0.0
    last_reply: float = 0.0  # when it came
    writing: str = ""  # of the answers under way
    more: int = 0  # models after this one

    def add(self, reply: Reply, score: Score | None, now: float) -> None:
        self.asked += 1
        self.last_reply, self.writing = now, ""
        self.failed += isinstance(reply, Failed)
        if score is not None and score.value is not None:
            self.scored += 1
            self.points += score.value
        elif score is not None and score.unscored_reason == "no_judge":
            self.to_judge += 1
        elif score is not None and score.unscored_reason != "nothing_to_check":
            self.unscored += 1

    @property
    def done(self) -> int:
        """Replies that are durable, whenever they came."""
        return min(self.total, self.reused + self.asked)

    def words(self, now: float, *, width: int | None = None) -> list[str]:
        """All there is to say; with a width, without what matters least there."""
        said = self._weighed(now)
        while width and len(said) > 1 and cell_len(BETWEEN.join(said.values())) > width:
            least = min(said, key=WEIGHTS.__getitem__)
            del said[least]
        return list(said.values())

    def _weighed(self, now: float) -> dict[str, str]:
        share = tr("{percent}%", percent=100 * self.done // self.total if self.total else 100)
        said = {"done": f"{numbers.count(self.done)}/{numbers.count(self.total)} ({share})"}
        if self.reused:
            said["reused"] = trn("{count:,} reused", "{count:,} reused", self.reused)
        elapsed = now - self.started
        timed = self.asked and elapsed > 0
        if timed:
            said["rate"] = numbers.rate(self.asked / elapsed)
        if self.scored:
            mean = min(1.0, self.points / self.scored)
            n = numbers.count(self.scored)
            shown = [numbers.fixed(each, 2) for each in (mean, *wilson(mean, self.scored))]
            interval = f"{shown[0]} [{shown[1]}–{shown[2]}]"
            said["mean"] = tr("mean {mean} n={n}", mean=interval, n=n)
        if self.to_judge:
            said["to_judge"] = trn(
                "{count:,} to be judged", "{count:,} to be judged", self.to_judge
            )
        if self.unscored:
            said["unscored"] = trn("{count:,} unscored", "{count:,} unscored", self.unscored)
        if self.failed:
            said["failed"] = trn("{count:,} failed", "{count:,} failed", self.failed)
        if self.writing:
            said["writing"] = self.writing
        if self.total > self.done and timed:
            left = max(1.0, self._seconds_left(now))
            said["left"] = tr("{time} left", time=numbers.duration(left))
            if self.more:
                said["more"] = trn("then {count} more model", "then {count} more models", self.more)
        return said

    def _seconds_left(self, now: float) -> float:
        """By the time that answers took so far; of the one under way, what is left of that."""
        each = ((self.last_reply or now) - self.started) / self.asked
        left = self.total - self.done
        return left * each - min(now - (self.last_reply or now), each)


class _Progress(SilentProgress):
    """What a bar and lines share: a stream, a clock, and the tally of the model being asked.
    `life_every_s`: how often a phase shows that it goes on; 0: never.
    """

    life_every_s = 0.0

    def __init__(
        self,
        stream: TextIO,
        *,
        clock: Callable[[], float] = time.monotonic,
        life_every_s: float | None = None,
    ) -> None:
        if life_every_s is not None:
            self.life_every_s = life_every_s
        self._phase_is_over = threading.Event()
        self._drawing = threading.RLock()
        self._console = console_for(cast(TextIO, _ForgivingStream(stream)))
        self._clock = clock
        self._tally: Tally | None = None
        self._shown_at = 0.0
        self._more = 0  # models after this one

    def __exit__(self, *_: object) -> None:
        self._end_phase()

    def phase(self, name: str, *, more: int = 0) -> None:
        self._end_phase()
        self._more = more
        if self.life_every_s:
            self._phase_is_over = threading.Event()
            going = (name, self._phase_is_over, self._clock())
            threading.Thread(target=self._show_life, args=going, daemon=True).start()

    def _end_phase(self) -> None:
        with self._drawing:
            self._phase_is_over.set()

    def _show_life(self, name: str, is_over: threading.Event, began: float) -> None:
        while not is_over.wait(self.life_every_s):
            with self._drawing:
                if not is_over.is_set():
                    seconds = self._clock() - began
                    self._show_phase(name, tr("{count} s", count=math.floor(seconds)))

    def _show_phase(self, name: str, since: str) -> None:
        raise NotImplementedError

    def model_started(self, spec: str, *, total: int, reused: int) -> None:
        self._end_phase()
        self._tally = Tally(spec, total, reused, started=self._clock(), more=self._more)
        self._begin(self._tally)

    def replied(self, spec: str, reply: Reply, score: Score | None) -> None:
        if self._tally is not None:
            self._tally.add(reply, score, self._clock())
            self._show(self._tally, silent=self._clock() - self._shown_at)

    def writing(self, spec: str, tokens: int, tokens_per_s: float, waited_s: float) -> None:
        if self._tally is None:
            return
        if tokens:
            speed = numbers.fixed(tokens_per_s, 1)
            said = tr("writing: {count} tokens, {speed} tokens/s", count=tokens, speed=speed)
        else:
            said = tr("waiting for its first token: {time}", time=numbers.duration(waited_s))
        self._tally.writing = said
        self._show(self._tally, silent=self._clock() - self._shown_at)

    def _begin(self, tally: Tally) -> None:
        self._show(tally, silent=math.inf)

    def _show(self, tally: Tally, *, silent: float) -> None:
        raise NotImplementedError


class PlainProgress(_Progress):
    """Lines for logs: for each phase, at the start and the end of a model, now and then between."""

    life_every_s = PLAIN_EVERY_S

    def _show_phase(self, name: str, since: str) -> None:
        self.note(labelled(name, since))

    def phase(self, name: str, *, more: int = 0) -> None:
        super().phase(name, more=more)
        self.note(name)

    def _begin(self, tally: Tally) -> None:
        self._say(tr("start"))

    def model_finished(self, spec: str) -> None:
        self._say(tr("done"))
        self._tally = None

    def note(self, sentence: str) -> None:
        self._console.print(Text(one_line(sentence)), soft_wrap=True)
        self._console.file.flush()

    def _show(self, tally: Tally, *, silent: float) -> None:
        if silent >= PLAIN_EVERY_S and tally.done < tally.total:
            self._say()

    def _say(self, *first: str) -> None:
        if self._tally is not None:
            self._shown_at = self._clock()
            words = [*first, *self._tally.words(self._shown_at)]
            self.note(labelled(self._tally.spec, ", ".join(words)))


class LiveProgress(_Progress):
    """One line per model, the current one moving. Leaving it restores the terminal."""

    life_every_s = LIFE_EVERY_S

    def __enter__(self) -> Self:
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end_phase()
        self._leave_line()
        self._live.stop()

    def phase(self, name: str, *, more: int = 0) -> None:
        super().phase(name, more=more)
        self._live.update(Text(f"{one_line(name)} …", style="dim"), refresh=True)

    def _show_phase(self, name: str, since: str) -> None:
        self._live.update(Text(f"{one_line(name)} … {since}", style="dim"), refresh=True)

    def model_finished(self, spec: str) -> None:
        self._leave_line()

    def note(self, sentence: str) -> None:
        self._console.print(Text(one_line(sentence), style="yellow"))

    def _show(self, tally: Tally, *, silent: float) -> None:
        if silent < LIVE_EVERY_S:
            return
        self._shown_at = self._clock()
        untimed = tally.total > tally.done and not tally.asked and not tally.writing
        first = [tr("time left: after the first answer")] if untimed else []
        name = one_line(tally.spec, longest=max(12, self._console.width // 4))
        bar = max(4, min(24, self._console.width // 8))
        left = self._console.width - cell_len(name) - bar - 2
        words = Text(BETWEEN.join([*tally.words(self._shown_at, width=left), *first]))
        words.truncate(left, overflow="ellipsis")
        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True)
        grid.add_column(width=bar)
        grid.add_column(no_wrap=True)
        grid.add_row(
            Text(name, style=NAME_STYLE),
            ProgressBar(total=max(1, tally.total), completed=tally.done if tally.total else 1),
            words,
        )
        self._live.update(grid, refresh=True)

    def _leave_line(self) -> None:
        if self._tally is None:
            return
        name = one_line(self._tally.spec, longest=max(12, self._console.width // 3))
        left = self._console.width - cell_len(name) - 2
        line = Text(name, style=NAME_STYLE)
        line.append(f"  {BETWEEN.join(self._tally.words(self._clock(), width=left))}",
                    style="default")  # fmt: skip
        self._tally = None
        self._live.update(Text(""), refresh=True)
        self._console.print(line)


def progress_for(stream: TextIO | None) -> SilentProgress:
    if stream is None:
        return SilentProgress()
    return LiveProgress(stream) if stream.isatty() else PlainProgress(stream)


class NotebookProgress(_Progress):
    """A bar in a Jupyter notebook, moved in place; when the model is done it stays, full."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self._display = import_module("IPython.display").display

    def _begin(self, tally: Tally) -> None:
        self._handle = self._display(self._bar(tally), raw=True, display_id=True)

    def model_finished(self, spec: str) -> None:
        if self._tally is not None:
            self._show(self._tally, silent=NOTEBOOK_EVERY_S)
        self._tally = None

    def note(self, sentence: str) -> None:
        said = one_line(sentence)
        self._display({"text/plain": said, "text/html": f"<p>{escape(said)}</p>"}, raw=True)

    def _show(self, tally: Tally, *, silent: float) -> None:
        if silent >= NOTEBOOK_EVERY_S:
            self._shown_at = self._clock()
            self._handle.update(self._bar(tally), raw=True)

    def _bar(self, tally: Tally) -> dict[str, str]:
        name, words = one_line(tally.spec), " · ".join(tally.words(self._clock()))
        share = f'value="{tally.done}" max="{tally.total}"' if tally.total else 'value="1"'
        page = f"<code>{escape(name)}</code> <progress {share}></progress> {escape(words)}"
        return {"text/plain": labelled(name, words), "text/html": f"<div>{page}</div>"}


def observer_for(given: Observer) -> Observer:
    """Where nobody was asked to watch and a notebook's kernel runs this: a bar in the notebook."""
    if type(given) is SilentProgress and "ipykernel" in sys.modules:
        shell = import_module("IPython").get_ipython()
        if getattr(shell, "kernel", None) is not None:
            return NotebookProgress()
    return given
