"""Before its first request a run says how much it asks, and minutes if the store has the speed."""

from __future__ import annotations

from typing import Any

import pytest

import assay
from assay.store import AnswerTime
from assay.types import Observer
from assay.workflow.running.announcements import seconds_per_answer
from tests.conftest import numbered


class Notes(Observer):
    def __init__(self) -> None:
        self.said: list[str] = []

    def note(self, sentence: str) -> None:
        self.said.append(sentence)


@pytest.fixture
def notes(bench: Any) -> Any:
    def run(spec: str, suite: str, **how: Any) -> list[str]:
        watching = Notes()
        assay.run(spec, suites=suite, out=bench.out, observer=watching, **how)
        return [each for each in watching.said if " requests" in each]

    return run


def test_requests_are_counted_and_minutes_come_only_from_the_store(bench, openai_server, notes):
    spec, suite = openai_server.spec(), bench.suite({"sum": numbered(12)})
    assert notes(spec, suite, limit=4) == [f"{spec}: 4 requests"]
    (after,) = notes(spec, suite)
    assert after.startswith(f"{spec}: 8 requests, about ")
    assert after.endswith(" by its earlier answers")
    assert notes(spec, suite) == [], "nothing is left to ask"


def test_a_suite_that_was_never_asked_has_no_minutes(bench, openai_server, notes):
    spec = openai_server.spec()
    notes(spec, bench.suite({"sum": numbered(6)}, name="first"))
    assert notes(spec, bench.suite({"other": numbered(6)}, name="second")) == [
        f"{spec}: 6 requests"
    ]


def test_nothing_is_said_of_a_script(bench, notes):
    script = bench.script("m", default="2")
    assert notes(script, bench.suite({"sum": numbered(3)})) == []


@pytest.mark.parametrize(
    ("slots", "asked", "width"),
    [(1, 10, 1), (2, 9, 2), (8, 10, 8)],
    ids=["one", "two, the last alone", "eight, the last two alone"],
)
def test_the_last_of_a_few_answers_do_not_make_the_others_slower(slots, asked, width):
    """Ten answers of a second on eight slots: eight beside each other, then two."""
    times = []
    while len(times) < asked:
        together = min(slots, asked - len(times))
        times += [AnswerTime(f"t{n}", 1.0, 1.0 / together) for n in range(together)]
    assert seconds_per_answer(times) == pytest.approx(1 / width)
