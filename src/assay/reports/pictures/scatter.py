"""Dots on two scales as one SVG: intervals, limits, and the Pareto front.

In: a Scatter. Out: SVG. Dots on the front are those that no other is at least as good as on both
scales and better on one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from assay.messages import tr, trn
from assay.reports.pictures import canvas as picture
from assay.reports.pictures import labels as label_places
from assay.reports.pictures.canvas import element, words
from assay.reports.pictures.labels import Box
from assay.reports.pictures.scales import Scale, scale_for
from assay.text.number_format import exact

LEAST_LEFT, RIGHT, TOP, PLOT = 46, 66, 52, 300
INSET = 14
FAR = 3.0  # a limit that far below or above all values is an arrow, not half the picture
DOT, SMALL_DOT, RING = 4.5, 2.5, 8.5
LABELS_UP_TO = 40  # more dots are drawn small; labels of the selected and the front come first
LONGEST_LABEL = 150  # pixels
DESCRIBED = 12


class Extent(NamedTuple):
    """A value and the interval around it, where it is known."""

    value: float
    low: float | None
    high: float | None

    @property
    def known(self) -> list[float]:
        return [end for end in self if end is not None]


class Dot(NamedTuple):
    """`description` says both figures in words."""

    label: str
    x: Extent
    y: Extent
    description: str
    hollow: bool = False
    selected: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """`higher_is_better`: whether a dot further right is better. Upwards is always better."""

    title: str
    x_title: str
    y_title: str
    dots: Sequence[Dot]
    x_limits: Sequence[float] = ()
    y_limits: Sequence[float] = ()
    higher_is_better: bool = True
    log: bool = True
    legend: Sequence[str] = ()
    missing: int = 0


def draw_scatter(of: Scatter) -> str:
    return _ScatterPicture(of).document() if of.dots else picture.nothing_drawn(of.title)


def front(places: Sequence[tuple[float, float]], *, higher_is_better: bool = True) -> list[int]:
    """The dots on the Pareto front, from the lowest x on."""
    sign = 1 if higher_is_better else -1
    ahead = [
        n
        for n, (x, y) in enumerate(places)
        if not any(
            sign * a >= sign * x and b >= y and (sign * a > sign * x or b > y) for a, b in places
        )
    ]
    return sorted(ahead, key=lambda n: (places[n][0], n))


class _ScatterPicture:
    def __init__(self, of: Scatter) -> None:
        self.of = of
        self.dots = of.dots
        quick = [end for dot in of.dots for end in dot.x.known if end > 0 or not of.log]
        near = (min(quick) / FAR, max(quick) * FAR)
        self.x_limits = [limit for limit in of.x_limits if near[0] <= limit <= near[1]]
        self.far_below = [limit for limit in of.x_limits if limit < near[0]]
        self.far_above = [limit for limit in of.x_limits if limit > near[1]]
        bottom = TOP + PLOT
        good = [end for dot in of.dots for end in dot.y.known]
        self.up = scale_for([*good, *of.y_limits], bottom - INSET, TOP + INSET, log=False, most=6)
        widest = max(label_places.text_width(label) for _, label in self.up.ticks)
        self.plot = Box(max(LEAST_LEFT, widest + 14), TOP, picture.WIDTH - RIGHT, bottom)
        self.across = scale_for(
            [*quick, *self.x_limits], self.plot.left + INSET, self.plot.right - INSET,
            log=of.log, most=6,
        )  # fmt: skip
        self.many = len(of.dots) > LABELS_UP_TO
        self.radius = SMALL_DOT if self.many else DOT
        self.places = [(self.across.at(d.x.value), self.up.at(d.y.value)) for d in of.dots]
        self.front = front(
            [(dot.x.value, dot.y.value) for dot in of.dots], higher_is_better=of.higher_is_better
        )

    def document(self) -> str:
        pieces = [*self._scales(), *self._limits(), *self._front(), *self._whiskers()]
        pieces += [*self._marks(), *self._labels()]
        lines = picture.wrapped([*self._legend()], picture.WIDTH - 20)
        after = self.plot.bottom + 2 * picture.LINE + 24
        pieces += [
            picture.soft_words(10, after + n * picture.LINE, line) for n, line in enumerate(lines)
        ]
        height = after + len(lines) * picture.LINE - 4
        description = " ".join(self._description())
        return picture.document(pieces, height, title=self.of.title, description=description)

    # ----------------------------------------------------------------------------- around the dots

    def _scales(self) -> Iterator[str]:
        plot = self.plot
        title = tr("upwards: {figure}", figure=self.of.y_title)
        yield words(10, 20, label_places.fitted(title, picture.WIDTH - 20, bold=True), bold=True)
        yield picture.grid_line(plot.left, plot.bottom, plot.right, plot.bottom)
        for value, label in self.up.ticks:
            y = self.up.at(value)
            yield picture.grid_line(plot.left, y, plot.right, y)
            yield picture.soft_words(plot.left - 6, y + 4.5, label, anchor="end")
        for value, label in self.across.ticks:
            x = self.across.at(value)
            yield picture.grid_line(x, plot.top, x, plot.bottom)
            yield picture.soft_words(x, plot.bottom + 18, label, anchor="middle")
        title = tr("to the right: {figure}", figure=self.of.x_title)
        if self.of.log:
            title = tr("{figure} (log scale)", figure=title)
        title = label_places.fitted(title, plot.right, bold=True)
        yield words(plot.right, plot.bottom + 38, title, anchor="end", bold=True)

    def _limits(self) -> Iterator[str]:
        plot = self.plot
        for least in self.of.y_limits:
            y = self.up.at(least)
            yield picture.limit_line(plot.left, y, plot.right, y)
            yield picture.limit_words(plot.right + 6, y + 4.5, f"> {exact(least)}")
        end = float("-inf")
        for least in self.x_limits:
            x = self.across.at(least)
            yield picture.limit_line(x, plot.top, x, plot.bottom)
            said = f"> {exact(least)}"
            half = label_places.text_width(said, bold=True) / 2
            middle = max(x, end + half + label_places.BETWEEN)
            end = middle + half
            yield picture.limit_words(middle, plot.top - 6, said, anchor="middle")
        if self.far_below:
            said = f"← > {exact(self.far_below[-1])}"
            yield picture.limit_words(plot.left, plot.top - 6, said)
        if self.far_above:
            said = f"> {exact(self.far_above[0])} →"
            yield picture.limit_words(plot.right, plot.top - 6, said, anchor="end")

    def _front(self) -> Iterator[str]:
        """Steps: a dot on them beats whatever lies under them."""
        points = " ".join(f"{picture.pixel(x)},{picture.pixel(y)}" for x, y in self._corners())
        yield element(
            "polyline", points=points, class_="front", stroke=picture.SOFT, stroke_width="1.2",
            fill="none",
        )  # fmt: skip

    def _corners(self) -> list[tuple[float, float]]:
        """From the side where dots are worse, at the height of the best dot, down to the scale."""
        steps = [self.places[n] for n in self.front]
        worse = self.plot.left
        if not self.of.higher_is_better:
            steps, worse = steps[::-1], self.plot.right
        corners = [(worse, steps[0][1])]
        for x, y in steps:
            corners += [(corners[-1][0], y), (x, y)]
        return [*corners, (corners[-1][0], self.plot.bottom)]

    def _whiskers(self) -> Iterator[str]:
        wide = 0.7 if self.many else 2
        for dot, (x, y) in zip(self.dots, self.places, strict=True):
            left, right = _ends(dot.x, self.across)
            bottom, top = _ends(dot.y, self.up)
            if left != right:
                caps = not self.many and right - left > 2 * DOT + 3
                yield picture.lying_whisker(y, left, right, caps=caps, wide=wide)
            if top != bottom:
                caps = not self.many and bottom - top > 2 * DOT + 3
                yield picture.whisker(x, top, bottom, caps=caps, wide=wide)

    # ------------------------------------------------------------------------------------ the dots

    def _marks(self) -> Iterator[str]:
        last = sorted(range(len(self.dots)), key=lambda n: self.dots[n].selected)  # on top
        for n in last:
            dot, (x, y) = self.dots[n], self.places[n]
            yield picture.dot_mark(x, y, self.radius, hollow=dot.hollow, said=dot.description)
            if dot.selected:
                yield picture.ring(x, y, RING)

    def _labels(self) -> Iterator[str]:
        chosen = [n for n, dot in enumerate(self.dots) if dot.selected]
        taken = [*self._taken(chosen)]
        order = dict.fromkeys([*chosen, *self.front, *range(len(self.dots))])
        for n in list(order)[:LABELS_UP_TO]:
            name = label_places.fitted(self.dots[n].label, LONGEST_LABEL)
            x, y = self.places[n]
            about = label_places.around(x, y, 1 + (RING if n in chosen else self.radius))
            label = label_places.placed(name, about, taken, self.plot, bold=n in chosen)
            if label is not None:
                yield words(label.x, label.y, label.text, anchor=label.anchor, bold=n in chosen)

    def _taken(self, chosen: Sequence[int]) -> Iterator[Box]:
        """What no label may lie on: dots, rings, intervals, the front, limits."""
        for x, y in self.places:
            yield label_places.around(x, y, self.radius)
        for a, b in pairwise(self._corners()):
            yield from label_places.along(*a, *b)
        for dot, (x, y) in zip(self.dots, self.places, strict=True):
            left, right = _ends(dot.x, self.across)
            bottom, top = _ends(dot.y, self.up)
            yield from label_places.along(left, y, right, y)
            yield from label_places.along(x, top, x, bottom)
        plot = self.plot
        for y in map(self.up.at, self.of.y_limits):
            yield from label_places.along(plot.left, y, plot.right, y)
        for x in map(self.across.at, self.x_limits):
            yield from label_places.along(x, plot.top, x, plot.bottom)
        for n in chosen:
            yield label_places.around(*self.places[n], RING)

    # ------------------------------------------------------------------------------------ in words

    def _legend(self) -> Iterator[str]:
        yield from self.of.legend
        yield tr("stepped line: Pareto front")
        if self.far_below or self.far_above:
            yield tr("arrow: direction of a limit that is off the scale")
        if self.of.y_limits or self.x_limits:
            yield tr("dashed: limit of the gate")
        if any(dot.selected for dot in self.dots):
            yield tr("ring: selected")
        if self.of.missing:
            yield tr("not drawn, because a figure is missing: {count}", count=self.of.missing)

    def _description(self) -> Iterator[str]:
        yield trn("{count} dot.", "{count} dots.", len(self.dots))
        yield f"{self.of.y_title}."
        for dot in self.dots:
            if dot.selected:
                yield tr("Selected: {model}", model=label_places.harmless(dot.label)) + "."
        for n in self.front[:DESCRIBED]:
            yield f"{self.dots[n].description}."


def _ends(extent: Extent, scale: Scale) -> tuple[float, float]:
    """Where an interval begins and ends; at the dot where a limit is not known."""
    low = extent.value if extent.low is None else extent.low
    high = extent.value if extent.high is None else extent.high
    return scale.at(low), scale.at(high)
