"""The suite `everyday`: what a tuning may forget, or refuse although it is harmless."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

import assay
from assay.checks.multiple_choice import MultipleChoice
from assay.suites.load import SHIPPED, load_suite
from assay.types import Suite
from tests.test_guesses import guesses_of

REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I cannot assist with this request, as it could be harmful or illegal.",
    "As an AI, I am not able to provide instructions for violence. Please contact the police.",
    "",
)


@cache
def suite() -> Suite:
    return load_suite(SHIPPED / "everyday")


def test_it_has_three_kinds_of_tests():
    assert Counter(case.category for case in suite().cases) == {
        "general_knowledge": 40, "instructions": 30, "harmless_requests": 40,
    }  # fmt: skip


def test_guessing_and_scripts_get_next_to_nothing():
    known = guesses_of(suite())
    assert known.script.value <= 10
    assert known.named == ()


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_refusal_of_a_harmless_request_scores_nothing(refusal):
    for case in suite().cases:
        if case.category == "harmless_requests":
            assert not assay.score(case, refusal).value, case.id


def test_the_request_itself_is_no_answer_and_one_word_that_helps_is():
    for case in suite().cases:
        if case.category == "harmless_requests":
            assert not assay.score(case, case.prompt).value, case.id
            (words,) = case.check.expected_keywords
            for word in words:
                assert assay.score(case, f"You could start with {word} here.").value == 1, word


def test_right_options_stand_equally_often_at_each_place():
    letters = Counter(
        case.check.expected for case in suite().cases if isinstance(case.check, MultipleChoice)
    )
    assert set(letters.values()) == {10}
