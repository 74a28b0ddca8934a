"""Whether a checkpoint is good enough: every limit of a gate against what was measured.

Limits are strict and the point estimate decides; an interval across the limit is marginal, whether
the value passes or not. A figure that is missing is unknown. One that is incomplete can fail and
cannot pass.

What a decision does not cover: accuracy targets missed, suites at or below guessing, greedy
decoding that fails, parts that the weighted score lacks. What a criterion of the gate asks for is
covered by it.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from assay.decide.scores import WEIGHTS
from assay.stats import estimates
from assay.types import Estimate
from assay.types.decisions import (
    TARGETS,
    Acceptance,
    DecisionFact,
    Gate,
    GateCriterion,
    Measurements,
    PromptSamples,
    Sample,
    SizeClass,
    SuiteFigures,
    SuiteLimit,
    WeightedScore,
    fact,
    group_samples,
)

Kind = Literal["perplexity", "suite", "speed", "memory", "accuracy"]
MUST_STAY_BELOW: frozenset[Kind] = frozenset({"perplexity", "memory"})
ROUNDING = 1e-9  # the mean of 0.6, 0.7 and 0.8 is 0.7 to a reader, which is not above 0.7
NAMED = 5  # samples named in a reason; the report has them all


def accept(measured: Measurements, gate: Gate) -> Acceptance:
    """Apply the gate. A checkpoint that could not be evaluated is neither accepted nor refused."""
    text, speed = measured.text, measured.speed
    suites = {name: _suite(measured, limit) for name, limit in gate.suite_criteria().items()}
    asked = {
        "perplexity": _by_size(
            "perplexity", measured, None if text is None else text.perplexity, gate.perplexity_max
        ),
        "os_benchmark": suites.pop("os_benchmark", None),
        "speed": _by_size(
            "speed", measured, None if speed is None else speed.tokens_per_s, gate.speed_min
        ),
        "generation": _generation(measured, gate),
        "memory": _by_size("memory", measured, measured.memory_mb, gate.memory_max_mb),
        **_accuracies(measured, gate),
        "drift": _unknown(None, gate.drift.max_kl, fact("drift_not_measured"))
        if gate.drift
        else None,
        **suites,
    }
    criteria = {name: each for name, each in asked.items() if each is not None}
    accepted = None if measured.failed else _all_of([each.passed for each in criteria.values()])
    return Acceptance(accepted=accepted, criteria=criteria)


def _all_of(passed: Collection[bool | None]) -> bool | None:
    if False in passed:
        return False
    return None if None in passed else True


def _by_size(
    kind: Kind,
    measured: Measurements,
    estimate: Estimate | None,
    limits: Mapping[SizeClass, float] | None,
) -> GateCriterion | None:
    """A figure against the limit of its size class; limits that are all alike need no class."""
    if limits is None:
        return None
    if measured.size_class is not None:
        limit: float | None = limits[measured.size_class]
    else:
        limit = min(limits.values()) if len(set(limits.values())) == 1 else None
    return _limited(kind, measured, estimate, limit)


def _limited(
    kind: Kind,
    measured: Measurements,
    estimate: Estimate | None,
    limit: float | None,
    **named: str,
) -> GateCriterion:
    if estimate is None or estimate.value is None:
        why = _why_not(measured, "perplexity" if kind == "accuracy" else kind)
        return _unknown(None, limit, fact(f"{kind}_not_measured", **named), *why)
    if limit is None:
        return _unknown(estimate.value, None, fact("size_unknown"))
    incomplete = [("", estimate)] if estimate.incomplete else []
    return _doubted(_against(kind, estimate, limit, **named), incomplete)


def _accuracies(measured: Measurements, gate: Gate) -> dict[str, GateCriterion]:
    found = accuracies(measured)
    return {
        name: _limited("accuracy", measured, found[name], limit, name=name)
        for name, limit in gate.accuracy_min.items()
    }


def _suite(measured: Measurements, asked: SuiteLimit) -> GateCriterion:
    """The mean of the categories asked for; one that was not run leaves it unknown."""
    suite = measured.suites.get(asked.name)
    why = _why_not(measured, asked.name)
    if suite is None:
        return _unknown(None, asked.min, fact("suite_not_measured", suite=asked.name), *why)
    names = asked.categories or tuple(suite.categories)
    shares = {name: suite.categories.get(name) for name in names}
    mean, _ = beside_guessing(suite, names)
    if mean is None:
        missing = tuple(name for name, share in shares.items() if not share or not share.n)
        empty = fact("suite_empty", suite=asked.name, categories=missing)
        return _unknown(None, asked.min, empty, *why)
    incomplete = [
        (name, share) for name, share in shares.items() if share is not None and share.incomplete
    ]
    found = []
    if asked.min is not None:
        found.append(_against("suite", mean, asked.min, suite=asked.name))
    if asked.above_guessing:
        found.append(_above_guessing(suite, asked))
    both = replace(
        next((each for each in found if each.passed is False), found[0]),
        passed=_all_of([each.passed for each in found]),
        marginal=any(each.marginal for each in found),
        reasons=tuple(reason for each in found for reason in each.reasons),
    )
    doubts = (fact("judge_not_qualified", judges=suite.unqualified),) if suite.unqualified else ()
    return _doubted(both, incomplete, doubts)


def _above_guessing(suite: SuiteFigures, asked: SuiteLimit) -> GateCriterion:
    """The interval decides: a value above the best baseline whose interval includes it fails."""
    share, guess = beside_guessing(suite, asked.categories)
    if share is None or share.value is None or guess is None:
        return _unknown(None, None, fact("baseline_unknown", suite=asked.name))
    passed = is_above(share, guess)
    kind = "above_guessing" if passed else "at_guessing"
    return GateCriterion(
        passed=passed,
        marginal=not passed and share.value > guess,
        value=share.value,
        limit=guess,
        reasons=(fact(kind, suite=asked.name, value=share, guess=guess),),
    )


def _doubted(
    criterion: GateCriterion,
    incomplete: Sequence[tuple[str, Estimate]],
    doubts: Sequence[DecisionFact] = (),
) -> GateCriterion:
    """What is incomplete or rests on a judge that is not qualified can fail and cannot pass."""
    reasons = [
        fact(
            "category_incomplete" if name else "incomplete",
            name=name,
            unscored=of.unscored,
            total=of.n + of.unscored,
        )
        for name, of in incomplete
    ]
    if not reasons and not doubts:
        return criterion
    passed = None if criterion.passed else criterion.passed
    return replace(criterion, passed=passed, reasons=(*criterion.reasons, *reasons, *doubts))


def _against(kind: Kind, estimate: Estimate, limit: float, **named: str) -> GateCriterion:
    """The point estimate decides; the interval says whether it could have gone the other way."""
    value = estimate.value
    assert value is not None
    below = kind in MUST_STAY_BELOW
    passed: bool | None = _clears(value, limit, below=below)
    low = value if estimate.low is None else estimate.low
    high = value if estimate.high is None else estimate.high
    marginal = _clears(low, limit, below=below) != _clears(high, limit, below=below)
    compared = f"{kind}_passes" if passed else f"{kind}_fails"
    reasons = [fact(compared, value=value, limit=limit, **named)]
    if estimate.low != estimate.high:
        ends = "range" if kind == "speed" else "interval"  # a speed has the range of its runs
        name = f"{ends}_marginal" if marginal else ends
        reasons.append(fact(name, value=value, limit=limit, low=estimate.low, high=estimate.high))
    return GateCriterion(
        passed=passed, marginal=marginal, value=value, limit=limit, reasons=tuple(reasons)
    )


def _clears(value: float, limit: float, *, below: bool) -> bool:
    if math.isclose(value, limit, rel_tol=ROUNDING):
        return False
    return value < limit if below else value > limit


def _unknown(value: float | None, limit: float | None, *reasons: DecisionFact) -> GateCriterion:
    return GateCriterion(passed=None, marginal=False, value=value, limit=limit, reasons=reasons)


def _why_not(measured: Measurements, name: str) -> tuple[DecisionFact, ...]:
    """The reason that was noted when it was not measured, or why nothing could be."""
    if measured.failed:
        return (fact("not_evaluated_because", why=measured.failed),)
    why = measured.not_measured.get(name)
    return (fact("text", text=why),) if why else ()


def _generation(measured: Measurements, gate: Gate) -> GateCriterion | None:
    """Prompts that fail are counted; a count has no interval, so it is never marginal."""
    allowed = gate.generation_max_failures
    if allowed is None:
        return None
    samples = measured.samples
    if not samples:
        why = _why_not(measured, "generation")
        return _unknown(None, allowed, fact("no_samples"), *why)
    prompts, greedy = group_samples(samples)
    deciding: dict[str, list[PromptSamples]] = {}
    for each in (*prompts, *(greedy if gate.generation_greedy == "gate" else ())):
        deciding.setdefault(each.id, []).append(each)
    failing = [
        f"{name} ({', '.join(dict.fromkeys(kind for each in ways for kind in each.kinds))})"
        for name, ways in deciding.items()
        if any(each.fails for each in ways)
    ]
    unknown = sum(
        any(each.fails is None for each in ways) and not any(each.fails for each in ways)
        for ways in deciding.values()
    )
    passed: bool | None = len(failing) <= allowed
    if failing:
        more = "…" if len(failing) > NAMED else ""
        reasons = [
            fact(
                "samples_failed",
                samples=len(deciding),
                failed=len(failing),
                allowed=allowed,
                which=", ".join(failing[:NAMED]) + more,
            )
        ]
    else:
        reasons = [fact("samples_passed", count=len(deciding))]
    if passed and unknown:
        passed = None
        reasons.append(fact("samples_unknown", count=unknown))
    doubted = tuple(name for name, qualified in measured.sample_judges.items() if not qualified)
    if passed and doubted and any(each.is_overruled for each in samples):
        passed = None
        reasons.append(fact("judge_not_qualified", judges=doubted))
    if said := describe_greedy(samples):
        reasons.append(said)
    return GateCriterion(
        passed=passed,
        marginal=False,
        value=float(len(failing)),
        limit=float(allowed),
        reasons=tuple(reasons),
    )


def find_not_covered(
    measured: Measurements, gate: Gate, score: WeightedScore
) -> tuple[DecisionFact, ...]:
    if measured.failed:
        return ()
    return (*_accuracy(measured, gate), *_suites(measured, gate), *_greedy(measured, gate),
            *(fact("part_missing", part=part, weight=WEIGHTS[part]) for part in score.missing)
            )  # fmt: skip


def accuracies(measured: Measurements) -> dict[str, Estimate | None]:
    text = measured.text
    return {
        "accuracy_top1": text.top1 if text else None,
        "accuracy_top5": text.top5 if text else None,
    }


def _accuracy(measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
    for name, share in accuracies(measured).items():
        target = TARGETS[name]
        if share is None or share.value is None or share.value > target:
            continue
        if gate.accuracy_min.get(name, 0.0) < target:
            yield fact("target_missed", name=name, value=share, target=target)


def _suites(measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
    asked = {limit.name for limit in gate.suites if limit.above_guessing}
    for name, suite in measured.suites.items():
        share, guess = beside_guessing(suite)
        if name not in asked and share and guess is not None and not is_above(share, guess):
            yield fact("at_guessing", suite=name, value=share, guess=guess)


def beside_guessing(
    suite: SuiteFigures, categories: Sequence[str] = ()
) -> tuple[Estimate | None, float | None]:
    """The share of a suite or of some categories, and the best baseline of the same."""
    if not categories:
        score = suite.score
        return (score.mapped(lambda x: x / 100) if score.n else None), suite.baseline
    known = [each for each in suite.baselines if all(name in each for name in categories)]
    means = [math.fsum(each[name] for name in categories) / len(categories) for each in known]
    shares = [suite.categories.get(name) for name in categories]
    return estimates.even_mean(shares), max(means, default=None)


def is_above(share: Estimate, guess: float) -> bool:
    """The whole interval."""
    return share.low is not None and share.low > guess


def _greedy(measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
    decides = gate.generation_max_failures is not None and gate.generation_greedy == "gate"
    found = describe_greedy(measured.samples or ())
    if not decides and found and found.kind == "greedy_samples":
        yield found


def describe_greedy(samples: Sequence[Sample]) -> DecisionFact | None:
    """What greedy decoding does beside the samples; None where it was not tried."""
    _, greedy = group_samples(samples)
    if not greedy:
        return None
    kinds = Counter(kind for each in greedy for kind in each.kinds)
    return fact(
        "greedy_samples" if kinds else "greedy_samples_passed",
        samples=len(greedy),
        kinds=tuple(f"{count} {name}" for name, count in kinds.most_common()),
    )
