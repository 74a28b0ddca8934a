"""Texts in pictures, harmless and measured; widths are estimates, rather too wide."""

import math
import re
import unicodedata

from assay.text.safe_text import one_line

TEXT = 13  # pixels, at full width
MOST_LETTERS = 700  # more would not fit into any picture

# Letters of common screen fonts, in parts of the font size.
_NARROW, _BROAD = frozenset("iljtfI.,:;'|!()[]/ "), frozenset("mwMW@%—…")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def harmless(text: str, *, longest: int | None = None) -> str:
    """One line of text for XML; a long one loses its middle: checkpoints differ at the end."""
    flat = _NOT_XML.sub(lambda found: f"\\u{ord(found.group()):04x}", one_line(text))
    if longest is None or len(flat) <= longest:
        return flat
    head = (longest - 1) // 3
    return flat[:head].rstrip() + "…" + flat[len(flat) - (longest - 1 - head) :].lstrip()


def fitted(text: str, width: float, *, bold: bool = False) -> str:
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
