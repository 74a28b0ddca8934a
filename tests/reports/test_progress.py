"""What is seen while a run goes on."""

from __future__ import annotations

import io
import re
import sys

import pytest

from assay.__main__ import line_while_loading
from assay.reports.progress import (
    LiveProgress,
    PlainProgress,
    SilentProgress,
    Tally,
    progress_for,
)
from assay.types import Answered, Failed, Observer, Score
from tests.waiting import wait_for

ANSWER = Answered(request_id="r", text="x")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def score(value: float | None, why: str = "no_answer") -> Score:
    reason = why if value is None else None
    return Score(scorer="s", version=1, value=value, unscored_reason=reason)


def reply(observer: Observer, clock: Clock, count: int, *, each_s: float, value: float = 1) -> None:
    for _ in range(count):
        clock.now += each_s
        observer.replied("m", ANSWER, score(value))


def test_plain_lines_come_at_the_start_now_and_then_and_at_the_end() -> None:
    clock, stream = Clock(), io.StringIO()
    progress = PlainProgress(stream, clock=clock)
    progress.model_started("m", total=100, reused=20)
    reply(progress, clock, 80, each_s=1)
    progress.model_finished("m")
    lines = stream.getvalue().splitlines()
    assert lines[0] == "m: start, 20/100 (20%), 20 reused"
    assert lines[1] == (
        "m: 35/100 (35%), 20 reused, 1.0/s, mean 1.00 [0.80–1.00] n=15, 1 min 05 s left"
    )
    assert lines[-1] == "m: done, 100/100 (100%), 20 reused, 1.0/s, mean 1.00 [0.95–1.00] n=80"
    assert len(lines) == 7


def test_a_quick_run_leaves_two_plain_lines_and_a_slow_one_is_never_silent_for_long() -> None:
    clock, stream = Clock(), io.StringIO()
    progress = PlainProgress(stream, clock=clock)
    progress.model_started("m", total=50, reused=0)
    reply(progress, clock, 50, each_s=0.001)
    progress.model_finished("m")
    assert len(stream.getvalue().splitlines()) == 2
    progress.model_started("m", total=10_000, reused=0)
    reply(progress, clock, 12, each_s=10)
    assert len(stream.getvalue().splitlines()) == 3 + 6


def test_rate_and_time_left_count_only_what_is_asked_now() -> None:
    clock, stream = Clock(), io.StringIO()
    progress = PlainProgress(stream, clock=clock)
    progress.model_started("m", total=1000, reused=900)
    reply(progress, clock, 50, each_s=2)
    assert "30.0/min" in stream.getvalue()
    progress.model_finished("m")
    assert "1 min 40 s left" in stream.getvalue().splitlines()[-1]


def test_failures_and_unscored_answers_are_counted_apart_from_the_mean() -> None:
    clock, stream = Clock(), io.StringIO()
    progress = PlainProgress(stream, clock=clock)
    progress.model_started("m", total=6, reused=0)
    clock.now += 1
    progress.replied("m", ANSWER, score(0.5))
    progress.replied("m", ANSWER, score(None))
    progress.replied("m", ANSWER, score(None, "no_judge"))
    progress.replied("m", ANSWER, score(None, "nothing_to_check"))
    progress.replied("m", ANSWER, None)  # a turn of a conversation that goes on
    progress.replied("m", Failed(request_id="r", reason="no"), None)
    progress.model_finished("m")
    last = stream.getvalue().splitlines()[-1]
    assert "mean 0.50 [0.05–0.95] n=1, 1 to be judged, 1 unscored, 1 failed" in last


def test_an_answer_that_is_being_written_is_shown_and_counts_in_the_time_left() -> None:
    clock, stream = Clock(), io.StringIO()
    progress = PlainProgress(stream, clock=clock)
    progress.model_started("m", total=3, reused=0)
    clock.now += 20
    progress.writing("m", 0, 0.0, 20.0)
    assert stream.getvalue().splitlines()[-1].endswith("waiting for its first token: 20.0 s")
    clock.now += 20
    progress.replied("m", ANSWER, score(1))
    clock.now += 30
    progress.writing("m", 230, 19.81, 30.0)
    last = stream.getvalue().splitlines()[-1]
    assert last.endswith("writing: 230 tokens, 19.8 tokens/s, 50.0 s left")


def test_a_model_with_nothing_left_to_ask_is_done_at_once() -> None:
    stream = io.StringIO()
    progress = PlainProgress(stream)
    progress.model_started("m", total=0, reused=0)
    progress.model_finished("m")
    assert stream.getvalue().splitlines() == ["m: start, 0/0 (100%)", "m: done, 0/0 (100%)"]


def test_a_live_bar_shows_everything_and_leaves_one_line_per_model() -> None:
    clock, stream = Clock(), Terminal()
    with LiveProgress(stream, clock=clock) as progress:
        progress.model_started("m", total=10, reused=2)
        reply(progress, clock, 4, each_s=1, value=0.5)
        assert "6/10 (60%)" in stream.getvalue()
        assert "4.0 s left" in stream.getvalue()
        reply(progress, clock, 4, each_s=1, value=0.5)
        progress.model_finished("m")
    left = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", stream.getvalue()).splitlines()
    assert any(
        line.endswith("m  10/10 (100%) · 2 reused · 1.0/s · mean 0.50 [0.22–0.78] n=8")
        for line in left
    )


def test_phases_are_named_before_anything_is_counted_and_later_models_announced() -> None:
    clock, stream = Clock(), Terminal()
    with LiveProgress(stream, clock=clock) as progress:
        progress.phase("preparing")
        assert "preparing …" in stream.getvalue()
        progress.phase("opening m", more=2)
        progress.model_started("m", total=10, reused=0)
        assert "time left: after the first answer" in " ".join(stream.getvalue().split())
        assert "left ·" not in stream.getvalue()
        reply(progress, clock, 1, each_s=2)
        said = " ".join(stream.getvalue().split())
        assert "mean 1.00 [0.21–1.00] n=1 · 18.0 s left" in said, "what matters most of one line"


def test_a_log_names_the_phases_too() -> None:
    stream = io.StringIO()
    progress = PlainProgress(stream)
    progress.phase("preparing")
    progress.phase("opening m", more=2)
    progress.model_started("m", total=1, reused=0)
    assert stream.getvalue().splitlines() == ["preparing", "opening m", "m: start, 0/1 (0%)"]


def test_a_terminal_shows_the_command_while_python_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with line_while_loading(["run", "m"]):
        assert terminal.getvalue() == "assay run …\r"
    shown, cleared, rest = terminal.getvalue().split("\r")
    assert (cleared, rest) == (" " * len(shown), "")
    for stream, words in ((terminal, ["run", "--help"]), (io.StringIO(), ["run", "m"])):
        monkeypatch.setattr(sys, "stderr", stream)
        before = stream.getvalue()
        with line_while_loading(words):
            pass
        assert stream.getvalue() == before


def test_a_live_bar_is_drawn_at_most_ten_times_a_second() -> None:
    clock, stream = Clock(), Terminal()
    with LiveProgress(stream, clock=clock) as progress:
        progress.model_started("m", total=10_000, reused=0)
        before = len(stream.getvalue())
        reply(progress, clock, 50, each_s=0.001)
        assert len(stream.getvalue()) == before


def test_an_interrupt_gives_the_cursor_back() -> None:
    stream = Terminal()

    def interrupted() -> None:
        with LiveProgress(stream) as progress:
            progress.model_started("m", total=10, reused=0)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    hidden, shown = "\x1b[?25l", "\x1b[?25h"
    assert hidden in stream.getvalue()
    assert stream.getvalue().rindex(shown) > stream.getvalue().rindex(hidden)


def test_the_stream_decides_between_a_bar_and_lines() -> None:
    assert isinstance(progress_for(Terminal()), LiveProgress)
    assert isinstance(progress_for(io.StringIO()), PlainProgress)


def test_notes_are_shown_and_a_hostile_name_moves_no_cursor(hostile: str) -> None:
    stream = io.StringIO()
    progress = PlainProgress(stream)
    progress.note("A [red]note[/red] " + hostile)
    progress.model_started(hostile, total=1, reused=0)
    progress.model_finished(hostile)
    assert "A [red]note[/red]" in stream.getvalue()
    assert not set(stream.getvalue()) & {"\x1b", "\x07", "\u202e", "\x9b"}


def test_nobody_watching_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with SilentProgress() as silent:
        watcher: Observer = silent
        watcher.model_started("m", total=1, reused=0)
        watcher.replied("m", ANSWER, None)
        watcher.note("x")
        watcher.model_finished("m")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_tally_fits_one_line_and_keeps_the_interval_of_the_mean(width: int) -> None:
    tally = Tally("ollama:a-rather-long-name:7b", 1200, 200, started=0.0, asked=300, failed=3,
                  scored=290, unscored=7, to_judge=12, points=144.0, last_reply=90.0,
                  writing="writing: 120 tokens, 31.5 tokens/s", more=2)  # fmt: skip
    words = tally.words(100.0, width=width)
    assert len(" · ".join(words)) <= width
    assert words[0] == "500/1,200 (41%)"
    assert ("mean 0.50 [0.44–0.55] n=290" in words) is (width > 43)
    assert len(tally.words(100.0)) == 10, "without a width everything is said"


def test_a_phase_without_a_count_moves_until_a_model_begins() -> None:
    """By a clock of the test's own; how soon a line comes is not looked at."""
    stream = Terminal()
    with LiveProgress(stream, life_every_s=0.01) as progress:
        progress.phase("preparing models and suites")
        wait_for(lambda: "preparing models and suites … 0 s" in stream.getvalue())
        progress.model_started("m", total=1, reused=0)
        before = stream.getvalue().count("preparing")
        progress.phase("writing reports")
        wait_for(lambda: "writing reports … 0 s" in stream.getvalue())
    assert stream.getvalue().count("preparing") == before
    assert LiveProgress.life_every_s <= 2


def test_a_long_phase_is_told_now_and_then_in_plain_lines() -> None:
    clock, stream = Clock(), io.StringIO()
    with PlainProgress(stream, clock=clock, life_every_s=0.01) as progress:
        progress.phase("preparing models and suites")
        clock.now += 31
        wait_for(lambda: "preparing models and suites: 31 s" in stream.getvalue())
        progress.model_started("m", total=1, reused=0)
        after = stream.getvalue()
    assert stream.getvalue() == after
