"""While a run goes on: a live bar, plain lines, or nothing.

In: the events of a run (types.Observer). Out: lines on a stream, never on stdout by itself. Rate
and time left count only what is asked now, never replies that were in the store already; the mean
so far is that of answers marked now.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, TextIO, cast

from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from assay.messages import tr
from assay.reports.formats.terminal import console_for
from assay.stats import wilson
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Failed, Reply, Score
from assay.types.scores import SilentProgress

Clock = Callable[[], float]


class _Patient:
    """A stream that falls silent when it cannot be written; a run does not end for that."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._gone = False

    def write(self, text: str) -> int:
        if not self._gone:
            try:
                return self._stream.write(text)
            except OSError:
                self._gone = True
        return len(text)

    def flush(self) -> None:
        if not self._gone:
            try:
                self._stream.flush()
            except OSError:
                self._gone = True

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


LIVE_EVERY_S = 0.1
PLAIN_AT_LEAST_S = 3.0  # never two plain lines closer than this,
PLAIN_AT_MOST_S = 30.0  # nor a silence longer than this while replies come


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
    points: float = 0.0

    def add(self, reply: Reply, score: Score | None) -> None:
        self.asked += 1
        self.failed += isinstance(reply, Failed)
        if score is None:
            return
        if score.value is None:
            self.unscored += 1
        else:
            self.scored += 1
            self.points += score.value

    @property
    def done(self) -> int:
        """Replies that are durable, whenever they came."""
        return min(self.total, self.reused + self.asked)

    def words(self, now: float) -> list[str]:
        share = f"{100 * self.done // self.total}%" if self.total else "100%"
        said = [f"{numbers.count(self.done)}/{numbers.count(self.total)} ({share})"]
        if self.reused:
            said.append(tr("{count} reused", count=numbers.count(self.reused)))
        elapsed = now - self.started
        if self.asked and elapsed > 0:
            said.append(numbers.rate(self.asked / elapsed))
        if self.scored:
            said.append(self._mean())
        if self.unscored:
            said.append(tr("{count} unscored", count=numbers.count(self.unscored)))
        if self.failed:
            said.append(tr("{count} failed", count=numbers.count(self.failed)))
        left = self.total - self.done
        if left and self.asked and elapsed > 0:
            seconds = numbers.duration(left * elapsed / self.asked)
            said.append(tr("{time} left", time=seconds))
        return said

    def _mean(self) -> str:
        mean = min(1.0, self.points / self.scored)
        low, high = wilson(mean, self.scored)
        return tr(
            "mean {mean} [{low}–{high}] n={n}",
            mean=f"{mean:.2f}",
            low=f"{low:.2f}",
            high=f"{high:.2f}",
            n=numbers.count(self.scored),
        )


class PlainProgress(SilentProgress):
    """Lines for logs: at the start, at each tenth, at the end, and seldom in between."""

    def __init__(self, stream: TextIO, *, clock: Clock = time.monotonic) -> None:
        self._console = console_for(cast(TextIO, _Patient(stream)))
        self._clock = clock
        self._tally: Tally | None = None
        self._said_at = 0.0
        self._tenth = 0

    def model_started(self, spec: str, *, total: int, reused: int) -> None:
        self._tally = Tally(spec, total, reused, started=self._clock())
        self._tenth = self._tenths()
        self._say(tr("start"))

    def replied(self, spec: str, reply: Reply, score: Score | None) -> None:
        if self._tally is None:
            return
        self._tally.add(reply, score)
        silent = self._clock() - self._said_at
        tenth = self._tenths()
        due = tenth > self._tenth or silent >= PLAIN_AT_MOST_S
        if due and silent >= PLAIN_AT_LEAST_S and self._tally.done < self._tally.total:
            self._tenth = tenth
            self._say()

    def model_finished(self, spec: str) -> None:
        self._say(tr("done"))
        self._tally = None

    def note(self, sentence: str) -> None:
        self._print(one_line(sentence))

    def _tenths(self) -> int:
        tally = self._tally
        return 10 * tally.done // tally.total if tally and tally.total else 10

    def _say(self, *first: str) -> None:
        if self._tally is not None:
            self._said_at = self._clock()
            words = [*first, *self._tally.words(self._said_at)]
            self._print(f"{one_line(self._tally.spec)}: {', '.join(words)}")

    def _print(self, line: str) -> None:
        self._console.print(Text(line), soft_wrap=True)
        self._console.file.flush()


class LiveProgress(SilentProgress):
    """One line per model, the current one moving. Leaving it restores the terminal, whatever
    happened inside.
    """

    def __init__(self, stream: TextIO, *, clock: Clock = time.monotonic) -> None:
        self._console = console_for(cast(TextIO, _Patient(stream)))
        self._clock = clock
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._tally: Tally | None = None
        self._drawn_at = 0.0

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away and show the cursor again; what was reached stays as a line."""
        self._leave_line()
        self._live.stop()

    def model_started(self, spec: str, *, total: int, reused: int) -> None:
        self._tally = Tally(spec, total, reused, started=self._clock())
        self._draw()

    def replied(self, spec: str, reply: Reply, score: Score | None) -> None:
        """Ten times a second at most: a bar must not slow the run."""
        if self._tally is None:
            return
        self._tally.add(reply, score)
        if self._clock() - self._drawn_at >= LIVE_EVERY_S:
            self._draw()

    def model_finished(self, spec: str) -> None:
        self._leave_line()

    def note(self, sentence: str) -> None:
        self._console.print(Text(one_line(sentence), style="yellow"))

    def _draw(self) -> None:
        if self._tally is None:
            return
        self._drawn_at = self._clock()
        tally = self._tally
        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True, max_width=max(12, self._console.width // 3))
        grid.add_column(width=max(4, min(24, self._console.width // 5)))
        grid.add_column(overflow="fold")
        grid.add_row(
            Text(one_line(tally.spec), style="bold cyan", overflow="ellipsis"),
            ProgressBar(total=max(1, tally.total), completed=tally.done if tally.total else 1),
            Text(" · ".join(tally.words(self._drawn_at))),
        )
        self._live.update(grid, refresh=True)

    def _leave_line(self) -> None:
        if self._tally is None:
            return
        line = Text(one_line(self._tally.spec), style="bold cyan")
        line.append("  " + " · ".join(self._tally.words(self._clock())), style="default")
        self._tally = None
        self._live.update(Text(""), refresh=True)
        self._console.print(line)


def progress_for(stream: TextIO | None) -> SilentProgress:
    """A bar where someone looks, plain lines where nobody does, nothing where nothing is open."""
    if stream is None:
        return SilentProgress()
    return LiveProgress(stream) if stream.isatty() else PlainProgress(stream)
