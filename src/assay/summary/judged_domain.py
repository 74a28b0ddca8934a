"""One model in one domain: means, bands, criteria, categories, evidence, spread, remarks."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter

from assay.stats import estimates
from assay.types import Estimate
from assay.types.judging.judged import (
    LEAST_EVIDENCE,
    POINTS_OF_10,
    CriterionMean,
    DomainJudged,
    Remark,
    TestJudged,
)
from assay.types.judging.judgements import (
    BANDS,
    MOST,
    Band,
    Confidence,
    FinalJudgement,
    Judgement,
    band_of,
    overall_tenths,
)

TENTHS = 10 * MOST

Figure = Callable[[FinalJudgement], int | None]

overall: Figure = attrgetter("tenths")
judge_only: Figure = attrgetter("judge_only_tenths")  # had nothing been run or computed
evidence_only: Figure = attrgetter("evidence.tenths")

SURENESS: tuple[Confidence, ...] = ("low", "medium", "high")
PRAISED_FROM = 50  # tenths: a strength of a worse answer is no strength of a model
FAULTED_BELOW = 90
MOST_REMARKS = 6
MOST_CHECKS, CHECKS_PER_TEST = 8, 2


Weights = Mapping[tuple[str, str], float]  # of categories, by suite and name


def domain_judged(name: str, tests: Sequence[TestJudged], weights: Weights) -> DomainJudged:
    finals = [final for test in tests for final in test.final_judgements]
    counted = [final for final in finals if final.tenths is not None]
    mean = mean_over(tests, overall, weights=weights)
    criteria = tuple(_criteria(tests, weights))
    categories = {
        category: mean_over([t for t in tests if t.category == category], overall)
        for category in dict.fromkeys(test.category for test in tests)
    }
    worst_first = sorted(tests, key=lambda test: (test.tenths or 0, test.test_id))
    sure = Counter(each.confidence for each in counted if each.confidence is not None)
    reasons = Counter(why for each in counted for why in each.confidence_reasons)
    return DomainJudged(
        domain=name,
        mean=mean,
        judge_only=mean_over(tests, judge_only, weights=weights),
        # Answers without a block have no band, and neither has their mean.
        band=band_of_mean(mean) if any(test.band for test in tests) else None,
        bands={name: sum(test.band == name for test in tests) for _, name in BANDS},
        criteria=criteria,
        weakest=_weakest(criteria),
        categories=categories,
        category_bands={
            category: band
            for category, of in categories.items()
            if (band := band_of_mean(of)) is not None
        },
        evidence=_evidence(tests),
        unshown=tuple(
            category
            for category in categories
            if not is_shown(_evidence([t for t in tests if t.category == category]))
        ),
        evidence_passed=sum(test.evidence_passed for test in tests),
        evidence_total=sum(test.evidence_total for test in tests),
        bounded=tuple(
            dict.fromkeys(
                each.test_id for each in counted if any(one.bounded for one in each.criteria)
            )
        ),
        confidence=_confidence(sure, mean),
        confidences={level: sure[level] for level in reversed(SURENESS) if sure[level]},
        reasons=dict(reasons.most_common()),
        unscored=tuple(
            Remark(test_id=test.test_id, text=why) for test in tests for why in test.unscored
        ),
        strengths=tuple(
            _remarks(reversed(worst_first), "strengths", lambda tenths: tenths >= PRAISED_FROM)
        )[:MOST_REMARKS],
        weaknesses=tuple(
            _remarks(worst_first, "weaknesses", lambda tenths: tenths < FAULTED_BELOW)
        )[:MOST_REMARKS],
        failed_checks=tuple(_failed_checks(worst_first))[:MOST_CHECKS],
    )


def _criteria(tests: Sequence[TestJudged], weights: Weights) -> Iterator[CriterionMean]:
    labels = {
        one.criterion: one.label
        for test in tests
        for final in test.final_judgements
        for one in final.criteria
    }
    for key, label in labels.items():
        yield CriterionMean(
            criterion=key,
            label=label,
            mean=mean_over(
                tests, partial(_of_criterion, "score", key), whole=MOST, weights=weights
            ),
            judged=mean_over(
                tests, partial(_of_criterion, "judged", key), whole=MOST, weights=weights
            ),
        )


def _of_criterion(field: str, key: str, of: FinalJudgement) -> int | None:
    return next((getattr(one, field) for one in of.criteria if one.criterion == key), None)


def _weakest(criteria: Sequence[CriterionMean]) -> str | None:
    known = sorted((one.mean.value, one.label) for one in criteria if one.mean.value is not None)
    if len(known) < 2 or known[0][0] >= known[1][0] - 1e-9:
        return None
    return known[0][1]


def _evidence(tests: Sequence[TestJudged]) -> Estimate:
    """The share of checks that hold, test by test: the checks of one answer hang together."""
    shares = [test.evidence_share for test in tests if test.evidence_share is not None]
    return estimates.mean_of(shares, unscored=len(tests) - len(shares) if shares else 0)


def _confidence(sure: Mapping[Confidence, int], mean: Estimate) -> Confidence | None:
    """The lower middle of the judgements'; low where too many tests are missing."""
    levels = [level for level in SURENESS for _ in range(sure.get(level, 0))]
    if not levels:
        return None
    return "low" if mean.incomplete else levels[(len(levels) - 1) // 2]


def _remarks(
    tests: Iterable[TestJudged], said: str, counts: Callable[[int], bool]
) -> Iterator[Remark]:
    """One of each answer whose score counts: the first that a judge named."""
    for test in tests:
        if test.tenths is not None and counts(test.tenths):
            judgements = (one for final in test.final_judgements for one in scored(final))
            texts = [text for one in judgements for text in getattr(one, said)]
            # Where no judge names one: what the checks found.
            texts = texts or [
                text
                for final in test.final_judgements
                if said == "strengths"
                for text in final.strengths
            ]
            yield from (Remark(test_id=test.test_id, text=text) for text in texts[:1])


def _failed_checks(worst_first: Sequence[TestJudged]) -> Iterator[Remark]:
    for test in worst_first:
        failed = [
            check for final in test.final_judgements for check in final.evidence.checks
            if check.passed is False and check.is_counted
        ]  # fmt: skip
        for check in failed[:CHECKS_PER_TEST]:
            yield Remark(test_id=test.test_id, text=check.told)


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
            band=None
            if tenths is None or all(each.band is None for each in finals)
            else band_of(tenths),
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


def mean_over(
    tests: Sequence[TestJudged],
    figure: Figure,
    *,
    whole: int = TENTHS,
    weights: Weights | None = None,
) -> Estimate:
    """The mean in points of 10. `whole`: the most that the figure can be. With `weights` by
    categories, as the score of a suite is: one quantity has one value.
    """
    found = per_test(tests, figure)
    parts = {(test.suite, test.category) if weights else ("", "") for test in tests}
    means = []
    for part in sorted(parts):
        own = [t for t in tests if not weights or (t.suite, t.category) == part]
        keys = [(test.suite, test.test_id) for test in own]
        shares = [found[key] / whole for key in keys if key in found]
        mean = estimates.mean_of(shares, unscored=len(own) - len(shares))
        means.append((mean, (weights or {}).get(part, 1.0)))
    return estimates.weighted(means, scale=float(MOST), unit=POINTS_OF_10)


def band_of_mean(mean: Estimate) -> Band | None:
    """The band of a mean, rounded half up to a tenth like any overall."""
    return None if mean.value is None else band_of(math.floor(mean.value * 10 + 0.5 + 1e-9))


def _bounded(criterion: str, score: int, of: FinalJudgement) -> int:
    least, most = of.evidence.bounds_of(criterion)
    return min(most, max(least, score))


def _rounded_mean(tenths: Sequence[int | None]) -> int | None:
    known = [each for each in tenths if each is not None]
    return (2 * sum(known) + len(known)) // (2 * len(known)) if known else None
