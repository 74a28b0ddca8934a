"""A test together with the facts it rests on, and the files both are written to.

In: Made tests of one category, and the worked examples kept apart from them. Out: CATEGORY.json,
few_shot/CATEGORY.json and the rows of sources.tsv.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Row = TypeVar("Row")

HEAD = ("test", "fact", "source", "where")


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement, the source that says so, and the place in it: a key, a row, a section."""

    statement: str
    source: str
    where: str


@dataclass(frozen=True, slots=True)
class Made:
    """A test as its file holds it, without its id, and what it rests on."""

    test: dict[str, object]
    facts: tuple[Fact, ...]


def numbered(category: str, made: Sequence[Made], *, first: int = 1) -> dict[str, Made]:
    """Ids in order: hardware_id_001, hardware_id_002, …"""
    return {f"{category}_{place:03d}": each for place, each in enumerate(made, first)}


def rows_of(table: Path, row: type[Row]) -> list[Row]:
    """The rows of a hand-written table, its columns named like the fields of `row`."""
    with table.open(encoding="utf-8", newline="") as file:
        return [row(**cells) for cells in csv.DictReader(file, delimiter="\t")]


def worded_in_turn(
    rows: Sequence[Row], wordings: Sequence[str], made: Callable[[Row, str], Made]
) -> list[Made]:
    """A test a row; wordings in turn, so that each is used as often."""
    return [made(row, wordings[place % len(wordings)]) for place, row in enumerate(rows)]


def write_tests(path: Path, tests: dict[str, Made]) -> None:
    """A category file: one test an object, fields in the order they were made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"id": name, **each.test} for name, each in tests.items()]
    text = json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def write_sources(path: Path, tests: dict[str, Made]) -> None:
    """One row a fact, in the order of the tests."""
    out = io.StringIO()
    table = csv.writer(out, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    table.writerow(HEAD)
    for name, each in tests.items():
        table.writerows(_rows(name, each.facts))
    path.write_text(out.getvalue(), encoding="utf-8", newline="\n")


def _rows(name: str, facts: Iterable[Fact]) -> Iterable[tuple[str, ...]]:
    for fact in facts:
        yield (name, fact.statement, fact.source, fact.where)
