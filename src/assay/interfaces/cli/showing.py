"""Puts documents on the screen: chooses the renderer, computes nothing.

In: a Report, Comparison, Leaderboard or Suite. Out: text on stdout.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from assay.interfaces.cli.output import reader_may_leave, stdout_takes_unicode
from assay.messages import tr
from assay.reports import as_json, markdown, terminal
from assay.reports.catalogue import suite_table, suites_table
from assay.results import Comparison, Leaderboard, Report
from assay.types import Suite


@reader_may_leave()
def show_report(report: Report, form: str, *, verbose: bool = False) -> None:
    """A run."""
    if form == "json":
        _echo_json(as_json.report(report))
    elif form == "md":
        click.echo(markdown.report(report))
    elif form == "html":
        from assay.reports import html

        click.echo(html.report(report))
    else:
        terminal.report(report, terminal.console_for(), verbose=verbose)


@reader_may_leave()
def show_comparison(comparison: Comparison, form: str) -> None:
    """Sides."""
    if form == "json":
        _echo_json(as_json.comparison(comparison))
    elif form == "md":
        click.echo(markdown.comparison(comparison))
    else:
        terminal.comparison(comparison, terminal.console_for())


@reader_may_leave()
def show_leaderboard(leaderboard: Leaderboard, form: str) -> None:
    """Every model."""
    if form == "json":
        _echo_json(as_json.leaderboard(leaderboard))
    elif form == "md":
        click.echo(markdown.leaderboard(leaderboard))
    else:
        terminal.leaderboard(leaderboard, terminal.console_for())


@reader_may_leave()
def show_demo(report: Report, comparison: Comparison, leaderboard: Leaderboard) -> None:
    """Each step under the command that shows it again."""
    console = terminal.console_for()
    run = report.run
    where = f"--out {shlex.quote(report.out)}"
    _heading(f"$ assay report {run} {where}")
    terminal.report(report, console)
    _heading(f"$ assay compare {run} {where}")
    terminal.comparison(comparison, console)
    _heading(f"$ assay leaderboard {where}")
    terminal.leaderboard(leaderboard, console)
    _heading(tr("look further"))
    folder = Path(report.out) / "runs" / run
    click.echo(tr("the page:        {path}", path=folder / "reports" / "report.html"))
    click.echo(tr("every answer:    {path}", path=folder / "outputs"))
    click.echo(tr("the records:     assay export {run} {where}", run=run, where=where))


def _echo_json(document: as_json.Document) -> None:
    click.echo(as_json.as_text(document, ascii_only=not stdout_takes_unicode()))


def _heading(text: str) -> None:
    click.echo()
    click.secho(text, bold=True)


@reader_may_leave()
def show_suites(suites: Sequence[Suite]) -> None:
    """What ships."""
    terminal.console_for().print(suites_table(suites))
    click.echo(tr("show one with `assay suites NAME`; a folder of your own is a suite too"))


@reader_may_leave()
def show_suite(suite: Suite) -> None:
    """One suite's categories and tests."""
    terminal.console_for().print(suite_table(suite))
