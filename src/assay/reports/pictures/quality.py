"""Quality against speed of the models of a run, one SVG a suite, with the Pareto front. Speed is
decoding where all have it by one clock, else seconds per answer.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from assay.messages import joined, labelled, tr
from assay.reports.measured import quantities
from assay.reports.pictures import canvas as picture
from assay.reports.pictures.canvas import words
from assay.reports.pictures.plot import RIGHT, SMALL_ABOVE, Box, Dot, Extent, Plot, left_edge
from assay.reports.pictures.scales import scale_for
from assay.reports.sentences import short_names
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.documents import Picture
from assay.types.results import ModelReport, Report

FEWEST = 2
TOP, HEIGHT, INSET = 52, 300, 14
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
        found = [(model, model.performance, score) for model, score in scored]
        speeds = [(m, of.decode.all if by_decoding else of.seconds_mean, s) for m, of, s in found]
        timed = [each for each in speeds if each[1].n]
        if len(timed) >= FEWEST:
            axis = tr("seconds per answer, mean; faster to the right")
            if by_decoding:
                clock = quantities.whose_clock(timed[0][0].performance)
                axis = tr("decode tokens per second, {clock}", clock=clock)
            title = tr("{suite}: quality against speed", suite=suite)
            shown = (names[model.spec] for model, *_ in timed)
            legend = [labelled(number, name) for number, name in enumerate(shown, 1)]
            legend = [
                *legend[:SMALL_ABOVE],
                *_legend(timed, missing=len(report.models) - len(timed)),
            ]
            dots = [_dot(str(number), *each) for number, each in enumerate(timed, 1)]
            draw = partial(_draw, title, axis, dots, legend, by_decoding=by_decoding)
            yield Picture(title=title, draw=draw)


def _dot(number: str, model: ModelReport, speed: Estimate, score: Estimate) -> Dot:
    said = labelled(model.spec, joined((numbers.figure(speed), numbers.figure(score))))
    x, y = Extent.of(speed), Extent.of(score)
    return Dot(label=number, x=x, y=y, description=said, hollow=score.incomplete)


def _legend(
    timed: Sequence[tuple[ModelReport, Estimate, Estimate]], *, missing: int
) -> Iterator[str]:
    yield tr("lines through a dot: 95 % intervals")
    if any(score.incomplete for *_, score in timed):
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


def _draw(
    title: str, axis: str, dots: Sequence[Dot], legend: Sequence[str], *, by_decoding: bool
) -> str:
    bottom = TOP + HEIGHT
    good = [end for dot in dots for end in dot.y.known]
    up = scale_for(good, bottom - INSET, TOP + INSET, most=6)
    box = Box(left_edge([up]), TOP, picture.WIDTH - RIGHT, bottom)
    quick = [end for dot in dots for end in dot.x.known]
    ends = (box.left + INSET, box.right - INSET)
    across = scale_for(quick, *(ends if by_decoding else ends[::-1]), most=6)
    plot = Plot(box, across, up, dots, ())
    best = front([(x, -y) for x, y in plot.places])
    corners = [(box.left, plot.places[best[0]][1])]
    for x, y in (plot.places[n] for n in best):
        corners += [(corners[-1][0], y), (x, y)]
    corners.append((corners[-1][0], bottom))
    pieces = [words(10, 20, tr("upwards: {figure}", figure=tr("score, points")), bold=True)]
    for value, label in across.ticks:
        x = across.at(value)
        pieces.append(picture.line("grid", x, box.top, x, bottom))
        pieces.append(picture.soft_words(x, bottom + 18, label, anchor="middle"))
    said = tr("to the right: {figure}", figure=axis)
    pieces.append(words(box.right, bottom + 38, said, anchor="end", bold=True))
    pieces += [*plot.draw_ground(), picture.polyline("front", corners), *plot.draw_dots()]
    return picture.document(
        pieces,
        bottom + 2 * picture.LINE + 24,
        legend=legend,
        title=title,
        description=" ".join(f"{dots[n].description}." for n in best[:DESCRIBED]),
    )
