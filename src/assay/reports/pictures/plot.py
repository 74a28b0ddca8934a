"""One plot of dots, as SVG: a scale upwards, limits, intervals, marks."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from assay.reports.pictures import canvas as picture
from assay.reports.pictures.canvas import TEXT, element, text_width
from assay.reports.pictures.scales import Scale
from assay.types import Estimate

RIGHT = 66  # pixels; the limits are written there
DOT, SMALL_DOT, RING = 4.5, 2.5, 8.5
SMALL_ABOVE = 40  # more dots than this are drawn small

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


class Plot:
    def __init__(
        self, box: Box, across: Scale, up: Scale, dots: Sequence[Dot], limits: Sequence[Limit]
    ) -> None:
        self.box = box
        self.across = across
        self.up = up
        self.dots = dots
        self.limits = limits  # lowest first
        self.small = len(dots) > SMALL_ABOVE
        self.places = [(across.at(dot.x.value), up.at(dot.y.value)) for dot in dots]

    def draw_ground(self) -> Iterator[str]:
        left, _, right, bottom = self.box
        yield picture.line("grid", left, bottom, right, bottom)
        for value, label in self.up.ticks:
            y = self.up.at(value)
            yield picture.line("grid", left, y, right, y)
            yield picture.soft_words(left - 6, y + 4.5, label, anchor="end")
        last = float("inf")
        for limit, label in self.limits:
            y = self.up.at(limit)
            yield picture.line("limit", left, y, right, y)
            last = min(y + 4.5, last - TEXT)
            yield picture.words(right + 6, last, label, class_="limit-text", bold=True)

    def draw_dots(self) -> Iterator[str]:
        whisker, radius = ("whisker thin", SMALL_DOT) if self.small else ("whisker", DOT)
        for dot, (x, y) in zip(self.dots, self.places, strict=True):
            for end in dot.x.known[1:]:
                yield picture.line(whisker, x, y, self.across.at(end), y)
            for end in dot.y.known[1:]:
                yield picture.line(whisker, x, y, x, self.up.at(end))
        for n in sorted(range(len(self.dots)), key=lambda n: self.dots[n].selected):
            dot, (x, y) = self.dots[n], self.places[n]
            said, kind = picture.told(dot.description), "hollow" if dot.hollow else "dot"
            yield element("circle", said, cx=x, cy=y, r=radius, class_=kind)
            if dot.selected:
                yield element("circle", cx=x, cy=y, r=RING, class_="ring")
            if dot.label:
                away = -RING - 4 if y - RING - TEXT > self.box.top else RING + TEXT
                yield picture.words(x, y + away, dot.label, anchor="middle", bold=dot.selected)


def left_edge(scales: Iterable[Scale]) -> float:
    widths = [text_width(label) for scale in scales for _, label in scale.ticks]
    return max(46.0, *(width + 14 for width in widths))
