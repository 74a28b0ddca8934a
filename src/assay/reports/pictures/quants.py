"""Divergence from the base by size of the file, as SVG: what each megabyte buys."""

from assay.messages import joined, labelled, tr
from assay.reports.cards.drift import with_interval
from assay.reports.pictures.plot import Dot, Extent, Panel, draw_panels
from assay.reports.pictures.scales import scale_for
from assay.text import number_format as numbers
from assay.types.measured.quants import QuantRow, Quants

HEIGHT = 240
MB = 1e6


def draw_quants(found: Quants, title: str) -> str:
    """The base has no divergence; its size ends the scale."""
    dots = [dot for row in found.rows for dot in _dots(row, found)]
    sizes = [row.file.bytes / MB for row in found.rows]
    ticks = scale_for(sizes, 0, 1, most=6).ticks
    limit = found.limits.max_kl
    legend = [
        tr("bars: 95 % intervals; dashed: the limit, {limit}", limit=numbers.exact(limit)),
        tr("ringed: the file to keep"),
        tr("base: {base}", base=found.base),
    ]
    panel = Panel(
        "kl", tr("mean divergence, nats per token"), [[dot] for dot in dots],
        limits=[(limit, f"≤ {numbers.exact(limit)}")], by_ratio=True,
    )  # fmt: skip
    return draw_panels(
        [panel], ticks, tr("MB of the file"), legend=legend, title=title,
        description=" ".join(f"{dot.description}." for dot in dots), height=HEIGHT,
    )  # fmt: skip


def _dots(row: QuantRow, found: Quants) -> list[Dot]:
    if row.drift is None:
        return []
    size = row.file.bytes / MB
    said = joined((tr("{value} MB", value=numbers.rounded(size)), with_interval(row.drift.kl)))
    return [
        Dot(
            row.file.name,
            Extent(size),
            Extent.of(row.drift.kl),
            labelled(row.file.name, said),
            selected=row.file.name == found.keep,
        )
    ]
