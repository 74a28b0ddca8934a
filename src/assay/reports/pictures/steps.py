"""The figures of a model folder over its training steps, as one SVG: a panel a figure.

Perplexity, the suites that the gate asks for and the weighted score are under each other, over the
same steps. A panel without any figure is left out. A checkpoint without the figure is a gap in the
line; one that could not be evaluated has a cross there. `final`, which has no step, is behind the
last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from assay.messages import tr, trn
from assay.reports.checkpoints import figures as known
from assay.reports.checkpoints.figures import EvaluatedFolder, MeasuredFigure, in_words
from assay.reports.pictures import canvas as picture
from assay.reports.pictures import labels as label_places
from assay.reports.pictures.canvas import element, told, words
from assay.reports.pictures.labels import Box
from assay.reports.pictures.plot import RIGHT, Dot, Extent, Limit, Plot, left_edge
from assay.reports.pictures.scales import Scale, scale_for
from assay.text.number_format import exact, readable, step_name
from assay.types.decisions import Measurements, SuiteLimit

TOP = 10  # pixels
INSET = 18  # from the edge of a plot to its first dot
FINAL_ROOM = 64  # from the last step to what has none
HEIGHT, TITLE, GAP = 136, 20, 18
VALUES_UP_TO = 12  # more checkpoints than this: only the selected one has its value written
DESCRIBED = 12
ON_PIXELS = Scale(0, picture.WIDTH, 0, picture.WIDTH, log=False, ticks=())


class Panel(NamedTuple):
    """One figure of every checkpoint; a hollow dot is marginal. Limits: the lowest first."""

    name: str
    title: str
    limits: Sequence[Limit]
    figures: Sequence[MeasuredFigure | None]
    hollow: Sequence[bool]
    scale: Scale


def over_steps(of: EvaluatedFolder) -> str:
    """The picture. Where nothing was measured at all, one that says so."""
    parent = known.parent_of(of.checkpoints)
    title = tr("Figures over training steps")
    if parent is not None:
        title = tr("{model}: figures over training steps", model=parent)
    panels = [panel for panel in _panels(of) if any(panel.figures)]
    if not panels:
        return picture.nothing_drawn(title, tr("No checkpoint has a figure that could be drawn."))
    return _StepsPicture(of, panels).document(title)


def suite_title(limit: SuiteLimit) -> str:
    if not limit.categories:
        return tr("{suite}: mean of its categories", suite=limit.name)
    categories = ", ".join(limit.categories)
    return tr("{suite}: mean of {categories}", suite=limit.name, categories=categories)


def _panels(of: EvaluatedFolder) -> Iterator[Panel]:
    every = [known.figures(of, checkpoint) for checkpoint in of.checkpoints]

    def panel(
        name: str, criterion: str | None, title: str, limits: Sequence[Limit], log: bool | None
    ) -> Panel:
        figures = [each[name] for each in every]
        drawn = [limit for limit, _ in limits]
        drawn += [end for each in figures if each for end in Extent(*each[:3]).known]
        scale = scale_for(drawn, HEIGHT, 0, log=log, most=6)
        hollow = [known.marginal(of, each, criterion) for each in of.checkpoints]
        return Panel(name, title, limits, figures, hollow, scale)

    limits = [(limit, f"< {exact(limit)}") for limit in known.limits(of, "perplexity")]
    yield panel("perplexity", "perplexity", tr("perplexity, lower is better"), limits, None)
    for asked in known.suites_asked(of):
        limit = asked.limit
        least = [(limit.min, f"> {exact(limit.min)}")] if of.gate.suites else []
        yield panel(asked.figure, asked.criterion, suite_title(limit), least, log=False)
    yield panel("weighted_score", None, tr("weighted score"), [], log=False)


class _StepsPicture:
    def __init__(self, of: EvaluatedFolder, panels: Sequence[Panel]) -> None:
        self.of = of
        self.panels = panels
        self.left = left_edge(panel.scale for panel in panels)
        self.right = picture.WIDTH - RIGHT
        self.places = _places(of.checkpoints, self.left + INSET, self.right - INSET)
        names = [each.name for each in of.checkpoints]
        self.selected = names.index(of.selected) if of.selected in names else None
        self.head = TOP + (picture.LINE if self.selected is not None else 0)

    def document(self, title: str) -> str:
        bottom = self.head + len(self.panels) * (TITLE + HEIGHT + GAP) - GAP
        pieces = [*self._selected(bottom)]
        for index, panel in enumerate(self.panels):
            top = self.head + index * (TITLE + HEIGHT + GAP) + TITLE
            drawn = "\n".join(self._panel(panel, top))
            pieces.append(element("g", drawn, data_figure=label_places.harmless(panel.name)))
        return picture.document_with_legend(
            [*pieces, *self._steps(bottom)],
            bottom + 2 * picture.LINE + 8,
            legend=[*self._legend()],
            title=title,
            description=" ".join(self._description()),
        )

    def _panel(self, panel: Panel, top: float) -> Iterator[str]:
        scale = panel.scale._replace(start=top + HEIGHT, end=top)
        title = tr("{figure} (log scale)", figure=panel.title) if scale.log else panel.title
        room = picture.WIDTH - TOP - self.left
        yield words(self.left, top - 7, label_places.fitted(title, room, bold=True), bold=True)
        drawn = [n for n, figure in enumerate(panel.figures) if figure]
        box = Box(self.left, top - 3, self.right, top + HEIGHT)
        plot = Plot(box, ON_PIXELS, scale, [*self._dots(panel)], panel.limits)
        yield from plot.scale_and_limits()
        yield from plot.whiskers()
        places = dict(zip(drawn, plot.places, strict=True))
        obstacles: list[Box] = []
        for run in _runs(drawn):
            yield from self._line(run, places)
            for n, m in pairwise(run):
                obstacles += label_places.along(*places[n], *places[m])
        yield from plot.marks()
        for n, checkpoint in enumerate(self.of.checkpoints):
            if checkpoint.failed and n not in places:
                yield self._cross(n, top + HEIGHT)
        if self.selected is not None:
            x = self.places[self.selected]
            obstacles += label_places.along(x, top, x, top + HEIGHT)
        order = sorted(range(len(drawn)), key=lambda n: (drawn[n] != self.selected, -n))
        if len(self.of.checkpoints) > VALUES_UP_TO:
            order = [n for n in order if drawn[n] == self.selected]
        yield from plot.labels(order, obstacles)

    def _dots(self, panel: Panel) -> Iterator[Dot]:
        limits = [limit for limit, _ in panel.limits]
        for n, figure in enumerate(panel.figures):
            if figure is not None:
                name = self.of.checkpoints[n].name
                yield Dot(
                    label=readable(figure.value, apart_from=limits),
                    x=Extent(self.places[n]),
                    y=Extent(*figure[:3]),
                    description=f"{name}: {in_words(figure)}",
                    hollow=panel.hollow[n],
                    selected=n == self.selected,
                )

    def _line(self, run: Sequence[int], places: dict[int, tuple[float, float]]) -> Iterator[str]:
        """A line through neighbours; dotted to what has no step."""
        stepped = [n for n in run if self.of.checkpoints[n].step is not None]
        if len(stepped) > 1:
            yield element(
                "polyline", points=picture.points([places[n] for n in stepped]), class_="curve",
                stroke=picture.CURVE, stroke_width="1.5", fill="none",
            )  # fmt: skip
        for n, m in pairwise(run):
            if n not in stepped or m not in stepped:
                (ax, ay), (bx, by) = places[n], places[m]
                yield element(
                    "line", x1=ax, y1=ay, x2=bx, y2=by, class_="curve", stroke=picture.CURVE,
                    stroke_width="1.5", stroke_dasharray="1.5 4",
                )  # fmt: skip

    def _cross(self, index: int, bottom: float) -> str:
        checkpoint = self.of.checkpoints[index]
        x, y, arm = self.places[index], bottom - 8, 4.5
        ends = f"M{picture.pixel(x - arm)} {picture.pixel(y - arm)}l{2 * arm:g} {2 * arm:g}"
        ends += f"m0 {-2 * arm:g}l{-2 * arm:g} {2 * arm:g}"
        return element(
            "path", told(f"{checkpoint.name}: {checkpoint.failed}"), d=ends, class_="limit",
            stroke=picture.LIMIT, stroke_width="2", fill="none",
        )  # fmt: skip

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
        middle = min(max(x, TOP + half), picture.WIDTH - TOP - half)
        yield words(middle, TOP + 12, said, anchor="middle", bold=True)

    def _steps(self, bottom: float) -> Iterator[str]:
        """The steps under the last panel, as many as have room."""
        y = bottom + 18
        said = tr("step")
        yield picture.soft_words(self.left - 10, y, said, anchor="end")
        taken = [label_places.label_box(self.left - 10, y, said, "end")]
        labels: list[tuple[float, str]] = []
        for checkpoint, x in zip(self.of.checkpoints, self.places, strict=True):
            text = label_places.fitted(self._short(checkpoint), RIGHT + INSET)
            if checkpoint.step is not None:
                text = step_name(checkpoint.step)
            half = label_places.text_width(text) / 2
            labels.append((min(max(x, self.left + half), picture.WIDTH - 4 - half), text))
        boxes = [label_places.label_box(x, y, text, "middle") for x, text in labels]
        first = [n for n in (self.selected, len(labels) - 1) if n is not None]
        for n in label_places.thinned(boxes, first, taken):
            yield picture.grid_line(self.places[n], bottom, self.places[n], bottom + 5)
            yield words(labels[n][0], y, labels[n][1], anchor="middle")

    def _legend(self) -> Iterator[str]:
        drawn = [
            (figure, hollow)
            for panel in self.panels
            for figure, hollow in zip(panel.figures, panel.hollow, strict=True)
            if figure
        ]
        if any(figure.low is not None or figure.high is not None for figure, _ in drawn):
            yield tr("vertical line: 95 % interval, hidden where it is shorter than its dot")
        if any(panel.limits for panel in self.panels):
            yield tr("dashed: limit of the gate")
        if any(hollow for _, hollow in drawn):
            yield tr("hollow dot: marginal, an interval lies across a limit")
        if any(checkpoint.failed for checkpoint in self.of.checkpoints):
            yield tr("×: could not be evaluated")
        if self.selected is not None:
            yield tr("ring: selected")

    def _description(self) -> Iterator[str]:
        names = [self._short(checkpoint) for checkpoint in self.of.checkpoints]
        count = len(names)
        few = range(count) if count <= DESCRIBED else sorted({0, count - 1, self.selected or 0})
        yield trn("{count} checkpoint.", "{count} checkpoints.", count)
        for panel in self.panels:
            parts = [tr("limit {limit}", limit=label) for _, label in panel.limits]
            parts += [f"{names[n]}: {in_words(f)}" for n in few if (f := panel.figures[n])]
            yield f"{panel.title}: {'; '.join(parts)}."
        for name, checkpoint in zip(names, self.of.checkpoints, strict=True):
            if checkpoint.failed:
                yield tr("{checkpoint} could not be evaluated.", checkpoint=name)
        if self.selected is not None:
            yield tr("Selected: {model}", model=names[self.selected]) + "."

    def _short(self, checkpoint: Measurements) -> str:
        name = known.short_name(checkpoint, known.parent_of(self.of.checkpoints))
        return label_places.harmless(name, longest=60)


def _places(checkpoints: Sequence[Measurements], start: float, end: float) -> list[float]:
    """Where each checkpoint is drawn: by its step, and behind the last one where it has none."""
    steps = [checkpoint.step for checkpoint in checkpoints if checkpoint.step is not None]
    if not steps:
        return [(start + end) / 2] * len(checkpoints)
    low, high, last = min(steps), max(steps), end
    if len(steps) < len(checkpoints):
        last -= FINAL_ROOM
    if low == high:
        middle = (start + last) / 2
        return [end if each.step is None else middle for each in checkpoints]
    scale = Scale(low, high, start, last, log=False, ticks=())
    return [end if each.step is None else scale.at(each.step) for each in checkpoints]


def _runs(drawn: Sequence[int]) -> Iterator[list[int]]:
    """Neighbours without a gap between them."""
    for _, run in groupby(enumerate(drawn), lambda each: each[1] - each[0]):
        yield [n for _, n in run]
