"""Whether a checkpoint is good enough: every limit of a gate against what was measured.

In: a Measured and a Gate. Out: an Acceptance, each criterion with a reason in whole sentences.

Limits are strict and the point estimate decides; an interval across the limit is marginal, whether
the value passes or not. A figure that is missing is unknown. One that is incomplete can fail and
cannot pass.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from assay import stats
from assay.decide.figures import digits_apart, interval_shown, shown
from assay.messages import tr, trn
from assay.types import Estimate
from assay.types.decisions import (
    OS_SUITE,
    Acceptance,
    Criterion,
    Gate,
    Measured,
    Sample,
    SizeClass,
    SuiteLimit,
)

Kind = Literal["perplexity", "suite", "speed", "memory"]
MUST_STAY_BELOW: frozenset[Kind] = frozenset({"perplexity", "memory"})
ROUNDING = 1e-9  # the mean of 0.6, 0.7 and 0.8 is 0.7 to a reader, which is not above 0.7
NOTED_AS: dict[Kind, tuple[str, ...]] = {  # in `Measured.not_measured`
    "perplexity": ("perplexity", "text"),
    "speed": ("speed", "inference_speed"),
    "memory": ("memory", "memory_mb", "memory_usage_mb"),
}
NAMED = 5  # samples named in a reason; the report has them all


def accept(measured: Measured, gate: Gate) -> Acceptance:
    """Judge one checkpoint. One that could not be evaluated is neither accepted nor refused."""
    criteria: dict[str, Criterion] = {}
    further: dict[str, Criterion] = {}
    if gate.perplexity_max is not None:
        perplexity = None if measured.text is None else measured.text.perplexity
        criteria["perplexity"] = _by_size("perplexity", measured, perplexity, gate.perplexity_max)
    for asked in gate.suites:
        if asked.name == OS_SUITE and "os_benchmark" not in criteria:
            criteria["os_benchmark"] = _suite(measured, asked)
        else:
            further[_free_name(f"suite:{asked.name}", further)] = _suite(measured, asked)
    if gate.speed_min is not None:
        speed = None if measured.speed is None else measured.speed.tokens_per_s
        criteria["speed"] = _by_size("speed", measured, speed, gate.speed_min)
    if gate.generation_max_failures is not None:
        criteria["generation"] = _generation(measured, gate.generation_max_failures)
    if gate.memory_max_mb is not None:
        criteria["memory"] = _by_size("memory", measured, measured.memory_mb, gate.memory_max_mb)
    criteria |= further
    accepted = None if measured.failed else _all_of([each.passed for each in criteria.values()])
    return Acceptance(accepted=accepted, criteria=criteria)


def _all_of(passed: Collection[bool | None]) -> bool | None:
    if False in passed:
        return False
    return None if None in passed else True


def _free_name(wanted: str, taken: Mapping[str, Criterion]) -> str:
    """A gate may ask of one suite twice, of other categories each time."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}:{number}"
    return name


# --------------------------------------------------------------------------- figures with intervals


def _by_size(
    kind: Kind, measured: Measured, estimate: Estimate | None, limits: Mapping[SizeClass, float]
) -> Criterion:
    """A figure against the limit of its size class; limits that are all alike need no class."""
    if measured.size_class is not None:
        limit: float | None = limits[measured.size_class]
    else:
        limit = min(limits.values()) if len(set(limits.values())) == 1 else None
    if estimate is None or estimate.value is None:
        return _unknown(None, limit, _not_measured(kind, ""), _why_not(measured, *NOTED_AS[kind]))
    if limit is None:
        why = tr("Its limit depends on the size class, and the number of parameters is not known.")
        return _unknown(estimate.value, None, _only_value(kind, shown(estimate.value)), why)
    return _against(kind, estimate, limit)


def _suite(measured: Measured, asked: SuiteLimit) -> Criterion:
    """The mean of the categories asked for; one that was not run leaves it unknown."""
    figures = measured.suites.get(asked.name)
    if figures is None:
        sentence = _not_measured("suite", asked.name)
        return _unknown(None, asked.min, sentence, _why_not_suite(measured, asked.name))
    names = asked.categories or tuple(figures.categories)
    shares = [figures.categories.get(name) for name in names]
    mean = stats.even_mean(shares)
    if mean is None:
        missing = [
            name for name, share in zip(names, shares, strict=True) if not share or not share.n
        ]
        sentence = tr(
            "The suite {suite} has no value: nothing was marked in {categories}.",
            suite=asked.name,
            categories=", ".join(missing) or tr("any category"),
        )
        return _unknown(None, asked.min, sentence, _why_not_suite(measured, asked.name))
    incomplete = [
        (name, share)
        for name, share in zip(names, shares, strict=True)
        if share is not None and share.incomplete
    ]
    return _against("suite", mean, asked.min, suite=asked.name, incomplete=incomplete)


def _against(
    kind: Kind,
    estimate: Estimate,
    limit: float,
    *,
    suite: str = "",
    incomplete: Sequence[tuple[str, Estimate]] = (),
) -> Criterion:
    """The point estimate decides; the interval says whether it could have gone the other way."""
    value = estimate.value
    assert value is not None
    below = kind in MUST_STAY_BELOW
    passed: bool | None = _clears(value, limit, below=below)
    low = value if estimate.low is None else estimate.low
    high = value if estimate.high is None else estimate.high
    marginal = _clears(low, limit, below=below) != _clears(high, limit, below=below)
    digits = digits_apart(value, limit)
    told = [_compared(kind, bool(passed), shown(value, digits), shown(limit, digits), suite)]
    told += _interval(kind, estimate, digits, marginal=marginal)
    if not incomplete and estimate.incomplete:
        incomplete = (("", estimate),)
    if incomplete:
        told += [_incomplete(name, of) for name, of in incomplete]
        passed = False if passed is False else None
    return Criterion(
        passed=passed, marginal=marginal, value=value, limit=limit, reason=" ".join(told)
    )


def _clears(value: float, limit: float, *, below: bool) -> bool:
    if math.isclose(value, limit, rel_tol=ROUNDING):
        return False
    return value < limit if below else value > limit


def _unknown(value: float | None, limit: float | None, *sentences: str) -> Criterion:
    reason = " ".join(sentence for sentence in sentences if sentence)
    return Criterion(passed=None, marginal=False, value=value, limit=limit, reason=reason)


# --------------------------------------------------------------------------------------- generation


def _generation(measured: Measured, allowed: int) -> Criterion:
    """Samples that loop, repeat themselves or are nonsense, counted. A count of the samples that
    were written has no interval, so it is never marginal.
    """
    samples = measured.samples
    if not samples:
        why = _why_not(measured, "generation", "samples")
        return _unknown(None, allowed, tr("No sample was written."), why)
    failing = [sample for sample in samples if sample.health and sample.health.failures]
    unheard = sum(sample.health is None for sample in samples)
    passed: bool | None = len(failing) <= allowed
    told = [_counted(failing, len(samples), allowed)]
    if passed and unheard:
        passed = None
        told.append(
            trn(
                "{count} request failed, and what it would have written is not known.",
                "{count} requests failed, and what they would have written is not known.",
                unheard,
            )
        )
    return Criterion(
        passed=passed,
        marginal=False,
        value=float(len(failing)),
        limit=float(allowed),
        reason=" ".join(told),
    )


def _counted(failing: Sequence[Sample], samples: int, allowed: int) -> str:
    if not failing:
        return trn(
            "The one sample neither loops nor repeats itself nor is nonsense.",
            "None of {count} samples loops, repeats itself or is nonsense.",
            samples,
        )
    named = [
        f"{sample.id} ({', '.join(check.name for check in sample.health.failures)})"
        for sample in failing[:NAMED]
        if sample.health is not None
    ]
    which = ", ".join(named) + ("…" if len(failing) > NAMED else "")
    counts = {"samples": samples, "failed": len(failing), "allowed": allowed, "which": which}
    if len(failing) <= allowed:
        return tr("Of {samples} samples {failed} failed and {allowed} may: {which}.", **counts)
    return tr("Of {samples} samples {failed} failed, and only {allowed} may: {which}.", **counts)


# ---------------------------------------------------------------------------------------- sentences


def _compared(kind: Kind, passed: bool, value: str, limit: str, suite: str) -> str:
    match kind, passed:
        case "perplexity", True:
            return tr("Perplexity {value} is below {limit}.", value=value, limit=limit)
        case "perplexity", _:
            return tr("Perplexity {value} is not below {limit}.", value=value, limit=limit)
        case "suite", True:
            return tr(
                "The suite {suite} has {value}, above {limit}.",
                suite=suite,
                value=value,
                limit=limit,
            )
        case "suite", _:
            return tr(
                "The suite {suite} has {value}, not above {limit}.",
                suite=suite,
                value=value,
                limit=limit,
            )
        case "speed", True:
            return tr(
                "It writes {value} tokens per second, above {limit}.", value=value, limit=limit
            )
        case "speed", _:
            return tr(
                "It writes {value} tokens per second, not above {limit}.", value=value, limit=limit
            )
        case _, True:
            return tr("It takes {value} MB of memory, below {limit}.", value=value, limit=limit)
        case _:
            return tr("It takes {value} MB of memory, not below {limit}.", value=value, limit=limit)


def _not_measured(kind: Kind, suite: str) -> str:
    match kind:
        case "perplexity":
            return tr("Perplexity was not measured.")
        case "suite":
            return tr("The suite {suite} was not run.", suite=suite)
        case "speed":
            return tr("Speed was not measured.")
        case "memory":
            return tr("Memory was not measured.")


def _only_value(kind: Kind, value: str) -> str:
    match kind:
        case "perplexity":
            return tr("Perplexity is {value}.", value=value)
        case "speed":
            return tr("It writes {value} tokens per second.", value=value)
        case _:
            return tr("It takes {value} MB of memory.", value=value)


def _interval(kind: Kind, estimate: Estimate, digits: int, *, marginal: bool) -> list[str]:
    """How far the figure may be off: an interval, or for speeds the runs as they went."""
    limits = interval_shown(estimate, digits)
    if limits is None or estimate.low == estimate.high:
        return []
    ends = {"low": limits[0], "high": limits[1]}
    match kind, marginal:
        case "speed", True:
            return [tr("This is marginal: its runs, {low} to {high}, lie across it.", **ends)]
        case "speed", _:
            return [tr("Its runs went at {low} to {high}.", **ends)]
        case _, True:
            return [
                tr(
                    "This is marginal: its 95 % interval, {low} to {high}, lies across the limit.",
                    **ends,
                )
            ]
        case _:
            return [tr("Its 95 % interval is {low} to {high}.", **ends)]


def _incomplete(name: str, of: Estimate) -> str:
    total = of.n + of.unscored
    if name:
        return tr(
            "{name} is incomplete, {unscored} of {total} without a mark, and no gate passes on it.",
            name=name,
            unscored=of.unscored,
            total=total,
        )
    return tr(
        "It is incomplete, {unscored} of {total} without a figure, and no gate passes on it.",
        unscored=of.unscored,
        total=total,
    )


def _why_not_suite(measured: Measured, suite: str) -> str:
    return _why_not(measured, suite, *(("os_benchmark",) if suite == OS_SUITE else ()))


def _why_not(measured: Measured, *names: str) -> str:
    """The reason that was noted when it was not measured, or why nothing could be."""
    if measured.failed:
        return tr("The checkpoint could not be evaluated: {why}", why=measured.failed)
    return next(
        (measured.not_measured[name] for name in names if name in measured.not_measured), ""
    )
