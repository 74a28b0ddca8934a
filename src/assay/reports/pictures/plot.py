"""One plot of dots: a scale upwards, limits, intervals, marks, and labels where nothing else is.

Dots and scales come in, pieces of SVG go out; what is around the plot is its caller's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from assay.reports.pictures import canvas as picture
from assay.reports.pictures import labels as label_places
from assay.reports.pictures.canvas import words
from assay.reports.pictures.labels import Box
from assay.reports.pictures.scales import Scale

RIGHT = 66  # pixels; the limits are written there
DOT, SMALL_DOT, RING = 4.5, 2.5, 8.5
SMALL_ABOVE = 40  # more dots than this are drawn small
LONGEST_LABEL = 150  # pixels

Limit = tuple[float, str]  # its value, and what it asks for: "< 50"


class Extent(NamedTuple):
    """A value and the interval around it, where it is known."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def known(self) -> list[float]:
        return [end for end in self if end is not None]

    def on(self, scale: Scale) -> tuple[float, float]:
        """Where the interval begins and ends; at the dot where an end is not known."""
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        return scale.at(low), scale.at(high)


class Dot(NamedTuple):
    """`description` says both figures in words."""

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
        self.radius = SMALL_DOT if self.small else DOT
        self.places = [(across.at(dot.x.value), up.at(dot.y.value)) for dot in dots]

    def scale_and_limits(self) -> Iterator[str]:
        box = self.box
        heights = [(self.up.at(value), label) for value, label in self.up.ticks]
        if all(box.bottom - y > 8 for y, _ in heights):
            yield picture.grid_line(box.left, box.bottom, box.right, box.bottom)
        for y, label in heights:
            yield picture.grid_line(box.left, y, box.right, y)
            yield picture.soft_words(box.left - 6, y + 4.5, label, anchor="end")
        last = float("inf")
        for limit, label in self.limits:
            y = self.up.at(limit)
            yield picture.limit_line(box.left, y, box.right, y)
            last = min(y + 4.5, last - label_places.TEXT)
            yield picture.limit_words(box.right + 6, last, label)

    def whiskers(self) -> Iterator[str]:
        wide = 0.7 if self.small else 2
        for dot, (x, y) in zip(self.dots, self.places, strict=True):
            left, right = dot.x.on(self.across)
            bottom, top = dot.y.on(self.up)
            if left != right:
                caps = not self.small and right - left > 2 * DOT + 3
                yield picture.lying_whisker(y, left, right, caps=caps, wide=wide)
            if top != bottom:
                caps = not self.small and bottom - top > 2 * DOT + 3
                yield picture.whisker(x, top, bottom, caps=caps, wide=wide)

    def marks(self) -> Iterator[str]:
        """Every dot, the selected ones on top."""
        for n in sorted(range(len(self.dots)), key=lambda n: self.dots[n].selected):
            dot, (x, y) = self.dots[n], self.places[n]
            yield picture.dot_mark(x, y, self.radius, hollow=dot.hollow, said=dot.description)
            if dot.selected:
                yield picture.ring(x, y, RING)

    def labels(self, order: Iterable[int], obstacles: Iterable[Box]) -> Iterator[str]:
        """The labels of these dots, the first first, where no other mark is in the way."""
        taken = [*obstacles, *self._taken()]
        for n in order:
            dot, (x, y) = self.dots[n], self.places[n]
            name = label_places.fitted(dot.label, LONGEST_LABEL)
            about = label_places.around(x, y, 1 + (RING if dot.selected else self.radius))
            label = label_places.placed(name, about, taken, self.box, bold=dot.selected)
            if label is not None:
                yield words(label.x, label.y, label.text, anchor=label.anchor, bold=dot.selected)

    def _taken(self) -> Iterator[Box]:
        """What no label may lie on."""
        for dot, (x, y) in zip(self.dots, self.places, strict=True):
            left, right = dot.x.on(self.across)
            bottom, top = dot.y.on(self.up)
            yield label_places.around(x, y, RING if dot.selected else self.radius)
            yield from label_places.along(left, y, right, y)
            yield from label_places.along(x, top, x, bottom)
        for limit, _ in self.limits:
            y = self.up.at(limit)
            yield from label_places.along(self.box.left, y, self.box.right, y)


def left_edge(scales: Iterable[Scale]) -> float:
    """Where plots begin whose numbers at the left all have room."""
    widths = [label_places.text_width(label) for scale in scales for _, label in scale.ticks]
    return max(46.0, *(width + 14 for width in widths))
