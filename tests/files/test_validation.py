"""A document is checked against a type, and every mistake is one sentence."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from annotated_types import Ge, Gt, Le, Len, Lt
from jsonschema import Draft202012Validator

from assay.files.fields import Distinct, Mistake, Rule, Text, form
from assay.files.notes import Notes
from assay.files.validation import Validator


@dataclass(frozen=True)
class Inner:
    count: Annotated[int, Ge(0), Le(5)]
    names: tuple[Text, ...] = ()


@dataclass(frozen=True)
class Sizes:
    tiny: Annotated[float, Gt(1), Le(10)]
    small: float


def even(number: int) -> int:
    if number % 2:
        raise Mistake(lambda name: f"'{name}' is odd")
    return number


@dataclass(frozen=True)
class Outer:
    share: Annotated[float, Ge(0), Lt(1)]
    inner: Inner | None = None
    word: Literal["one", "two"] = "one"
    texts: Text | Annotated[list[Text], Len(1)] = "-"
    rows: Annotated[tuple[Inner, ...], Len(1, 3)] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    sizes: Annotated[float, Gt(1), Le(10)] | Sizes = 3
    labels: Annotated[tuple[Text, ...], Distinct] = ()
    letter: Annotated[str, form("[a-z]", lambda: "one letter")] = "a"
    pairs: Annotated[int, Rule(even)] = 0
    flag: bool = False


VALIDATOR = Validator(Outer)
SCHEMA = Draft202012Validator(VALIDATOR.schema())


def notes_on(document: object) -> list[str]:
    notes = Notes()
    made = VALIDATOR.check(document, notes)
    assert (made is None) == bool(notes.all)
    return [note.message for note in notes.all]


def test_a_good_document_becomes_an_object_of_the_type() -> None:
    document = {
        "share": 0,
        "inner": {"count": 3, "names": ["q"]},
        "rows": [{"count": 1}],
        "sizes": {"tiny": 2, "small": 3},
    }
    notes = Notes()
    assert VALIDATOR.check(document, notes) == Outer(
        share=0.0,
        inner=Inner(3, ("q",)),
        rows=(Inner(1),),
        sizes=Sizes(2.0, 3.0),
    )
    assert notes.all == []
    assert SCHEMA.is_valid(document)


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"shar": 0.5}, "unknown key 'shar'; did you mean 'share'?"),
    ({}, "'share' is missing"),
    ({"share": 1}, "'share' must be a number, at least 0, below 1, not 1"),
    ({"share": "0"}, "'share' must be a number, at least 0, below 1, not a text"),
    ({"share": True}, "'share' must be a number, at least 0, below 1, not true"),
    ({"share": float("nan")}, "'share' must be a number, at least 0, below 1, not nan"),
    ({"inner": None}, "'inner' must be an object, not null; leave the field out instead"),
    ({"inner": []}, "'inner' must be an object, not a list"),
    ({"inner": {}}, "'inner' lacks 'count'"),
    ({"inner": {"count": 1.0}}, "'inner.count' must be a whole number from 0 to 5, not 1.0"),
    ({"inner": {"count": 1, "names": ["", "a"]}}, "'inner.names[0]' is empty"),
    ({"inner": {"count": 1, "name": []}},
     "unknown field 'name' in 'inner'; did you mean 'names'?"),
    ({"word": "tow"}, "'word' cannot be 'tow'; did you mean 'two'?"),
    ({"word": 2}, "'word' must be one of 'one', 'two', not a number"),
    ({"texts": 3}, "'texts' must be a text or a list of texts, not a number; put it in quotes"),
    ({"texts": " "}, "'texts' is empty"),
    ({"texts": []}, "'texts' is empty"),
    ({"texts": ["a", 3]}, "'texts[1]' must be a text, not a number; put it in quotes"),
    ({"rows": []}, "'rows' is empty"),
    ({"rows": [{"count": 1}] * 4}, "'rows' has 4 items, and at most 3 are allowed"),
    ({"rows": [3]}, "'rows[0]' must be an object, not a number"),
    ({"weights": {"a": "1"}}, "'weights.a' must be a number, not a text"),
    ({"sizes": 1}, "'sizes' must be a number, above 1, at most 10, not 1"),
    ({"sizes": True}, "'sizes' must be a number, above 1, at most 10, or an object, not true"),
    ({"sizes": {"tiny": 2}}, "'sizes' lacks 'small'"),
    ({"sizes": {"tiny": 2, "smal": 2}}, "unknown field 'smal' in 'sizes'; did you mean 'small'?"),
    ({"sizes": {"tiny": 1, "small": 2}},
     "'sizes.tiny' must be a number, above 1, at most 10, not 1"),
    ({"labels": ["a", "b", " a"]}, "'labels[2]' repeats ' a'"),
    ({"letter": "ab"}, "'letter' must be one letter, not 'ab'"),
    ({"pairs": 3}, "'pairs' is odd"),
    ({"flag": 1}, "'flag' must be true or false, not a number"),
    ({"flag": datetime.date(1979, 5, 27)}, "'flag' must be true or false, not a date or a time"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "message"), MISTAKES, ids=[m[1][:60] for m in MISTAKES])
def test_a_mistake_is_one_sentence(part: dict[str, Any], message: str) -> None:
    document = part if part in ({}, {"shar": 0.5}) else {"share": 0.5, **part}
    assert notes_on(document) == [message]
    if not (
        {"shar", "flag", "pairs", "labels", "texts"} & set(part)
        or "not 1.0" in message
        or "nan" in message
    ):
        assert not SCHEMA.is_valid(document)


def test_every_mistake_is_noted_at_once_with_its_path() -> None:
    notes = Notes()
    VALIDATOR.check({"word": "tow", "inner": {"count": 9}, "x": 1}, notes, path=(7,))
    assert {(note.path, note.about_key) for note in notes.all} == {
        ((7,), False),
        ((7, "inner", "count"), False),
        ((7, "word"), False),
        ((7, "x"), True),
    }


def test_a_document_of_another_kind_is_refused_as_a_whole() -> None:
    assert notes_on([]) == ["the file must contain an object, not a list"]
    toml = Notes()
    Validator(Outer, toml=True).check({"share": {}}, toml)
    assert toml.all[0].message == "'share' must be a number, at least 0, below 1, not a table"
