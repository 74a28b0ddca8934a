"""Documents as one HTML file: every value escaped, no network, one script by its policy."""

from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from assay.messages import language, tr
from assay.plugins import report_format
from assay.reports.formats.card_text import titled_parts
from assay.reports.run_report import run_document
from assay.text import number_format as numbers
from assay.text.safe_text import visible
from assay.types import Estimate
from assay.types.documents import (
    Block,
    Card,
    Column,
    Document,
    Fold,
    Heading,
    Line,
    Matrix,
    Picture,
    Row,
    Span,
    Verbatim,
    spans,
)
from assay.types.results import Report

CHART_WIDTH = 200  # units of the view box in the template
EDGE = 6  # room for the dot at 0 and at 1
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'  # an SVG inside a page needs none
ANSWERS_OF_FAILURES = 0.8  # of a matrix's bytes; the rest is for rows without their answers
SEED = 0

_DrawBlocks = Callable[[Sequence[Block]], str]


def render_html(document: Document) -> str:
    first, *rest = tuple(document) or (None,)
    is_title = isinstance(first, Heading) and first.level == 1
    headline = first if is_title or isinstance(first, Card) else None
    contents = [
        each
        for each in document
        if (isinstance(each, Heading) and each.level == 2) or (isinstance(each, Fold) and each.open)
    ]
    folds = [each for each in contents if isinstance(each, Fold)]
    anchors = {id(each): f"part-{place}" for place, each in enumerate(contents, start=1)}
    return _template().render(
        document=document,
        headline=headline,
        rest=rest if headline else tuple(document),
        contents=contents,
        matrices=[each for fold in folds for each in fold.blocks if isinstance(each, Matrix)],
        anchor=lambda block: anchors.get(id(block)),
        language=language(),
    )


def render_blocks(document: Document) -> str:
    """Its blocks alone, for a page that has a head and a style of its own."""
    empty = Document(document.title, (), out=document.out)
    named = {"headline": None, "rest": (), "contents": (), "matrices": (), "language": ""}
    module = _template().make_module({"document": empty, "anchor": lambda _: None, **named})
    return str(module.blocks(document))  # type: ignore[attr-defined]


@report_format("html")
def write_html(report: Report) -> str:
    return render_html(run_document(report))


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "shown": visible, "line": draw_line, "drawn": _drawn, "chart": _chart, "fitted": _fitted,
        "kind": lambda block: type(block).__name__, "quickly": draw_quickly,
        "parts": titled_parts,
    }  # fmt: skip
    text = (Path(__file__).parent / "page.js").read_text("utf-8")
    digest = b64encode(sha256(text.encode()).digest()).decode()  # the page runs this and no other
    script = {"text": text, "hash": f"sha256-{digest}"}
    environment.globals |= {"numbers": numbers, "tr": tr, "script": script}
    return environment.get_template("page.html.j2")


@dataclass(frozen=True)
class _DrawnRows:
    rows: list[Markup]
    counts: Counter[str]
    left_out: str = ""


def _fitted(matrix: Matrix, draw: _DrawBlocks) -> _DrawnRows:
    """The rows of the first kind, then a sample of the others, as far as the bytes go."""
    first = next(iter(matrix.kinds), None)
    places = range(len(matrix.rows))
    stay = [place for place in places if first in matrix.rows[place].kinds]
    others = sorted(set(places) - set(stay))
    drawn: dict[int, Markup] = {}
    size = without_answers = 0
    for place in (*stay, *Random(SEED).sample(others, len(others))):
        row = matrix.rows[place]
        shown = _test(row, matrix.columns, draw)
        if first in row.kinds and size + len(shown) > ANSWERS_OF_FAILURES * matrix.most_bytes:
            shown = _test(replace(row, details=()), matrix.columns, draw)
            without_answers += 1
        size += len(shown.encode("utf-8", "replace"))
        if size > matrix.most_bytes:
            break
        drawn[place] = shown
    counts = Counter(kind for place in drawn for kind in matrix.rows[place].kinds)
    left_out = ""
    if len(drawn) < len(places) or without_answers:
        left_out = tr(
            "To stay small, this page has {failed} of {all_failed} failed tests, {bare} of them "
            "without their answers, and {rest} of the {all_rest} others, picked at random. All:",
            failed=numbers.count(sum(place in drawn for place in stay)),
            all_failed=numbers.count(len(stay)),
            bare=numbers.count(without_answers),
            rest=numbers.count(sum(place in drawn for place in others)),
            all_rest=numbers.count(len(others)),
        )
    return _DrawnRows([drawn[place] for place in sorted(drawn)], counts, left_out)


def draw_line(of: Line) -> Markup:
    if isinstance(of, str):
        return escape(visible(of))
    return Markup("".join(map(_span, spans(of))))


def _span(span: Span) -> str:
    if span.tone == "plain":
        return escape(visible(span.text))
    if span.tone in ("basis", "count"):
        parts = "".join(f" <span>{escape(visible(part))}</span>" for part in span.text.split())
        return f"<small>{parts}</small>"
    shown = escape(visible(span.text))
    if span.tone == "code":
        return f"<code>{shown}</code>"
    return f'<span class="{span.tone}">{shown}</span>'


def _test(row: Row, columns: Sequence[Column], draw: _DrawBlocks) -> Markup:
    """A row of a matrix. Here and not in the template, like the commonest blocks: a run has
    thousands, and a macro of Jinja takes five times as long.
    """
    cells = [f'<th scope="row">{draw_line(row.cells[0])}</th>']
    for place, cell in enumerate(row.cells[1:], start=1):
        number = ' class="number"' if columns[place].align == "right" else ""
        name = ' class="category"' if place == 1 else number
        cells.append(f"<td{name}>{draw_line(cell)}</td>")
    more = ""
    if row.details:
        inside = draw_quickly(row.details, draw)
        more = f'<tr><td class="more" colspan="{len(columns)}">{inside}</td></tr>'
    kinds = escape(" ".join(row.kinds))
    return Markup(f'<tbody class="{kinds}"><tr>{"".join(cells)}</tr>{more}</tbody>\n')


def draw_quickly(blocks: Sequence[Block], draw: _DrawBlocks) -> Markup:
    """The blocks that tests have; `draw`, the template's macro, draws the others."""
    drawn = []
    for block in blocks:
        if isinstance(block, Verbatim):
            title = f'<p class="dim">{escape(visible(block.title))}</p>' if block.title else ""
            drawn.append(f"{title}<pre>{escape(visible(block.text))}</pre>\n")
        elif isinstance(block, Fold) and not block.open:
            inside = draw_quickly(block.blocks, draw)
            title = escape(visible(block.title))
            drawn.append(f"<details><summary>{title}</summary>{inside}</details>\n")
        else:
            drawn.append(draw((block,)))
    return Markup("".join(drawn))


def _drawn(picture: Picture) -> Markup:
    """SVG of our own, whose texts are escaped already."""
    return Markup(picture.draw().replace(NAMESPACE, "", 1))


def _chart(estimate: Estimate) -> dict[str, str] | None:
    if estimate.unit not in ("share", "points"):
        return None
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    whole = 100.0 if estimate.unit == "points" else 1.0
    places = {"low": estimate.low, "at": estimate.value, "high": estimate.high}
    scale = (CHART_WIDTH - 2 * EDGE) / whole
    return {name: f"{EDGE + place * scale:.1f}" for name, place in places.items()}
