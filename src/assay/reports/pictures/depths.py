"""Speed and memory over the depth of context, as one SVG: a panel a figure, a line a model."""

from collections.abc import Iterator, Sequence

from assay.messages import tr
from assay.reports.pictures import canvas as picture
from assay.reports.pictures.canvas import words
from assay.reports.pictures.plot import DOT, RIGHT, Box, Dot, Extent, Plot, left_edge
from assay.reports.pictures.scales import Scale, scale_for
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.performance import DepthFigures

TOP, TITLE, HEIGHT, GAP, INSET = 10, 20, 120, 18, 18

Measured = Sequence[tuple[str, Sequence[DepthFigures]]]


def draw_depths(title: str, measured: Measured) -> str:
    depths = [each.depth for _, of in measured for each in of]
    panels = {
        name: title
        for name, title in _panels().items()
        if any(_known(name, of) for _, of in measured)
    }
    scales = [_scale(name, measured) for name in panels]
    left, right = left_edge(scales), picture.WIDTH - RIGHT
    across = scale_for(depths, left + INSET, right - INSET, most=6)
    pieces: list[str] = []
    for place, (name, scale) in enumerate(zip(panels, scales, strict=True)):
        top = TOP + place * (TITLE + HEIGHT + GAP) + TITLE
        up = scale._replace(start=top + HEIGHT, end=top)
        pieces.append(words(left, top - 7, panels[name], bold=True))
        pieces += _panel(name, measured, across, up, Box(left, top, right, top + HEIGHT))
    bottom = TOP + len(panels) * (TITLE + HEIGHT + GAP) - GAP
    for depth in sorted(set(depths)):
        x = across.at(depth)
        pieces.append(picture.line("grid", x, bottom, x, bottom + 5))
        pieces.append(words(x, bottom + 18, numbers.count(depth), anchor="middle"))
    said = tr("tokens of context in use")
    pieces.append(picture.soft_words(right, bottom + 36, said, anchor="end"))
    legend = [f"{number}: {name}" for number, (name, _) in enumerate(measured, 1)]
    legend.append(tr("vertical line: range of the tries, hidden where it is shorter than its dot"))
    told = ((model, each) for model, of in measured for each in of)
    description = " ".join(f"{m}, {of.depth}: {numbers.figure(of.decode)}." for m, of in told)
    below = bottom + 2 * picture.LINE + 24
    return picture.document(pieces, below, legend=legend, title=title, description=description)


def _panels() -> dict[str, str]:
    return {
        "decode": tr("decode tokens per second"),
        "prefill": tr("prefill tokens per second"),
        "first_token_s": tr("seconds to the first token"),
        "memory": tr("memory, MB"),
    }


def _known(name: str, depths: Sequence[DepthFigures]) -> list[tuple[int, Estimate]]:
    return [(each.depth, figure) for each in depths if (figure := getattr(each, name)).n]


def _scale(name: str, measured: Measured) -> Scale:
    figures = [figure for _, of in measured for _, figure in _known(name, of)]
    ends = [end for figure in figures for end in Extent.of(figure).known]
    return scale_for([0.0, *ends], HEIGHT, 0, most=4)


def _panel(name: str, measured: Measured, across: Scale, up: Scale, box: Box) -> Iterator[str]:
    for place, (model, of) in enumerate(measured, 1):
        dots = [
            Dot("", Extent(depth), Extent.of(figure), f"{model}, {depth}: {numbers.figure(figure)}")
            for depth, figure in _known(name, of)
        ]
        plot = Plot(box, across, up, dots, ())
        if place == 1:
            yield from plot.draw_ground()
        if len(dots) > 1:
            yield picture.polyline("curve", plot.places)
        yield from plot.draw_dots()
        for x, y in plot.places[-1:]:
            yield words(x + DOT + 4, y + 4.5, str(place), bold=True)
