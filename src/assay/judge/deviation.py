"""How far a judge is from scores that are known: what its scores are worth.

In: a rubric with scored examples, and one judge's judgements of them, in either form. Out: a
Deviation.

Where the same examples calibrate the judge, each must have been left out of its own calibration
(`calibration.left_one_out`), else the judge would be measured on what it was fitted to.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from assay.stats.agreement import spearman
from assay.stats.estimates import average
from assay.types.choices import Layout
from assay.types.judgements import (
    CriterionDeviation,
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
    known = [_known_overall(rubric, example) for example, _ in scored]
    off = [said - right for said, right in zip(given, known, strict=True)]
    return Deviation(
        judge=judge,
        rubric=rubric.name,
        form=form,
        n=len(scored),
        unscored=len(rubric.examples) - len(scored),
        mean_absolute=_mean([abs(one) / 10 for one in off]),
        bias=_mean([one / 10 for one in off]),
        within_one=sum(abs(one) <= ONE_POINT for one in off),
        spearman=spearman(known, given, draws=1).value,
        same_band=sum(
            band_of(said) == band_of(right) for said, right in zip(given, known, strict=True)
        ),
        layout=layout,
        left_one_out=left_one_out,
        criteria=tuple(_of_criterion(each.key, scored) for each in rubric.criteria),
        mean_absolute_interval=_interval([abs(one) / 10 for one in off]),
        bias_interval=_interval([one / 10 for one in off]),
    )


def _of_criterion(
    key: str, scored: Sequence[tuple[ScoredExample, Judgement]]
) -> CriterionDeviation:
    off = [
        said - example.scores[key]
        for example, one in scored
        if (said := one.score_of(key)) is not None and key in example.scores
    ]
    return CriterionDeviation(
        criterion=key,
        n=len(off),
        mean_absolute=_mean([abs(one) for one in off]),
        bias=_mean(off),
    )


def _known_overall(rubric: Rubric, example: ScoredExample) -> int:
    weighted = [(each.weight, example.scores[each.key]) for each in rubric.criteria]
    return overall_tenths(weighted) or 0


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def _interval(values: Sequence[float]) -> tuple[float, float] | None:
    """95 %, by drawing examples; None where they do not differ, which drawing takes for certain."""
    if len(set(values)) < 2:
        return None
    found = average(values, unit="points")
    return None if found.low is None or found.high is None else (found.low, found.high)
