"""Which model to use in a domain, and why; ties are called ties.

Where no model is significantly better than all others, the quicker one of those with means within
CLOSE is chosen, else the higher mean: a wider distance is no proof that they are equal.

Two models differ significantly where the 95 % interval of their paired difference leaves out 0 and
p < 0.05, which the signs of fewer than six differing tests can never give.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from assay.stats import estimates, pairs
from assay.summary.judged_scores import (
    TENTHS,
    Figure,
    evidence_only,
    is_shown,
    judge_only,
    overall,
    per_test,
)
from assay.types import Estimate
from assay.types.judged import (
    POINTS_OF_10,
    DomainDifference,
    Ground,
    ModelChoice,
    ModelJudged,
    ModelSpeed,
    Rival,
    TestJudged,
)
from assay.types.judgements import MOST, Band

SIGNIFICANT = 0.05
CLOSE = 0.5  # points of 10 within which two means without a significant difference count as equal
TOO_LOW: frozenset[Band] = frozenset({"POOR", "FAILED"})


def differences(
    models: Sequence[ModelJudged], domains: Sequence[str]
) -> tuple[DomainDifference, ...]:
    found = []
    for domain in domains:
        of_model = {
            one.model: [test for test in one.tests if test.domain == domain]
            for one in models
            if one.domain(domain)
        }
        for a, b in combinations(of_model, 2):
            pair = of_model[a], of_model[b]
            estimate, p_value, higher, lower = paired(*pair, overall)
            found.append(
                DomainDifference(
                    domain=domain,
                    a=a,
                    b=b,
                    difference=estimate,
                    evidence=paired(*pair, evidence_only)[0],
                    judge_only=paired(*pair, judge_only)[0],
                    p_value=p_value,
                    higher=higher,
                    lower=lower,
                    told_apart=told_apart(estimate, p_value),
                )
            )
    return tuple(found)


def paired(
    first: Sequence[TestJudged], second: Sequence[TestJudged], figure: Figure
) -> tuple[Estimate, float | None, int, int]:
    """How much higher the second is, the p-value, and the tests where it is higher and lower."""
    a, b = per_test(first, figure), per_test(second, figure)
    shared = [key for key in a if key in b]
    before, after = ([side[key] / TENTHS for key in shared] for side in (a, b))
    found = pairs.paired_difference(before, after)
    missing = len(a.keys() ^ b.keys())
    estimate = found.estimate.mapped(lambda x: x * MOST, unit=POINTS_OF_10, unscored=missing)
    return estimate, found.p_value if shared else None, found.gained, found.lost


def told_apart(difference: Estimate, p_value: float | None) -> bool:
    if difference.low is None or difference.high is None or p_value is None:
        return False
    return p_value < SIGNIFICANT and (difference.low > 0 or difference.high < 0)


def choose_model(
    domain: str, models: Sequence[ModelJudged], apart: Sequence[DomainDifference]
) -> ModelChoice:
    """Models that are incomplete, or fail half of their checks, count where no other is left."""
    of_model = {one.model: one for one in models}
    found = {
        one.model: each
        for one in models
        if (each := one.domain(domain)) is not None and each.mean.value is not None
    }
    if not found:
        nothing = estimates.nothing(unit=POINTS_OF_10)
        return ModelChoice(domain=domain, ground="nothing", model=None, mean=nothing, band=None)
    whole = [name for name, each in found.items() if not each.mean.incomplete]
    shown = [name for name in whole if is_shown(found[name].evidence)]
    candidates = shown or whole or list(found)
    between = {(each.a, each.b): each for each in apart if each.domain == domain}

    def rival(name: str, other: str) -> Rival:
        turned = between.get((other, name))
        difference = turned or between[name, other]
        leads = (difference.difference, difference.evidence, difference.judge_only)
        lead, by_evidence, by_judge = (
            each if turned else each.mapped(lambda x: 0.0 - x, falling=True) for each in leads
        )
        return Rival(
            model=other,
            mean=found[other].mean,
            lead=lead,
            evidence_lead=by_evidence,
            judge_lead=by_judge,
            told_apart=difference.told_apart,
            pace=of_model[other].pace,
        )

    def rivals(name: str) -> list[Rival]:
        others = [rival(name, other) for other in candidates if other != name]
        return sorted(others, key=lambda each: (-(each.mean.value or 0.0), each.model))

    leader = max(candidates, key=lambda name: found[name].mean.value or 0.0)
    others = rivals(leader)
    name, equals = leader, [leader]
    ground: Ground
    if not whole:
        ground = "incomplete"
    elif not shown:
        ground = "not_shown"
    elif found[leader].band in TOO_LOW:
        ground = "none_good_enough"
    elif all(rival.told_apart for rival in others):
        ground = "better" if others else "alone"
    else:
        as_good = [each for each in others if _as_good(each)]
        equals += [each.model for each in as_good]
        quickest = _quickest({each: of_model[each].pace for each in equals}) if as_good else None
        level = any((each.lead.value or 0.0) <= 1e-9 for each in as_good)
        name, ground = quickest or leader, "level" if level else "higher"
        ground = "quicker" if quickest else ground
    return ModelChoice(
        domain=domain,
        ground=ground,
        model=name,
        mean=found[name].mean,
        band=found[name].band,
        pace=of_model[name].pace,
        rivals=tuple(replace(each, as_good=each.model in equals) for each in rivals(name)),
        left_out=tuple(each for each in found if each not in whole) if whole else (),
        not_shown=tuple(each for each in whole if each not in shown),
        evidence=found[name].evidence,
    )


def _as_good(rival: Rival) -> bool:
    lead = rival.lead.value
    return not rival.told_apart and lead is not None and lead <= CLOSE + 1e-9


def _quickest(paces: Mapping[str, ModelSpeed | None]) -> str | None:
    """The one that is significantly quicker than all others, by one clock."""
    speeds = {
        name: pace.tokens_per_s for name, pace in paces.items() if pace and pace.tokens_per_s.n
    }
    clocks = {pace.clock for pace in paces.values() if pace is not None}
    if len(speeds) < len(paces) or len(clocks) > 1:
        return None
    first = max(speeds, key=lambda name: speeds[name].value or 0.0)
    others = [speed for name, speed in speeds.items() if name != first]
    return first if all(pairs.tell_apart(speeds[first], other) for other in others) else None
