"""The figures of a model folder over its training steps, as one SVG: a panel a figure. A checkpoint
without it is a gap in the line, a failed one a cross; `final` is behind the last step.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from assay.messages import joined, labelled, tr, trn
from assay.reports.checkpoints import figures as known
from assay.reports.checkpoints.figures import EvaluatedFolder, in_words
from assay.reports.pictures import canvas as picture
from assay.reports.pictures.canvas import element, fitted, harmless, pixel, text_width, words
from assay.reports.pictures.plot import RIGHT, Box, Dot, Extent, Limit, Plot, left_edge
from assay.reports.pictures.scales import Scale, scale_for
from assay.text.number_format import exact, readable
from assay.types import Estimate
from assay.types.decisions import Measurements, SuiteLimit

TOP = 10  # pixels
INSET = 18  # from the edge of a plot to its first dot
FINAL_ROOM = 64  # from the last step to what has none
HEIGHT, TITLE, GAP = 136, 20, 18
DESCRIBED = 12
ON_PIXELS = Scale(0, picture.WIDTH, 0, picture.WIDTH, log=False, ticks=())


class Panel(NamedTuple):
    name: str
    title: str
    limits: Sequence[Limit]
    figures: Sequence[Estimate | None]
    hollow: Sequence[bool]
    scale: Scale


def over_steps(of: EvaluatedFolder, axis: str = "") -> str:
    """The picture. Where nothing was measured at all, one that says so. `axis`: what the step of a
    checkpoint counts, if not steps.
    """
    parent = known.parent_of(of.checkpoints)
    title = tr("Figures over training steps")
    if axis:
        title = tr("Figures by {axis}", axis=axis)
    elif parent is not None:
        title = tr("{model}: figures over training steps", model=parent)
    panels = [panel for panel in _panels(of) if any(panel.figures)]
    if not panels:
        none = tr("No checkpoint has a figure that could be drawn.")
        return picture.document([], 36, legend=[none], title=title, description=none)
    return _StepsPicture(of, panels, axis or tr("step")).document(title)


def suite_title(limit: SuiteLimit) -> str:
    if not limit.categories:
        return tr("{suite}: mean of its categories", suite=limit.name)
    categories = ", ".join(limit.categories)
    return tr("{suite}: mean of {categories}", suite=limit.name, categories=categories)


def _panels(of: EvaluatedFolder) -> Iterator[Panel]:
    every = [known.figures(of, checkpoint) for checkpoint in of.checkpoints]

    def panel(name: str, criterion: str | None, title: str, limits: Sequence[Limit]) -> Panel:
        figures = [each[name] for each in every]
        drawn = [limit for limit, _ in limits]
        drawn += [end for each in figures if each for end in Extent.of(each).known]
        scale = scale_for(drawn, HEIGHT, 0, by_ratio=name == "perplexity", most=6)
        hollow = [known.marginal(of, each, criterion) for each in of.checkpoints]
        return Panel(name, title, limits, figures, hollow, scale)

    limits = [(limit, f"< {exact(limit)}") for limit in known.limits(of, "perplexity")]
    yield panel("perplexity", "perplexity", tr("perplexity, lower is better"), limits)
    for asked in known.suites_asked(of):
        limit = asked.limit
        drawn = [limit.min] if of.gate.suites and limit.min is not None else []
        least = [(each, f"> {exact(each)}") for each in drawn]
        yield panel(asked.figure, asked.criterion, suite_title(limit), least)
    yield panel("weighted_score", None, tr("weighted score"), [])


class _StepsPicture:
    def __init__(self, of: EvaluatedFolder, panels: Sequence[Panel], axis: str) -> None:
        self.of = of
        self.axis = axis
        self.panels = panels
        self.left = left_edge(panel.scale for panel in panels)
        self.right = picture.WIDTH - RIGHT
        steps = [each.step for each in of.checkpoints if each.step is not None]
        last = self.right - INSET
        if len(steps) < len(of.checkpoints):
            last -= FINAL_ROOM
        self.across = scale_for(steps, self.left + INSET, last, most=6)
        self.places = [
            self.right - INSET if each.step is None else self.across.at(each.step)
            for each in of.checkpoints
        ]
        names = [each.name for each in of.checkpoints]
        self.selected = names.index(of.selected) if of.selected in names else None
        self.head = TOP + (picture.LINE if self.selected is not None else 0)

    def document(self, title: str) -> str:
        bottom = self.head + len(self.panels) * (TITLE + HEIGHT + GAP) - GAP
        pieces = [*self._selected(bottom)]
        for index, panel in enumerate(self.panels):
            top = self.head + index * (TITLE + HEIGHT + GAP) + TITLE
            drawn = "\n".join(self._panel(panel, top))
            pieces.append(element("g", drawn, data_figure=harmless(panel.name)))
        return picture.document(
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
        yield words(self.left, top - 7, fitted(title, room, bold=True), bold=True)
        drawn = [n for n, figure in enumerate(panel.figures) if figure]
        box = Box(self.left, top - 3, self.right, top + HEIGHT)
        plot = Plot(box, ON_PIXELS, scale, [*self._dots(panel)], panel.limits)
        yield from plot.draw_ground()
        yield from self._lines(dict(zip(drawn, plot.places, strict=True)))
        yield from plot.draw_dots()
        for n, checkpoint in enumerate(self.of.checkpoints):
            if checkpoint.failed and n not in drawn:
                yield self._cross(n, top + HEIGHT)

    def _dots(self, panel: Panel) -> Iterator[Dot]:
        """The selected one has its value written; a reader points at the others."""
        limits = [limit for limit, _ in panel.limits]
        for n, figure in enumerate(panel.figures):
            if figure is not None:
                selected = n == self.selected
                yield Dot(
                    label=readable(figure.value or 0.0, apart_from=limits) if selected else "",
                    x=Extent(self.places[n]),
                    y=Extent.of(figure),
                    description=self._told(panel, n, figure, self.of.checkpoints[n].name),
                    hollow=panel.hollow[n],
                    selected=selected,
                )

    def _told(self, panel: Panel, n: int, figure: Estimate, name: str) -> str:
        said = labelled(name, in_words(figure))
        if panel.name == "weighted_score":
            score = self.of.weighted[self.of.checkpoints[n].name]
            said += f" ({known.parts_in_words(score)})"
        return said

    def _lines(self, places: dict[int, tuple[float, float]]) -> Iterator[str]:
        """A line through neighbours without a gap between them; dotted to what has no step."""
        for _, numbered in groupby(enumerate(places), lambda each: each[1] - each[0]):
            run = [n for _, n in numbered]
            stepped = [n for n in run if self.of.checkpoints[n].step is not None]
            if len(stepped) > 1:
                yield picture.polyline("curve", [places[n] for n in stepped])
            for n, m in pairwise(run):
                if n not in stepped or m not in stepped:
                    yield picture.line("curve dotted", *places[n], *places[m])

    def _cross(self, index: int, bottom: float) -> str:
        checkpoint = self.of.checkpoints[index]
        x, y, arm = self.places[index], bottom - 8, 4.5
        ends = f"M{pixel(x - arm)} {pixel(y - arm)}l{2 * arm:g} {2 * arm:g}"
        ends += f"m0 {-2 * arm:g}l{-2 * arm:g} {2 * arm:g}"
        said = picture.told(labelled(checkpoint.name, checkpoint.failed))
        return element("path", said, d=ends, class_="cross")

    def _selected(self, bottom: float) -> Iterator[str]:
        if self.selected is None:
            return
        x = self.places[self.selected]
        yield picture.line("upright", x, self.head, x, bottom)
        name = self.of.checkpoints[self.selected].name
        said = tr("selected: {checkpoint}", checkpoint=name)
        said = fitted(said, picture.WIDTH * 0.8, bold=True)
        half = text_width(said, bold=True) / 2
        middle = min(max(x, TOP + half), picture.WIDTH - TOP - half)
        yield words(middle, TOP + 12, said, anchor="middle", bold=True)

    def _steps(self, bottom: float) -> Iterator[str]:
        yield picture.soft_words(self.left - 10, bottom + 18, self.axis, anchor="end")
        steps = [each.step for each in self.of.checkpoints if each.step is not None]
        marks = [
            (self.across.at(step), exact(step))
            for step, _ in self.across.ticks
            if steps and min(steps) <= step <= max(steps)
        ]
        if steps and not marks:
            marks = [(self.across.at(steps[-1]), exact(steps[-1]))]
        unnumbered = [each for each in self.of.checkpoints if each.step is None]
        for each in unnumbered[-1:]:
            marks.append((self.right - INSET, fitted(self._short(each), RIGHT + INSET)))
        for x, label in marks:
            yield picture.line("grid", x, bottom, x, bottom + 5)
            yield words(x, bottom + 18, label, anchor="middle")

    def _legend(self) -> Iterator[str]:
        if any(each.low is not None for panel in self.panels for each in panel.figures if each):
            yield tr("vertical line: 95 % interval, hidden where it is shorter than its dot")
        if any(panel.limits for panel in self.panels):
            yield tr("dashed: limit of the gate")
        if any(any(panel.hollow) for panel in self.panels):
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
            parts += [self._told(panel, n, f, names[n]) for n in few if (f := panel.figures[n])]
            yield f"{labelled(panel.title, joined(parts))}."
        if self.selected is not None:
            yield tr("Selected: {model}", model=names[self.selected]) + "."

    def _short(self, checkpoint: Measurements) -> str:
        name = known.short_name(checkpoint, known.parent_of(self.of.checkpoints))
        return harmless(name, longest=60)
