"""Runs the query of an answer on the rows that were shown and on others; reads its figures."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from assay.checking import Check, Fact, check_facts, code_blocks, json_block

TABLE = "CREATE TABLE orders (id INTEGER, region TEXT, status TEXT, amount INTEGER)"
EXPECTED = """
SELECT region, COUNT(*), SUM(amount) FROM orders WHERE status = 'paid'
GROUP BY region ORDER BY SUM(amount) DESC
"""


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    """One Check for each thing that a right answer does."""
    queries = code_blocks(answer, "sql")
    yield Check("one_query", len(queries) == 1, f"there are {len(queries)} sql blocks")
    query = queries[-1] if queries else ""
    for name, rows in (("shown_rows", truth["rows"]), ("hidden_rows", truth["hidden_rows"])):
        given, expected = run_query(query, rows), run_query(EXPECTED, rows)
        why = "the rows are right" if given == expected else f"it gives {given}, not {expected}"
        yield Check(name, given == expected, why, weight=2)
    yield from check_facts(
        json_block(answer),
        [
            Fact("top_region", truth["top_region"],
                 f"the region with the largest sum is {truth['top_region']}"),
            Fact("top_amount", truth["top_amount"],
                 f"the largest sum of a region is {truth['top_amount']} euros"),
            Fact("paid_orders", truth["paid_orders"],
                 f"{truth['paid_orders']} orders are paid"),
        ],
    )  # fmt: skip


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
