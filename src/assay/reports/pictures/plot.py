"""Plots of dots, as SVG: a scale upwards, limits, intervals, marks; several above each other."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from assay.messages import tr
from assay.reports.pictures import canvas as picture
from assay.reports.pictures.canvas import TEXT, element, fitted, harmless, text_width
from assay.reports.pictures.scales import Scale, scale_for
from assay.types import Estimate

RIGHT = 66  # pixels; the limits are written there
DOT, SMALL_DOT, RING = 4.5, 2.5, 8.5
SMALL_ABOVE = 40  # more dots than this are drawn small
TOP, TITLE, HEIGHT, GAP = 10, 20, 136, 18  # of panels
INSET = 18  # from the edge of a panel to its first dot

Limit = tuple[float, str]  # its value, and what it asks for: "< 50"


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


class Extent(NamedTuple):
    """A value and the interval around it, where it is known."""

    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, estimate: Estimate) -> "Extent":
        return cls(estimate.value or 0.0, estimate.low, estimate.high)

    @property
    def known(self) -> list[float]:
        return [end for end in self if end is not None]


class Dot(NamedTuple):
    """`label` is written above the dot; `description` says both figures in words."""

    label: str
    x: Extent
    y: Extent
    description: str
    hollow: bool = False
    selected: bool = False


class Panel(NamedTuple):
    """One figure. `curves`: dots that a line joins; `ends`: what is written behind the last dot of
    each; `limits`: the lowest first; `drawn`: other values that its scale holds; `front`: the
    corners of a line behind the dots.
    """

    name: str
    title: str
    curves: Sequence[Sequence[Dot]]
    limits: Sequence[Limit] = ()
    drawn: Sequence[float] = ()
    by_ratio: bool = False
    front: Sequence[tuple[float, float]] = ()
    ends: Sequence[str] = ()

    @property
    def dots(self) -> list[Dot]:
        return [dot for curve in self.curves for dot in curve]


def draw_panels(
    panels: Sequence[Panel],
    marks: Sequence[tuple[float, str]],
    axis: str,
    *,
    legend: Sequence[str],
    title: str,
    description: str,
    height: float = HEIGHT,
) -> str:
    """Panels above each other, over one scale to the right; `marks` are written below it."""
    scales = [_scale_of(panel) for panel in panels]
    left, right = left_edge(scales), picture.WIDTH - RIGHT
    values = [end for panel in panels for dot in panel.dots for end in dot.x.known]
    values += [value for value, _ in marks]
    across = scale_for(values, left + INSET, right - INSET)
    pieces = []
    for place, (panel, scale) in enumerate(zip(panels, scales, strict=True)):
        top = TOP + place * (TITLE + height + GAP) + TITLE
        box = Box(left, top, right, top + height)
        up = scale._replace(start=box.bottom, end=top)
        drawn = "\n".join(_draw_panel(panel, box, across, up))
        pieces.append(element("g", drawn, data_figure=harmless(panel.name)))
    bottom = TOP + len(panels) * (TITLE + height + GAP) - GAP
    for value, label in marks:
        x = across.at(value)
        pieces.append(picture.line("grid", x, bottom, x, bottom + 5))
        shown = fitted(label, RIGHT)
        pieces.append(picture.words(x, bottom + 18, shown, anchor="middle"))
    pieces.append(picture.soft_words(right, bottom + 36, axis, anchor="end"))
    below = bottom + 2 * picture.LINE + 24
    return picture.document(pieces, below, legend=legend, title=title, description=description)


def _scale_of(panel: Panel) -> Scale:
    ends = [end for dot in panel.dots for end in dot.y.known]
    ends += [*panel.drawn, *(limit for limit, _ in panel.limits)]
    return scale_for(ends, HEIGHT, 0, by_ratio=panel.by_ratio, most=6)


def _draw_panel(panel: Panel, box: Box, across: Scale, up: Scale) -> Iterator[str]:
    title = tr("{figure} (log scale)", figure=panel.title) if up.log else panel.title
    title = fitted(title, picture.WIDTH - TOP - box.left, bold=True)
    yield picture.words(box.left, box.top - 7, title, bold=True)
    yield from _draw_ground(panel, box, up)
    if panel.front:
        yield picture.polyline("front", [(across.at(x), up.at(y)) for x, y in panel.front])
    for curve in panel.curves:
        if len(curve) > 1:
            places = [(across.at(dot.x.value), up.at(dot.y.value)) for dot in curve]
            yield picture.polyline("curve", places)
    yield from _draw_dots(panel.dots, box, across, up)
    yield from _draw_ends(panel, across, up)


def _draw_ground(panel: Panel, box: Box, up: Scale) -> Iterator[str]:
    yield picture.line("grid", box.left, box.bottom, box.right, box.bottom)
    for value, label in up.ticks:
        y = up.at(value)
        yield picture.line("grid", box.left, y, box.right, y)
        yield picture.soft_words(box.left - 6, y + 4.5, label, anchor="end")
    last = float("inf")
    for limit, label in panel.limits:
        y = up.at(limit)
        yield picture.line("limit", box.left, y, box.right, y)
        last = min(y + 4.5, last - TEXT)
        yield picture.words(box.right + 6, last, label, class_="limit-text", bold=True)


def _draw_dots(dots: Sequence[Dot], box: Box, across: Scale, up: Scale) -> Iterator[str]:
    """The selected one on top."""
    small = len(dots) > SMALL_ABOVE
    whisker, radius = ("whisker thin", SMALL_DOT) if small else ("whisker", DOT)
    for dot in dots:
        x, y = across.at(dot.x.value), up.at(dot.y.value)
        yield from (picture.line(whisker, x, y, across.at(end), y) for end in dot.x.known[1:])
        yield from (picture.line(whisker, x, y, x, up.at(end)) for end in dot.y.known[1:])
    for dot in sorted(dots, key=lambda dot: dot.selected):
        x, y = across.at(dot.x.value), up.at(dot.y.value)
        said, kind = picture.told(dot.description), "hollow" if dot.hollow else "dot"
        yield element("circle", said, cx=x, cy=y, r=radius, class_=kind)
        if dot.selected:
            yield element("circle", cx=x, cy=y, r=RING, class_="ring")
        if dot.label:
            away = -RING - 4 if y - RING - TEXT > box.top - 3 else RING + TEXT
            yield picture.words(x, y + away, dot.label, anchor="middle", bold=dot.selected)


def _draw_ends(panel: Panel, across: Scale, up: Scale) -> Iterator[str]:
    """From the lowest up, apart where curves end close to each other."""
    last: dict[float, float] = {}
    named = [(curve[-1], name) for curve, name in zip(panel.curves, panel.ends, strict=False)]
    for dot, name in sorted(named, key=lambda each: each[0].y.value):
        x, y = across.at(dot.x.value), up.at(dot.y.value)
        last[x] = min(y + 4.5, last.get(x, float("inf")) - TEXT)
        yield picture.words(x + RING, last[x], name)


def left_edge(scales: Iterable[Scale]) -> float:
    widths = [text_width(label) for scale in scales for _, label in scale.ticks]
    return max(46.0, *(width + 14 for width in widths))
