"""What every SVG picture is made of. Two palettes, for light and dark, that colour-blind readers
can tell apart (Okabe and Ito); no meaning rests on colour alone.
"""

import math
import unicodedata
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from assay.text.safe_text import harmless as harmless

TEXT = 13  # pixels, at full width
MOST_LETTERS = 700  # more would not fit into any picture

# Letters of common screen fonts, in parts of the font size.
_NARROW, _BROAD = frozenset("iljtfI.,:;'|!()[]/ "), frozenset("mwMW@%—…")

WIDTH = 700
FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"
LINE = 18

# By class: its shape, its colour in light, and its colour in dark.
STYLES = {
    "ground": ("", "fill:#ffffff", "fill:#14181d"),
    "rim": (
        "stroke-width:3;paint-order:stroke;stroke-linejoin:round", "stroke:#ffffff",
        "stroke:#14181d",
    ),
    "bold": ("font-weight:600", "", ""),
    "ink": ("", "fill:#1f2328", "fill:#e6edf3"),
    "soft": ("", "fill:#59636e", "fill:#a6b0ba"),
    "grid": ("", "stroke:#d8dee4", "stroke:#343c46"),
    "curve": ("fill:none;stroke-width:1.5", "stroke:#0072b2", "stroke:#56b4e9"),
    "second": (
        "fill:none;stroke-width:1.5;stroke-dasharray:6 4", "stroke:#b34700", "stroke:#f0a35e",
    ),
    "dot": ("", "fill:#0072b2", "fill:#56b4e9"),
    "hollow": ("stroke-width:2", "fill:#ffffff;stroke:#0072b2", "fill:#14181d;stroke:#56b4e9"),
    "whisker": ("stroke-width:2", "stroke:#5ba6d6", "stroke:#2c7fb0"),
    "thin": ("stroke-width:.7", "", ""),
    "front": ("fill:none;stroke-width:1.2", "stroke:#59636e", "stroke:#a6b0ba"),
    "limit": ("stroke-width:1.5;stroke-dasharray:6 4", "stroke:#b34700", "stroke:#f0a35e"),
    "limit-text": ("", "fill:#b34700", "fill:#f0a35e"),
    "ring": ("fill:none;stroke-width:2", "stroke:#1f2328", "stroke:#e6edf3"),
}  # fmt: skip


def pixel(place: float) -> str:
    """One decimal is finer than any screen."""
    shown = f"{place:.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown


def escaped(text: str) -> str:
    return escape(harmless(text))


def element(name: str, inside: str = "", /, **attributes: float | str) -> str:
    """`class_` is class, `text_anchor` text-anchor; numbers are pixels. `inside` is SVG already."""
    told = ""
    for key, value in attributes.items():
        spelt = key.rstrip("_").replace("_", "-")
        told += f" {spelt}={quoteattr(value if isinstance(value, str) else pixel(value))}"
    return f"<{name}{told}>{inside}</{name}>" if inside else f"<{name}{told}/>"


def words(
    x: float, y: float, text: str, *, anchor: str = "start", class_: str = "ink", bold: bool = False
) -> str:
    """A line of text with a rim in the colour of the ground, so that no line runs through it."""
    classes = f"{class_} rim bold" if bold else f"{class_} rim"
    return element("text", escaped(text), x=x, y=y, text_anchor=anchor, class_=classes)


def soft_words(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return words(x, y, text, anchor=anchor, class_="soft")


def line(class_: str, ax: float, ay: float, bx: float, by: float) -> str:
    return element("line", x1=ax, y1=ay, x2=bx, y2=by, class_=class_)


def polyline(class_: str, places: Iterable[tuple[float, float]]) -> str:
    points = " ".join(f"{pixel(x)},{pixel(y)}" for x, y in places)
    return element("polyline", points=points, class_=class_)


def told(sentence: str) -> str:
    return element("title", escaped(sentence))


def document(
    pieces: Iterable[str], below: float, *, legend: Sequence[str], title: str, description: str
) -> str:
    lines = _wrapped(legend, WIDTH - 20)
    texts = [soft_words(10, below + n * LINE, each) for n, each in enumerate(lines)]
    tall = math.ceil(below + len(lines) * LINE - 4)
    shapes, light, dark = (
        "".join(f".assay-picture .{name}{{{of[place]}}}" for name, of in STYLES.items())
        for place in range(3)
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="assay-picture" role="img" '
            f'viewBox="0 0 {WIDTH} {tall}" width="{WIDTH}" height="{tall}" '
            f'style="width:{WIDTH}px;max-width:100%;height:auto" '
            f'font-family={quoteattr(FONT)} font-size="{TEXT}">',
            element("title", escaped(title)),
            element("desc", escaped(description)),
            f"<style>{shapes}{light}@media (prefers-color-scheme:dark){{{dark}}}</style>",
            element("rect", width=WIDTH, height=tall, rx=6, class_="ground"),
            *pieces,
            *texts,
            "</svg>\n",
        ]
    )


def _wrapped(parts: Sequence[str], width: float) -> list[str]:
    lines: list[str] = []
    for part in (fitted(part, width) for part in parts):
        longer = f"{lines[-1]}  ·  {part}" if lines else part
        if lines and text_width(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


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
