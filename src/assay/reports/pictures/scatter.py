"""Dots on two scales as one SVG: intervals, limits, and the Pareto front.

Dots on the front are those that no other is at least as good as on both scales and better on one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.messages import tr, trn
from assay.reports.pictures import canvas as picture
from assay.reports.pictures import labels as label_places
from assay.reports.pictures.canvas import element, words
from assay.reports.pictures.labels import Box
from assay.reports.pictures.plot import RIGHT, SMALL_ABOVE, Dot, Plot, left_edge
from assay.reports.pictures.scales import scale_for
from assay.text.number_format import exact

TOP, HEIGHT, INSET = 52, 300, 14
FAR = 3.0  # a limit that far below or above all values is an arrow, not half the picture
DESCRIBED = 12


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
    if not of.dots:
        sentence = tr("No checkpoint has a figure that could be drawn.")
        return picture.nothing_drawn(of.title, sentence)
    return _ScatterPicture(of).document()


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
        quick = [end for dot in of.dots for end in dot.x.known if end > 0 or not of.log]
        near = (min(quick) / FAR, max(quick) * FAR)
        self.x_limits = [limit for limit in of.x_limits if near[0] <= limit <= near[1]]
        self.far_below = [limit for limit in of.x_limits if limit < near[0]]
        self.far_above = [limit for limit in of.x_limits if limit > near[1]]
        bottom = TOP + HEIGHT
        good = [end for dot in of.dots for end in dot.y.known]
        up = scale_for([*good, *of.y_limits], bottom - INSET, TOP + INSET, log=False, most=6)
        box = Box(left_edge([up]), TOP, picture.WIDTH - RIGHT, bottom)
        left, right = box.left + INSET, box.right - INSET
        across = scale_for([*quick, *self.x_limits], left, right, log=of.log, most=6)
        limits = [(least, f"> {exact(least)}") for least in of.y_limits]
        self.plot = Plot(box, across, up, of.dots, limits)
        self.front = front(
            [(dot.x.value, dot.y.value) for dot in of.dots], higher_is_better=of.higher_is_better
        )

    def document(self) -> str:
        plot = self.plot
        pieces = [*self._titles(), *plot.scale_and_limits(), *self._x_limits(), *self._front()]
        pieces += [*plot.whiskers(), *plot.marks(), *self._labels()]
        return picture.document_with_legend(
            pieces,
            plot.box.bottom + 2 * picture.LINE + 24,
            legend=[*self._legend()],
            title=self.of.title,
            description=" ".join(self._description()),
        )

    def _titles(self) -> Iterator[str]:
        box, across = self.plot.box, self.plot.across
        title = tr("upwards: {figure}", figure=self.of.y_title)
        yield words(10, 20, label_places.fitted(title, picture.WIDTH - 20, bold=True), bold=True)
        for value, label in across.ticks:
            x = across.at(value)
            yield picture.grid_line(x, box.top, x, box.bottom)
            yield picture.soft_words(x, box.bottom + 18, label, anchor="middle")
        title = tr("to the right: {figure}", figure=self.of.x_title)
        if self.of.log:
            title = tr("{figure} (log scale)", figure=title)
        title = label_places.fitted(title, box.right, bold=True)
        yield words(box.right, box.bottom + 38, title, anchor="end", bold=True)

    def _x_limits(self) -> Iterator[str]:
        box = self.plot.box
        end = float("-inf")
        for least in self.x_limits:
            x = self.plot.across.at(least)
            yield picture.limit_line(x, box.top, x, box.bottom)
            said = f"> {exact(least)}"
            half = label_places.text_width(said, bold=True) / 2
            middle = max(x, end + half + label_places.BETWEEN)
            end = middle + half
            yield picture.limit_words(middle, box.top - 6, said, anchor="middle")
        if self.far_below:
            said = f"← > {exact(self.far_below[-1])}"
            yield picture.limit_words(box.left, box.top - 6, said)
        if self.far_above:
            said = f"> {exact(self.far_above[0])} →"
            yield picture.limit_words(box.right, box.top - 6, said, anchor="end")

    def _front(self) -> Iterator[str]:
        """Steps: a dot on them beats whatever lies under them."""
        yield element(
            "polyline", points=picture.points(self._corners()), class_="front",
            stroke=picture.SOFT, stroke_width="1.2", fill="none",
        )  # fmt: skip

    def _corners(self) -> list[tuple[float, float]]:
        """From the side where dots are worse, at the height of the best dot, down to the scale."""
        steps = [self.plot.places[n] for n in self.front]
        worse = self.plot.box.left
        if not self.of.higher_is_better:
            steps, worse = steps[::-1], self.plot.box.right
        corners = [(worse, steps[0][1])]
        for x, y in steps:
            corners += [(corners[-1][0], y), (x, y)]
        return [*corners, (corners[-1][0], self.plot.box.bottom)]

    def _labels(self) -> Iterator[str]:
        """Those of the selected dot and of the front first."""
        obstacles = [
            box for a, b in pairwise(self._corners()) for box in label_places.along(*a, *b)
        ]
        for x in map(self.plot.across.at, self.x_limits):
            obstacles += label_places.along(x, self.plot.box.top, x, self.plot.box.bottom)
        chosen = [n for n, dot in enumerate(self.of.dots) if dot.selected]
        order = dict.fromkeys([*chosen, *self.front, *range(len(self.of.dots))])
        yield from self.plot.labels(list(order)[:SMALL_ABOVE], obstacles)

    def _legend(self) -> Iterator[str]:
        yield from self.of.legend
        yield tr("stepped line: Pareto front")
        if self.far_below or self.far_above:
            yield tr("arrow: direction of a limit that is off the scale")
        if self.of.y_limits or self.x_limits:
            yield tr("dashed: limit of the gate")
        if any(dot.selected for dot in self.of.dots):
            yield tr("ring: selected")
        if self.of.missing:
            yield tr("not drawn, because a figure is missing: {count}", count=self.of.missing)

    def _description(self) -> Iterator[str]:
        yield trn("{count} dot.", "{count} dots.", len(self.of.dots))
        yield f"{self.of.y_title}."
        for dot in self.of.dots:
            if dot.selected:
                yield tr("Selected: {model}", model=label_places.harmless(dot.label)) + "."
        for n in self.front[:DESCRIBED]:
            yield f"{self.of.dots[n].description}."
