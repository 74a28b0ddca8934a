"""Report formats: the shipped ones, and those of plugins."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

import assay
from assay.errors import UsageError
from assay.plugins import report_formats, write_report
from assay.types.results import Report


def test_the_shipped_formats_are_registered_as_a_plugins_is(report: Report) -> None:
    assert {"text", "md", "html", "json", "csv"} <= set(report_formats)
    assert write_report(report, "md").startswith("# good scores 72.5 points")
    assert "\ngood scores 72.5 points" in write_report(report, "text")
    assert write_report(report, "html").startswith("<!doctype html>")
    assert write_report(report, "json").startswith("{")


def test_csv_has_every_figure_with_its_interval_and_no_formula(report: Report) -> None:
    evil = replace(report.models[0], spec="=HYPERLINK(1)")
    rows = [*csv.DictReader(write_report(replace(report, models=(evil,)), "csv").splitlines())]
    (score,) = [row for row in rows if row["figure"] == "demo" and not row["category"]]
    of = report.models[0].suites[0].score
    assert (float(score["value"]), float(score["low"]), int(score["n"])) == (72.5, of.low, of.n)
    assert {row["category"] for row in rows} >= set(report.models[0].suites[0].categories)
    assert {row["figure"] for row in rows} >= set(report.models[0].measurements)
    assert {row["model"] for row in rows} == {"'=HYPERLINK(1)"}


def test_a_format_of_ones_own_is_a_function(report: Report) -> None:
    @assay.report_format("rows")
    def rows(report: assay.Report) -> str:
        scores = ((m.model, s.suite, s.score.value) for m in report.models for s in m.suites)
        return "\n".join(f"{model}\t{suite}\t{value}" for model, suite, value in scores)

    assert write_report(report, "rows") == "scripted:good.json\tdemo\t72.5"


def test_an_unknown_format_is_refused_with_the_known_ones(report: Report) -> None:
    with pytest.raises(UsageError, match="did you mean 'html'") as refused:
        write_report(report, "htlm")
    assert "csv, html, json, md" in (refused.value.hint or "")


def test_a_mistake_in_a_format_is_an_error_with_file_and_line(report: Report) -> None:
    @assay.report_format("broken")
    def broken(report: assay.Report) -> str:
        raise KeyError("no such suite")

    with pytest.raises(UsageError, match=r"test_report_formats\.py:\d+: KeyError"):
        write_report(report, "broken")

    @assay.report_format("number")
    def number(report: assay.Report) -> str:
        return 7  # type: ignore[return-value]

    with pytest.raises(UsageError, match="returned int, not a text"):
        write_report(report, "number")
