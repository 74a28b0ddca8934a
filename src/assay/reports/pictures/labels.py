"""Texts in pictures: made harmless, measured, and put where nothing else is. Widths are estimates,
rather too wide than too narrow: no font is at hand.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.text.safe_text import one_line

TEXT = 13  # pixels, at full width
MOST_LETTERS = 700  # more would not fit into any picture
BETWEEN = 6  # pixels between two labels of an axis

# Letters of common screen fonts, in parts of the font size; rather too wide than too narrow.
_NARROW, _BROAD = frozenset("iljtfI.,:;'|!()[]/ "), frozenset("mwMW@%—…")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def harmless(text: str, *, longest: int | None = None) -> str:
    """One line that any XML reader takes for text once it is escaped; a long one loses its
    middle, because checkpoints differ at the end.
    """
    flat = _NOT_XML.sub(lambda found: f"\\u{ord(found.group()):04x}", one_line(text))
    if longest is None or len(flat) <= longest:
        return flat
    head = (longest - 1) // 3
    return flat[:head].rstrip() + "…" + flat[len(flat) - (longest - 1 - head) :].lstrip()


def fitted(text: str, width: float, *, bold: bool = False) -> str:
    """The same, shortened until it is no wider."""
    flat = harmless(text, longest=MOST_LETTERS)
    longest = len(flat)
    while longest > 1 and text_width(flat, bold=bold) > width:
        longest -= 1
        flat = harmless(text, longest=longest)
    return flat


def text_width(text: str, *, bold: bool = False) -> float:
    wide = TEXT * math.fsum(_letter(character) for character in text)
    return wide * 1.1 if bold else wide


def _letter(character: str) -> float:
    if character in _NARROW:
        return 0.42
    if character in _BROAD or unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if unicodedata.combining(character):
        return 0.0
    return 0.74 if character.isupper() else 0.62


class Box(NamedTuple):
    """A rectangle of the picture that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, other: Box) -> bool:
        return (
            self.left <= other.left
            and self.right >= other.right
            and self.top <= other.top
            and self.bottom >= other.bottom
        )


def around(x: float, y: float, radius: float) -> Box:
    return Box(x - radius, y - radius, x + radius, y + radius)


def along(ax: float, ay: float, bx: float, by: float) -> list[Box]:
    """The boxes of a straight line: small ones, so that a slope does not take a rectangle."""
    wide, tall = abs(bx - ax), abs(by - ay)
    pieces = max(1, math.ceil(max(wide, tall) / 8)) if wide and tall else 1
    places = [(ax + (bx - ax) * n / pieces, ay + (by - ay) * n / pieces) for n in range(pieces + 1)]
    return [
        Box(min(ax, bx) - 1, min(ay, by) - 1, max(ax, bx) + 1, max(ay, by) + 1)
        for (ax, ay), (bx, by) in pairwise(places)
    ]


def label_box(x: float, y: float, text: str, anchor: str, *, bold: bool = False) -> Box:
    """What a text takes whose base line starts, or has its middle or end, at x and y."""
    width = text_width(text, bold=bold)
    left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
    return Box(left, y - 0.82 * TEXT, left + width, y + 0.26 * TEXT)


class PlacedLabel(NamedTuple):
    x: float
    y: float
    anchor: str
    text: str


def placed(
    text: str, about: Box, taken: list[Box], inside: Box, *, bold: bool = False
) -> PlacedLabel | None:
    """A free place beside a box, which then is taken too; None where there is none."""
    middle = (about.left + about.right) / 2
    beside = (about.top + about.bottom) / 2 + 0.3 * TEXT
    above, below = about.top - 4, about.bottom + 0.9 * TEXT
    for away in (0, 8):
        for x, y, anchor in (
            (middle, above - away, "middle"),
            (about.right + 4 + away, beside, "start"),
            (about.left - 4 - away, beside, "end"),
            (middle, below + away, "middle"),
            (about.right + 2, above - away, "start"),
            (about.left - 2, above - away, "end"),
            (about.right + 2, below + away, "start"),
            (about.left - 2, below + away, "end"),
        ):
            box = label_box(x, y, text, anchor, bold=bold)
            if inside.holds(box) and not any(box.meets(other) for other in taken):
                taken.append(box._replace(left=box.left - 3, right=box.right + 3))
                return PlacedLabel(x, y, anchor, text)
    return None


def thinned(boxes: Sequence[Box], first: Iterable[int], taken: Sequence[Box]) -> list[int]:
    """Which labels of an axis have room: those named first, then each in turn."""
    kept: list[int] = []
    held = list(taken)
    for index in dict.fromkeys([*first, *range(len(boxes))]):
        box = boxes[index]
        wide = box._replace(left=box.left - BETWEEN, right=box.right + BETWEEN)
        if not any(wide.meets(other) for other in held):
            kept.append(index)
            held.append(box)
    return kept
