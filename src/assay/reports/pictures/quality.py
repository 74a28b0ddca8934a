"""Quality against speed of the models of a run, one SVG a suite: a dot a model, and the Pareto
front, the dots that no other is at least as good as on both scales and better on one.

Speed is decoding where every model has it by one clock, else seconds per answer: two clocks on one
axis would be a comparison of clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from assay.messages import tr, trn
from assay.reports import quantities
from assay.reports.pictures import canvas as picture
from assay.reports.pictures.canvas import words
from assay.reports.pictures.plot import RIGHT, SMALL_ABOVE, Box, Dot, Extent, Plot, left_edge
from assay.reports.pictures.scales import scale_for
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.documents import Picture
from assay.types.results import ModelReport, Report

FEWEST = 2
TOP, HEIGHT, INSET = 52, 300, 14
DESCRIBED = 12


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
        timed = [(m, score) for m, score in scored if speed.of(m).value is not None]
        dots = [_dot(str(n), m, speed.of(m), score) for n, (m, score) in enumerate(timed, 1)]
        if len(dots) >= FEWEST:
            title = tr("{suite}: quality against speed", suite=suite)
            missing = len(report.models) - len(dots)
            names = [f"{n}: {model.spec}" for n, (model, _) in enumerate(timed, 1)]
            drawing = _QualityPicture(title, speed, dots, names, missing)
            yield Picture(title=title, draw=drawing.document)


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


def _dot(number: str, model: ModelReport, speed: Estimate, score: Estimate) -> Dot:
    return Dot(
        label=number,
        x=Extent.of(speed),
        y=Extent.of(score),
        description=tr(
            "{model}: {speed}; {score}",
            model=model.spec,
            speed=numbers.figure(speed),
            score=numbers.figure(score),
        ),
        hollow=score.incomplete,
    )


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


class _QualityPicture:
    def __init__(
        self, title: str, speed: _Speed, dots: Sequence[Dot], names: Sequence[str], missing: int
    ) -> None:
        self.title, self.speed, self.dots = title, speed, dots
        self.names, self.missing = names, missing
        bottom = TOP + HEIGHT
        good = [end for dot in dots for end in dot.y.known]
        up = scale_for(good, bottom - INSET, TOP + INSET, most=6)
        box = Box(left_edge([up]), TOP, picture.WIDTH - RIGHT, bottom)
        quick = [end for dot in dots for end in dot.x.known]
        across = scale_for(quick, box.left + INSET, box.right - INSET, most=6)
        self.plot = Plot(box, across, up, dots, ())
        places = [(dot.x.value, dot.y.value) for dot in dots]
        self.front = front(places, higher_is_better=speed.higher_is_better)

    def document(self) -> str:
        plot = self.plot
        front = picture.polyline("front", self._corners())
        pieces = [*self._titles(), *plot.draw_ground(), front, *plot.draw_dots()]
        return picture.document(
            pieces,
            plot.box.bottom + 2 * picture.LINE + 24,
            legend=[*self._legend()],
            title=self.title,
            description=" ".join(self._description()),
        )

    def _titles(self) -> Iterator[str]:
        box, across = self.plot.box, self.plot.across
        yield words(10, 20, tr("upwards: {figure}", figure=tr("score, points")), bold=True)
        for value, label in across.ticks:
            x = across.at(value)
            yield picture.line("grid", x, box.top, x, box.bottom)
            yield picture.soft_words(x, box.bottom + 18, label, anchor="middle")
        title = tr("to the right: {figure}", figure=self.speed.name)
        yield words(box.right, box.bottom + 38, title, anchor="end", bold=True)

    def _corners(self) -> list[tuple[float, float]]:
        """Of the front's steps, from the side where dots are worse: a dot on them beats whatever
        lies under them.
        """
        steps = [self.plot.places[n] for n in self.front]
        worse = self.plot.box.left
        if not self.speed.higher_is_better:
            steps, worse = steps[::-1], self.plot.box.right
        corners = [(worse, steps[0][1])]
        for x, y in steps:
            corners += [(corners[-1][0], y), (x, y)]
        return [*corners, (corners[-1][0], self.plot.box.bottom)]

    def _legend(self) -> Iterator[str]:
        yield from self.names[:SMALL_ABOVE]
        yield tr("lines through a dot: 95 % intervals")
        if any(dot.hollow for dot in self.dots):
            yield tr("hollow dot: incomplete score")
        yield tr("stepped line: Pareto front")
        if self.missing:
            yield tr("not drawn, because a figure is missing: {count}", count=self.missing)

    def _description(self) -> Iterator[str]:
        yield trn("{count} dot.", "{count} dots.", len(self.dots))
        yield tr("score, points") + "."
        for n in self.front[:DESCRIBED]:
            yield f"{self.dots[n].description}."
