"""Puts documents on the screen: chooses the renderer, computes nothing.

In: a Report, Comparison, Leaderboard or Suite. Out: text on stdout.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from assay.interfaces.cli.output import reader_may_leave, stdout_takes_unicode
from assay.messages import tr
from assay.reports import as_json, markdown, suite_card, terminal
from assay.reports.catalogue import suite_table, suites_table
from assay.types import Suite
from assay.types.results import Comparison, Leaderboard, Report, SuiteCard
from assay.workflow.demo.tour import Shown


@reader_may_leave()
def show_report(report: Report, form: str, *, verbose: bool = False) -> None:
    """A run."""
    if form == "json":
        _echo_json(as_json.report(report))
    elif form == "md":
        click.echo(markdown.report(report, out=_from_here(Path(report.out))))
    elif form == "html":
        from assay.reports import html

        click.echo(html.report(report))
    else:
        terminal.report(report, terminal.console_for(), verbose=verbose)


def _from_here(path: Path) -> str:
    """As a link in a page that is saved in the working folder."""
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


@reader_may_leave()
def show_answers(report: Report) -> None:
    """The answers to a user's own prompts."""
    from assay.reports.side_by_side import side_by_side

    side_by_side(report, terminal.console_for())
    click.echo(tr("every answer:    {path}", path=Path(report.out) / "runs" / report.run))
    click.echo(tr("again:           {command}", command=report.command))


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
def show_demo(shown: Shown) -> None:
    """Each step under the command that shows it again."""
    console = terminal.console_for()
    report = shown.report
    run = report.run
    where = f"--out {shlex.quote(report.out)}"
    folder = Path(report.out) / "runs" / run
    if told := where_assay_is():
        _heading(told)
    _heading(f"$ assay report {run} {where}")
    terminal.report(report, console)
    _heading(f"$ assay compare {run} {where}")
    terminal.comparison(shown.comparison, console)
    _heading(f"$ assay leaderboard {where}")
    terminal.leaderboard(shown.leaderboard, console)
    _heading(tr("look further"))
    click.echo(tr("the page:        {path}", path=folder / "reports" / "report.html"))
    click.echo(tr("every speed:     {path}", path=folder / "performance.md"))
    click.echo(tr("every answer:    {path}", path=folder / "outputs"))
    click.echo(tr("the records:     assay export {run} {where}", run=run, where=where))
    _heading(tr("next, with Ollama and a model of your own"))
    click.echo(tr("assay            finds your models and suites, asks, and runs"))
    click.echo(tr("assay doctor     says what this machine can do, and what to do about the rest"))


def where_assay_is() -> str:
    """What the word `assay` of a printed command stands for, where a shell would not find it."""
    if shutil.which("assay"):
        return ""
    beside = shutil.which("assay", path=str(Path(sys.executable).parent))
    if beside is None:
        command = shlex.join([sys.executable, "-m", "assay"])
    else:
        here, found = Path.cwd(), Path(beside)
        command = shlex.quote(str(found.relative_to(here) if found.is_relative_to(here) else found))
    return tr("assay here is {command}", command=command)


def _echo_json(document: as_json.Document) -> None:
    click.echo(as_json.as_text(document, ascii_only=not stdout_takes_unicode()))


def _heading(text: str) -> None:
    click.echo()
    click.secho(text, bold=True)


@reader_may_leave()
def show_suites(suites: Sequence[Suite], form: str) -> None:
    """What ships and what was fetched."""
    if form == "json":
        _echo_json(suite_card.list_as_document(suites))
        return
    terminal.console_for().print(suites_table(suites))
    click.echo(tr("show one with `assay suites NAME`; a folder of your own is a suite too"))


@reader_may_leave()
def show_suite(suite: Suite, card: SuiteCard, form: str) -> None:
    """One suite's tests, then what they are made of; other forms hold the card alone."""
    if form == "json":
        _echo_json(suite_card.as_document(card))
    elif form == "md":
        click.echo(suite_card.as_markdown(card), nl=False)
    else:
        console = terminal.console_for()
        console.print(suite_table(suite))
        suite_card.on_terminal(card, console)
