"""From how likely a judge finds "yes" to points: each judge has a scale of its own.

In: judgements of a rubric's examples, whose points are known. Out: a Calibration, which turns a
mean likelihood into points, criterion by criterion; judgements on that scale, and those of the
examples with each left out of its own calibration.

One judge says yes to everything and means it a little less each time; another says no to almost
everything. The order of their likelihoods is worth more than their size, so the map is the monotone
one that is nearest to the examples (isotonic regression by pooling adjacent violators), straight
between its knots. Beyond the examples it goes on straight to 0 at 0 and to 10 at 1, so that one
example, or several of one likelihood, still leave a scale.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.messages import tr, trn
from assay.types.judgements import MOST, CriterionScore, Judgement, Layout, Rubric

Knot = tuple[float, float]  # likelihood, points
_ROUNDING = 1e-9  # 6.5 points from sevenths and thirds is 6.5 to a reader, so it is one here


@dataclass(frozen=True, slots=True)
class Curve:
    """A monotone map from 0..1 to 0..10. Without knots: ten times the likelihood."""

    knots: tuple[Knot, ...] = ()

    def points(self, raw: float) -> float:
        """Between the knots; never outside 0 to 10."""
        if not self.knots:
            return MOST * min(1.0, max(0.0, raw))
        if raw <= self.knots[0][0]:
            return self.knots[0][1]
        if raw >= self.knots[-1][0]:
            return self.knots[-1][1]
        above = bisect_right([x for x, _ in self.knots], raw)
        (x0, y0), (x1, y1) = self.knots[above - 1], self.knots[above]
        return y0 + (y1 - y0) * ((raw - x0) / (x1 - x0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The scale of one judge in one layout on one rubric. `examples`: how many it was made from;
    0: none, and then points are ten times the likelihood.
    """

    judge: str = ""
    rubric: str = ""
    layout: Layout | None = None
    examples: int = 0
    curves: Mapping[str, Curve] = field(default_factory=dict)

    def score(self, criterion: str, raw: float) -> int:
        """Whole points, rounded half up."""
        points = self.curves.get(criterion, Curve()).points(raw)
        return min(MOST, max(0, math.floor(points + 0.5 + _ROUNDING)))

    @property
    def sentence(self) -> str:
        if not self.examples:
            return tr(
                "Not calibrated: no scored examples, so points are ten times the likelihood of yes."
            )
        return trn(
            "Points are calibrated on {count} scored example of the rubric.",
            "Points are calibrated on {count} scored examples of the rubric.",
            self.examples,
        )


UNCALIBRATED = Calibration()


def fit_curve(pairs: Sequence[tuple[float, float]]) -> Curve:
    """The monotone curve nearest to these (likelihood, points), by least squares."""
    if not pairs:
        return Curve()
    blocks: list[list[float]] = []  # sum of points, how many, first and last likelihood
    for raw, points in _ties_together(pairs):
        blocks.append([math.fsum(points), len(points), raw, raw])
        while len(blocks) > 1 and _mean(blocks[-2]) >= _mean(blocks[-1]):
            total, count, _, last = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + count, blocks[-1][2], last]
    knots = [(0.0, 0.0)] if blocks[0][2] > 0 else []
    for block in blocks:
        level = min(float(MOST), max(0.0, _mean(block)))
        knots += [(raw, level) for raw in dict.fromkeys(block[2:])]
    if blocks[-1][3] < 1:
        knots.append((1.0, float(MOST)))
    return Curve(tuple(knots))


def fit(rubric: Rubric, judged: Mapping[str, Judgement]) -> Calibration:
    """The scale of the judge that judged these examples; `judged` by the examples' ids.

    Only what was read by likelihood counts; all of it must be one judge's, in one layout.
    """
    pairs = _pairs(rubric, judged)
    used = {example for some in pairs.values() for example, _, _ in some}
    if not used:
        return UNCALIBRATED
    first = judged[min(used)]
    return Calibration(
        judge=first.judge,
        rubric=rubric.name,
        layout=first.layout,
        examples=len(used),
        curves={
            criterion: fit_curve([(raw, points) for _, raw, points in some])
            for criterion, some in pairs.items()
        },
    )


def calibrated(judgement: Judgement, calibration: Calibration) -> Judgement:
    """A judgement that has no scale yet, on this one; the rest of its explanation is kept. One that
    was not read by likelihood stays as it is.
    """
    if not any(score.raw is not None for score in judgement.scores):
        return judgement
    return replace(
        judgement,
        scores=tuple(_on_scale(score, calibration) for score in judgement.scores),
        explanation=judgement.explanation.replace(UNCALIBRATED.sentence, calibration.sentence),
    )


def left_one_out(rubric: Rubric, judged: Mapping[str, Judgement]) -> dict[str, Judgement]:
    """The examples' judgements, each on the scale that the others make: what the judge would have
    said of an answer it was not calibrated on.
    """
    return {
        name: calibrated(
            one, fit(rubric, {other: said for other, said in judged.items() if other != name})
        )
        for name, one in judged.items()
    }


def _on_scale(score: CriterionScore, calibration: Calibration) -> CriterionScore:
    if score.raw is None:
        return score
    return replace(score, score=calibration.score(score.criterion, score.raw))


def _pairs(
    rubric: Rubric, judged: Mapping[str, Judgement]
) -> dict[str, list[tuple[str, float, int]]]:
    """By criterion: which example, how likely yes, and its known points."""
    found: dict[str, list[tuple[str, float, int]]] = {}
    for example in rubric.examples:
        judgement = judged.get(example.id)
        for score in judgement.scores if judgement else ():
            if score.raw is not None and score.criterion in example.scores:
                known = example.scores[score.criterion]
                found.setdefault(score.criterion, []).append((example.id, score.raw, known))
    return found


def _ties_together(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, list[float]]]:
    together: dict[float, list[float]] = {}
    for raw, points in sorted(pairs):
        together.setdefault(min(1.0, max(0.0, raw)), []).append(points)
    return list(together.items())


def _mean(block: Sequence[float]) -> float:
    return block[0] / block[1]
