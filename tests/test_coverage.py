"""docs/coverage.md says what meets each requirement; here it is held to it.

A row `| ID | requirement | met by |` names, in its last cell, commands (`assay run --limit`), tests
(`tests/file.py::test_name`), decisions (`docs/decisions/NNN-title.md`), or `not yet: part N`.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click

COVERAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
SPECIFICATIONS = {
    "CE": "checkpoint-evaluation.md",
    "JU": "judging.md",
    "TF": "test-format.md",
    "SM": "this project's own contract",
    "EN": "this project's own contract",
    "GT": "this project's own contract",
    "WA": "this project's own contract",
    "SE": "this project's own contract",
    "AD": "this project's own contract",
    "PI": "this project's own contract",
    "CL": "this project's own contract",
    "JC": "this project's own contract",
    "EV": "this project's own contract",
    "PL": "this project's own contract",
    "FS": "this project's own contract",
    "ES": "this project's own contract",
    "FR": "this project's own contract",
    "PG": "this project's own contract",
    "RV": "this project's own contract",
    "VW": "this project's own contract",
    "MC": "this project's own contract",
    "LO": "this project's own contract",
    "BM": "this project's own contract",
    "LM": "this project's own contract",
    "DC": "this project's own contract",
    "MM": "this project's own contract",
    "WR": "this project's own contract",
}
# Fewer rows than this would mean that requirements were dropped or lumped together.
FEWEST_ROWS = {
    "CE": 60,
    "JU": 70,
    "TF": 30,
    "SM": 20,
    "EN": 15,
    "GT": 8,
    "SE": 15,
    "AD": 9,
    "PI": 12,
    "WA": 11,
    "CL": 11,
    "JC": 30,
    "EV": 8,
    "PL": 9,
    "VW": 11,
    "FS": 6,
    "ES": 8,
    "FR": 7,
    "PG": 6,
    "RV": 9,
    "MC": 7,
    "LO": 6,
    "BM": 9,
    "LM": 7,
    "DC": 7,
    "MM": 11,
    "WR": 3,
}

ROW = re.compile(r"^\| (?P<id>[A-Z]{2}-\d{2,3}) \| (?P<requirement>.+?) \| (?P<met_by>.*?) \|$")
NOT_YET = re.compile(r"not yet: (?:part [2-6]|later)(?=$|[;,. ])")
IN_BACKTICKS = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Row:
    id: str
    requirement: str
    met_by: str

    @property
    def references(self) -> list[str]:
        return IN_BACKTICKS.findall(self.met_by)


def rows_of(text: str) -> list[Row]:
    return [Row(**m.groupdict()) for line in text.splitlines() if (m := ROW.match(line))]


ROWS = rows_of(COVERAGE.read_text("utf-8"))


def complaints(row: Row, root: Path) -> Iterator[str]:
    """Everything a row says that is not so."""
    if not row.references and not NOT_YET.search(row.met_by):
        yield "names nothing that meets it, and no part in which it comes"
    for reference in row.references:
        if reference.startswith("assay "):
            yield from complaints_about_command(reference)
        elif reference.startswith(("tests/", "tests_around/")):
            yield from complaints_about_test(reference, root)
        elif reference.startswith("docs/decisions/"):
            if not (root / reference).is_file():
                yield f"{reference} does not exist"
        else:
            yield f"`{reference}` is neither a command, nor a test, nor a decision"


def complaints_about_command(reference: str) -> Iterator[str]:
    from assay.interfaces.cli import COMMANDS, load_command

    _, name, *words = shlex.split(reference)
    if name not in COMMANDS:
        yield f"`assay {name}` is not a command"
        return
    known = {option for parameter in load_command(name).params for option in options_of(parameter)}
    for word in words:
        if word.startswith("-") and word not in known:
            yield f"`assay {name}` has no option {word}"


def options_of(parameter: click.Parameter) -> list[str]:
    is_option = isinstance(parameter, click.Option)
    return [*parameter.opts, *parameter.secondary_opts] if is_option else []


def complaints_about_test(reference: str, root: Path) -> Iterator[str]:
    file, _, name = reference.partition("::")
    if not (root / file).is_file():
        yield f"{file} does not exist"
    elif name and name not in names_of_tests(root / file):
        yield f"{file} has no {name}"
    elif not name:
        yield f"`{reference}` names no test"


@cache
def names_of_tests(file: Path) -> set[str]:
    tree = ast.parse(file.read_text("utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_what_each_row_names_exists(root: Path) -> None:
    found = {row.id: list(complaints(row, root)) for row in ROWS}
    assert {row: wrong for row, wrong in found.items() if wrong} == {}


def test_every_line_of_a_table_is_read_as_a_row() -> None:
    lines = [line for line in COVERAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    titles = [line for line in lines if line.startswith("| id |")]
    assert len(lines) - len(titles) == len(ROWS)


def test_ids_are_unique_and_consecutive_within_each_specification() -> None:
    numbers = defaultdict(list)
    for row in ROWS:
        prefix, number = row.id.split("-")
        numbers[prefix].append(int(number))
    assert set(numbers) == set(SPECIFICATIONS)
    for prefix, found in numbers.items():
        assert len(found) == len(set(found)), prefix
        # A part of an issue that was built apart begins its own ten.
        begun = [number for number in found if number - 1 not in found]
        assert all(number == 1 or number % 10 == 0 for number in begun), prefix
        assert len(found) >= FEWEST_ROWS[prefix], prefix


def test_no_requirement_stands_twice() -> None:
    stated = [(row.id[:2], row.requirement) for row in ROWS]
    assert len(stated) == len(set(stated))


def test_every_specification_has_a_section() -> None:
    text = COVERAGE.read_text("utf-8")
    for name in SPECIFICATIONS.values():
        assert re.search(rf"^## .*{re.escape(name)}", text, re.MULTILINE), name
