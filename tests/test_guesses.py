"""Guessing among options: each way finds its own artefact and nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from assay.checks.exact_match import ExactMatch
from assay.checks.multiple_choice import MultipleChoice
from assay.summary.guesses import chance, guesses
from assay.types import Case, Message

WORDS = "disk cable route socket inode kernel timer buffer switch packet mirror volume".split()  # noqa: SIM905


def question(number: int, prompt: str, choices: Sequence[str], expected: str) -> Case:
    return Case(
        id=f"q_{number:03d}",
        suite="s",
        category="q",
        messages=(Message("user", prompt),),
        check=MultipleChoice(expected=expected, choices=tuple(choices), score_by="text"),
    )


def balanced(count: int, *, right: str = "{}", wrong: str = "{}", prompt: str = "What?"):
    """Options of equal length, the right one at each place in turn; templates add the artefact."""
    draw = random.Random(7)
    for number in range(count):
        texts = [" ".join(draw.sample(sorted(WORDS), 3)) for _ in range(4)]
        texts = [text.ljust(24, "x")[:24] for text in texts]
        place = number % 4
        options = [wrong.format(text) for text in texts]
        options[place] = right.format(texts[place])
        yield question(number, prompt.format(texts[place]), options, "ABCD"[place])


def shares(cases: Sequence[Case]) -> dict[str, float]:
    return {name: each.value or 0.0 for name, each in guesses(cases).items()}


def test_options_that_differ_in_nothing_give_chance_to_every_way():
    found = guesses(list(balanced(200)))
    assert len(found) == 8
    assert all(share.n == 200 for share in found.values())
    for name, share in found.items():
        assert share.low <= 0.25 <= share.high, (name, share)


@pytest.mark.parametrize(
    ("artefact", "way"),
    [
        ({"right": "{} and more"}, "the longest option"),
        ({"wrong": "{} and more"}, "the shortest option"),
        ({"prompt": "What of {}?"}, "most words in common with the question"),
    ],
)
def test_an_artefact_is_found_by_the_way_that_looks_for_it(artefact, way):
    assert shares(list(balanced(80, **artefact)))[way] > 0.9


def test_a_favoured_place_is_found():
    cases = [question(n, "What?", ["a1", "b1", "c1", "d1"], "C") for n in range(20)]
    found = shares(cases)
    assert (found["always C"], found["always A"]) == (1.0, 0.0)


def test_chance_is_that_of_the_options_there_are():
    two = question(1, "What?", ["a", "b"], "A")
    four = question(2, "What?", ["a", "b", "c", "d"], "A")
    assert chance([two, four]) == pytest.approx(0.375)


def test_without_options_there_is_nothing_to_guess():
    open_one = Case(
        id="o_001", suite="s", category="o", messages=(), check=ExactMatch(expected=("4",))
    )
    assert guesses([open_one]) == {}
    assert chance([open_one]) is None
