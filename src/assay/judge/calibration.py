"""From how likely a judge finds "yes" to points: each judge has a scale of its own.

The order of a judge's likelihoods is worth more than their size, so the map from a mean likelihood
to points is the monotone one that is nearest to the rubric's scored examples (isotonic regression),
straight between its knots and on to 0 at 0 and 10 at 1. Also how far a judge is from known scores.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assay.messages import tr
from assay.stats.agreement import spearman
from assay.stats.estimates import average
from assay.types.choices import JudgeForm
from assay.types.judging.judgements import (
    MOST,
    Deviation,
    Judgement,
    Rubric,
    ScoredExample,
    band_of,
    overall_of,
    overall_tenths,
)

Knots = tuple[tuple[float, float], ...]  # likelihood and points, in order
_DECIMALS = 12  # of a likelihood: between knots that are nearer the slope would be infinite
_ROUNDING = 1e-9  # 6.5 points from sevenths and thirds is 6.5 to a reader, so it is one here


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The scale of one judge on one rubric, from this many examples: the knots of a
    monotone map from 0..1 to 0..10 by criterion. Without knots: ten times the likelihood.
    """

    examples: int = 0
    knots: Mapping[str, Knots] = field(default_factory=dict)

    def points(self, criterion: str, raw: float) -> float:
        """Between the knots; never outside 0 to 10."""
        knots = self.knots.get(criterion) or ((0.0, 0.0), (1.0, float(MOST)))
        likelihoods, points = zip(*knots, strict=True)
        return float(np.interp(round(raw, _DECIMALS), likelihoods, points))

    def score(self, criterion: str, raw: float) -> int:
        """Whole points, rounded half up."""
        points = self.points(criterion, raw)
        return min(MOST, max(0, math.floor(points + 0.5 + _ROUNDING)))

    @property
    def sentence(self) -> str:
        if not self.examples:
            return tr("Not calibrated, so points are ten times the likelihood of yes.")
        return tr("Points are calibrated on {count} scored examples.", count=self.examples)


UNCALIBRATED = Calibration()


def fit_knots(pairs: Sequence[tuple[float, float]]) -> Knots:
    """Of the monotone curve nearest to these (likelihood, points), by least squares."""
    from scipy.optimize import isotonic_regression  # slow to import

    if not pairs:
        return ()
    together: dict[float, list[float]] = {}
    for raw, points in sorted(pairs):
        together.setdefault(round(min(1.0, max(0.0, raw)), _DECIMALS), []).append(points)
    means = [statistics.fmean(points) for points in together.values()]
    counts = [len(points) for points in together.values()]
    levels = np.clip(isotonic_regression(means, weights=counts).x, 0.0, MOST)
    knots = dict(zip(together, levels.tolist(), strict=True))
    return tuple(({0.0: 0.0} | knots | {1.0: knots.get(1.0, float(MOST))}).items())


def fit(rubric: Rubric, judged: Mapping[str, Judgement]) -> Calibration:
    """The scale of the judge that judged these examples; `judged` by their ids."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    used = set()
    for example in rubric.examples:
        judgement = judged.get(example.id)
        for score in judgement.scores if judgement else ():
            if score.raw is not None and score.criterion in example.scores:
                known = example.scores[score.criterion]
                pairs.setdefault(score.criterion, []).append((score.raw, known))
                used.add(example.id)
    knots = {criterion: fit_knots(some) for criterion, some in pairs.items()}
    return Calibration(examples=len(used), knots=knots)


def calibrated(judgement: Judgement, calibration: Calibration) -> Judgement:
    """A judgement without a scale, on this one; one not read by likelihood stays as it is."""
    return replace(
        judgement,
        scores=tuple(
            score
            if score.raw is None
            else replace(score, score=calibration.score(score.criterion, score.raw))
            for score in judgement.scores
        ),
        explanation=judgement.explanation.replace(UNCALIBRATED.sentence, calibration.sentence),
    )


def left_one_out(rubric: Rubric, judged: Mapping[str, Judgement]) -> dict[str, Judgement]:
    return {
        name: calibrated(
            one, fit(rubric, {other: said for other, said in judged.items() if other != name})
        )
        for name, one in judged.items()
    }


ONE_POINT = 10  # tenths


def deviation_of(
    rubric: Rubric, judged: Mapping[str, Judgement], *, judge: str, form: JudgeForm = "reasoned"
) -> Deviation | None:
    """One judge on a rubric's examples, by their ids; None where it has none. Each judgement is on
    a scale that its own example had no part in; what is missing counts as unscored.
    """
    if not rubric.examples:
        return None
    pairs = [
        (overall_of(one, rubric) or 0, known_overall(rubric, example))
        for example in rubric.examples
        if (one := judged.get(example.id)) is not None and one.scores
    ]
    off = [said - right for said, right in pairs]
    mean_absolute, mean_absolute_interval = _mean([abs(one) / 10 for one in off])
    bias, bias_interval = _mean([one / 10 for one in off])
    return Deviation(
        judge=judge,
        rubric=rubric.name,
        form=form,
        n=len(pairs),
        unscored=len(rubric.examples) - len(pairs),
        mean_absolute=mean_absolute,
        bias=bias,
        within_one=sum(abs(one) <= ONE_POINT for one in off),
        spearman=spearman([p[1] for p in pairs], [p[0] for p in pairs], draws=1).value,
        same_band=sum(band_of(said) == band_of(right) for said, right in pairs),
        left_one_out=form == "likelihood",
        mean_absolute_interval=mean_absolute_interval,
        bias_interval=bias_interval,
    )


def known_overall(rubric: Rubric, example: ScoredExample) -> int:
    weighted = [(each.weight, example.scores[each.key]) for each in rubric.criteria]
    return overall_tenths(weighted) or 0


def _mean(values: Sequence[float]) -> tuple[float | None, tuple[float, float] | None]:
    """With its 95 % interval over the examples; none where they do not differ."""
    found = average(values, unit="points")
    if found.low is None or found.high is None or len(set(values)) < 2:
        return found.value, None
    return found.value, (found.low, found.high)
