"""Suites on a terminal: what ships, and what is in one.

In: Suites. Out: rich tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from assay.messages import tr
from assay.text.safe_text import one_line
from assay.types import Suite


def suites_table(suites: Sequence[Suite]) -> Table:
    """One row a suite."""
    table = Table(box=SIMPLE_HEAD)
    for head in (tr("suite"), tr("title"), tr("categories")):
        table.add_column(head, overflow="fold")
    table.add_column(tr("tests"), justify="right")
    for suite in suites:
        names = ", ".join(category.name for category in suite.categories)
        tests = sum(len(category.cases) for category in suite.categories)
        table.add_row(*_texts(suite.name, suite.title, names, str(tests)))
    return table


def suite_table(suite: Suite) -> Table:
    """One row a test, under its category."""
    title = tr(
        "{name}: {title} (pass mark {pass_mark}, scoring {scoring})",
        name=suite.name,
        title=suite.title or suite.path,
        pass_mark=suite.pass_mark,
        scoring=suite.scoring,
    )
    table = Table(title=Text(one_line(title)), box=SIMPLE_HEAD, title_justify="left")
    for head in (tr("test"), tr("marked by"), tr("question")):
        table.add_column(head, overflow="fold")
    for category in suite.categories:
        methods = Counter(case.method for case in category.cases)
        weight = tr("weight {weight}", weight=f"{suite.weight(category.name):g}")
        table.add_section()
        table.add_row(
            Text(one_line(category.name), style="bold"),
            Text(", ".join(f"{method} {count}" for method, count in methods.items()), style="dim"),
            Text(weight, style="dim"),
        )
        for case in category.cases:
            table.add_row(*_texts(case.id, case.method, case.prompt))
    return table


def _texts(*cells: str) -> list[Text]:
    return [Text(one_line(cell, longest=200)) for cell in cells]
