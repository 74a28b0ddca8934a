"""Runs the query of an answer on the rows that were shown and on others; reads its figures."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assay.checking import (
    Check,
    Fact,
    ReportText,
    check_facts,
    code_blocks,
    draw_for,
    json_block,
)

TABLE = "CREATE TABLE orders (id INTEGER, region TEXT, status TEXT, amount INTEGER)"
EXPECTED = """
SELECT region, COUNT(*), SUM(amount) FROM orders WHERE status = '{status}' AND amount >= {least}
GROUP BY region ORDER BY SUM(amount) {direction}
"""


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    """One Check for each thing that a right answer does. Figures count only beside a query that is
    right for rows it was not shown: without one, they may come from anywhere.
    """
    queries = code_blocks(answer, "sql")
    query = queries[0] if len(queries) == 1 else ""
    right = EXPECTED.format(**truth)
    works = False
    hidden = deal_regions(answer, truth["hidden_rows"])
    for name, rows in (("shown_rows", truth["rows"]), ("hidden_rows", hidden)):
        given, expected = run_query(query, rows), run_query(right, rows)
        works = bool(query) and is_same(given, expected)  # in the end of the hidden rows
        why = "the rows are right" if works else f"it gives {given}, not {expected}"
        why = why if query else f"there are {len(queries)} sql blocks, not one"
        yield Check(name, works, why, weight=3 if name == "hidden_rows" else 1)
    facts = [
        Fact("first_region", truth["first_region"], f"{truth['first_region']} comes first", 2),
        Fact("first_amount", truth["first_amount"], f"its sum is {truth['first_amount']} euros", 2),
        Fact("orders", truth["orders"], f"{truth['orders']} orders count", 2),
    ]
    checks = list(check_facts(json_block(answer), facts))
    for one in checks:
        no = "not counted, since the query is not right for the hidden rows"
        yield one if works or one.passed is None else replace(one, passed=False, why=no)
    # Lines count only where they state right figures. What sentences say is a judge's to read.
    said = all(map(ReportText(answer).states, facts[:2]))
    known = all(one.passed is not False for one in checks[:2])
    why = "the first region and its sum are on lines that name them"
    passed = said and known and works
    yield Check("lines", passed, why if passed else f"not so, or not counted: {why}")


def deal_regions(answer: str, rows: list[Any]) -> list[Any]:
    """The rows with their regions dealt anew, for this answer alone: a result that somebody read
    off a report fits no other answer.
    """
    regions = [region for _, region, _, _ in rows]
    draw_for(answer).shuffle(regions)
    return [
        [number, region, status, amount]
        for (number, _, status, amount), region in zip(rows, regions, strict=True)
    ]


def is_same(given: Any, expected: Any) -> bool:
    """The same rows in the same order; regions with the same sum come in any order."""
    if not isinstance(given, list) or not isinstance(expected, list):
        return False
    in_order = [row[-1] for row in given] == [row[-1] for row in expected]
    return in_order and sorted(map(repr, given)) == sorted(map(repr, expected))


def run_query(query: str, rows: list[Any]) -> list[Any] | str:
    """The rows that a query gives, or why it gives none."""
    steps = iter(range(1000))
    with sqlite3.connect(":memory:") as database:
        database.execute(TABLE)
        database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", rows)
        # The query comes from a model: it ends after a million steps, and no value is long.
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 100_000)
        database.set_progress_handler(lambda: next(steps, None) is None, 1000)
        try:
            return [list(row) for row in database.execute(query).fetchmany(100)]
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            return f"an error: {error}"
