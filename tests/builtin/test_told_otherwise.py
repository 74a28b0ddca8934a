"""Right values in tables and sentences earn two thirds; wrong names, bare numbers, two values and
what takes a block back earn nothing.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from assay.checkers import Made, gather, make_files
from assay.sandbox import open_sandbox
from assay.types.judging.judgements import Evidence
from assay.types.tests import SHIPPED_SUITES
from tests.builtin.told_otherwise import REPORTS, Block, answer_of, block_of, table

DATA = SHIPPED_SUITES / "data"
BLOCK_ALONE = 0.32  # and one name of a few words that has another within it


def measure(folder: str, answers: list[str], made: Made) -> list[Evidence]:
    return gather(DATA / folder, [(one, made) for one in answers], open_sandbox())


def share(found: Evidence) -> float:
    return float(found.share or 0)


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("seed", range(2))
def test_a_right_report_in_tables_or_sentences_earns_more_than_half(name: str, seed: int) -> None:
    folder, write = REPORTS[name]
    (made,) = make_files(DATA / folder, [seed], None)
    block = block_of(made)
    (found,) = measure(folder, [answer_of(write(block), block)], made)
    wrong = [(one.name, one.explanation) for one in found.checks if not one.passed]
    assert 0.55 <= share(found) <= 0.8, wrong
    told = next(one.explanation for one in found.checks if one.name == "report_untold")
    assert re.search(r"told in (a table|sentences), not on lines", told)


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_of_other_values_earns_nothing_beside_a_right_block(name: str) -> None:
    """Who does not know the values has nothing from how they are told."""
    folder, write = REPORTS[name]
    made, other = make_files(DATA / folder, [1, 77], None)
    right, wrong = block_of(made), block_of(other)
    beside, alone = measure(
        folder, [answer_of(write(wrong), right), answer_of(write(wrong), wrong)], made
    )
    assert share(beside) < 0.4
    assert share(alone) < 0.15


def mixed(block: Block) -> Block:
    """Each value beside the name of another one of its kind."""
    found: dict[str, Any] = {}
    numbers = [key for key, one in block.items() if isinstance(one, int | float)]
    texts = [key for key, one in block.items() if isinstance(one, str)]
    for keys in (numbers, texts):
        # Equal values one after the other would stand beside right names.
        keys.sort(key=lambda key: str(block[key]))
        values = [block[key] for key in keys]
        half = len(values) // 2
        values = values[half:] + values[:half]
        found |= dict(zip(keys, values, strict=True))
    return {key: found.get(key, one) for key, one in block.items()}


WORDS = (
    "Whoever reads this should compare it with the file that it came from, since nobody else has "
    "done so yet and some parts may still need another look before the next meeting."
)
FOLDERS = ["dt_01_sales_table", "dt_03_three_sources", "dt_05_quarterly_report", "dt_06_patterns"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_bare_numbers_wrong_names_and_two_values_earn_nothing(folder: str) -> None:
    (made,) = make_files(DATA / folder, [2], None)
    right = block_of(made)
    flat = {key: one for key, one in right.items() if not isinstance(one, dict | list)}
    other = mixed(flat)
    values = [str(one) for one in flat.values()]
    spelt = {key: f"the {key.replace('_', ' ')}" for key in flat}
    numbers = {key: one for key, one in flat.items() if isinstance(one, int | float)}
    reports = {
        "bare": ", ".join(values),
        "bare items": "\n".join(f"- {one}" for one in values),
        "bare table": table("No. | Value", list(enumerate(values, 1))),
        "bare sentences": "\n\n".join(f"One of them is {one}." for one in values),
        "wrong names in a table": table(
            "Figure | Value | Note", [(spelt[key], one, "3 rows") for key, one in other.items()]
        ),
        "wrong names in sentences": "\n\n".join(
            f"As the file has it, {spelt[key]} is {one}." for key, one in other.items()
        ),
        "two columns": table(
            "Figure | A | B",
            [(spelt[key], one, 3 * one + 7) for key, one in numbers.items()],
        ),
        "two sentences": " ".join(
            f"In the file {spelt[key]} is {one}. In the file {spelt[key]} is {3 * one + 7}."
            for key, one in numbers.items()
        ),
        "one or another": "\n\n".join(
            f"In the whole file {spelt[key]} is {one} or {3 * one + 7}."
            for key, one in numbers.items()
        ),
        "marked": table(
            "Figure | Value | Note",
            [(spelt[key], f"{one} ❌", "3 rows") for key, one in flat.items()],
        ),
        "negated": table(
            "Figure | Value | Note",
            [(f"¬ {spelt[key]}", one, "3 rows") for key, one in flat.items()],
        ),
        "asked": "\n\n".join(
            f"Could it be that {spelt[key]} is {one}?" for key, one in flat.items()
        ),
        "a quote": "\n>\n".join(f"> In all {spelt[key]} is {one}." for key, one in flat.items()),
    }
    answers = [
        f"{WORDS}\n\n{text}\n\n```json\n{json.dumps(right)}\n```\n" for text in reports.values()
    ]
    found = dict(zip(reports, map(share, measure(folder, answers, made)), strict=True))
    assert {name: one for name, one in found.items() if one > BLOCK_ALONE} == {}


def test_a_table_or_a_sentence_that_says_otherwise_loses_its_block_as_a_line_does() -> None:
    folder = "dt_01_sales_table"
    (made,) = make_files(DATA / folder, [2], None)
    right = block_of(made)
    write = REPORTS["sales, tables"][1]
    said = write(right) + f"\n\nTotal is {right['total'] + 12}.\n"
    before, after = measure(folder, [answer_of(one, right) for one in (write(right), said)], made)
    names = [{one.name for one in each.checks if one.passed} for each in (before, after)]
    assert "total" in names[0] - names[1]
    assert share(after) < share(before) - 0.05


@pytest.mark.parametrize("name", REPORTS)
def test_what_is_said_of_a_section_is_so(name: str) -> None:
    folder, write = REPORTS[name]
    (made,) = make_files(DATA / folder, [3], None)
    block = block_of(made)
    (found,) = measure(folder, [answer_of(write(block), block)], made)
    sections = [one for one in found.checks if one.name.startswith("section_")]
    assert {one.passed for one in sections} == {True, False}
    for one in sections:
        assert one.explanation.startswith("the section ") == one.passed
        assert one.explanation.startswith("not counted, since only ") != one.passed
