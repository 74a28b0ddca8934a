"""Speed against quality of the checkpoints of a folder, as one SVG.

Quality is the first suite that the gate asks for, because the weighted score already contains the
speed; the weighted score where no checkpoint has both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from assay.messages import tr
from assay.reports.checkpoints import figures as known
from assay.reports.checkpoints.figures import EvaluatedFolder, in_words
from assay.reports.pictures.labels import harmless
from assay.reports.pictures.plot import Dot, Extent
from assay.reports.pictures.scatter import Scatter, draw_scatter
from assay.reports.pictures.steps import suite_title

Quality = Literal["suite", "weighted_score"]


def speed_against_quality(of: EvaluatedFolder, *, quality: Quality | None = None) -> str:
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
    return draw_scatter(
        Scatter(
            title=title,
            x_title=tr("tokens per second on the CPU"),
            y_title=name,
            dots=dots,
            x_limits=known.limits(of, "speed", of.gate.speed_min),
            y_limits=limits,
            legend=[*_legend(dots)],
            missing=len(of.checkpoints) - len(dots),
        )
    )


def _dots(of: EvaluatedFolder, name: str) -> Iterator[Dot]:
    parent = known.parent_of(of.checkpoints)
    for checkpoint in of.checkpoints:
        figures = known.figures(of, checkpoint)
        speed, quality = figures["inference_speed"], figures[name]
        if speed is None or speed.value <= 0 or quality is None:
            continue
        yield Dot(
            label=harmless(known.short_name(checkpoint, parent), longest=60),
            x=Extent(*speed[:3]),
            y=Extent(*quality[:3]),
            description=tr(
                "{checkpoint}: {speed} tokens/s; {quality}",
                checkpoint=checkpoint.name,
                speed=in_words(speed),
                quality=in_words(quality),
            ),
            hollow=known.marginal(of, checkpoint),
            selected=checkpoint.name == of.selected,
        )


def _legend(dots: list[Dot]) -> Iterator[str]:
    if any(len(extent.known) > 1 for dot in dots for extent in (dot.x, dot.y)):
        yield tr("vertical line: 95 % interval; horizontal line: range of the runs")
    if any(dot.hollow for dot in dots):
        yield tr("hollow dot: marginal, an interval lies across a limit")
