"""How far a judge is from scores that are known: what its scores are worth.

In: a rubric with scored examples, and one judge's judgements of them, in either form. Out: a
Deviation.

Where the same examples calibrate the judge, each must have been left out of its own calibration
(`calibration.left_one_out`), else the judge would be measured on what it was fitted to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.stats.agreement import spearman
from assay.stats.estimates import average
from assay.types.choices import Layout
from assay.types.judgements import (
    Deviation,
    JudgeForm,
    Judgement,
    Rubric,
    ScoredExample,
    band_of,
    overall_of,
    overall_tenths,
)

ONE_POINT = 10  # tenths


def deviation_of(
    rubric: Rubric,
    judged: Mapping[str, Judgement],
    *,
    judge: str,
    form: JudgeForm,
    layout: Layout | None = None,
    left_one_out: bool = False,
) -> Deviation | None:
    """One judge on a rubric's examples; None where the rubric has none. `judged`: judgements by the
    examples' ids; what is missing counts as unscored. `left_one_out`: each judgement is on a scale
    that its own example had no part in.
    """
    if not rubric.examples:
        return None
    scored = [
        (example, one)
        for example in rubric.examples
        if (one := judged.get(example.id)) is not None and one.scores
    ]
    given = [overall_of(one, rubric) or 0 for _, one in scored]
    known = [known_overall(rubric, example) for example, _ in scored]
    off = [said - right for said, right in zip(given, known, strict=True)]
    mean_absolute, mean_absolute_interval = _mean([abs(one) / 10 for one in off])
    bias, bias_interval = _mean([one / 10 for one in off])
    return Deviation(
        judge=judge,
        rubric=rubric.name,
        form=form,
        n=len(scored),
        unscored=len(rubric.examples) - len(scored),
        mean_absolute=mean_absolute,
        bias=bias,
        within_one=sum(abs(one) <= ONE_POINT for one in off),
        spearman=spearman(known, given, draws=1).value,
        same_band=sum(
            band_of(said) == band_of(right) for said, right in zip(given, known, strict=True)
        ),
        layout=layout,
        left_one_out=left_one_out,
        mean_absolute_interval=mean_absolute_interval,
        bias_interval=bias_interval,
    )


def known_overall(rubric: Rubric, example: ScoredExample) -> int:
    weighted = [(each.weight, example.scores[each.key]) for each in rubric.criteria]
    return overall_tenths(weighted) or 0


def _mean(values: Sequence[float]) -> tuple[float | None, tuple[float, float] | None]:
    """With its 95 % interval over the examples; none where they do not differ, which drawing takes
    for certain.
    """
    found = average(values, unit="points")
    if found.low is None or found.high is None or len(set(values)) < 2:
        return found.value, None
    return found.value, (found.low, found.high)
