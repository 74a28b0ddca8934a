"""Verdicts made by hand, and models that have them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from assay.summary.judged import JudgedModel
from assay.types import Estimate
from assay.types.judging.judgements import (
    Confidence,
    CriterionScore,
    Evidence,
    EvidenceCheck,
    FinalCriterion,
    FinalJudgement,
    Judgement,
    Quote,
    lower_median,
)
from assay.types.measured.performance import Performance, Speeds

CRITERIA = {
    "coding": (
        ("correctness", "Correctness", 4),
        ("completeness", "Completeness", 3),
        ("code_quality", "Code Quality", 3),
    ),
    "data": (
        ("correctness", "Correctness", 4),
        ("completeness", "Completeness", 3),
        ("insight_quality", "Insight Quality", 3),
    ),
}
NAMES = {
    "CT-01": ("Binary search", "writing"),
    "CT-02": ("Performance optimisation", "improving"),
    "CT-03": ("Bug fixing", "improving"),
    "CT-04": ("Code review", "explaining"),
    "CT-05": ("Documentation", "explaining"),
    "CT-06": ("API integration", "writing"),
    "DT-01": ("CSV analysis", "extracting"),
    "DT-02": ("E-mail threads", "extracting"),
    "DT-03": ("Multi-source fusion", "connecting"),
    "DT-04": ("Data validation", "connecting"),
    "DT-05": ("Executive report", "reporting"),
    "DT-06": ("Pattern recognition", "reporting"),
}
CODING = [test for test in NAMES if test.startswith("CT")]
DATA = [test for test in NAMES if test.startswith("DT")]


def evidence(passed: int, total: int, *, isolation: str = "") -> Evidence:
    checks = tuple(
        EvidenceCheck(
            name=f"case {number}",
            passed=number <= passed,
            explanation=f"case {number} gives what it should"
            if number <= passed
            else f"case {number} gives another result",
        )
        for number in range(1, total + 1)
    )
    return Evidence(checks=checks, isolation=isolation)


def judgement(
    rubric: str,
    scores: Sequence[int],
    *,
    judge: str = "ollama:judge:7b",
    repeat: int = 0,
    fingerprint: str = "j1",
    strengths: Sequence[str] = ("States the complexity.",),
    weaknesses: Sequence[str] = ("No example of use.",),
    verdict: str = "A sound answer with a gap.",
    assessment: str = "",
    quotes: Sequence[Quote] = (),
) -> Judgement:
    return Judgement(
        judge=judge,
        fingerprint=fingerprint,
        form="reasoned",
        repeat=repeat,
        scores=tuple(
            CriterionScore(criterion=key, score=score, reason=f"the reason for {label.lower()}")
            for (key, label, _), score in zip(CRITERIA[rubric], scores, strict=True)
        ),
        strengths=tuple(strengths),
        weaknesses=tuple(weaknesses),
        verdict=verdict,
        assessment=assessment,
        quotes=tuple(quotes),
    )


def verdict(
    test_id: str,
    *scores: Sequence[int],
    shown: Evidence | None = None,
    judgements: Sequence[Judgement] = (),
    reasons: Mapping[str, str] | None = None,
    confidence: Confidence | None = "high",
    confidence_reasons: Sequence[str] = ("all judgements lie within a point",),
    borderline: str = "",
    unscored: str | None = None,
    explanation: str = "",
    name: str | None = None,
    task: str = "Write what was asked for.",
    rubric: str | None = None,
) -> FinalJudgement:
    """One verdict from one judgement or several, each a triple, bounded by the evidence."""
    domain = rubric or ("coding" if test_id.startswith("CT") else "data")
    found = shown if shown is not None else Evidence(missing="nothing can be run")
    told = tuple(judgements) or tuple(
        judgement(domain, triple, repeat=number) for number, triple in enumerate(scores)
    )
    criteria = []
    for key, label, weight in CRITERIA[domain] if scores or judgements else ():
        given = [score for one in told if (score := one.score_of(key)) is not None]
        judged = lower_median(given)
        least, most = found.bounds_of(key)
        criteria.append(
            FinalCriterion(
                criterion=key,
                label=label,
                weight=weight,
                score=min(most, max(least, judged)),
                judged=judged,
                low=min(given),
                high=max(given),
                reason=(reasons or {}).get(key, f"the reason for {label.lower()}"),
            )
        )
    return FinalJudgement(
        test_id=test_id,
        suite=domain,
        rubric=domain,
        evidence=found,
        judgements=told,
        criteria=() if unscored else tuple(criteria),
        unscored_reason=unscored,
        explanation=explanation,
        borderline=borderline,
        confidence=None if unscored else confidence,
        confidence_reasons=() if unscored else tuple(confidence_reasons),
        name=NAMES.get(test_id, ("", ""))[0] if name is None else name,
        task=task,
    )


def figure(value: float | None, unit: str, n: int = 12, width: float = 0.05) -> Estimate:
    known = value is not None
    return Estimate(
        value=value,
        low=value * (1 - width) if known else None,
        high=value * (1 + width) if known else None,
        n=n if known else 0,
        unscored=0,
        unit=unit,
        method="bootstrap",
    )


def performance(tokens_per_s: float | None, *, clock: str | None = "server") -> Performance:
    nothing, speed = figure(None, "s"), figure(tokens_per_s, "tokens/s")
    none = figure(None, "tokens/s")
    decode = speed if clock else none
    return Performance(
        answered=12, failed=0, seconds_mean=figure(3.0, "s"), seconds_sd=nothing,
        seconds_p50=nothing, seconds_p95=nothing, first_token_s=figure(0.4, "s"),
        first_answer_s=nothing, load_s=nothing, other_s=nothing, prompt_tokens=none,
        output_tokens=none, tokens_per_s=speed, prefill=Speeds(all=none, cold=none, warm=none),
        decode=Speeds(all=decode, cold=none, warm=none), client_decode=none, decode_clock=clock,
    )  # fmt: skip


def categories_of(verdicts: Sequence[FinalJudgement]) -> dict[tuple[str, str], str]:
    return {(each.suite, each.test_id): NAMES[each.test_id][1] for each in verdicts}


def model(
    name: str,
    verdicts: Sequence[FinalJudgement],
    *,
    speed: float | None = None,
    clock: str | None = "server",
    memory: int | None = None,
) -> JudgedModel:
    return JudgedModel(
        model=name,
        answers=tuple(verdicts),
        categories=categories_of(verdicts),
        performance=None if speed is None else performance(speed, clock=clock),
        memory_bytes=memory,
    )


def flat(tests: Sequence[str], *points: int) -> list[FinalJudgement]:
    """Each test with three times the same points, which is its overall."""
    return [
        verdict(test, (point,) * 3)
        for test, point in zip(tests, itertools.cycle(points), strict=False)
    ]
