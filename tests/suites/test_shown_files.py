"""Files that a judged test shows: found, made from a seed, put into the prompt; mistakes told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from assay.checks.judge import Judge
from assay.fixtures import make
from assay.suites.load import examine, load_suite
from assay.suites.test_format.shown_files import with_files
from assay.types import Message
from tests.suites.conftest import FindingsOf, WriteSuite


def judged(**fields: Any) -> dict[str, Any]:
    return {
        "id": "a_001",
        "prompt": "Look at this:\n{{orders.csv}}\nWhat do you see?",
        "description": "d",
        "eval_method": "judge",
        "rubric": "data",
        "fixtures": ["sales_table:orders.csv"],
    } | fields


def loaded(folder: Path, **how: Any) -> tuple[str, Judge]:
    (case,) = load_suite(folder, **how).cases
    assert isinstance(case.check, Judge)
    return case.prompt, case.check


def table(seed: int) -> str:
    return make("sales_table", seed).files["orders.csv"].rstrip("\n")


def test_a_generated_file_stands_in_the_prompt_and_follows_the_seed(
    write_suite: WriteSuite,
) -> None:
    folder = write_suite({"a": [judged(evidence="sales_table")]})
    for seed in (0, 3):
        prompt, check = loaded(folder, data_seed=seed)
        assert prompt == f"Look at this:\n{table(seed)}\nWhat do you see?"
        assert (check.data_seed, check.evidence) == (seed, "sales_table")
    assert table(0) != table(3)


@pytest.mark.parametrize(
    "fields",
    [
        {"fixtures": ["sales_table@7:orders.csv"], "evidence": "sales_table"},
        {"evidence": "sales_table@7"},
        {"fixtures": ["sales_table@7:orders.csv"], "evidence": "sales_table@7"},
    ],
)
def test_a_pinned_seed_wins_over_the_commands_for_files_and_facts(
    write_suite: WriteSuite, fields: dict[str, Any]
) -> None:
    prompt, check = loaded(write_suite({"a": [judged(**fields)]}), data_seed=3)
    assert table(7) in prompt
    assert (check.data_seed, check.evidence) == (7, "sales_table")


def test_files_and_facts_of_two_seeds_are_refused(findings_of: FindingsOf) -> None:
    (found,) = findings_of(
        judged(fixtures=["sales_table@7:orders.csv"], evidence="sales_table@8"),
    )
    assert (found.severity, "7, 8" in found.message) == ("error", True)


def test_a_test_that_was_written_out_needs_no_place_for_its_pinned_file(
    write_suite: WriteSuite,
) -> None:
    whole = judged(prompt=f"All here:\n{table(7)}", fixtures=["sales_table@7:orders.csv"])
    prompt, check = loaded(write_suite({"a": [whole]}))
    assert (prompt, check.data_seed) == (whole["prompt"], 7)


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
    (case,) = load_suite(write_suite({"a": [talk]})).cases
    assert [table(0) in turn.content for turn in case.messages] == [True, False, True]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"fixtures": ["sale_table:orders.csv"]}, "did you mean 'sales_table'",
                     id="a generator that is not there"),
        pytest.param({"fixtures": ["sales_table:order.csv"]}, "makes no 'order.csv', only orders",
                     id="a file that it does not make"),
        pytest.param({"fixtures": ["sales_table:orders.csv"], "prompt": "What do you see?"},
                     "write {{orders.csv}} there", id="a file that the prompt never shows"),
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


def test_what_is_likely_a_slip_is_a_warning_and_loads(write_suite: WriteSuite) -> None:
    folder = write_suite(
        {"a": [judged(fixtures=["notes.txt"], evidence="sale_table", prompt="Look.")]}
    )
    told = [each for each in examine([folder]) if each.severity == "warning"]
    assert any("is not shown 'notes.txt'" in each.message for each in told)
    assert any("no evidence 'sale_table'" in each.message for each in told)
    assert loaded(folder)[0] == "Look."
