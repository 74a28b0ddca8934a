"""What to change next: from what was measured only, and each recommendation with its figures.

The order: for each criterion that failed its first remedy, in the order in which they are worth
trying (a base that reads badly spoils all else); what is missing; the second remedies; what is too
near to its limit; a run that goes wrong although this checkpoint passes; a part that the weighted
score lacks; for an accepted one what could still be gained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from assay.decide.advice.machine import on_memory, on_speed
from assay.decide.advice.measurements import on_marginal, on_missing, on_score
from assay.decide.advice.perplexity import on_text, on_the_run
from assay.decide.advice.samples import on_samples
from assay.decide.advice.suites import on_suite
from assay.decide.advice.weak_groups import TestGroups
from assay.decide.trend.curves import Trend, curve_fact
from assay.types.decisions import Acceptance, Gate, Measurements, Recommendation, SuiteLimit, fact

MOST = 6
GOOD = 0.9  # of a category: what is below can still be gained


def advise(
    measured: Measurements,
    acceptance: Acceptance,
    trend: Trend | None,
    gate: Gate,
    groups: Mapping[str, TestGroups],
) -> tuple[Recommendation, ...]:
    """What to change after this checkpoint: at most MOST, the most useful first, no two alike.
    `trend` is over the steps of its folder; `groups`: suite -> category -> test id -> kinds.
    """
    if measured.failed:
        advice = fact("repair_one", checkpoint=measured.name)
        return (Recommendation("missing", advice, (fact("text", text=measured.failed),)),)
    asked = {
        key: limit for key, limit in gate.suite_criteria().items() if key in acceptance.criteria
    }
    remedies = list(_remedies(measured, acceptance, trend, gate, asked, groups))
    found = [
        *(remedy for first in remedies for remedy in first[:1]),
        *on_missing(measured, acceptance, asked),
        *(remedy for first in remedies for remedy in first[1:]),
        *on_marginal(measured, acceptance, asked),
        *on_the_run(acceptance.criteria.get("perplexity"), trend),
        *on_score(measured),
        *(_gain(measured, trend, asked) if acceptance.accepted else ()),
    ]
    return _chosen(found)


def _remedies(
    measured: Measurements,
    acceptance: Acceptance,
    trend: Trend | None,
    gate: Gate,
    asked: Mapping[str, SuiteLimit],
    groups: Mapping[str, TestGroups],
) -> Iterator[list[Recommendation]]:
    """For each criterion that failed what could help, in the order in which they matter."""
    failing = {
        key: (each.value, each.limit)
        for key, each in acceptance.criteria.items()
        if each.passed is False and each.value is not None and each.limit is not None
    }
    if "perplexity" in failing:
        yield on_text(measured, *failing["perplexity"], trend, gate)
    for key, limit in asked.items():
        if key in failing and limit.name in measured.suites:
            yield on_suite(
                measured,
                limit,
                *failing[key],
                perplexity=acceptance.criteria.get("perplexity"),
                trend=trend,
                groups=groups.get(limit.name, {}),
            )
    if "generation" in failing:
        yield on_samples(measured, failing["generation"][1], trend)
    if "memory" in failing:
        yield on_memory(measured, *failing["memory"])
    if "speed" in failing:
        yield on_speed(measured, *failing["speed"])


def _chosen(found: Iterable[Recommendation]) -> tuple[Recommendation, ...]:
    """The first of those that say the same; none without a figure."""
    kept: list[Recommendation] = []
    for each in found:
        if each.figures and all(each.advice != other.advice for other in kept):
            kept.append(each)
    return tuple(kept[:MOST])


def _gain(
    measured: Measurements, trend: Trend | None, asked: Mapping[str, SuiteLimit]
) -> Iterator[Recommendation]:
    """What an accepted checkpoint could still gain, or nothing."""
    curve = trend.text if trend is not None else None
    if curve is not None and curve.shape == "improving":
        yield Recommendation("trend", fact("accepted_still_falls"), (curve_fact(curve),))
        return
    shares = [
        (share.value, limit.name, category)
        for limit in asked.values()
        if limit.name in measured.suites
        for category, share in measured.suites[limit.name].categories.items()
        if share.value is not None and share.value < GOOD
    ]
    if shares:
        _, suite, category = min(shares)
        level = measured.suites[suite].categories[category]
        figure = fact("category_level", category=category, value=level)
        advice = fact("accepted_most_to_gain", category=category, suite=suite)
        yield Recommendation("domain", advice, (figure,))
