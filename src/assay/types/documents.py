"""A report before it is drawn: a Document of blocks.

Builders in `reports/` make the blocks, and the renderers draw them without knowing of runs.
Texts are plain and unescaped: a renderer makes what a model, a file or a user wrote harmless.
A tone never carries a meaning alone; the words beside it say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.messages import joined
from assay.types.scores import Estimate

# `code` is a command to copy; `basis` is the interval of a figure, `count` how many observations it
# rests on, which a terminal leaves out of a table that would not fit otherwise.
Tone = Literal["plain", "dim", "strong", "good", "bad", "warning", "name", "code", "basis", "count"]
Align = Literal["left", "right"]
STAYS = 99


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


def with_commands(text: str) -> Line:
    """A sentence whose commands are in backticks, as pieces."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return text
    return tuple(Span(part, "code" if place % 2 else "plain") for place, part in enumerate(parts))


def plain_text(line: Line) -> str:
    return "".join(span.text for span in spans(line))


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[Line] | Row],
    *,
    right: Iterable[int] = (),
    weights: Mapping[int, int] | None = None,
    most_on_terminal: int | None = None,
    one_line: bool = False,
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
        one_line=one_line,
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


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` 1 is the title of the page."""

    line: Line
    level: int = 2


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
class RunLine:
    """Which run this is and what made it, in one line of a terminal; a page says it whole below."""

    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a list, and short lines that belong under it."""

    line: Line
    under: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Bullets:
    """Short lines of one kind."""

    items: tuple[Line | Item, ...]
    numbered: bool = False


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
    """A row becomes a few lines in a narrow terminal, which shows `most_on_terminal` of them.
    `one_line`: a row never does; its longest texts are cut instead, and then columns go.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    most_on_terminal: int | None = None
    one_line: bool = False


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


MOST_REASONS = MOST_CAVEATS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What was decided: one sentence, the figures behind it with interval and limit, what it does
    not cover (the heaviest first, and how many `more` there are), and one command or change that
    comes `next`. The only ending that a report has; `make_card` keeps it short.
    `gate`: the title of the default gate, if the reasons are its criteria.
    """

    decision: str
    tone: Tone = "plain"
    reasons: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    more: int = 0
    next: Line = ""
    gate: str = ""


def one_sentence(clauses: Iterable[str], names: Iterable[str] = ()) -> str:
    """Clauses as one sentence with a capital, unless it begins with one of these names."""
    whole = joined(clauses)
    if not any(whole.startswith(name) for name in names if name):
        whole = f"{whole[:1].upper()}{whole[1:]}"
    return f"{whole}."


def make_card(
    decision: str,
    *,
    tone: Tone = "plain",
    reasons: Iterable[str] = (),
    caveats: Iterable[str] = (),
    next: Line = "",
    gate: str = "",
) -> Card:
    """The first three of each that say something new."""
    why, beyond = (tuple(dict.fromkeys(filter(None, each))) for each in (reasons, caveats))
    return Card(
        decision=decision,
        tone=tone,
        reasons=why[:MOST_REASONS],
        caveats=beyond[:MOST_CAVEATS],
        more=len(beyond[MOST_CAVEATS:]),
        next=next,
        gate=gate,
    )


Block = (
    Card | RunLine | Heading | Paragraph | Note | Hint | Bullets | Verbatim | Files | Table
    | Figures | Picture | Fold | Beside
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """`title`: what a browser's tab shows; `out`: the folder that paths of files start from. With a
    `card`, a terminal shows the `scores` and the card, and the other blocks before them with -v.
    """

    title: str
    blocks: tuple[Block, ...]
    out: str = ""
    card: Card | None = None
    scores: tuple[Block, ...] = ()

    def __iter__(self) -> Iterator[Block]:
        """As a page shows them: the decision first."""
        if self.card is not None:
            yield self.card
        yield from self.scores
        yield from self.blocks
