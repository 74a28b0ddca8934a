"""The questions that ship with options: balanced, of one length, and told by nothing but knowledge.

`technical` and `troubleshooting`. The suite `os` has tests of its own, for its facts.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from rapidfuzz import fuzz

from assay.checks.multiple_choice import MultipleChoice
from assay.stats.estimates import mean_of
from assay.suites.load import SHIPPED, examine, load_suite, shipped
from assay.types import Case

SIZES = {
    "technical": {"computer_science": 30, "electronics": 30, "engineering": 30, "security": 30},
    "troubleshooting": {
        "hardware": 20,
        "networks": 20,
        "services": 20,
        "storage": 20,
        "system_administration": 20,
    },
}
CHANCE = 0.25

both = pytest.mark.parametrize("name", sorted(SIZES))


@cache
def cases_of(name: str) -> tuple[Case, ...]:
    return tuple(load_suite(SHIPPED / name).cases)


def check_of(case: Case) -> MultipleChoice:
    assert isinstance(case.check, MultipleChoice)
    return case.check


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.name)
def test_what_ships_is_valid_without_a_warning(path: Path) -> None:
    assert list(examine([path])) == []


@both
def test_every_category_has_its_number_of_questions(name: str) -> None:
    assert Counter(case.category for case in cases_of(name)) == SIZES[name]


@both
def test_each_has_four_options_that_continue_the_prompt(name: str) -> None:
    for case in cases_of(name):
        check = check_of(case)
        assert len(check.choices) == 4, case.id
        assert (check.score_by, check.render) == ("text", False), case.id
        assert case.temperature == 0, case.id
        assert len(case.description) > 20, case.id


@both
def test_right_options_stand_equally_often_at_each_place(name: str) -> None:
    letters = Counter(check_of(case).expected for case in cases_of(name))
    assert set(letters.values()) == {len(cases_of(name)) // 4}
    for category in SIZES[name]:
        within = Counter(check_of(c).expected for c in cases_of(name) if c.category == category)
        assert max(within.values()) - min(within.values()) <= 1, category


@both
def test_length_place_and_shared_words_alone_score_at_chance(name: str) -> None:
    def words(text: str) -> set[str]:
        return {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3}

    ways: dict[str, Any] = {
        **{
            letter: lambda _, at, __, place=place: at == place
            for place, letter in enumerate("ABCD")
        },
        "longest": lambda _, __, text: len(text),
        "shortest": lambda _, __, text: -len(text),
        "most in common": lambda case, _, text: len(words(text) & words(case.prompt)),
        "least in common": lambda case, _, text: -len(words(text) & words(case.prompt)),
    }
    for way, worth in ways.items():
        points = []
        for case in cases_of(name):
            found = [worth(case, at, text) for at, text in enumerate(check_of(case).choices)]
            best = [at for at, each in enumerate(found) if each == max(found)]
            right = "ABCD".index(check_of(case).expected)
            points.append(1 / len(best) if right in best else 0.0)  # ties share it
        share = mean_of(points)
        assert share.low <= CHANCE <= share.high, (way, share)


@both
def test_no_option_stands_out_by_its_length(name: str) -> None:
    for case in cases_of(name):
        lengths = [len(text) for text in check_of(case).choices]
        assert max(lengths) <= 2.5 * min(lengths) + 6, (case.id, lengths)


@both
def test_options_of_a_question_have_one_form(name: str) -> None:
    for case in cases_of(name):
        choices = check_of(case).choices
        assert len({text.endswith(".") for text in choices}) == 1, case.id
        assert len({text[0].isupper() for text in choices if text[0].isalpha()}) <= 1, case.id
        assert all(text == text.strip() for text in choices), case.id


@both
def test_no_two_questions_are_alike(name: str) -> None:
    for one, other in combinations(cases_of(name), 2):
        alike = fuzz.token_sort_ratio(one.prompt, other.prompt)
        assert alike < 80, (one.id, other.id, alike)


def test_technical_questions_come_in_three_levels() -> None:
    for category in SIZES["technical"]:
        levels = Counter(
            tag
            for case in cases_of("technical")
            if case.category == category
            for tag in case.tags
            if tag.startswith("level ")
        )
        assert levels == {"level 1": 10, "level 2": 10, "level 3": 10}, category


def test_a_situation_is_left_open_and_each_continuation_closes_it() -> None:
    for case in cases_of("troubleshooting"):
        assert not case.prompt.rstrip().endswith((".", "?", "!", ":")), case.id
        assert 25 <= len(case.prompt.split()) <= 90, (case.id, len(case.prompt.split()))
        assert all(text.endswith(".") for text in check_of(case).choices), case.id


def runs_of(texts: list[str], size: int) -> set[tuple[str, ...]]:
    return {
        tuple(found[place : place + size])
        for text in texts
        for found in [words(text)]
        for place in range(len(found) - size + 1)
    }


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@both
def test_no_sentence_is_taken_from_the_published_sets(name: str, shared: Path) -> None:
    published: list[str] = []
    for file in sorted((shared / "data" / "mmlu").glob("*/*.csv")):
        with file.open(encoding="utf-8", newline="") as rows:
            published += [" ".join(row[:5]) for row in csv.reader(rows)]
    for row in rows_of(shared / "data" / "hellaswag" / "hellaswag_val_2000.jsonl"):
        published += [f"{row['ctx']} {ending}" for ending in row["endings"]]
    for row in rows_of(shared / "data" / "sysadmin_qa" / "sysadmin_qa.jsonl"):
        published += [str(value) for value in row.values()]
    theirs = runs_of(published, 8)
    assert len(theirs) > 100_000
    ours = [f"{case.prompt} {text}" for case in cases_of(name) for text in check_of(case).choices]
    assert runs_of(ours, 8) & theirs == set()
