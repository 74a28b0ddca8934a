"""Speed against quality as one SVG: a dot a checkpoint, the limits, and the front of the best.

In: an `Evaluated`. Out: SVG; tokens per second by ratios to the right, quality upwards.

Quality is the first suite that the gate asks for, because the weighted score has the speed in it
already; the weighted score where no checkpoint has both. On the front stand the checkpoints that
none is both quicker and better than.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from assay.messages import tr, trn
from assay.reports import checkpoint_figures as known
from assay.reports.checkpoint_figures import Evaluated, Figure, in_words
from assay.reports.pictures import canvas as picture
from assay.reports.pictures import labels as label_places
from assay.reports.pictures.canvas import element, words
from assay.reports.pictures.labels import Box
from assay.reports.pictures.scales import Scale, exact, scale_for
from assay.reports.pictures.step_panels import suite_title
from assay.types.decisions import Measured

Quality = Literal["suite", "weighted_score"]

LEAST_LEFT, RIGHT, TOP, PLOT = 46, 66, 52, 300
INSET = 14
FAR = 3.0  # a limit so many times below or above all speeds is an arrow, not half the picture
DOT, SMALL_DOT, RING = 4.5, 2.5, 8.5
LABELS_UP_TO = 40  # more dots are drawn small; labels of the selected and the front come first
LONGEST_LABEL = 150  # pixels


class _Dot(NamedTuple):
    checkpoint: Measured
    speed: Figure
    quality: Figure
    hollow: bool


def speed_against_quality(of: Evaluated, *, quality: Quality | None = None) -> str:
    """The picture. Where no checkpoint has both figures, one that says so."""
    parent = known.parent_of(of.checkpoints)
    if parent is None:
        title = tr("Speed against quality")
    else:
        title = tr("{model}: speed against quality", model=parent)
    suite = known.suites_asked(of)[0]
    dots = list(_dots(of, suite.figure)) if quality != "weighted_score" else []
    if dots or quality == "suite":
        limits = [suite.limit.min] if of.gate.suites else []
        name = suite_title(suite.limit)
    else:
        dots, limits, name = list(_dots(of, "weighted_score")), [], tr("weighted score")
    if not dots:
        return picture.nothing_drawn(title)
    return _Drawing(of, dots, limits, name).document(title)


def front(places: Sequence[tuple[float, float]]) -> list[int]:
    """Those that no other is at least as quick and as good as, and better in one of them; the
    slowest first.
    """
    ahead = [
        n
        for n, (speed, good) in enumerate(places)
        if not any(s >= speed and g >= good and (s > speed or g > good) for s, g in places)
    ]
    return sorted(ahead, key=lambda n: (places[n][0], n))


def _dots(of: Evaluated, name: str) -> Iterator[_Dot]:
    for checkpoint in of.checkpoints:
        figures = known.figures(of, checkpoint)
        speed, quality = figures["inference_speed"], figures[name]
        if speed is not None and speed.value > 0 and quality is not None:
            yield _Dot(checkpoint, speed, quality, known.marginal(of, checkpoint))


class _Drawing:
    """One picture while it is drawn."""

    def __init__(
        self, of: Evaluated, dots: Sequence[_Dot], limits: Sequence[float], name: str
    ) -> None:
        self.of = of
        self.dots = dots
        self.name = name
        self.parent = known.parent_of(of.checkpoints)
        self.least_good = limits
        quick = [end for dot in dots for end in dot.speed[:3] if end is not None and end > 0]
        near = (min(quick) / FAR, max(quick) * FAR)
        limits_of_speed = known.speed_limits(of)
        self.least_speed = [limit for limit in limits_of_speed if near[0] <= limit <= near[1]]
        self.far_below = [limit for limit in limits_of_speed if limit < near[0]]
        self.far_above = [limit for limit in limits_of_speed if limit > near[1]]
        bottom = TOP + PLOT
        good = [end for dot in dots for end in dot.quality[:3] if end is not None]
        self.up = scale_for([*good, *limits], bottom - INSET, TOP + INSET, log=False, most=6)
        widest = max(label_places.text_width(label) for _, label in self.up.ticks)
        self.plot = Box(max(LEAST_LEFT, widest + 14), TOP, picture.WIDTH - RIGHT, bottom)
        self.across = scale_for(
            [*quick, *self.least_speed], self.plot.left + INSET, self.plot.right - INSET,
            log=True, most=6,
        )  # fmt: skip
        self.many = len(dots) > LABELS_UP_TO
        self.radius = SMALL_DOT if self.many else DOT
        self.places = [(self.across.at(d.speed.value), self.up.at(d.quality.value)) for d in dots]
        self.front = front([(dot.speed.value, dot.quality.value) for dot in dots])

    def document(self, title: str) -> str:
        pieces = [*self._scales(), *self._limits(), *self._front(), *self._whiskers()]
        pieces += [*self._marks(), *self._labels()]
        lines = picture.wrapped([*self._legend()], picture.WIDTH - 20)
        after = self.plot.bottom + 2 * picture.LINE + 24
        pieces += [
            picture.soft_words(10, after + n * picture.LINE, line) for n, line in enumerate(lines)
        ]
        return picture.document(
            pieces,
            after + len(lines) * picture.LINE - 4,
            title=title,
            description=" ".join(self._description()),
        )

    # ----------------------------------------------------------------------------- around the dots

    def _scales(self) -> Iterator[str]:
        plot = self.plot
        title = tr("upwards: {figure}", figure=self.name)
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
        title = tr("to the right: tokens per second on the CPU (log scale)")
        yield words(plot.right, plot.bottom + 38, title, anchor="end", bold=True)

    def _limits(self) -> Iterator[str]:
        plot = self.plot
        for least in self.least_good:
            y = self.up.at(least)
            yield picture.limit_line(plot.left, y, plot.right, y)
            yield picture.limit_words(plot.right + 6, y + 4.5, f"> {exact(least)}")
        end = float("-inf")
        for least in self.least_speed:
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
        """Steps down to the right: what lies under them is beaten by a checkpoint on them."""
        points = " ".join(f"{picture.pixel(x)},{picture.pixel(y)}" for x, y in self._corners())
        yield element(
            "polyline", points=points, class_="front", stroke=picture.SOFT, stroke_width="1.2",
            fill="none",
        )  # fmt: skip

    def _corners(self) -> list[tuple[float, float]]:
        steps = [self.places[n] for n in self.front]
        corners = [(self.plot.left, steps[0][1])]
        for x, y in steps:
            corners += [(corners[-1][0], y), (x, y)]
        return [*corners, (corners[-1][0], self.plot.bottom)]

    def _whiskers(self) -> Iterator[str]:
        wide = 0.7 if self.many else 2
        for dot, (x, y) in zip(self.dots, self.places, strict=True):
            left, right = _ends(dot.speed, self.across)
            bottom, top = _ends(dot.quality, self.up)
            if left != right:
                caps = not self.many and right - left > 2 * DOT + 3
                yield picture.lying_whisker(y, left, right, caps=caps, wide=wide)
            if top != bottom:
                caps = not self.many and bottom - top > 2 * DOT + 3
                yield picture.whisker(x, top, bottom, caps=caps, wide=wide)

    # ------------------------------------------------------------------------------------ the dots

    def _marks(self) -> Iterator[str]:
        last = sorted(  # on top of all others
            range(len(self.dots)), key=lambda n: self.dots[n].checkpoint.name == self.of.selected
        )
        for n in last:
            dot, (x, y) = self.dots[n], self.places[n]
            said = tr(
                "{checkpoint}: {speed} tokens/s; {quality}",
                checkpoint=dot.checkpoint.name,
                speed=in_words(dot.speed),
                quality=in_words(dot.quality),
            )
            yield picture.dot_mark(x, y, self.radius, hollow=dot.hollow, said=said)
            if dot.checkpoint.name == self.of.selected:
                yield picture.ring(x, y, RING)

    def _labels(self) -> Iterator[str]:
        taken = [label_places.around(x, y, self.radius) for x, y in self.places]
        for a, b in pairwise(self._corners()):
            taken += label_places.along(*a, *b)
        for dot, (x, y) in zip(self.dots, self.places, strict=True):
            left, right = _ends(dot.speed, self.across)
            bottom, top = _ends(dot.quality, self.up)
            taken += [
                *label_places.along(left, y, right, y),
                *label_places.along(x, top, x, bottom),
            ]
        plot = self.plot
        for least in self.least_good:
            y = self.up.at(least)
            taken += label_places.along(plot.left, y, plot.right, y)
        for least in self.least_speed:
            x = self.across.at(least)
            taken += label_places.along(x, plot.top, x, plot.bottom)
        chosen = [n for n, dot in enumerate(self.dots) if dot.checkpoint.name == self.of.selected]
        taken += [label_places.around(x, y, RING) for x, y in (self.places[n] for n in chosen)]
        order = dict.fromkeys([*chosen, *self.front, *range(len(self.dots))])
        for n in list(order)[:LABELS_UP_TO]:
            name = label_places.fitted(self._short(self.dots[n].checkpoint), LONGEST_LABEL)
            x, y = self.places[n]
            about = label_places.around(x, y, 1 + (RING if n in chosen else self.radius))
            label = label_places.placed(name, about, taken, self.plot, bold=n in chosen)
            if label is not None:
                yield words(label.x, label.y, label.text, anchor=label.anchor, bold=n in chosen)

    def _short(self, checkpoint: Measured) -> str:
        return label_places.harmless(known.short_name(checkpoint, self.parent), longest=60)

    # ------------------------------------------------------------------------------------ in words

    def _legend(self) -> Iterator[str]:
        figures = [figure for dot in self.dots for figure in (dot.speed, dot.quality)]
        if any(figure.low is not None or figure.high is not None for figure in figures):
            yield tr("lines through a dot: upwards a 95 % interval, sideways the runs")
        yield tr("stepped line: none is both quicker and better than those on it")
        if self.far_below or self.far_above:
            yield tr("arrow: there lies the limit of the gate")
        if self.least_good or self.least_speed:
            yield tr("dashed: limit of the gate")
        if any(dot.hollow for dot in self.dots):
            yield tr("hollow dot: marginal, an interval lies across a limit")
        if any(dot.checkpoint.name == self.of.selected for dot in self.dots):
            yield tr("ring: selected")
        missing = len(self.of.checkpoints) - len(self.dots)
        if missing:
            yield trn(
                "not drawn, because a figure is missing: {count} checkpoint",
                "not drawn, because a figure is missing: {count} checkpoints",
                missing,
            )

    def _description(self) -> Iterator[str]:
        count = trn("{count} checkpoint", "{count} checkpoints", len(self.dots))
        yield f"{count}. {self.name}."
        if self.of.selected is not None:
            yield tr("Selected: {model}", model=label_places.harmless(self.of.selected)) + "."
        for n in self.front[:12]:
            dot = self.dots[n]
            yield (
                tr(
                    "{checkpoint}: {speed} tokens/s; {quality}",
                    checkpoint=self._short(dot.checkpoint),
                    speed=in_words(dot.speed),
                    quality=in_words(dot.quality),
                )
                + "."
            )


def _ends(figure: Figure, scale: Scale) -> tuple[float, float]:
    """Where an interval begins and ends; at the dot where a limit is not known."""
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    return scale.at(low), scale.at(high)
