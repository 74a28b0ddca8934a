"""Quality against speed of the models of a run, one SVG a suite.

Speed is decoding where every model has it by one clock, else seconds per answer: two clocks on one
axis would be a comparison of clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from assay.messages import tr
from assay.reports import quantities
from assay.reports.pictures.plot import Dot, Extent
from assay.reports.pictures.scatter import Scatter, draw_scatter
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.documents import Picture
from assay.types.results import ModelReport, Report

FEWEST = 2


class _Speed(NamedTuple):
    name: str
    higher_is_better: bool
    of: Callable[[ModelReport], Estimate]


def draw_quality(report: Report) -> Iterator[Picture]:
    """One for each suite that two models or more have a score and a speed for."""
    suites = dict.fromkeys(summary.suite for model in report.models for summary in model.suites)
    for suite in suites:
        scored = [(model, score) for model in report.models for score in _scores(model, suite)]
        speed = _speed([model for model, _ in scored])
        dots = [_dot(m, speed.of(m), score) for m, score in scored if speed.of(m).value is not None]
        if len(dots) >= FEWEST:
            yield _picture(suite, speed, dots, missing=len(report.models) - len(dots))


def _picture(suite: str, speed: _Speed, dots: Sequence[Dot], *, missing: int) -> Picture:
    title = tr("{suite}: quality against speed", suite=suite)
    legend = [tr("lines through a dot: 95 % intervals")]
    if any(dot.hollow for dot in dots):
        legend.append(tr("hollow dot: incomplete score"))
    drawn = Scatter(
        title=title,
        x_title=speed.name,
        y_title=tr("score, points"),
        dots=dots,
        higher_is_better=speed.higher_is_better,
        log=False,
        legend=legend,
        missing=missing,
    )
    return Picture(title=title, draw=partial(draw_scatter, drawn))


def _scores(model: ModelReport, suite: str) -> Iterator[Estimate]:
    for summary in model.suites:
        if summary.suite == suite and summary.score.value is not None:
            yield summary.score


def _speed(models: Sequence[ModelReport]) -> _Speed:
    clocks = {model.performance.decode_clock for model in models}
    if len(clocks) == 1 and None not in clocks:
        clock = quantities.whose_clock(models[0].performance)
        name = tr("decode tokens per second, {clock}; higher is faster", clock=clock)
        return _Speed(name, higher_is_better=True, of=lambda model: model.performance.decode.all)
    name = tr("seconds per answer, mean; lower is faster")
    return _Speed(name, higher_is_better=False, of=lambda model: model.performance.seconds_mean)


def _dot(model: ModelReport, speed: Estimate, score: Estimate) -> Dot:
    return Dot(
        label=model.spec,
        x=Extent(speed.value or 0.0, speed.low, speed.high),
        y=Extent(score.value or 0.0, score.low, score.high),
        description=tr(
            "{model}: {speed}; {score}",
            model=model.spec,
            speed=numbers.figure(speed),
            score=numbers.figure(score),
        ),
        hollow=score.incomplete,
    )
