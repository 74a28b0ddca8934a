"""The figures of a model folder over its training steps, as one SVG: a panel a figure.

In: an `EvaluatedFolder`. Out: SVG with perplexity, the suites that the gate asks for and the
weighted score under each other, over the same steps.

A panel without any figure is left out. A checkpoint without the figure is a gap in the line; one
that could not be evaluated has a cross there. `final`, which has no step, stands behind the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.messages import tr, trn
from assay.reports.checkpoints import figures as known
from assay.reports.checkpoints.figures import EvaluatedFolder, MeasuredFigure, in_words
from assay.reports.pictures import canvas as picture
from assay.reports.pictures import labels as label_places
from assay.reports.pictures.canvas import element, told, words
from assay.reports.pictures.labels import Box, PlacedLabel
from assay.reports.pictures.scales import Scale, scale_for
from assay.reports.pictures.step_panels import Panel, panels_of
from assay.text.number_format import readable, step_name
from assay.types.decisions import Measurements

LEAST_LEFT, RIGHT, TOP = 46, 66, 10  # pixels; the limits are written at the right
INSET = 18  # from the edge of a plot to its first dot
FINAL_ROOM = 64  # from the last step to what has none
PLOT, TITLE, GAP = 136, 20, 18
WHISKERS_UP_TO, VALUES_UP_TO = 40, 12  # more checkpoints than this: a band; no written values
DOT, RING = 3.6, 7.5
DESCRIBED = 12


class _Dot(NamedTuple):
    x: float
    y: float
    top: float
    bottom: float
    figure: MeasuredFigure


def over_steps(of: EvaluatedFolder) -> str:
    """The picture. Where nothing was measured at all, one that says so."""
    panels = [panel for panel in panels_of(of) if any(panel.figures)]
    title = _title(of)
    if not panels:
        return picture.nothing_drawn(title)
    return _StepsPicture(of, panels).document(title)


def _title(of: EvaluatedFolder) -> str:
    parent = known.parent_of(of.checkpoints)
    if parent is None:
        return tr("Figures over training steps")
    return tr("{model}: figures over training steps", model=parent)


class _StepsPicture:
    def __init__(self, of: EvaluatedFolder, panels: Sequence[Panel]) -> None:
        self.of = of
        self.panels = panels
        self.parent = known.parent_of(of.checkpoints)
        self.scales = [_upwards(panel) for panel in panels]
        widest = max(
            label_places.text_width(label) for scale in self.scales for _, label in scale.ticks
        )
        self.left = max(LEAST_LEFT, widest + 14)
        self.right = picture.WIDTH - RIGHT
        self.places = _across(of.checkpoints, self.left + INSET, self.right - INSET)
        self.many = len(of.checkpoints) > WHISKERS_UP_TO
        self.selected = next(
            (n for n, each in enumerate(of.checkpoints) if each.name == of.selected), None
        )
        self.head = TOP + (picture.LINE if self.selected is not None else 0)

    def document(self, title: str) -> str:
        bottom = self.head + len(self.panels) * (TITLE + PLOT + GAP) - GAP
        lines = picture.wrapped([*self._legend()], picture.WIDTH - 2 * TOP)
        pieces = [*self._selected(bottom)]
        for index, panel in enumerate(self.panels):
            drawn = "\n".join(self._panel(panel, self.scales[index], self._top_of(index)))
            pieces.append(element("g", drawn, data_figure=label_places.harmless(panel.name)))
        pieces += self._steps(bottom)
        after = bottom + 2 * picture.LINE + 8
        pieces += [
            picture.soft_words(TOP, after + n * picture.LINE, line) for n, line in enumerate(lines)
        ]
        height = after + len(lines) * picture.LINE - 4
        return picture.document(
            pieces, height, title=title, description=" ".join(self._description())
        )

    def _top_of(self, index: int) -> float:
        return self.head + index * (TITLE + PLOT + GAP) + TITLE

    # ---------------------------------------------------------------------------------- one panel

    def _panel(self, panel: Panel, scale: Scale, top: float) -> Iterator[str]:
        scale = scale._replace(start=top + PLOT, end=top)
        title = tr("{figure} (log scale)", figure=panel.title) if scale.log else panel.title
        room = picture.WIDTH - TOP - self.left
        yield words(self.left, top - 7, label_places.fitted(title, room, bold=True), bold=True)
        yield from self._grid(scale)
        yield from self._limits(panel, scale)
        dots = [self._dot(n, figure, scale) for n, figure in enumerate(panel.figures)]
        yield from self._intervals(dots)
        yield from self._line(dots)
        for n, dot in enumerate(dots):
            if dot is not None:
                yield from self._mark(n, dot, panel)
            elif self.of.checkpoints[n].failed:
                yield self._cross(n, top + PLOT)
        yield from self._values(panel, dots, scale)

    def _grid(self, scale: Scale) -> Iterator[str]:
        if all(scale.start - scale.at(value) > 8 for value, _ in scale.ticks):
            yield picture.grid_line(self.left, scale.start, self.right, scale.start)
        for value, label in scale.ticks:
            y = scale.at(value)
            yield picture.grid_line(self.left, y, self.right, y)
            yield picture.soft_words(self.left - 6, y + 4.5, label, anchor="end")

    def _limits(self, panel: Panel, scale: Scale) -> Iterator[str]:
        last = float("inf")
        for limit, label in panel.limits:  # lowest first, so from the bottom upwards
            y = scale.at(limit)
            yield picture.limit_line(self.left, y, self.right, y)
            last = min(y + 4.5, last - label_places.TEXT)
            yield picture.limit_words(self.right + 6, last, label)

    def _dot(self, index: int, figure: MeasuredFigure | None, scale: Scale) -> _Dot | None:
        if figure is None:
            return None
        low = figure.value if figure.low is None else figure.low
        high = figure.value if figure.high is None else figure.high
        return _Dot(
            x=self.places[index],
            y=scale.at(figure.value),
            top=scale.at(high),
            bottom=scale.at(low),
            figure=figure,
        )

    def _line(self, dots: Sequence[_Dot | None]) -> Iterator[str]:
        """A line through neighbours; dotted to what has no step."""
        for run in _runs(dots):
            stepped = [(d.x, d.y) for n, d in run if self.of.checkpoints[n].step is not None]
            if len(stepped) > 1:
                yield element(
                    "polyline", points=_points(stepped), class_="curve", stroke=picture.CURVE,
                    stroke_width="1.5", fill="none",
                )  # fmt: skip
            for (n, a), (m, b) in pairwise(run):
                if self.of.checkpoints[n].step is None or self.of.checkpoints[m].step is None:
                    yield element(
                        "line", x1=a.x, y1=a.y, x2=b.x, y2=b.y, class_="curve",
                        stroke=picture.CURVE, stroke_width="1.5", stroke_dasharray="1.5 4",
                    )  # fmt: skip

    def _intervals(self, dots: Sequence[_Dot | None]) -> Iterator[str]:
        for run in _runs(dots):
            if self.many and len(run) > 1:
                there = [(dot.x, dot.top) for _, dot in run]
                back = [(dot.x, dot.bottom) for _, dot in reversed(run)]
                yield element(
                    "polygon", points=_points([*there, *back]), class_="band", fill=picture.BAND,
                )  # fmt: skip
                continue
            for _, dot in run:
                if dot.top != dot.bottom:
                    caps = dot.bottom - dot.top > 2 * DOT + 3
                    yield picture.whisker(dot.x, dot.top, dot.bottom, caps=caps)

    def _mark(self, index: int, dot: _Dot, panel: Panel) -> Iterator[str]:
        name = self.of.checkpoints[index].name
        said = tr("{checkpoint}: {figure}", checkpoint=name, figure=in_words(dot.figure))
        radius = 2.2 if self.many else DOT
        yield picture.dot_mark(dot.x, dot.y, radius, hollow=panel.hollow[index], said=said)
        if index == self.selected:
            yield picture.ring(dot.x, dot.y, RING)

    def _cross(self, index: int, bottom: float) -> str:
        checkpoint = self.of.checkpoints[index]
        said = tr("{checkpoint}: {figure}", checkpoint=checkpoint.name, figure=checkpoint.failed)
        x, y, arm = self.places[index], bottom - 8, 2.5 if self.many else 4.5
        ends = f"M{picture.pixel(x - arm)} {picture.pixel(y - arm)}l{2 * arm:g} {2 * arm:g}"
        ends += f"m0 {-2 * arm:g}l{-2 * arm:g} {2 * arm:g}"
        return element(
            "path", told(said), d=ends, class_="limit", stroke=picture.LIMIT, stroke_width="2",
            fill="none",
        )  # fmt: skip

    def _values(self, panel: Panel, dots: Sequence[_Dot | None], scale: Scale) -> Iterator[str]:
        """The figure beside its dot, where no other mark is in the way."""
        inside = Box(self.left, scale.end - 3, self.right, scale.start)
        taken = [box for dot in dots if dot for box in _taken(dot)]
        for limit, _ in panel.limits:
            taken += label_places.along(self.left, scale.at(limit), self.right, scale.at(limit))
        for run in _runs(dots):
            for (_, a), (_, b) in pairwise(run):
                taken += label_places.along(a.x, a.y, b.x, b.y)
        if self.selected is not None:
            x = self.places[self.selected]
            taken += label_places.along(x, scale.end, x, scale.start)
        order = sorted(range(len(dots)), key=lambda n: (n != self.selected, -n))
        for index in order:
            dot = dots[index]
            if dot is None or (len(dots) > VALUES_UP_TO and index != self.selected):
                continue
            room = 1 + (RING if index == self.selected else DOT)
            close = label_places.around(dot.x, dot.y, room)
            whole = close._replace(
                top=min(dot.top, close.top), bottom=max(dot.bottom, close.bottom)
            )
            shown = readable(dot.figure.value, apart_from=[limit for limit, _ in panel.limits])
            label = label_places.placed(shown, whole, taken, inside)
            label = label or label_places.placed(shown, close, taken, inside)
            if label is not None:
                yield words(label.x, label.y, label.text, anchor=label.anchor)

    # ------------------------------------------------------------------------------ around panels

    def _selected(self, bottom: float) -> Iterator[str]:
        if self.selected is None:
            return
        x = self.places[self.selected]
        yield element(
            "line", x1=x, x2=x, y1=self.head, y2=bottom, class_="ring", stroke=picture.INK,
            stroke_opacity="0.35", stroke_dasharray="1 3",
        )  # fmt: skip
        name = self.of.checkpoints[self.selected].name
        said = tr("selected: {checkpoint}", checkpoint=name)
        said = label_places.fitted(said, picture.WIDTH * 0.8, bold=True)
        half = label_places.text_width(said, bold=True) / 2
        yield words(
            min(max(x, TOP + half), picture.WIDTH - TOP - half), TOP + 12, said,
            anchor="middle", bold=True,
        )  # fmt: skip

    def _steps(self, bottom: float) -> Iterator[str]:
        """The steps under the last panel, as many as have room."""
        y = bottom + 18
        said = tr("step")
        yield picture.soft_words(self.left - 10, y, said, anchor="end")
        labels = [self._step_label(n, y) for n in range(len(self.places))]
        taken = [label_places.label_box(self.left - 10, y, said, "end")]
        first = [n for n in (self.selected, len(labels) - 1) if n is not None]
        for n in label_places.thinned([_box(label) for label in labels], first, taken):
            x = self.places[n]
            yield picture.grid_line(x, bottom, x, bottom + 5)
            yield words(labels[n].x, y, labels[n].text, anchor="middle")

    def _step_label(self, index: int, y: float) -> PlacedLabel:
        text = self._step_name(index)
        half = label_places.text_width(text) / 2
        x = min(max(self.places[index], self.left + half), picture.WIDTH - 4 - half)
        return PlacedLabel(x, y, "middle", text)

    def _step_name(self, index: int) -> str:
        checkpoint = self.of.checkpoints[index]
        if checkpoint.step is None:
            name = known.short_name(checkpoint, self.parent)
            return label_places.fitted(name, RIGHT + INSET)
        return step_name(checkpoint.step)

    def _legend(self) -> Iterator[str]:
        figures = [figure for panel in self.panels for figure in panel.figures if figure]
        if any(figure.low is not None or figure.high is not None for figure in figures):
            if self.many:
                yield tr("band: 95 % interval")
            else:
                yield tr("vertical line: 95 % interval, hidden where it is shorter than its dot")
        if any(panel.limits for panel in self.panels):
            yield tr("dashed: limit of the gate")
        hollow = (h and f for p in self.panels for h, f in zip(p.hollow, p.figures, strict=True))
        if any(hollow):
            yield tr("hollow dot: marginal, an interval lies across a limit")
        if any(checkpoint.failed for checkpoint in self.of.checkpoints):
            yield tr("×: could not be evaluated")
        if self.selected is not None:
            yield tr("ring: selected")

    def _description(self) -> Iterator[str]:
        count = len(self.of.checkpoints)
        few = range(count) if count <= DESCRIBED else sorted({0, count - 1, self.selected or 0})
        count = len(self.of.checkpoints)
        yield trn("{count} checkpoint.", "{count} checkpoints.", count)
        for panel in self.panels:
            parts = [
                tr("{checkpoint}: {figure}", checkpoint=self._short(n), figure=in_words(figure))
                for n in few
                if (figure := panel.figures[n])
            ]
            limits = [tr("limit {limit}", limit=label) for _, label in panel.limits]
            yield f"{panel.title}: {'; '.join([*limits, *parts])}."
        for n, checkpoint in enumerate(self.of.checkpoints):
            if checkpoint.failed:
                yield tr("{checkpoint} could not be evaluated.", checkpoint=self._short(n))
        if self.selected is not None:
            yield tr("Selected: {model}", model=self._short(self.selected)) + "."

    def _short(self, index: int) -> str:
        name = known.short_name(self.of.checkpoints[index], self.parent)
        return label_places.harmless(name, longest=60)


def _upwards(panel: Panel) -> Scale:
    """The scale of a panel, on no pixels yet."""
    drawn = [limit for limit, _ in panel.limits]
    for figure in panel.figures:
        if figure is not None:
            drawn += [end for end in figure[:3] if end is not None]
    return scale_for(drawn, PLOT, 0, log=panel.log, most=6)


def _across(checkpoints: Sequence[Measurements], start: float, end: float) -> list[float]:
    """Where each checkpoint stands: by its step, and behind the last one where it has none."""
    steps = [checkpoint.step for checkpoint in checkpoints if checkpoint.step is not None]
    if not steps:
        return [(start + end) / 2] * len(checkpoints)
    final = len(steps) < len(checkpoints)
    low, high, last = min(steps), max(steps), end - FINAL_ROOM if final else end
    if low == high:
        middle = (start + last) / 2
        return [end if each.step is None else middle for each in checkpoints]
    scale = Scale(low, high, start, last, log=False, ticks=())
    return [end if each.step is None else scale.at(each.step) for each in checkpoints]


def _runs(dots: Sequence[_Dot | None]) -> Iterator[list[tuple[int, _Dot]]]:
    """Neighbours without a gap between them."""
    run: list[tuple[int, _Dot]] = []
    for index, dot in enumerate(dots):
        if dot is not None:
            run.append((index, dot))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _taken(dot: _Dot) -> list[Box]:
    return [
        label_places.around(dot.x, dot.y, DOT),
        *label_places.along(dot.x, dot.top, dot.x, dot.bottom),
    ]


def _box(label: PlacedLabel) -> Box:
    return label_places.label_box(label.x, label.y, label.text, label.anchor)


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{picture.pixel(x)},{picture.pixel(y)}" for x, y in places)
