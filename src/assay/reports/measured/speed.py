"""Speed and memory by depth of context: a table, what it says, and a picture."""

from collections.abc import Iterator, Sequence
from functools import partial

from assay.messages import labelled, tr
from assay.reports import sentences
from assay.reports.pictures.plot import Dot, Extent, Panel, draw_panels
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.documents import (
    Block,
    Heading,
    Line,
    Note,
    Paragraph,
    Picture,
    Span,
    Table,
    table,
)
from assay.types.measured.performance import DepthFigures
from assay.types.results import ModelReport, Report

PICTURE = "reports/speed.svg"


def depth_blocks(model: ModelReport) -> Iterator[Block]:
    if not model.depths:
        return
    yield Heading(tr("Speed by context"), 3)
    heads = (
        tr("context"), tr("prompt"), tr("prefill"), tr("decode"), tr("client"), tr("first"),
        tr("cached"), tr("memory"), tr("GPU"), "n",
    )  # fmt: skip
    yield table(heads, map(_row, model.depths), right=range(10), weights={1: 20, 4: 10, 8: 30})
    whose = tr("by the client's clock")
    if any(each.clock == "server" for each in model.depths):
        whose = tr("by the server's figures (client: decode by the client's clock)")
    yield Paragraph(
        tr(
            "Context and prompt in tokens; prefill and decode in tokens/s, {whose}; seconds to the "
            "first token of a prompt that is new to the server, and of the same one asked again "
            "(cached). Medians, with the range of n tries.",
            whose=whose,
        ),
        "dim",
    )
    yield from map(Note, depth_notes(model.depths))


def speed_table(report: Report) -> Iterator[Table]:
    """One line a model: how fast it writes at each depth of context, and the memory it takes."""
    depths = sorted({each.depth for model in report.models for each in model.depths})
    if not depths:
        return
    heads = [tr("decode at {depth}", depth=numbers.count(depth)) for depth in depths]
    rows = []
    for model in report.models:
        known = {each.depth: each for each in model.depths}
        cells = [_with_range(known[depth].decode) if depth in known else "–" for depth in depths]
        sizes = [each.memory.value for each in model.depths if each.memory.value is not None]
        size = numbers.memory(round(sizes[-1] * 1e6)) if sizes else "–"
        rows.append((model.spec, *cells, size))
    weights = {place: -place for place in range(2, len(heads))}  # between the first and the last
    heads = [tr("tokens/s"), *heads, tr("memory")]
    yield table(heads, rows, right=range(1, len(heads)), weights=weights, one_line=True)


def depth_notes(depths: Sequence[DepthFigures]) -> Iterator[str]:
    """At which length it spills to the processor, or no longer fits; what the figures lack."""
    partly = next((each for each in depths if 0 < (each.gpu_share or 0) < 1), None)
    if partly is not None:
        whole = [each.depth for each in depths if each.gpu_share == 1 and each.depth < partly.depth]
        gaps = {
            "depth": numbers.count(partly.depth),
            "share": numbers.percent(partly.gpu_share or 0),
        }
        if whole:
            yield tr("all of it is on the GPU up to {tokens} tokens of context",
                     tokens=numbers.count(whole[-1]))  # fmt: skip
        yield tr("at {depth} tokens {share} is on the GPU, and the rest on the CPU", **gaps)
    for each in depths:
        gaps = {"depth": numbers.count(each.depth), "why": each.why_not}
        if each.why_not and each.fits:
            yield tr("could not be measured at {depth} tokens: {why}", **gaps)
        elif each.why_not:
            yield tr("no longer fits at {depth} tokens: {why}", **gaps)
    if parts := next((each.memory_parts for each in reversed(depths) if each.memory_parts), None):
        said = sentences.memory_parts({name: 1e6 * size for name, size in parts.items()})
        yield tr("memory: {parts}", parts=said)
    if any(each.clock == "client" and each.cached_first_token_s.n for each in depths):
        yield tr("the server reports no times: prefill is the prompt over the seconds to the first "
                 "token, so at least this fast")  # fmt: skip
    if any(not each.why_not and not each.decode.n for each in depths):
        yield tr("some answers had fewer than 16 tokens, from which no decoding speed is taken")


def picture_of(report: Report) -> Iterator[Picture]:
    measured = [(model.spec, model.depths) for model in report.models if model.depths]
    if any(each.prefill.n for _, depths in measured for each in depths):
        title = tr("Speed and memory by context")
        draw = partial(draw_depths, title, measured)
        yield Picture(title=title, draw=draw, path=f"runs/{report.run}/{PICTURE}")


def _row(each: DepthFigures) -> tuple[Line, ...]:
    figures = (each.prompt_tokens, each.prefill, each.decode, each.client_decode)
    seconds = (each.first_token_s, each.cached_first_token_s)
    size = each.memory.value
    return (
        numbers.count(each.depth),
        *map(_with_range, (*figures, *seconds)),
        "–" if size is None else numbers.memory(round(size * 1e6)),
        "–" if each.gpu_share is None else numbers.percent(each.gpu_share),
        numbers.count(each.first_token_s.n),
    )


def _with_range(of: Estimate) -> Line:
    if of.value is None:
        return "–"
    basis = f" {numbers.ends(of)}" if of.low != of.high else ""
    return (numbers.value(of), Span(basis, "basis"))


Measured = Sequence[tuple[str, Sequence[DepthFigures]]]


def draw_depths(title: str, measured: Measured) -> str:
    panels = [panel for panel in _panels(measured) if panel.curves]
    depths = sorted({each.depth for _, of in measured for each in of})
    legend = [labelled(number, name) for number, (name, _) in enumerate(measured, 1)]
    legend.append(tr("vertical line: range of the tries, hidden where it is shorter than its dot"))
    return draw_panels(
        panels,
        [(depth, numbers.count(depth)) for depth in depths],
        tr("tokens of context in use"),
        legend=legend,
        title=title,
        description=" ".join(f"{dot.description}." for dot in panels[0].dots),
    )


def _panels(measured: Measured) -> Iterator[Panel]:
    titles = {
        "decode": tr("decode tokens per second"),
        "prefill": tr("prefill tokens per second"),
        "first_token_s": tr("seconds to the first token"),
        "memory": tr("memory, MB"),
    }
    for name, title in titles.items():
        curves = [(_curve(name, *each), str(number)) for number, each in enumerate(measured, 1)]
        known = [(curve, number) for curve, number in curves if curve]
        yield Panel(
            name,
            title,
            [curve for curve, _ in known],
            drawn=(0.0,),
            ends=[number for _, number in known],
        )


def _curve(name: str, model: str, depths: Sequence[DepthFigures]) -> list[Dot]:
    known = [(each.depth, figure) for each in depths if (figure := getattr(each, name)).n]
    return [
        Dot("", Extent(depth), Extent.of(figure),
            labelled(f"{model}, {depth}", numbers.figure(figure)))
        for depth, figure in known
    ]  # fmt: skip
