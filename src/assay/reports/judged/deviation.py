"""How far each judge is from scores that are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.messages import tr
from assay.reports.judged.evaluation_text import form_name
from assay.text import number_format as numbers
from assay.types.documents import Block, Note, Paragraph, table
from assay.types.judgements import Deviation

LEAST_RANKING = 0.5  # a coin has 0; a 1.5 B judge that agrees with people as GPT-3.5 does has 0.7
LEAST_EXAMPLES = 5


def deviation_blocks(of: Sequence[Deviation]) -> Iterator[Block]:
    """One row a judge, and a note for each judge whose points are worth little."""
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
    yield from map(Note, _doubts(of))


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


def _doubts(of: Sequence[Deviation]) -> Iterator[str]:
    for each in of:
        if not each.n and each.unscored:
            yield tr(
                "{judge} judged none of the {count} examples of {rubric}, so nothing shows how "
                "good a judge it is.",
                judge=each.judge,
                count=numbers.count(each.unscored),
                rubric=each.rubric,
            )
        elif each.n >= LEAST_EXAMPLES and (each.spearman or 0.0) < LEAST_RANKING:
            yield tr(
                "{judge} hardly separates the good examples of {rubric} from the bad ones (rank "
                "correlation {correlation}, n={n}): its points say little.",
                judge=each.judge,
                rubric=each.rubric,
                correlation=_or_dash(each.spearman, "{:.2f}"),
                n=numbers.count(each.n),
            )


def _around(value: float | None, limits: tuple[float, float] | None, form: str) -> str:
    if value is None or limits is None:
        return _or_dash(value, form)
    low, high = (_or_dash(limit, form) for limit in limits)
    return tr("{value} [{low} to {high}]", value=_or_dash(value, form), low=low, high=high)


def _or_dash(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value).replace("-", "−")
