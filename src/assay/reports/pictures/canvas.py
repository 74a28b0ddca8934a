"""What every SVG picture is made of: a document, lines, marks, words, one palette.

Colours are attributes, for viewers that read no style sheet, and a style sheet turns them over
where the reader prefers dark. The ground is painted, so that a picture is readable on any page.
Blue and vermilion stay apart for colour-blind readers (Okabe and Ito), and no meaning rests on
colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from assay.reports.pictures.labels import TEXT, fitted, harmless, text_width

WIDTH = 700
FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"
LINE = 18
CAP = 4  # half the width of the end of a whisker

INK, SOFT, GRID, GROUND = "#1f2328", "#59636e", "#d8dee4", "#ffffff"
CURVE, WHISKER, LIMIT = "#0072b2", "#5ba6d6", "#b34700"
# By class: what a reader who prefers dark sees instead.
DARK = {
    "ground": "fill:#14181d",
    "ground-line": "stroke:#14181d",
    "ink": "fill:#e6edf3",
    "soft": "fill:#a6b0ba",
    "grid": "stroke:#343c46",
    "curve": "stroke:#56b4e9",
    "dot": "fill:#56b4e9;stroke:#56b4e9",
    "hollow": "fill:#14181d;stroke:#56b4e9",
    "whisker": "stroke:#2c7fb0",
    "front": "stroke:#a6b0ba",
    "limit": "stroke:#f0a35e",
    "limit-text": "fill:#f0a35e",
    "ring": "stroke:#e6edf3",
}


def pixel(place: float) -> str:
    """One decimal is finer than any screen."""
    shown = f"{place:.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown


def points(places: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{pixel(x)},{pixel(y)}" for x, y in places)


def escaped(text: str) -> str:
    return escape(harmless(text))


def element(name: str, inside: str = "", /, **attributes: float | str) -> str:
    """One element; `class_` is class, `stroke_width` stroke-width; numbers are pixels. `inside` is
    SVG already.
    """
    told = ""
    for key, value in attributes.items():
        spelt = key.rstrip("_").replace("_", "-")
        told += f" {spelt}={quoteattr(value if isinstance(value, str) else pixel(value))}"
    return f"<{name}{told}>{inside}</{name}>" if inside else f"<{name}{told}/>"


def words(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    class_: str = "ink",
    fill: str = INK,
    bold: bool = False,
    **more: float | str,
) -> str:
    """A line of text with a rim in the colour of the ground, so that no line runs through it."""
    weight: dict[str, str] = {"font_weight": "600"} if bold else {}
    return element(
        "text", escaped(text), x=x, y=y, text_anchor=anchor, class_=f"{class_} ground-line",
        fill=fill, stroke=GROUND, stroke_width="3", paint_order="stroke",
        stroke_linejoin="round", **weight, **more,
    )  # fmt: skip


def told(sentence: str) -> str:
    return element("title", escaped(sentence))


def dot_mark(x: float, y: float, radius: float, *, hollow: bool, said: str) -> str:
    """A figure; hollow where it is marginal."""
    return element(
        "circle", told(said), cx=x, cy=y, r=radius, class_="hollow" if hollow else "dot",
        fill=GROUND if hollow else CURVE, stroke=CURVE,
        stroke_width="2" if hollow else "1",
    )  # fmt: skip


def ring(x: float, y: float, radius: float) -> str:
    return element(
        "circle", cx=x, cy=y, r=radius, class_="ring", fill="none", stroke=INK,
        stroke_width="2",
    )  # fmt: skip


def whisker(x: float, top: float, bottom: float, *, caps: bool = True, wide: float = 2) -> str:
    """An upright interval; its ends are marked unless that would only blur the dot."""
    cap = CAP if caps else 0.0
    path = f"M{pixel(x - cap)} {pixel(top)}h{2 * cap:g}m{-cap:g} 0V{pixel(bottom)}"
    return _interval(f"{path}m{-cap:g} 0h{2 * cap:g}" if caps else path, wide=wide)


def lying_whisker(
    y: float, left: float, right: float, *, caps: bool = True, wide: float = 2
) -> str:
    cap = CAP if caps else 0.0
    path = f"M{pixel(left)} {pixel(y - cap)}v{2 * cap:g}m0 {-cap:g}H{pixel(right)}"
    return _interval(f"{path}m0 {-cap:g}v{2 * cap:g}" if caps else path, wide=wide)


def _interval(path: str, *, wide: float) -> str:
    return element("path", d=path, class_="whisker", stroke=WHISKER, stroke_width=wide, fill="none")


def grid_line(ax: float, ay: float, bx: float, by: float) -> str:
    return element("line", x1=ax, y1=ay, x2=bx, y2=by, class_="grid", stroke=GRID)


def limit_line(ax: float, ay: float, bx: float, by: float) -> str:
    return element(
        "line", x1=ax, y1=ay, x2=bx, y2=by, class_="limit", stroke=LIMIT, stroke_width="1.5",
        stroke_dasharray="6 4",
    )  # fmt: skip


def limit_words(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return words(x, y, text, anchor=anchor, class_="limit-text", fill=LIMIT, bold=True)


def soft_words(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return words(x, y, text, anchor=anchor, class_="soft", fill=SOFT)


def wrapped(parts: Sequence[str], width: float) -> list[str]:
    """Phrases on as few lines as hold them, a dot between them."""
    lines: list[str] = []
    for part in (fitted(part, width) for part in parts):
        longer = f"{lines[-1]}  ·  {part}" if lines else part
        if lines and text_width(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def document(pieces: Iterable[str], height: float, *, title: str, description: str) -> str:
    rules = "".join(f".assay-picture .{name}{{{rule}}}" for name, rule in DARK.items())
    tall = math.ceil(height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="assay-picture" role="img" '
            f'viewBox="0 0 {WIDTH} {tall}" width="{WIDTH}" height="{tall}" '
            f'style="width:{WIDTH}px;max-width:100%;height:auto" '
            f'font-family={quoteattr(FONT)} font-size="{TEXT}">',
            element("title", escaped(title)),
            element("desc", escaped(description)),
            f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>",
            element("rect", width=WIDTH, height=tall, rx=6, class_="ground", fill=GROUND),
            *pieces,
            "</svg>\n",
        ]
    )


def document_with_legend(
    pieces: Iterable[str], below: float, *, legend: Sequence[str], title: str, description: str
) -> str:
    """The whole file, with a legend `below` so many pixels."""
    lines = wrapped(legend, WIDTH - 20)
    texts = [soft_words(10, below + n * LINE, line) for n, line in enumerate(lines)]
    height = below + len(lines) * LINE - 4
    return document([*pieces, *texts], height, title=title, description=description)


def nothing_drawn(title: str, sentence: str) -> str:
    """A picture that says that there is none."""
    said = [words(WIDTH / 2, 36, sentence, anchor="middle")]
    return document(said, 60, title=title, description=sentence)
