"""Quality against speed: where the dots of a picture lie, one dot a model.

In: a Report. Out: for each suite a Picture in the units of its view box, all texts still unescaped.

Speed is decoding where every model has it by one clock, else seconds per answer: two clocks on one
axis would be a comparison of clocks. A picture needs two models.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from assay.messages import tr
from assay.reports import quantities
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.results import ModelReport, Report

WIDTH, HEIGHT = 640, 340
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 16, 46  # room for the scales
FEWEST = 2
MOST_STEPS = 6
POINTS = 100.0


class Tick(NamedTuple):
    """A mark on a scale."""

    at: str
    label: str


class Dot(NamedTuple):
    """A model: its place, the ends of its whiskers, and its figures in words."""

    number: int
    spec: str
    x: str
    y: str
    x_low: str
    x_high: str
    y_low: str
    y_high: str
    incomplete: bool
    speed: str
    score: str


class Picture(NamedTuple):
    """One suite."""

    suite: str
    speed_name: str
    faster: str
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    dots: tuple[Dot, ...]
    left_out: str | None


class _Speed(NamedTuple):
    name: str
    faster: str
    of: Callable[[ModelReport], Estimate]


def pictures(report: Report) -> Iterator[Picture]:
    """One for each suite that two models or more have a score and a speed for."""
    suites = dict.fromkeys(summary.suite for model in report.models for summary in model.suites)
    for suite in suites:
        scored = [(model, score) for model in report.models for score in _scores(model, suite)]
        speed = _speed([model for model, _ in scored])
        drawn = [(m, speed.of(m), score) for m, score in scored if speed.of(m).value is not None]
        if len(drawn) >= FEWEST:
            there = {model.spec for model, _, _ in drawn}
            missing = [m.spec for m in report.models if m.spec not in there]
            yield _picture(suite, speed, drawn, missing)


def _scores(model: ModelReport, suite: str) -> Iterator[Estimate]:
    for summary in model.suites:
        if summary.suite == suite and summary.score.value is not None:
            yield summary.score


def _speed(models: Sequence[ModelReport]) -> _Speed:
    clocks = {model.performance.decode_clock for model in models}
    if len(clocks) == 1 and None not in clocks:
        clock = quantities.whose_clock(models[0].performance)
        return _Speed(
            tr("decode tokens per second, {clock}", clock=clock),
            tr("further right is faster"),
            lambda model: model.performance.decode.all,
        )
    return _Speed(
        tr("seconds per answer, mean"),
        tr("further left is faster"),
        lambda model: model.performance.seconds_mean,
    )


def _picture(
    suite: str,
    speed: _Speed,
    drawn: Sequence[tuple[ModelReport, Estimate, Estimate]],
    missing: Sequence[str],
) -> Picture:
    most = max(_ends(pace)[1] for _, pace, _ in drawn)
    step = _step(most)
    whole = step * max(1, math.ceil(most / step))
    steps = round(whole / step)
    return Picture(
        suite=suite,
        speed_name=speed.name,
        faster=speed.faster,
        across=tuple(Tick(_across(step * n, whole), f"{step * n:,.10g}") for n in range(steps + 1)),
        up=tuple(Tick(_up(points), str(points)) for points in range(0, 101, 20)),
        dots=tuple(
            _dot(number, model, pace, score, whole)
            for number, (model, pace, score) in enumerate(drawn, start=1)
        ),
        left_out=_left_out(missing),
    )


def _left_out(missing: Sequence[str]) -> str | None:
    if not missing:
        return None
    models = ", ".join(missing)
    return tr("Not drawn, because a score or a speed is missing: {models}", models=models)


def _dot(number: int, model: ModelReport, pace: Estimate, score: Estimate, whole: float) -> Dot:
    x_low, x_high = _ends(pace)
    y_low, y_high = _ends(score)
    return Dot(
        number=number,
        spec=model.spec,
        x=_across(pace.value or 0.0, whole),
        y=_up(score.value or 0.0),
        x_low=_across(x_low, whole),
        x_high=_across(x_high, whole),
        y_low=_up(y_low),
        y_high=_up(y_high),
        incomplete=score.incomplete,
        speed=numbers.figure(pace),
        score=numbers.figure(score),
    )


def _ends(of: Estimate) -> tuple[float, float]:
    """The interval; a limit that is not known ends the whisker at the dot."""
    value = of.value or 0.0
    return (value if of.low is None else max(0.0, of.low)), (value if of.high is None else of.high)


def _step(most: float) -> float:
    """1, 2 or 5 times a power of ten, so that few steps reach the largest figure."""
    if most <= 0:
        return 1.0
    power: float = 10.0 ** math.floor(math.log10(most / MOST_STEPS))
    return next(power * n for n in (1, 2, 5, 10) if power * n * MOST_STEPS >= most)


def _across(value: float, whole: float) -> str:
    return f"{LEFT + value / whole * (WIDTH - LEFT - RIGHT):.1f}"


def _up(points: float) -> str:
    return f"{HEIGHT - BOTTOM - points / POINTS * (HEIGHT - TOP - BOTTOM):.1f}"
