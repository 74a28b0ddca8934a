"""How a table fits a terminal: columns and cells in, one or more parts with their widths out.

A cell of numbers is broken only before an interval or after it, a heading only between words.
A table too wide becomes two, each of which begins with the names of the rows; columns of little
weight go before there is a third.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from assay.types.documents import STAYS, Column

NARROWEST_CELL = 12  # columns of a cell whose text may be broken
NARROWEST_NAME = 24  # the same of a word in the column of names
SHORTEST_NAME = 20  # of a name that is cut
BETWEEN = 2  # blanks between two columns
FEW_PARTS = 2  # of a table that may lose columns
MOST_PARTS = 3  # with more of them, lines under each name are easier to read
_PIECES = re.compile(r"\n| (?![^\[]*\])")  # blanks, but not those inside an interval


@dataclass(frozen=True, slots=True)
class TablePart:
    """Some columns of a table, by their places, and how wide each is drawn."""

    places: tuple[int, ...]
    widths: tuple[int, ...]


def parts_of(
    columns: Sequence[Column], cells: Sequence[Sequence[Text]], *, width: int, every_column: bool
) -> list[TablePart]:
    """The parts, none wider than `width`; [] where more than three of them would be needed.

    Without `every_column` those of least weight go until the others fit into two parts.
    """
    sizes = [
        _size_of(column, [row[place] for row in cells], names=place == 0)
        for place, column in enumerate(columns)
    ]
    kept = list(range(len(columns)))
    parts = list(_parts(sizes, kept, width))
    while not every_column and len(parts) > FEW_PARTS:
        least = min(kept, key=lambda place: columns[place].weight)
        if columns[least].weight == STAYS:
            break
        kept.remove(least)
        parts = list(_parts(sizes, kept, width))
    fits = all(_total(part.widths) <= width for part in parts)
    return parts if fits and len(parts) <= MOST_PARTS else []


def single_line_part(
    columns: Sequence[Column], cells: Sequence[Sequence[Text]], *, width: int
) -> TablePart | None:
    """The columns that fit with every row on one line: the widest texts are cut, then columns of
    least weight go. None: the others do not fit.
    """
    widths = [
        max(cell_len(text) for text in (*(row[place].plain for row in cells), *column.head.split()))
        if cells or column.head
        else 0
        for place, column in enumerate(columns)
    ]
    texts = [place for place, column in enumerate(columns) if column.align == "left"]
    cut = max(texts, key=widths.__getitem__) if texts else None
    wanted = widths[cut] if cut is not None else 0
    if cut is not None:
        widths[cut] = min(wanted, SHORTEST_NAME)
    kept = list(range(len(columns)))
    while _total(widths[place] for place in kept) > width:
        least = min(kept, key=lambda place: columns[place].weight)
        if columns[least].weight == STAYS:
            return None
        kept.remove(least)
    if cut is not None:
        widths[cut] = min(wanted, widths[cut] + width - _total(widths[each] for each in kept))
    return TablePart(tuple(kept), tuple(widths[place] for place in kept))


def cut_text(text: Text, width: int) -> Text:
    """A sentence loses its end; a name its middle, for names differ at their ends."""
    if cell_len(text.plain) <= width:
        return text
    if " " in text.plain:
        text.truncate(width, overflow="ellipsis")
        return text
    begin = width // 3
    behind = text.plain[::-1]
    while cell_len(behind) > width - begin - 1:
        behind = behind[:-1]
    return Text(f"{text.plain[:begin]}…{behind[::-1]}", style=text.style)


@dataclass(frozen=True, slots=True)
class _Size:
    """Of a column: the width it cannot go below, that of its cells, and that of its heading."""

    least: int
    cells: int
    head: int


def _size_of(column: Column, cells: Sequence[Text], *, names: bool) -> _Size:
    lines = [line for cell in cells for line in cell.plain.splitlines()]
    widest = max(map(cell_len, lines), default=0)
    if column.align == "left":
        unbroken = min(widest, NARROWEST_CELL)
        if names:
            longest = max((cell_len(word) for line in lines for word in line.split()), default=0)
            unbroken = max(unbroken, min(longest, NARROWEST_NAME))
    else:
        unbroken = max((_unbroken(cell.plain) for cell in cells), default=0)
    words = max(map(cell_len, column.head.split()), default=0)
    return _Size(max(unbroken, words), max(widest, words), cell_len(column.head))


def _unbroken(cell: str) -> int:
    """The widest piece: a cell on one line is whole, below a value every word may be apart."""
    value, *basis = cell.split("\n", 1)
    return max(map(cell_len, [value, *(piece for text in basis for piece in _PIECES.split(text))]))


def _parts(sizes: Sequence[_Size], kept: Sequence[int], width: int) -> Iterator[TablePart]:
    if _total(sizes[place].least for place in kept) <= width:
        yield _part(sizes, kept, width)
        return
    name, *others = kept
    taken: list[int] = []
    for place in others:
        if taken and _total(sizes[each].least for each in (name, *taken, place)) > width:
            yield _part(sizes, (name, *taken), width)
            taken = []
        taken.append(place)
    yield _part(sizes, (name, *taken), width)


def _part(sizes: Sequence[_Size], places: Sequence[int], width: int) -> TablePart:
    """What is left of the width goes to cells first and then to headings, the narrowest first."""
    widths = [sizes[place].least for place in places]
    wanted = [sizes[place].cells for place in places], [sizes[place].head for place in places]
    for each in wanted:
        for _ in range(width - _total(widths)):
            short = [at for at, most in enumerate(each) if widths[at] < most]
            if short:
                widths[min(short, key=widths.__getitem__)] += 1
    return TablePart(tuple(places), tuple(widths))


def _total(widths: Iterable[int]) -> int:
    every = list(widths)
    return sum(every) + BETWEEN * (len(every) - 1)
