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
from assay.plugins import write_report
from assay.reports import json_documents, suite_card
from assay.reports.catalogue import suites_document
from assay.reports.comparison import comparison_document
from assay.reports.formats.json import render_json
from assay.reports.formats.terminal import console_for, draw
from assay.reports.json_values import JsonObject
from assay.reports.leaderboard import leaderboard_document
from assay.reports.run_report import run_document
from assay.types import Suite
from assay.types.documents import Document
from assay.types.results import Comparison, Leaderboard, Report, SuiteCard
from assay.workflow.demo.tour import Shown


@reader_may_leave()
def show_report(report: Report, form: str, *, verbose: bool = False) -> None:
    """A run."""
    if form == "json":
        _echo_json(json_documents.run_json(report))
    elif form == "text":
        draw(run_document(report, tests_first=verbose), console_for(), verbose=verbose)
    else:
        click.echo(write_report(report, form))


@reader_may_leave()
def show_answers(report: Report) -> None:
    """The answers to a user's own prompts."""
    from assay.reports.side_by_side import answers_document

    draw(answers_document(report), console_for())
    click.echo(tr("every answer:    {path}", path=Path(report.out) / "runs" / report.run))
    click.echo(tr("again:           {command}", command=report.command))


@reader_may_leave()
def show_comparison(comparison: Comparison, form: str) -> None:
    """Sides."""
    values = json_documents.comparison_json(comparison)
    _show(comparison_document(comparison), values, form)


@reader_may_leave()
def show_leaderboard(leaderboard: Leaderboard, form: str) -> None:
    """Every model."""
    values = json_documents.leaderboard_json(leaderboard)
    _show(leaderboard_document(leaderboard), values, form)


def _show(document: Document, values: JsonObject, form: str) -> None:
    if form == "json":
        _echo_json(values)
    elif form == "md":
        from assay.reports.formats.markdown import render_markdown

        click.echo(render_markdown(document), nl=False)
    elif form == "html":
        from assay.reports.formats.html import render_html

        click.echo(render_html(document))
    else:
        draw(document, console_for())


@reader_may_leave()
def show_demo(shown: Shown) -> None:
    """Each step under the command that shows it again."""
    console = console_for()
    report = shown.report
    run = report.run
    where = f"--out {shlex.quote(report.out)}"
    folder = Path(report.out) / "runs" / run
    if told := where_assay_is():
        _heading(told)
    _heading(f"$ assay report {run} {where}")
    draw(run_document(report), console)
    _heading(f"$ assay compare {run} {where}")
    draw(comparison_document(shown.comparison), console)
    _heading(f"$ assay leaderboard {where}")
    draw(leaderboard_document(shown.leaderboard), console)
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


def _echo_json(document: JsonObject) -> None:
    click.echo(render_json(document, ascii_only=not stdout_takes_unicode()))


def _heading(text: str) -> None:
    click.echo()
    click.secho(text, bold=True)


@reader_may_leave()
def show_suites(suites: Sequence[Suite], form: str) -> None:
    """What ships and what was fetched."""
    _show(suites_document(suites), suite_card.suites_json(suites), form)


@reader_may_leave()
def show_suite(suite: Suite, card: SuiteCard, form: str) -> None:
    """One suite's tests, then what they are made of; other forms have the card alone."""
    whole = form == "text"
    document = suite_card.suite_document(suite, card) if whole else suite_card.card_document(card)
    _show(document, suite_card.card_json(card), form)
