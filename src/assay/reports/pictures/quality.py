"""Quality against speed of the models of a run, one SVG a suite, with the Pareto front. Speed is
decoding where all have it by one clock, else seconds per answer.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from assay.messages import joined, labelled, tr
from assay.reports.measured import quantities
from assay.reports.pictures.plot import SMALL_ABOVE, Dot, Extent, Panel, draw_panels
from assay.reports.pictures.scales import scale_for
from assay.reports.sentences import short_names
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.documents import Picture
from assay.types.results import ModelReport, Report

FEWEST = 2
HEIGHT = 300
DESCRIBED = 12


def draw_quality(report: Report) -> Iterator[Picture]:
    """One for each suite that two models or more have a score and a speed for."""
    names = short_names(report)
    suites = dict.fromkeys(summary.suite for model in report.models for summary in model.suites)
    for suite in suites:
        scored = [
            (model, summary.score)
            for model in report.models
            for summary in model.suites
            if summary.suite == suite and summary.score.n
        ]
        clocks = {model.performance.decode_clock for model, _ in scored}
        by_decoding = len(clocks) == 1 and None not in clocks
        timed = [
            (model, speed, score)
            for model, score in scored
            if (speed := _speed(model, by_decoding=by_decoding)).n
        ]
        if len(timed) < FEWEST:
            continue
        axis = tr("seconds per answer, mean; faster to the right")
        if by_decoding:
            clock = quantities.whose_clock(timed[0][0].performance)
            axis = tr("decode tokens per second, {clock}", clock=clock)
        title = tr("{suite}: quality against speed", suite=suite)
        legend = [labelled(n, names[model.spec]) for n, (model, *_) in enumerate(timed, 1)]
        dots = [_dot(str(n), *each, by_decoding=by_decoding) for n, each in enumerate(timed, 1)]
        missing = len(report.models) - len(timed)
        said = [*legend[:SMALL_ABOVE], *_legend(dots, missing=missing)]
        yield Picture(title=title, draw=partial(_draw, title, axis, dots, said))


def _speed(model: ModelReport, *, by_decoding: bool) -> Estimate:
    of = model.performance
    return of.decode.all if by_decoding else of.seconds_mean


def _dot(
    number: str, model: ModelReport, speed: Estimate, score: Estimate, *, by_decoding: bool
) -> Dot:
    """Faster is to the right, so seconds are drawn below zero."""
    said = labelled(model.spec, joined((numbers.figure(speed), numbers.figure(score))))
    x = Extent.of(speed if by_decoding else speed.mapped(lambda s: -s, falling=True))
    return Dot(number, x, Extent.of(score), said, hollow=score.incomplete)


def _legend(dots: Sequence[Dot], *, missing: int) -> Iterator[str]:
    yield tr("lines through a dot: 95 % intervals")
    if any(dot.hollow for dot in dots):
        yield tr("hollow dot: incomplete score")
    yield tr("stepped line: Pareto front")
    if missing:
        yield tr("not drawn, because a figure is missing: {count}", count=missing)


def front(places: Sequence[tuple[float, float]]) -> list[int]:
    ahead = [
        n
        for n, (x, y) in enumerate(places)
        if not any(a >= x and b >= y and (a > x or b > y) for a, b in places)
    ]
    return sorted(ahead, key=lambda n: (places[n][0], n))


def _draw(title: str, axis: str, dots: Sequence[Dot], legend: Sequence[str]) -> str:
    best = [dots[n] for n in front([(dot.x.value, dot.y.value) for dot in dots])]
    corners = [(min(dot.x.value for dot in dots), best[0].y.value)]
    for dot in best:
        corners += [(corners[-1][0], dot.y.value), (dot.x.value, dot.y.value)]
    corners.append((corners[-1][0], min(dot.y.value for dot in dots)))
    ticks = scale_for([end for dot in dots for end in dot.x.known], 0, 1, most=6).ticks
    return draw_panels(
        [Panel("score", tr("score, points"), [[dot] for dot in dots], front=corners)],
        [(value, label.removeprefix("−")) for value, label in ticks],
        axis,
        legend=legend,
        title=title,
        description=" ".join(f"{dot.description}." for dot in best[:DESCRIBED]),
        height=HEIGHT,
    )
