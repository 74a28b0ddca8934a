"""Results in a format, for interfaces to show. What only some results need is loaded with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from assay.messages import tr
from assay.plugins import write_report
from assay.reports import json_documents
from assay.reports.checkpoints.decision import decision_blocks
from assay.reports.comparison import comparison_document
from assay.reports.formats.json import render_json
from assay.reports.formats.markdown import render_markdown
from assay.reports.formats.terminal import console_for, draw
from assay.reports.json_values import JsonObject
from assay.reports.judge_card import check_document, check_json
from assay.reports.leaderboard import leaderboard_document
from assay.reports.progress import progress_for
from assay.reports.run_report import run_document
from assay.reports.side_by_side import answers_document
from assay.types.documents import Block, Document, Hint, Note
from assay.types.judge_cards import JudgeCheck
from assay.types.results import Comparison, Leaderboard, Report
from assay.workflow.checkpoints.selection import Selected

if TYPE_CHECKING:
    from assay.workflow.discover.discovery import SuiteDescription, SuiteList
    from assay.workflow.discover.doctor import Examination

    Discovered = SuiteList | SuiteDescription | Examination
    Result = Report | Comparison | Leaderboard | Selected | JudgeCheck | Discovered

__all__ = ["Result", "console_for", "progress_for", "render", "render_answers"]


def render(
    result: Result, form: str = "text", *, verbose: bool = False, ascii_only: bool = False
) -> str:
    """The result as `text` (for the terminal that stdout is), `md`, `html` or `json`; a run in any
    registered format. `verbose`: with every test. `ascii_only`: JSON for a stream without Unicode.
    """
    if form == "json":
        return render_json(_values(result), ascii_only=ascii_only) + "\n"
    if form == "text":
        return _on_terminal(_document(result, whole=True, verbose=verbose), verbose=verbose)
    if isinstance(result, Report):
        return write_report(result, form)
    document = _document(result)
    if form == "html":
        from assay.reports.formats.html import render_html

        return render_html(document)
    return render_markdown(document)


def render_answers(report: Report) -> str:
    """The answers to a user's own prompts, side by side, for the terminal."""
    return _on_terminal(answers_document(report))


def _on_terminal(document: Document, *, verbose: bool = False) -> str:
    console = console_for()
    with console.capture() as captured:
        draw(document, console, verbose=verbose)
    return captured.get()


def _document(result: Result, *, whole: bool = False, verbose: bool = False) -> Document:
    """`whole`: of a suite the tests too, not only its card."""
    match result:
        case Report():
            return run_document(result)
        case Comparison():
            return comparison_document(result)
        case Leaderboard():
            return leaderboard_document(result)
        case Selected():
            return Document(
                tr("Selection"), tuple(_selection_blocks(result)), out=result.report.out
            )
        case JudgeCheck():
            return check_document(result)
    from assay.reports import catalogue, doctor, suite_card
    from assay.workflow.discover.discovery import SuiteDescription, SuiteList

    if isinstance(result, SuiteList):
        return catalogue.suites_document(result.suites)
    if not isinstance(result, SuiteDescription):
        return doctor.examination_document(result.lines)
    if whole:
        return suite_card.suite_document(result.suite, result.card)
    return suite_card.card_document(result.card)


def _values(result: Result) -> JsonObject:
    match result:
        case Report():
            return json_documents.run_json(result)
        case Comparison():
            return json_documents.comparison_json(result)
        case Leaderboard():
            return json_documents.leaderboard_json(result)
        case Selected():
            return result.to_dict()
        case JudgeCheck():
            return check_json(result)
    from assay.reports import doctor, suite_card
    from assay.workflow.discover.discovery import SuiteDescription, SuiteList

    if isinstance(result, SuiteList):
        return suite_card.suites_json(result.suites)
    if not isinstance(result, SuiteDescription):
        machine, ollama = asdict(result.machine), asdict(result.ollama)
        return doctor.examination_json(result.lines, machine=machine, ollama=ollama)
    return suite_card.card_json(result.card)


def _selection_blocks(selected: Selected) -> Iterator[Block]:
    yield from decision_blocks(selected.report, left_in=selected.left_in)
    yield from map(Note, selected.report.notes)
    for each in selected.not_evaluated:
        gaps = {"name": each.name, "command": each.command}
        yield Hint(tr("{name} was not evaluated: {command}", **gaps))
