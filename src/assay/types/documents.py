"""A report before it is drawn: a Document of blocks.

Builders in `reports/` make the blocks, and the renderers draw them without knowing of runs.
Texts are plain and unescaped: a renderer makes what a model, a file or a user wrote harmless.
A tone never carries a meaning alone; the words beside it say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.frozen import speed_up_init
from assay.types.scores import Estimate

# `code` is a command to copy; `basis` is what a figure rests on (its interval, n).
Tone = Literal["plain", "dim", "strong", "good", "bad", "warning", "name", "code", "basis"]
Align = Literal["left", "right"]
STAYS = 99


@speed_up_init
@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line with a tone of its own."""

    text: str
    tone: Tone = "plain"


Line = str | Span | tuple[str | Span, ...]


def spans(line: Line) -> tuple[Span, ...]:
    """The pieces of a line that have a text, each with its tone."""
    pieces = line if isinstance(line, tuple) else (line,)
    toned = (Span(piece) if isinstance(piece, str) else piece for piece in pieces)
    return tuple(span for span in toned if span.text)


def plain_text(line: Line) -> str:
    return "".join(span.text for span in spans(line))


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[Line] | Row],
    *,
    right: Iterable[int] = (),
    weights: Mapping[int, int] | None = None,
    most_on_terminal: int | None = None,
) -> Table:
    """A table; `right` names the columns of numbers, `weights` those that may be left out."""
    aligned, known = set(right), weights or {}
    return Table(
        columns=tuple(
            Column(
                head=head,
                align="right" if place in aligned else "left",
                weight=known.get(place, STAYS),
            )
            for place, head in enumerate(heads)
        ),
        rows=tuple(row if isinstance(row, Row) else Row(tuple(row)) for row in rows),
        most_on_terminal=most_on_terminal,
    )


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and texts."""
    return table(("", ""), rows)


def bullets(lines: Iterable[Line]) -> Bullets:
    """A list; of no lines, nothing is drawn."""
    return Bullets(tuple(lines))


def sign(passed: bool | None) -> Span:
    """Whether a limit or a check holds; None is not known."""
    if passed is None:
        return Span("?", "warning")
    return Span("✓", "good") if passed else Span("✗", "bad")


@speed_up_init
@dataclass(frozen=True, slots=True)
class Heading:
    """`level` 1 is the title of the page."""

    line: Line
    level: int = 2


@speed_up_init
@dataclass(frozen=True, slots=True)
class Paragraph:
    """One or more sentences on a line of their own."""

    line: Line
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know before one trusts the rest."""

    text: str


@dataclass(frozen=True, slots=True)
class Hint:
    """What to do next, with the command to copy: never broken over two lines. `on_terminal`: of no
    use to the reader of a page.
    """

    text: str
    on_terminal: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a list, and short lines that belong under it."""

    line: Line
    under: tuple[Line, ...] = ()


@speed_up_init
@dataclass(frozen=True, slots=True)
class Bullets:
    """Short lines of one kind."""

    items: tuple[Line | Item, ...]
    numbered: bool = False


@speed_up_init
@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text as it was written: an answer, a prompt. `language` is of code that we wrote."""

    text: str
    title: str = ""
    language: str = "text"


@dataclass(frozen=True, slots=True)
class Files:
    """Paths under the document's `out`."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """Where a terminal lacks room, columns of the lowest `weight` go first; `STAYS` never does."""

    head: str = ""
    align: Align = "left"
    weight: int = STAYS


@speed_up_init
@dataclass(frozen=True, slots=True)
class Row:
    """One cell a column. `details` belong to the row and are folded away where that is possible.
    `kinds`: the filters of a matrix that show it.
    """

    cells: tuple[Line, ...]
    tone: Tone = "plain"
    details: tuple[Block, ...] = ()
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A row becomes a few lines in a narrow terminal, which shows `most_on_terminal` of them."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    most_on_terminal: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix(Table):
    """Tests and models. Its `kinds` and `groups` are filters of a page, by name their label; the
    rows of the first kind stay when the page would become larger than `most_bytes`. `all_in`: the
    command that shows every row.
    """

    kinds: Mapping[str, str]
    groups: Mapping[str, str]
    most_bytes: int
    all_in: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Named estimates: value, interval, n, unscored."""

    rows: tuple[tuple[str, Estimate], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An SVG, drawn when a page wants it, and where it is under the document's `out`, if there."""

    title: str
    draw: Callable[[], str]
    path: str | None = None


@speed_up_init
@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that a reader opens; a terminal shows them with `-v`, Markdown no `long` ones. `open`:
    a section of a page.
    """

    title: str
    blocks: tuple[Block, ...]
    long: bool = False
    open: bool = False


@dataclass(frozen=True, slots=True)
class Beside:
    """Titled parts beside each other, where there is room for it."""

    parts: tuple[tuple[str, tuple[Paragraph | Verbatim, ...]], ...]


Block = (
    Heading | Paragraph | Note | Hint | Bullets | Verbatim | Files | Table | Figures | Picture
    | Fold | Beside
)  # fmt: skip


@speed_up_init
@dataclass(frozen=True, slots=True)
class Document:
    """`title`: what a browser's tab shows; `out`: the folder that paths of files start from."""

    title: str
    blocks: tuple[Block, ...]
    out: str = ""

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)
