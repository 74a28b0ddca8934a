"""A report before it is drawn: a Document of blocks. Builders in `reports/` make them, and the
renderers (terminal, Markdown, HTML) know these blocks and nothing of runs, judges or checkpoints.

Texts are plain and unescaped: a renderer makes what a model, a file or a user wrote harmless.
A tone never carries a meaning alone; the words beside it say the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.types.scores import Estimate

Tone = Literal["plain", "dim", "strong", "good", "bad", "warning", "name"]
Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line with a tone of its own."""

    text: str
    tone: Tone = "plain"


Line = str | Span | tuple[str | Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` 1 is the title of the page."""

    line: Line
    level: int = 2


@dataclass(frozen=True, slots=True)
class Sentence:
    """One or more sentences on a line of their own."""

    line: Line
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know before one trusts the rest."""

    text: str


@dataclass(frozen=True, slots=True)
class Hint:
    """What to do next, with the command to copy: never broken over two lines."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """Short lines of one kind."""

    items: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text as it was written: an answer, a prompt, a command."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """`from_width`: terminals narrower than this leave the column out."""

    head: str = ""
    align: Align = "left"
    from_width: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One cell a column. `details` belong to the row and are folded away where that is possible."""

    cells: tuple[Line, ...]
    tone: Tone = "plain"
    details: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under columns. Where a terminal is too narrow for it, a row becomes a few lines."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """Named estimates: value, interval, n, unscored, and the interval drawn."""

    rows: tuple[tuple[str, Estimate], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An SVG of our own, and where it is on disk, relative to the run's `out`, if it is there."""

    title: str
    svg: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that a reader opens if they want to. A terminal shows them with `-v` only."""

    title: str
    blocks: tuple[Block, ...]


Block = Heading | Sentence | Note | Hint | Bullets | Verbatim | Table | Figures | Picture | Fold


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report. `title` is what a browser shows in its tab."""

    title: str
    blocks: tuple[Block, ...]

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)
