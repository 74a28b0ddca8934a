"""The figures of a model folder over its training steps, as one SVG: a panel a figure. A checkpoint
without it is a gap in the line; `final` is behind the last step.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from assay.messages import joined, labelled, tr, trn
from assay.reports.checkpoints import figures as known
from assay.reports.checkpoints.figures import EvaluatedFolder, in_words
from assay.reports.pictures import canvas as picture
from assay.reports.pictures.canvas import harmless
from assay.reports.pictures.plot import Dot, Extent, Limit, Panel, draw_panels
from assay.reports.pictures.scales import scale_for
from assay.text.number_format import exact, readable
from assay.types import Estimate
from assay.types.decisions import Measurements
from assay.types.measures import every_measure

BEHIND = 0.2  # of the steps, from the last one to what has none
DESCRIBED = 12
LONGEST_NAME = 60


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
    panels = [panel for panel in _panels(of) if panel.curves]
    if not panels:
        none = tr("No checkpoint has a figure that could be drawn.")
        return picture.document([], 36, legend=[none], title=title, description=none)
    return draw_panels(
        panels,
        _marks(of),
        axis or tr("step"),
        legend=[*_legend(of, panels)],
        title=title,
        description=" ".join(_description(of, panels)),
    )


def _panels(of: EvaluatedFolder) -> Iterator[Panel]:
    for measure in every_measure():
        for each in measure.panels(of.gate, partial(known.limits, of)):
            curves = _curves(of, each.figure, each.criterion, each.limits)
            yield Panel(each.figure, each.title, curves, each.limits, by_ratio=each.by_ratio)
    yield Panel("weighted_score", tr("weighted score"), _curves(of, "weighted_score", None, ()))


def _curves(
    of: EvaluatedFolder, name: str, criterion: str | None, limits: Sequence[Limit]
) -> list[list[Dot]]:
    """The selected one has its value written; a reader points at the others."""
    curves: list[list[Dot]] = [[]]
    for checkpoint, place in zip(of.checkpoints, _places(of), strict=True):
        figure = known.figures(of, checkpoint).get(name)
        if figure is None:
            curves.append([])
            continue
        selected = checkpoint.name == of.selected
        shown = readable(figure.value or 0.0, apart_from=[limit for limit, _ in limits])
        curves[-1].append(
            Dot(
                label=shown if selected else "",
                x=Extent(place),
                y=Extent.of(figure),
                description=_told(of, name, checkpoint, figure),
                hollow=known.marginal(of, checkpoint, criterion),
                selected=selected,
            )
        )
    return [curve for curve in curves if curve]


def _told(of: EvaluatedFolder, name: str, checkpoint: Measurements, figure: Estimate) -> str:
    said = labelled(checkpoint.name, in_words(figure))
    if name == "weighted_score":
        said += f" ({known.parts_in_words(of.weighted[checkpoint.name])})"
    return said


def _places(of: EvaluatedFolder) -> list[float]:
    steps = _steps(of)
    last = steps[-1] if steps else 0.0
    behind = last + BEHIND * ((last - steps[0] if steps else 0.0) or abs(last) or 1.0)
    return [behind if each.step is None else each.step for each in of.checkpoints]


def _steps(of: EvaluatedFolder) -> list[float]:
    return sorted(each.step for each in of.checkpoints if each.step is not None)


def _marks(of: EvaluatedFolder) -> list[tuple[float, str]]:
    steps, parent = _steps(of), known.parent_of(of.checkpoints)
    ticks = [step for step, _ in scale_for(steps, 0, 1, most=6).ticks]
    marks = [(step, exact(step)) for step in ticks if steps and steps[0] <= step <= steps[-1]]
    if steps and not marks:
        marks = [(steps[-1], exact(steps[-1]))]
    for each, place in zip(of.checkpoints[-1:], _places(of)[-1:], strict=True):
        if each.step is None:
            marks.append((place, known.short_name(each, parent)))
    return marks


def _legend(of: EvaluatedFolder, panels: Sequence[Panel]) -> Iterator[str]:
    dots = [dot for panel in panels for dot in panel.dots]
    if any(dot.y.low is not None for dot in dots):
        yield tr("vertical line: 95 % interval, hidden where it is shorter than its dot")
    if any(panel.limits for panel in panels):
        yield tr("dashed: limit of the gate")
    if any(dot.hollow for dot in dots):
        yield tr("hollow dot: marginal, an interval lies across a limit")
    if of.selected and any(dot.selected for dot in dots):
        yield tr(
            "ring: {checkpoint}, selected", checkpoint=harmless(of.selected, longest=LONGEST_NAME)
        )


def _description(of: EvaluatedFolder, panels: Sequence[Panel]) -> Iterator[str]:
    yield trn("{count} checkpoint.", "{count} checkpoints.", len(of.checkpoints))
    for panel in panels:
        dots = panel.dots
        if len(dots) > DESCRIBED:
            ends = (dots[0], dots[-1])
            dots = [dot for dot in dots if dot.selected or dot in ends]
        parts = [tr("limit {limit}", limit=label) for _, label in panel.limits]
        parts += [dot.description for dot in dots]
        yield f"{labelled(panel.title, joined(parts))}."
    if of.selected:
        yield tr("Selected: {model}", model=of.selected) + "."
