"""Paths into a document, and the lines and columns of offsets into its text."""

from collections.abc import Iterable
from typing import NamedTuple

Path = tuple[str | int, ...]

MAX_DIGITS = 640  # the lowest limit that Python lets anyone set for reading a whole number


class Place(NamedTuple):
    line: int
    column: int


class Spot(NamedTuple):
    """Offsets of a value and of its key (the value's own where it has none)."""

    key: int
    value: int


def place_of(text: str, offset: int) -> Place:
    return Place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def places_of(text: str, offsets: Iterable[int]) -> dict[int, Place]:
    """Line and column of many offsets, in one pass over the text."""
    places: dict[int, Place] = {}
    line, line_break, counted = 1, -1, 0
    for offset in sorted(set(offsets)):
        # Only what lies behind the last offset: a file may be one line of 50 MB.
        line += text.count("\n", counted, offset)
        line_break = max(line_break, text.rfind("\n", counted, offset))
        counted = offset
        places[offset] = Place(line, offset - line_break)
    return places
