"""Before its first request a run says how long a served model will take, by what the store has."""

from __future__ import annotations

from typing import Any

import pytest

import assay
from assay.store import AnswerTime
from assay.types import Observer
from assay.workflow.running.foretelling import beside
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
        return [each for each in watching.said if "about" in each or "is known after" in each]

    return run


def test_nothing_is_known_before_the_first_answers_and_the_store_knows_afterwards(
    bench, openai_server, notes
):
    suite = bench.suite({"sum": numbered(12)})
    (before,) = notes(openai_server.spec(), suite, limit=4)
    assert "4 requests; how long that takes is known after the first answers" in before
    (after,) = notes(openai_server.spec(), suite)
    assert "8 requests, about " in after
    assert after.endswith("by its earlier answers")
    assert notes(openai_server.spec(), suite) == [], "nothing is left to ask"


def test_a_suite_that_was_never_asked_is_foretold_by_the_tokens_it_may_take(
    bench, openai_server, notes
):
    openai_server.answers({"*": "one two three four five six seven eight"})
    openai_server.settings(token_ms=5.0)
    notes(openai_server.spec(), bench.suite({"sum": numbered(6)}, name="first"))
    (said,) = notes(openai_server.spec(), bench.suite({"other": numbered(6)}, name="second"))
    assert " to " in said


def test_a_script_and_a_second_look_are_foretold_nothing(bench, notes):
    script = bench.script("m", default="2")
    assert notes(script, bench.suite({"sum": numbered(3)})) == []


@pytest.mark.parametrize(
    ("slots", "asked", "left", "width"),
    [(1, 10, 50, 1), (2, 9, 50, 2), (8, 10, 50, 8), (8, 10, 3, 3)],
    ids=["one", "two, the last alone", "eight, the last two alone", "few are left"],
)
def test_the_last_of_a_few_answers_do_not_slow_down_what_is_foretold(slots, asked, left, width):
    """Ten answers of a second on eight slots: eight beside each other, then two."""
    times = []
    while len(times) < asked:
        together = min(slots, asked - len(times))
        times += [AnswerTime(f"t{n}", 1.0, 1.0 / together, 24) for n in range(together)]
    assert beside(times, left) == pytest.approx(width)
