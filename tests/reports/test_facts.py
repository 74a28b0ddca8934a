"""Every fact that `decide` states has a sentence, and numbers in sentences read well."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.messages import speak
from assay.reports.checkpoints.facts import SENTENCES, digits_apart, number, sentence
from assay.types.decisions import fact
from assay.types.measures import every_measure


def test_every_fact_of_the_source_has_a_sentence_and_no_sentence_is_left_over(root: Path) -> None:
    source = "\n".join(
        path.read_text("utf-8")
        for room in ("decide", "measures", "types", "workflow")
        for path in (root / "src/assay" / room).rglob("*.py")
    )
    of_measures = [kind for each in every_measure(maker=True) for kind in each.sentences]
    sentences = [*SENTENCES, *of_measures]
    assert len(set(sentences)) == len(sentences)
    named = set(re.findall(r'fact\(\s*"(\w+)"', source))
    assert named <= {*sentences}
    words = set(re.findall(r'"(\w+)"', source))
    kinds = r"(perplexity|suite|speed|memory|accuracy|tokenizer|endings|own_m\w+)"
    computed = kinds + r"_(passes|fails|not_measured)"
    computed += r"|(range|interval)_marginal|memory_of_\w+|smaller_\w+"
    assert not [
        kind for kind in sentences if kind not in words and not re.fullmatch(computed, kind)
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (46.8123, "46.8"),
        (50.0, "50"),
        (0.70000001, "0.7"),
        (0.00123456, "0.00123"),
        (1234.5, "1,234"),
        (1_200_000.0, "1,200,000"),
        (-0.0123, "−0.0123"),
        (0.0, "0"),
    ],
)
def test_three_digits_are_shown_and_whole_numbers_whole(value: float, text: str) -> None:
    assert number(value) == text


def test_whole_numbers_are_whole_in_french_too() -> None:
    speak("fr")
    try:
        assert [number(each) for each in (25.0, 0.3, 46.81)] == ["25", "0,3", "46,8"]
    finally:
        speak("en")


@pytest.mark.parametrize(
    ("value", "limit", "texts"),
    [(49.97, 50, ("49.97", "50")), (0.70004, 0.7, ("0.70004", "0.7")), (41.0, 50, ("41", "50"))],
)
def test_a_value_beside_its_limit_gets_the_digits_that_tell_them_apart(
    value: float, limit: float, texts: tuple[str, str]
) -> None:
    digits = digits_apart(value, limit)
    assert (number(value, digits), number(limit, digits)) == texts


def test_an_end_of_an_interval_that_is_missing_is_a_question_mark() -> None:
    told = sentence(fact("interval", value=0.5, limit=0.7, low=None, high=0.75))
    assert told == "Its 95 % interval is ? to 0.75."
