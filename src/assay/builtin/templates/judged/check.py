"""Runs the query of an answer on the rows that were shown and on others; reads its figures."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assay.checking import Check, Fact, ReportText, check_facts, code_blocks, json_block

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
    for name, rows in (("shown_rows", truth["rows"]), ("hidden_rows", truth["hidden_rows"])):
        given, expected = run_query(query, rows), run_query(right, rows)
        why = "the rows are right" if given == expected else f"it gives {given}, not {expected}"
        why = why if query else f"there are {len(queries)} sql blocks, not one"
        works = bool(query) and given == expected  # in the end of the hidden rows
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
    # A sentence counts only where it is about right figures, and says them.
    said = ReportText(answer).has([truth["first_region"], truth["first_amount"]])
    known = all(one.passed is not False for one in checks[:2])
    why = "the text names the first region and its sum"
    passed = said and known and works
    yield Check("sentence", passed, why if passed else f"not so, or not counted: {why}")


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
