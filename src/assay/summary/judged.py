"""What the judgements of a run say, model by model, and which model to use.

A test counts once: the mean over its answers where it was asked several times. An unscored test is
in no mean, and is counted beside each.

Where no model is significantly better than all others, the quicker one of those with means within
CLOSE is chosen, else the higher mean: a wider distance is no proof that they are equal. Two models
differ significantly where the 95 % interval of their paired difference leaves out 0 and p < 0.05,
which the signs of fewer than six differing tests can never give.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations

from assay.stats import estimates, pairs
from assay.summary.judged_domain import (
    TENTHS,
    Figure,
    Weights,
    domain_judged,
    evidence_only,
    is_shown,
    judge_only,
    mean_over,
    overall,
    per_test,
    scored,
    tests_of,
)
from assay.types import Estimate
from assay.types.judging.judged import (
    POINTS_OF_10,
    DomainDifference,
    DomainJudged,
    Ground,
    Inconsistency,
    JudgeCost,
    Judged,
    ModelChoice,
    ModelJudged,
    ModelSpeed,
    OverRuns,
    RaterAgreement,
    Rival,
    RunPoint,
    TestJudged,
)
from assay.types.judging.judgements import MOST, Band, FinalJudgement, Judging
from assay.types.measured.performance import Performance

SIGNIFICANT = 0.05
CLOSE = 0.5  # points of 10 within which two means without a significant difference count as equal
TOO_LOW: frozenset[Band] = frozenset({"POOR", "FAILED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRun:
    """What a model was found to be in a run before this one. `when` is ISO 8601 in UTC."""

    run: str
    when: str
    model: str
    final_judgements: tuple[FinalJudgement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedModel:
    """`categories` by suite and id of the test; `weights` by suite and category."""

    model: str
    answers: tuple[FinalJudgement, ...]
    categories: Mapping[tuple[str, str], str] = field(default_factory=dict)
    weights: Weights = field(default_factory=dict)
    performance: Performance | None = None
    memory_bytes: int | None = None


def judged(
    models: Sequence[JudgedModel],
    *,
    run: str = "",
    when: str = "",
    earlier: Sequence[EarlierRun] = (),
    judging: Judging | None = None,
    costs: Sequence[JudgeCost] = (),
    agreements: Sequence[RaterAgreement] = (),
    inconsistent: Sequence[Inconsistency] = (),
) -> Judged:
    """`run` and `when` name this run; `earlier`: the oldest first, of any model."""
    found = [_model(one, run=run, when=when, earlier=earlier) for one in models]
    domains = tuple(dict.fromkeys(each.domain for one in found for each in one.domains))
    weights = {part: weight for one in models for part, weight in one.weights.items()}
    apart = differences(found, domains, weights)
    finals = [answer for one in models for answer in one.answers]
    judging = judging or Judging(judges=())
    return Judged(
        models=tuple(found),
        domains=domains,
        differences=apart,
        choices=tuple(choose_model(domain, found, apart) for domain in domains),
        deviations=judging.deviations,
        judged_by=judging.judges,
        judges=_once(one.judge for each in finals for one in each.judgements),
        isolation=_once(each.evidence.isolation for each in finals),
        not_run=_not_run(finals),
        use_case=next(iter(_once(each.use_case for each in finals)), ""),
        notes=judging.notes,
        costs=tuple(costs),
        agreements=tuple(agreements),
        inconsistencies=tuple(inconsistent),
        rubrics={
            each.rubric: each.rubric_version for each in finals if each.rubric_version is not None
        },
    )


def _model(of: JudgedModel, *, run: str, when: str, earlier: Sequence[EarlierRun]) -> ModelJudged:
    tests = tuple(tests_of(of.answers, of.categories))
    domains = tuple(
        domain_judged(name, [test for test in tests if test.domain == name], of.weights)
        for name in dict.fromkeys(test.domain for test in tests)
    )
    own = [each for each in earlier if each.model == of.model]
    return ModelJudged(
        model=of.model,
        overall=_overall(domains),
        domains=domains,
        tests=tests,
        pace=None if of.performance is None else _pace(of.performance, of.memory_bytes),
        over_runs=tuple(_over_runs(tests, own, of, run=run, when=when)),
    )


def _overall(domains: Sequence[DomainJudged]) -> Estimate:
    """Every domain weighs the same, whatever its number of tests."""
    parts = [(each.mean.mapped(lambda x: x / MOST, unit="share"), 1.0) for each in domains]
    return estimates.weighted(parts, scale=float(MOST), unit=POINTS_OF_10)


def _pace(of: Performance, memory_bytes: int | None) -> ModelSpeed:
    clock = of.decode_clock if of.decode.all.n else None
    return ModelSpeed(
        tokens_per_s=of.tokens_per_s if clock is None else of.decode.all,
        whole_request=of.tokens_per_s,
        first_token_s=of.first_token_s,
        seconds=of.seconds_mean,
        clock=clock or "request",
        memory_bytes=memory_bytes,
    )


def _not_run(finals: Sequence[FinalJudgement]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for final in finals:
        if final.evidence.missing and not final.evidence.checks:
            found.setdefault(final.evidence.missing, {})[final.test_id] = None
    return {why: tuple(tests) for why, tests in found.items()}


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))


def _over_runs(
    tests: Sequence[TestJudged],
    earlier: Sequence[EarlierRun],
    of: JudgedModel,
    *,
    run: str,
    when: str,
) -> Iterator[OverRuns]:
    sets = [(each, tuple(tests_of(each.final_judgements, of.categories))) for each in earlier]
    mean = partial(mean_over, figure=overall, weights=of.weights)
    for domain in dict.fromkeys(test.domain for test in tests):
        now = [test for test in tests if test.domain == domain]
        then = [
            (each, own)
            for each, found in sets
            if (own := [test for test in found if test.domain == domain])
        ]
        if not then:
            continue
        points = [RunPoint(run=each.run, when=each.when, mean=mean(own)) for each, own in then]
        last = then[-1][1]
        change, p_value, _, _ = paired(last, now, overall, of.weights)
        yield OverRuns(
            domain=domain,
            points=(*points, RunPoint(run=run, when=when, mean=mean(now))),
            change=change,
            p_value=p_value,
            told_apart=told_apart(change, p_value),
            same_judges=_judges(last) == _judges(now),
        )


def _judges(tests: Iterable[TestJudged]) -> frozenset[tuple[str, str]]:
    return frozenset(
        (one.judge, one.fingerprint)
        for test in tests
        for final in test.final_judgements
        for one in scored(final)
    )


def differences(
    models: Sequence[ModelJudged], domains: Sequence[str], weights: Weights
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
            estimate, p_value, higher, lower = paired(*pair, overall, weights)
            found.append(
                DomainDifference(
                    domain=domain,
                    a=a,
                    b=b,
                    difference=estimate,
                    evidence=paired(*pair, evidence_only, weights)[0],
                    judge_only=paired(*pair, judge_only, weights)[0],
                    p_value=p_value,
                    higher=higher,
                    lower=lower,
                    told_apart=told_apart(estimate, p_value),
                )
            )
    return tuple(found)


def paired(
    first: Sequence[TestJudged], second: Sequence[TestJudged], figure: Figure, weights: Weights
) -> tuple[Estimate, float | None, int, int]:
    """How much higher the second is, the p-value, and the tests where it is higher and lower; by
    categories, as `assay compare` takes the difference of two suites.
    """
    a, b = per_test(first, figure), per_test(second, figure)
    category = {(each.suite, each.test_id): each.category for each in second}
    groups: dict[str, tuple[list[float], list[float]]] = {}
    part_weights: dict[str, float] = {}
    for key in (each for each in a if each in b):
        part = (key[0], category[key]) if weights else ("", "")
        before, after = groups.setdefault("\n".join(part), ([], []))
        before.append(a[key] / TENTHS)
        after.append(b[key] / TENTHS)
        part_weights["\n".join(part)] = weights.get(part, 1.0)
    found = pairs.paired_difference_by_category(groups, part_weights)
    missing = len(a.keys() ^ b.keys())
    if found.estimate.value is None:
        return estimates.nothing(unit=POINTS_OF_10, unscored=missing), None, 0, 0
    estimate = found.estimate.mapped(lambda x: x / MOST, unit=POINTS_OF_10, unscored=missing)
    return estimate, found.p_value, found.gained, found.lost


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
    between = {frozenset((each.a, each.b)): each for each in apart if each.domain == domain}

    def rivals(name: str) -> list[Rival]:
        others = [
            _rival(of_model[each], found[each].mean, between[frozenset((name, each))])
            for each in candidates
            if each != name
        ]
        return sorted(others, key=lambda each: (-(each.mean.value or 0.0), each.model))

    leader = max(candidates, key=lambda name: found[name].mean.value or 0.0)
    # Nobody is the best of those that fail while a better one could not be compared.
    highest = max(found, key=lambda name: found[name].mean.value or 0.0)
    is_beaten = (found[highest].mean.value or 0.0) > (found[leader].mean.value or 0.0)
    others = rivals(leader)
    name, equals = leader, [leader]
    ground: Ground
    is_low = found[leader].band is None or found[leader].band in TOO_LOW
    fails = not shown or is_low
    if not whole or (fails and is_beaten):
        ground, name = "incomplete", highest
    elif not shown:
        ground = "not_shown"
    elif is_low:
        ground = "none_good_enough"
    elif all(rival.told_apart for rival in others):
        ground = "better" if others else "alone"
    else:
        near = [each for each in others if (each.lead.value or 0.0) <= CLOSE + 1e-9]
        as_good = [each for each in near if each.lead.n and not each.told_apart]
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
        compared=tuple(each for each in whole if each != name),
        not_shown=tuple(each for each in whole if each not in shown),
        evidence=found[name].evidence,
    )


def _rival(other: ModelJudged, mean: Estimate, difference: DomainDifference) -> Rival:
    """Beside the chosen one, which leads where `difference` is of the two in this order."""
    leads = (difference.difference, difference.evidence, difference.judge_only)
    lead, by_evidence, by_judge = (
        each if difference.a == other.model else each.mapped(lambda x: 0.0 - x, falling=True)
        for each in leads
    )
    return Rival(
        model=other.model,
        mean=mean,
        lead=lead,
        evidence_lead=by_evidence,
        judge_lead=by_judge,
        told_apart=difference.told_apart,
        p_value=difference.p_value,
        pace=other.pace,
    )


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
