"""How far each judge is from scores that are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.messages import tr
from assay.reports.judged.evaluation_text import form_name
from assay.text import number_format as numbers
from assay.types.documents import Block, Paragraph, table
from assay.types.judgements import Deviation


def deviation_blocks(of: Sequence[Deviation]) -> Iterator[Block]:
    """One row a judge."""
    if not of:
        return
    told = tr(
        "Each judge was run on the rubric's own examples, whose scores are known: distances are in "
        "points of 10, and a bias above 0 is kindness."
    )
    if any(each.left_one_out for each in of):
        told = tr("{told} Where they calibrate, each is judged by the others.", told=told)
    yield Paragraph(told)
    heads = (
        tr("judge"), tr("rubric"), tr("asked by"), tr("examples"), tr("unscored"),
        tr("mean distance"), tr("bias"), tr("within a point"), tr("same band"),
        tr("rank correlation"),
    )  # fmt: skip
    yield table(heads, map(_cells, of), right=range(3, 10))


def _cells(of: Deviation) -> tuple[str, ...]:
    return (
        of.judge,
        of.rubric,
        form_name(of.form),
        numbers.count(of.n),
        numbers.count(of.unscored),
        _around(of.mean_absolute, of.mean_absolute_interval, "{:.2f}"),
        _around(of.bias, of.bias_interval, "{:+.2f}"),
        f"{of.within_one}/{of.n}",
        f"{of.same_band}/{of.n}",
        _or_dash(of.spearman, "{:.2f}"),
    )


def _around(value: float | None, limits: tuple[float, float] | None, form: str) -> str:
    if value is None or limits is None:
        return _or_dash(value, form)
    low, high = (_or_dash(limit, form) for limit in limits)
    return tr("{value} [{low} to {high}]", value=_or_dash(value, form), low=low, high=high)


def _or_dash(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value).replace("-", "−")
