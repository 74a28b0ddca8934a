"""What the judgements of a run say, model by model, and which model to use.

    judged_scores   judgements -> tests, and means over tests in points of 10
    judged_domain   the tests of a rubric -> DomainJudged
    judged_choice   models -> paired differences, and which one to use

A test counts once: the mean over its answers where it was asked several times. An unscored test is
in no mean, and is counted beside each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.stats import estimates
from assay.summary.judged_choice import choose_model, differences
from assay.summary.judged_domain import domain_judged
from assay.summary.judged_scores import JudgedAnswer, tests_of
from assay.types import Estimate
from assay.types.judged import (
    POINTS_OF_10,
    DomainJudged,
    JudgeCost,
    Judged,
    ModelJudged,
    ModelSpeed,
    RaterAgreement,
)
from assay.types.judgements import MOST, Deviation, FinalJudgement, JudgedBy
from assay.types.results import Performance

__all__ = ["JudgedAnswer", "JudgedModel", "judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedModel:
    model: str
    answers: tuple[JudgedAnswer, ...]
    performance: Performance | None = None
    memory_bytes: int | None = None


def judged(
    models: Sequence[JudgedModel],
    *,
    deviations: Sequence[Deviation] = (),
    judged_by: Sequence[JudgedBy] = (),
    notes: Sequence[str] = (),
    costs: Sequence[JudgeCost] = (),
    agreements: Sequence[RaterAgreement] = (),
    seed: int = 0,
) -> Judged:
    """Everything a report says of judged tests."""
    found = [_model(one, seed=seed) for one in models]
    domains = tuple(dict.fromkeys(each.domain for one in found for each in one.domains))
    apart = differences(found, domains, seed=seed)
    finals = [answer.judgement for one in models for answer in one.answers]
    return Judged(
        models=tuple(found),
        domains=domains,
        differences=apart,
        choices=tuple(choose_model(domain, found, apart) for domain in domains),
        deviations=tuple(deviations),
        judged_by=tuple(judged_by),
        judges=_once(one.judge for each in finals for one in each.judgements),
        isolation=_once(each.evidence.isolation for each in finals),
        not_run=_not_run(finals),
        use_case=next(iter(_once(each.use_case for each in finals)), ""),
        notes=tuple(notes),
        costs=tuple(costs),
        agreements=tuple(agreements),
    )


def _model(of: JudgedModel, *, seed: int) -> ModelJudged:
    tests = tuple(tests_of(of.answers))
    domains = tuple(
        domain_judged(name, [test for test in tests if test.domain == name], seed=seed)
        for name in dict.fromkeys(test.domain for test in tests)
    )
    return ModelJudged(
        model=of.model,
        overall=_overall(domains),
        domains=domains,
        tests=tests,
        pace=None if of.performance is None else _pace(of.performance, of.memory_bytes),
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
    """By reason the tests that have no evidence."""
    found: dict[str, dict[str, None]] = {}
    for final in finals:
        if final.evidence.missing and not final.evidence.checks:
            found.setdefault(final.evidence.missing, {})[final.test_id] = None
    return {why: tuple(tests) for why, tests in found.items()}


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))
