"""Answers of several models to the same prompts, beside each other.

In: a Report and a console. Out: one block a prompt; columns where they are wide enough to read, one
below the other where not.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from assay.messages import tr
from assay.text.safe_text import visible
from assay.types.results import ModelReport, RepeatRow, Report, TestRow

NARROWEST = 36  # columns in which a sentence can still be read


def side_by_side(report: Report, console: Console) -> None:
    """Prompt by prompt."""
    beside = console.width // max(1, len(report.models)) >= NARROWEST
    for index, asked in enumerate(_rows(report.models[0])):
        console.print(Rule(Text(asked.id), align="left"))
        console.print(Text(visible(asked.question), style="bold"))
        panels = [
            Panel(_answer(rows[index]), title=Text(visible(model.spec)), title_align="left")
            for model in report.models
            if index < len(rows := list(_rows(model)))
        ]
        console.print(_in_columns(panels) if beside else Group(*panels))


def _rows(model: ModelReport) -> Iterator[TestRow]:
    for suite in model.suites:
        yield from suite.tests


def _in_columns(panels: list[Panel]) -> Table:
    table = Table.grid(expand=True)
    for _ in panels:
        table.add_column(ratio=1)
    table.add_row(*panels)
    return table


def _answer(row: TestRow) -> RenderableType:
    tries: tuple[TestRow | RepeatRow, ...] = row.repeats or (row,)
    parts: list[RenderableType] = []
    for number, one in enumerate(tries, start=1):
        if len(tries) > 1:
            parts.append(Text(tr("try {number}", number=number), style="dim"))
        if one.answer is None:
            parts.append(Text(visible(one.explanation), style="red"))
        else:
            parts.append(Text(visible(one.answer) or tr("(empty)")))
    return Group(*parts)
