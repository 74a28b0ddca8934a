"""Every figure of a report as a row of a table: suites, their categories, and what was measured."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from assay.plugins import report_format
from assay.text.safe_text import spreadsheet_cell
from assay.types import Estimate
from assay.types.results import ModelReport, Report

HEADS = ("model", "figure", "category", "value", "low", "high", "n", "unscored", "unit", "method")


@report_format("csv")
def write_csv(report: Report) -> str:
    """As a spreadsheet reads it; what has no value is empty, never 0."""
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(HEADS)
    for model in report.models:
        for figure, category, estimate in _figures(model):
            names = map(spreadsheet_cell, (model.spec, figure, category))
            rows.writerow([*names, *_cells(estimate)])
    return written.getvalue()


def _figures(model: ModelReport) -> Iterator[tuple[str, str, Estimate]]:
    for summary in model.suites:
        if not summary.own:
            yield summary.suite, "", summary.score
            for category, estimate in summary.categories.items():
                yield summary.suite, category, estimate
    for name, estimate in model.measurements.items():
        yield name, "", estimate


def _cells(of: Estimate) -> Iterator[str]:
    for number in (of.value, of.low, of.high, of.n, of.unscored):
        yield "" if number is None else repr(number)
    yield from (spreadsheet_cell(of.unit), of.method)
