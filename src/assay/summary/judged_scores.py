"""Judgements as numbers: the tests of a model, and means over tests in points of 10."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from assay.stats import estimates
from assay.types import Estimate
from assay.types.judged import LEAST_EVIDENCE, POINTS_OF_10, TestJudged
from assay.types.judgements import MOST, Band, FinalJudgement, Judgement, band_of, overall_tenths

TENTHS = 10 * MOST

Figure = Callable[[FinalJudgement], int | None]

overall: Figure = attrgetter("tenths")
judge_only: Figure = attrgetter("judge_only_tenths")  # had nothing been run or computed
evidence_only: Figure = attrgetter("evidence.tenths")


def tests_of(
    answers: Sequence[FinalJudgement], categories: Mapping[tuple[str, str], str]
) -> Iterator[TestJudged]:
    """In the order in which they come, all answers to a test together."""
    grouped: dict[tuple[str, str], list[FinalJudgement]] = {}
    for answer in answers:
        grouped.setdefault((answer.suite, answer.test_id), []).append(answer)
    for (suite, test_id), finals in grouped.items():
        tenths = _rounded_mean([each.tenths for each in finals])
        ends = [end for each in finals for end in _ends(each)]
        shares = [float(share) for each in finals if (share := each.evidence.share) is not None]
        yield TestJudged(
            suite=suite,
            test_id=test_id,
            name=finals[0].name,
            domain=finals[0].rubric,
            category=categories.get((suite, test_id), ""),
            final_judgements=tuple(finals),
            tenths=tenths,
            judge_only_tenths=_rounded_mean([each.judge_only_tenths for each in finals]),
            band=None if tenths is None else band_of(tenths),
            low=min(ends, default=None),
            high=max(ends, default=None),
            judgements=sum(len(scored(each)) for each in finals),
            evidence_passed=sum(each.evidence.passed for each in finals),
            evidence_total=sum(each.evidence.total for each in finals),
            evidence_share=math.fsum(shares) / len(shares) if shares else None,
            unscored=tuple(
                each.explanation or each.unscored_reason or ""
                for each in finals
                if each.tenths is None
            ),
        )


def is_shown(evidence: Estimate) -> bool:
    """Whether the evidence speaks for a model, where there is any."""
    return evidence.value is None or evidence.value >= LEAST_EVIDENCE - 1e-9


def single_overalls(of: FinalJudgement) -> list[int]:
    """What each scored judgement comes to by itself, bounded by the evidence like the final."""
    weights = {one.criterion: one.weight for one in of.criteria}
    found = []
    for judgement in scored(of):
        scores = {one.criterion: _bounded(one.criterion, one.score, of) for one in judgement.scores}
        total = overall_tenths([(weights.get(key, 0), score) for key, score in scores.items()])
        if total is not None and set(scores) == set(weights):
            found.append(total)
    return found


def _ends(of: FinalJudgement) -> Iterator[int]:
    """What the lowest and the highest scores of the criteria come to."""
    lowest = [(one.weight, _bounded(one.criterion, one.low, of)) for one in of.criteria]
    highest = [(one.weight, _bounded(one.criterion, one.high, of)) for one in of.criteria]
    for total in map(overall_tenths, (lowest, highest)):
        if total is not None:
            yield total


def scored(of: FinalJudgement) -> list[Judgement]:
    return [] if of.tenths is None else [one for one in of.judgements if one.scores]


def per_test(tests: Iterable[TestJudged], figure: Figure) -> dict[tuple[str, str], float]:
    """By suite and id the mean over a test's answers, of those tests that have one."""
    found = {}
    for test in tests:
        known = [value for each in test.final_judgements if (value := figure(each)) is not None]
        if known:
            found[test.suite, test.test_id] = math.fsum(known) / len(known)
    return found


def mean_over(tests: Sequence[TestJudged], figure: Figure, *, whole: int = TENTHS) -> Estimate:
    """The mean in points of 10. `whole`: the most that the figure can be."""
    shares = [value / whole for value in per_test(tests, figure).values()]
    mean = estimates.mean_of(shares, unscored=len(tests) - len(shares))
    return estimates.weighted([(mean, 1.0)], scale=float(MOST), unit=POINTS_OF_10)


def band_of_mean(mean: Estimate) -> Band | None:
    """The band of a mean, rounded half up to a tenth like any overall."""
    return None if mean.value is None else band_of(math.floor(mean.value * 10 + 0.5 + 1e-9))


def _bounded(criterion: str, score: int, of: FinalJudgement) -> int:
    least, most = of.evidence.bounds_of(criterion)
    return min(most, max(least, score))


def _rounded_mean(tenths: Sequence[int | None]) -> int | None:
    known = [each for each in tenths if each is not None]
    return (2 * sum(known) + len(known)) // (2 * len(known)) if known else None
