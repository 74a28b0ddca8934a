"""What the judgements of a run say, model by model, and which model to use.

A test counts once: the mean over its answers where it was asked several times. An unscored test is
in no mean, and is counted beside each.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from assay.stats import estimates
from assay.summary.judged_choice import choose_model, differences, paired, told_apart
from assay.summary.judged_domain import domain_judged
from assay.summary.judged_scores import mean_over, overall, scored, tests_of
from assay.types import Estimate
from assay.types.judged import (
    POINTS_OF_10,
    DomainJudged,
    JudgeCost,
    Judged,
    ModelJudged,
    ModelSpeed,
    OverRuns,
    RaterAgreement,
    RunPoint,
    TestJudged,
)
from assay.types.judgements import MOST, FinalJudgement, Judging
from assay.types.performance import Performance


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRun:
    """What a model was found to be in a run before this one. `when` is ISO 8601 in UTC."""

    run: str
    when: str
    model: str
    final_judgements: tuple[FinalJudgement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedModel:
    """`categories` by suite and id of the test."""

    model: str
    answers: tuple[FinalJudgement, ...]
    categories: Mapping[tuple[str, str], str] = field(default_factory=dict)
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
) -> Judged:
    """`run` and `when` name this run among the earlier ones, which may be of any model."""
    found = [_model(one, run=run, when=when, earlier=earlier) for one in models]
    domains = tuple(dict.fromkeys(each.domain for one in found for each in one.domains))
    apart = differences(found, domains)
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
    )


def _model(of: JudgedModel, *, run: str, when: str, earlier: Sequence[EarlierRun]) -> ModelJudged:
    tests = tuple(tests_of(of.answers, of.categories))
    domains = tuple(
        domain_judged(name, [test for test in tests if test.domain == name])
        for name in dict.fromkeys(test.domain for test in tests)
    )
    own = [each for each in earlier if each.model == of.model]
    return ModelJudged(
        model=of.model,
        overall=_overall(domains),
        domains=domains,
        tests=tests,
        pace=None if of.performance is None else _pace(of.performance, of.memory_bytes),
        over_runs=tuple(_over_runs(tests, own, run=run, when=when)),
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
    tests: Sequence[TestJudged], earlier: Sequence[EarlierRun], *, run: str, when: str
) -> Iterator[OverRuns]:
    before = sorted(earlier, key=lambda each: (each.when, each.run))
    sets = [(each, tuple(tests_of(each.final_judgements, {}))) for each in before]
    for domain in dict.fromkeys(test.domain for test in tests):
        now = [test for test in tests if test.domain == domain]
        then = [
            (each, own)
            for each, found in sets
            if (own := [test for test in found if test.domain == domain])
        ]
        if not then:
            continue
        points = [
            RunPoint(run=each.run, when=each.when, mean=mean_over(own, overall))
            for each, own in then
        ]
        last = then[-1][1]
        change, p_value, _, _ = paired(last, now, overall)
        yield OverRuns(
            domain=domain,
            points=(*points, RunPoint(run=run, when=when, mean=mean_over(now, overall))),
            change=change,
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
