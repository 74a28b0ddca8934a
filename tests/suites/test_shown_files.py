"""Files that a judged test shows: found and put into the prompt; mistakes told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from assay.checks.judge import Judge
from assay.suites.load import examine, load_suite
from assay.suites.test_format.case import with_files
from assay.types import Message
from tests.suites.conftest import WriteSuite


def judged(**fields: Any) -> dict[str, Any]:
    return {
        "id": "a_001",
        "prompt": "Look at this:\n{{orders.csv}}\nWhat do you see?",
        "description": "d",
        "eval_method": "judge",
        "rubric": "data",
        "fixtures": ["orders.csv"],
    } | fields


def loaded(folder: Path, **how: Any) -> tuple[str, Judge]:
    (case,) = load_suite(folder, **how).cases
    assert isinstance(case.check, Judge)
    return case.prompt, case.check


def test_a_file_beside_the_tests_is_shown_as_it_is(write_suite: WriteSuite) -> None:
    text = "id;name\n1;Ɛnyɔnam {{orders.csv}}\n"
    own = judged(prompt="{{data/own.csv}} and again {{data/own.csv}}", fixtures=["data/own.csv"])
    folder = write_suite({"a": [own]}, extra={"data/own.csv": text})
    assert loaded(folder)[0] == f"{text.rstrip()} and again {text.rstrip()}"


def test_a_shown_file_is_part_of_what_a_suite_is(write_suite: WriteSuite) -> None:
    own = judged(prompt="{{own.csv}}", fixtures=["own.csv"])
    sources = {
        load_suite(write_suite({"a": [own]}, extra={"own.csv": text})).source for text in "12"
    }
    assert len(sources) == 2


def test_files_are_put_in_once_so_that_no_text_names_another() -> None:
    texts = {"a": "{{b}}", "b": "secret", "a.b": "longer"}
    turns = (Message("user", "{{a}} {{a.b}} {{c}} {a} \\1"),)
    assert with_files(turns, texts) == (Message("user", "{{b}} longer {{c}} {a} \\1"),)


def test_files_are_shown_in_every_turn_of_a_conversation(write_suite: WriteSuite) -> None:
    turns = [
        {"role": "user", "content": "{{orders.csv}}"},
        {"role": "assistant", "content": "Seen."},
        {"role": "user", "content": "Again: {{orders.csv}}"},
    ]
    talk = judged(messages=turns)
    del talk["prompt"]
    (case,) = load_suite(write_suite({"a": [talk]}, extra={"orders.csv": "id,sum"})).cases
    assert ["id,sum" in turn.content for turn in case.messages] == [True, False, True]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"fixtures": ["orders.csv"]}, "there is no file 'orders.csv'", id="missing"),
        pytest.param({"fixtures": ["../secret"], "prompt": "{{../secret}}"}, "leads out of",
                     id="out of the folder"),
        pytest.param({"fixtures": ["/etc/hostname"], "prompt": "{{/etc/hostname}}"},
                     "must be a file beside the tests", id="absolute"),
        pytest.param({"fixtures": ["a\0b"], "prompt": "{{a\0b}}"}, "must be a file beside",
                     id="a zero character"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_shown_is_an_error_at_its_place(
    write_suite: WriteSuite, fields: dict[str, Any], message: str
) -> None:
    folder = write_suite({"a": [judged(**fields)]})
    (folder.parent / "secret").write_text("do not read", "utf-8")
    (found,) = [each for each in examine([folder]) if each.severity == "error"]
    assert message in found.message
    assert found.test_id == "a_001"


def test_links_binary_files_and_large_ones_are_refused(write_suite: WriteSuite) -> None:
    names = ("link", "binary", "large")
    folder = write_suite(
        {"a": [judged(id=f"a_00{n}", prompt=f"{{{{{name}}}}}", fixtures=[name])
               for n, name in enumerate(names)]}
    )  # fmt: skip
    os.symlink("/etc/hostname", folder / "link")
    (folder / "binary").write_bytes(b"\xff\xfe\x00")
    (folder / "large").write_bytes(b"x" * 1_000_001)
    told = [each.message for each in examine([folder]) if each.severity == "error"]
    assert [any(words in each for each in told) for words in ("leads out", "UTF-8", "1 MB")] == [
        True, True, True,
    ]  # fmt: skip


def test_a_test_that_was_written_out_by_an_earlier_version_is_read(write_suite: WriteSuite) -> None:
    whole = judged(prompt="All here:\nid,sum", fixtures=["sales_table@7:orders.csv"])
    assert loaded(write_suite({"a": [whole]}))[0] == whole["prompt"]


def test_what_is_likely_a_slip_is_a_warning_and_loads(write_suite: WriteSuite) -> None:
    folder = write_suite({"a": [judged(fixtures=["notes.txt"], prompt="Look.")]})
    told = [each for each in examine([folder]) if each.severity == "warning"]
    assert any("is not shown 'notes.txt'" in each.message for each in told)
    assert loaded(folder)[0] == "Look."


SHAPED = {"id": "a_001", "prompt": "As JSON, please.", "eval_method": "format"}


def test_a_schema_may_be_a_file_beside_the_tests(write_suite: WriteSuite) -> None:
    test = SHAPED | {"expected_format": {"json_schema": "person.schema"}}
    schemas = [{"type": "object", "required": ["name"]}, {"type": "array"}]
    suites = [load_suite(write_suite({"a": [test]}, extra={"person.schema": s})) for s in schemas]
    assert [case.check.stored()["json_schema"] for s in suites for case in s.cases] == schemas
    assert suites[0].source != suites[1].source


def test_a_json_file_that_a_test_names_is_no_category(write_suite: WriteSuite) -> None:
    shaped = SHAPED | {"expected_format": {"json_schema": "person.json"}}
    shows = judged(id="a_002", prompt="{{rows.json}}", fixtures=["./rows.json", "rows.json"])
    extra = {"person.json": {"type": "object"}, "rows.json": [{"total": 3}]}
    suite = load_suite(write_suite({"a": [shaped, shows]}, extra=extra))
    assert [category.name for category in suite.categories] == ["a"]
    assert suite.categories[0].cases[0].check.stored()["json_schema"] == {"type": "object"}
    told = examine([write_suite({"a": [SHAPED | {"expected_format": {"json": True}}]})])
    assert any("a test file contains a list of tests" in each.message for each in told)


@pytest.mark.parametrize(
    ("schema", "sentence"),
    [
        ("gone.schema", "there is no file 'gone.schema' beside the tests"),
        ("../x.schema", "'../x.schema' leads out of the folder of the tests"),
        ("odd.schema", "'odd.schema' is not a valid JSON Schema: 'objekt' is not valid"),
        ({"type": "objekt"}, "this is not a valid JSON Schema: 'objekt' is not valid"),
        ({"$ref": "http://localhost:1/x"}, "it refers to http://localhost:1/x, which it"),
        ({"$ref": "#/$defs/none"}, "which it does not have"),
        ({"$ref": "#"}, "it refers to itself without end"),
        (True, "must be a text or an object, not true"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused(
    schema: Any, sentence: str, write_suite: WriteSuite
) -> None:
    test = SHAPED | {"expected_format": {"json_schema": schema}}
    extra = {"odd.schema": {"type": "objekt"}}
    (finding,) = examine([write_suite({"a": [test]}, extra=extra)])
    assert sentence in finding.message
