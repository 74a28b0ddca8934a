"""Results in a format, for interfaces to show. What only some results need is loaded with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import Interrupted
from assay.plugins import write_report
from assay.reports.cards.run import headline, run_card
from assay.reports.checkpoints.decision import decision_blocks, decision_tables
from assay.reports.formats.json import render_json
from assay.reports.formats.markdown import render_markdown
from assay.reports.formats.notebook import ShownResult, shown
from assay.reports.formats.terminal import console_for, draw
from assay.reports.json_documents import run_json
from assay.reports.json_values import JsonObject, plain_value
from assay.reports.judged.section import judging_blocks
from assay.reports.progress import progress_for
from assay.reports.reviews import reviews_document
from assay.reports.sentences import role
from assay.reports.side_by_side import answers_document
from assay.types.documents import Block, Card, Document, Heading, Picture, plain_text
from assay.types.judging.reviews import Reviewed
from assay.types.results import Comparison, Leaderboard, Report, SuiteCard

if TYPE_CHECKING:
    from assay.workflow.commands.discover.catalogue import SuiteList
    from assay.workflow.commands.discover.doctor import Examination

    Discovered = SuiteList | SuiteCard | Examination
    Result = Report | Comparison | Leaderboard | Reviewed | ShownResult | Discovered

__all__ = [
    "Result",
    "console_for",
    "progress_for",
    "render",
    "render_answers",
    "render_document",
    "render_part",
    "render_stopped",
    "role",
]

ReportPart = Literal["whole", "decision", "judging"]
Views = tuple[Callable[[], Document], Callable[[], JsonObject]]  # for people, for programs


def render(
    result: Result, form: str = "text", *, verbose: bool = False, ascii_only: bool = False
) -> str:
    """The result as `text` (for the terminal that stdout is), `md`, `html` or `json`; a run in any
    registered format. `verbose`: with every test. `ascii_only`: JSON for a stream without Unicode.
    """
    document, values = _views(result, whole=form == "text")
    if form == "json":
        return render_json(values(), ascii_only=ascii_only) + "\n"
    if form == "text":
        return _on_terminal(document(), verbose=verbose)
    if isinstance(result, Report):
        return write_report(result, form)
    if form == "html":
        from assay.reports.formats.html import render_html

        return render_html(document())
    return render_markdown(document())


def render_stopped(stopped: Interrupted, report: Report, *, ascii_only: bool = False) -> str:
    """As JSON, what the store has of a run that was stopped, and beside it why and what is next."""
    values = run_json(replace(report, exit_code=int(stopped.exit_code)))
    values["error"] = {"message": stopped.message, "hint": stopped.hint}
    return render_json(values, ascii_only=ascii_only) + "\n"


@dataclass(frozen=True, slots=True)
class PagePart:
    """A part of a page, and the headline above it. `pictures`: SVGs, which have a style of their
    own that a page with a strict policy shows only as images. `card`: comes first, and has the
    headline as its title.
    """

    title: str
    html: str
    pictures: tuple[Picture, ...]
    card: str = ""


def render_part(result: Result, part: ReportPart = "whole") -> PagePart:
    """A result, or of a run its decision or its judging alone, as HTML for a page of one's own."""
    from assay.reports.formats.html import render_blocks

    if isinstance(result, Report) and part != "whole":
        blocks: tuple[Block, ...] = (*decision_tables(result), *decision_blocks(result))
        if part == "judging":
            blocks = tuple(judging_blocks(result.judged, level=2)) if result.judged else ()
        card = run_card(result) if part == "decision" and result.decision else None
        document = Document(headline(result), blocks, out=result.out, card=card)
    else:
        document = _views(result, whole=False)[0]()
    title, blocks = document.title, tuple(document)
    if blocks and isinstance(blocks[0], Heading) and blocks[0].level == 1:
        title, blocks = plain_text(blocks[0].line), blocks[1:]
    pictures = tuple(each for each in blocks if isinstance(each, Picture))
    rest = tuple(each for each in blocks if not isinstance(each, Picture | Card))
    shown = Document(document.title, rest, out=document.out)
    card = document.card
    drawn = render_blocks(Document(document.title, (card,))) if card else ""
    return PagePart(card.decision if card else title, render_blocks(shown), pictures, card=drawn)


def render_answers(report: Report) -> str:
    """The answers to a user's own prompts, side by side, for the terminal."""
    return _on_terminal(answers_document(report))


def render_document(document: Document) -> str:
    """For the terminal that stdout is."""
    return _on_terminal(document)


def _on_terminal(document: Document, *, verbose: bool = False) -> str:
    console = console_for()
    with console.capture() as captured:
        draw(document, console, verbose=verbose)
    return captured.get()


def _views(result: Result, *, whole: bool) -> Views:
    """`whole`: of a suite the tests too, not only its card."""
    if known := shown(result):
        return known.document, known.to_dict
    if isinstance(result, Reviewed):
        return partial(reviews_document, result), partial(plain_value, result)
    from assay.reports import doctor
    from assay.reports.suites import card as suite_card
    from assay.workflow.commands.discover.catalogue import SuiteList
    from assay.workflow.commands.discover.doctor import Examination

    if isinstance(result, SuiteList):
        suites = result.suites
        return partial(suite_card.suites_document, suites), partial(suite_card.suites_json, suites)
    if isinstance(result, SuiteCard):
        page = partial(suite_card.card_document, result, whole=whole)
        return page, partial(suite_card.card_json, result)
    assert isinstance(result, Examination)
    found = result.found
    behind: dict[str, Any] = {
        "machine": asdict(result.machine),
        "ollama": {"reachable": bool(found.ollama.kind), **asdict(found.ollama)},
        "servers": [asdict(server) for server in found.servers if server.is_there],
        "files": [asdict(file) for file in found.files],
    }
    lines = result.lines
    page = partial(doctor.examination_document, lines)
    return page, partial(doctor.examination_json, lines, **behind)
