"""The schema and the loader agree, so that an editor never contradicts `assay validate`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from assay.checks.format import Rules
from assay.suites.load import examine
from assay.suites.suite_file import suite_schema
from assay.suites.test_format import fields
from assay.suites.test_format.fields import all_fields, methods

from .test_mistakes import MISTAKES, VALID
from .test_suite_file import MISTAKES as SUITE_MISTAKES

TESTS = Draft202012Validator(fields.tests_schema())
SUITE = Draft202012Validator(suite_schema())

# What no schema can say: rules between fields, and the letters of the world.
BEYOND_A_SCHEMA = (
    "is above", "with at least one item", "the choices are",
    "repeats", "is both expected",
    "contains no number", "weighs 0", "a rule that can fail", "or a rule in", "turns in a row",
    "the last message", "the first one", "appears twice", "turns with 'tool_calls'",
    "needs 'choices'", "bytes",
    "there is no category", "all weights", "names no examples", "only 3 examples",
    "there is no file", "outside", "is a category", "no file name", "-02-30",
)  # fmt: skip


@pytest.mark.parametrize("made", [fields.tests_schema(), suite_schema()], ids=["tests", "suite"])
def test_a_schema_is_valid_draft_2020_12(made: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(made)
    json.dumps(made)


@pytest.mark.parametrize("test", VALID, ids=lambda test: test["eval_method"])
def test_what_the_loader_accepts_the_schema_accepts(test: Any) -> None:
    assert [error.message for error in TESTS.iter_errors([test])] == []


def expressible(mistakes: list[tuple[Any, str]]) -> list[tuple[Any, str]]:
    return [m for m in mistakes if not any(part in m[1] for part in BEYOND_A_SCHEMA)]


@pytest.mark.parametrize(("test", "message"), expressible(MISTAKES))
def test_what_the_loader_refuses_the_schema_refuses_where_it_can(test: Any, message: str) -> None:
    assert not TESTS.is_valid([test]), message


@pytest.mark.parametrize(("raw", "message"), expressible(SUITE_MISTAKES))
def test_the_same_holds_for_suite_json(raw: Any, message: str) -> None:
    assert not SUITE.is_valid(raw), message


def test_the_schema_lets_the_field_of_another_method_be_anything() -> None:
    test = {"id": "a_1", "prompt": "x", "eval_method": "ewe_quality", "choices": 7}
    assert TESTS.is_valid([test])
    assert not TESTS.is_valid([test | {"chioces": 7}])


INNER_FIELDS = ["role", "content", *Rules.__dataclass_fields__]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 300) | st.floats(-1, 3) | st.text("ab B_-1 ."),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", *Rules.__dataclass_fields__]), inner, max_size=3
        )
    ),
    max_leaves=5,
)
LIKELY = st.sampled_from(
    [
        "user", "word", "text", "B", "letter", "header", "ee", 3, 0.5, True,
        ["one", "two"], [["one", "two"], "three"], ["list"], [{"q": "x"}],
        {"min_length": 3}, {"json": False}, {"keywords": 1}, {"a": 1}, {"a": "few_shot/a.json"},
        [{"role": "user", "content": "x"}],
    ]
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(VALID), st.data())
def test_a_changed_test_without_errors_is_valid_by_the_schema(
    tmp_path: Path, sound: dict[str, Any], data: st.DataObject
) -> None:
    names = st.sampled_from(all_fields())
    test = sound | data.draw(st.dictionaries(names, LIKELY | VALUES, min_size=1, max_size=2))
    path = tmp_path / "a.json"
    path.write_text(json.dumps([test]))
    if all(finding.severity == "warning" for finding in examine([path])):
        assert [error.message for error in TESTS.iter_errors([test])] == []


def described_fields(part: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(part, dict):
        yield from part.get("properties", {}).items()
        for inner in part.values():
            yield from described_fields(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from described_fields(inner)


def test_every_field_has_a_description_for_editors() -> None:
    # Of `if`, `anyOf` and `oneOf`, which describe nothing.
    conditions = {"const", "minItems", "maxItems", "pattern"}
    for whole in (fields.tests_schema(), suite_schema()):
        for name, field in described_fields(whole):
            assert field.get("description") or conditions & set(field), name


def test_an_editor_is_offered_every_eval_method_with_a_sentence() -> None:
    offered = fields.tests_schema()["$defs"]["test"]["properties"]["eval_method"]  # type: ignore[index]
    assert offered["enum"] == list(methods())
    assert {one["const"]: one["description"] for one in offered["oneOf"]} == {
        name: cls.description for name, cls in methods().items()
    }
    assert all(one["description"] for one in offered["oneOf"])
