"""Documents as GitHub-flavoured Markdown, escaped; the details of table rows are left out."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from assay.messages import tr
from assay.plugins import report_format
from assay.reports.formats.card_text import titled_parts
from assay.reports.run_report import run_document
from assay.text import number_format as numbers
from assay.text.safe_text import markdown_block, markdown_code
from assay.text.safe_text import markdown_inline as inline
from assay.types import Estimate, documents
from assay.types.documents import Block, Bullets, Line, Row, Table, Tone, spans
from assay.types.results import Report

OUT_FROM_REPORTS = "../../.."  # a run's pages are in OUT/runs/ID/reports
LONGEST_CELL = 300


def render_markdown(
    document: documents.Document | Iterable[Block], *, out: str = OUT_FROM_REPORTS
) -> str:
    """A page. `out` leads from the page to the folder that files and pictures are in."""
    return "\n\n".join(text for text in _blocks(document, out) if text) + "\n"


@report_format("md")
def write_markdown(report: Report) -> str:
    here, out = Path.cwd(), Path(report.out)
    links = out.relative_to(here) if out.is_relative_to(here) else out
    return render_markdown(run_document(report), out=links.as_posix())


def _blocks(blocks: Iterable[Block], out: str) -> Iterator[str]:
    """Notes and hints that follow each other are one list."""
    for listed, group in groupby(
        blocks, lambda block: isinstance(block, documents.Note | documents.Hint)
    ):
        if listed:
            kept = (each for each in group if not getattr(each, "on_terminal", False))
            yield "\n".join(f"- {inline(block.text)}" for block in kept)  # type: ignore[union-attr]
        else:
            for block in group:
                yield from _block(block, out)


def _block(block: Block, out: str) -> Iterator[str]:
    match block:
        case documents.Card():
            yield from _card(block)
        case documents.Heading(line, level):
            yield f"{'#' * level} {_line(line)}"
        case documents.Paragraph(line, tone):
            yield _line(_toned(line, tone))
        case Bullets():
            yield "\n".join(_bullets(block))
        case documents.Verbatim(text, title, language):
            if title:
                yield f"**{inline(title)}**"
            yield markdown_block(text, language)
        case documents.Files(paths):
            yield "\n".join(f"- [{inline(path)}]({_link(path, out)})" for path in paths)
        case Table(columns=columns, rows=rows):
            heads = [inline(column.head) for column in columns]
            right = [place for place, column in enumerate(columns) if column.align == "right"]
            yield _table(heads, map(_cells, rows), right) if rows else ""
        case documents.Figures(rows):
            yield _figures(rows) if rows else ""
        case documents.Picture(title=title, path=path):
            yield "" if path is None else f"![{inline(title)}]({_link(path, out)})"
        case documents.Fold(title, blocks, long) if not long:
            yield f"**{inline(title)}**"
            yield from _blocks(blocks, out)
        case documents.Beside(parts):
            for title, blocks in parts:
                yield f"**{inline(title)}**"
                yield from _blocks(blocks, out)


def _card(card: documents.Card) -> Iterator[str]:
    """The decision is the title of the page."""
    yield f"# {inline(card.decision)}"
    for title, items in titled_parts(card):
        yield f"**{inline(title)}**"
        yield "\n".join(f"- {_line(item)}" for item in items)


def _line(line: Line, *, longest: int | None = None) -> str:
    """A line whose strong parts are bold; other tones say nothing that the words do not."""
    if isinstance(line, str):
        return _piece(line, "plain", longest)
    return "".join(_piece(span.text, span.tone, longest) for span in spans(line))


@lru_cache(maxsize=512)  # five thousand test plans have the same headings and settings
def _piece(text: str, tone: Tone, longest: int | None) -> str:
    if tone == "code" and longest is None:
        return markdown_code(text)
    # Escaping drops the blanks at both ends, which part a span from its neighbours.
    left = " " if text.startswith(" ") else ""
    right = " " if text.endswith(" ") and text.strip() else ""
    shown = inline(text, longest=longest)
    return left + (f"**{shown}**" if tone == "strong" and shown else shown) + right


def _toned(line: Line, tone: Tone) -> Line:
    """The line, all of it strong where its block or row is."""
    return documents.Span(documents.plain_text(line), "strong") if tone == "strong" else line


def _bullets(block: Bullets) -> Iterator[str]:
    for number, item in enumerate(block.items, start=1):
        line, under = (item.line, item.under) if isinstance(item, documents.Item) else (item, ())
        start = f"{number}. " if block.numbered else "- "
        yield start + _line(line)
        yield from (f"{' ' * len(start)}- {_line(each)}" for each in under)


def _link(path: str, out: str) -> str:
    return quote(f"{out}/{path}", safe="/", errors="replace")


def _cells(row: Row) -> list[str]:
    first, *others = row.cells
    return [_line(cell, longest=LONGEST_CELL) for cell in (_toned(first, row.tone), *others)]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    rule = ["--:" if place in right else "---" for place in range(len(heads))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, rule, *rows])


def _figures(rows: Iterable[tuple[str, Estimate]]) -> str:
    heads = ("", tr("value"), tr("95 % interval"), "n", tr("unscored"), "")
    return _table(heads, (_figure(name, estimate) for name, estimate in rows), (1, 2, 3, 4))


def _figure(name: str, estimate: Estimate) -> tuple[str, ...]:
    return (
        inline(name),
        numbers.with_unit(estimate),
        inline(numbers.interval(estimate)),
        numbers.count(estimate.n),
        numbers.count(estimate.unscored),
        tr("incomplete") if estimate.incomplete else "",
    )
