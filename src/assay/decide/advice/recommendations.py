"""What to change next: from what was measured only, and each recommendation with its figures.

In: a checkpoint (or all of a folder), whether it was accepted, the trend, the gate, and which kinds
of tests a suite has. Out: at most MOST recommendations, the most useful first, no two alike.

The order: for each criterion that failed its first remedy, in the order in which they are worth
trying (a base that reads badly spoils all else); what is missing; the second remedies; what is too
near to its limit; a run that goes wrong although this checkpoint passes; a part that the weighted
score lacks; for an accepted one what could still be gained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

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
FAILED_NAMED = 5


def advise(
    measured: Measurements,
    acceptance: Acceptance,
    trend: Trend | None,
    gate: Gate,
    groups: Mapping[str, TestGroups],
) -> tuple[Recommendation, ...]:
    """What to change after this checkpoint.

    Args:
        measured: what was found.
        acceptance: what the gate said of it.
        trend: over the steps of its folder; None where there is none.
        gate: for the categories a suite's limit is on, and the limits of other size classes.
        groups: suite -> category -> test id -> kinds (`groups_of`).
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


def advise_all(
    candidates: Sequence[Measurements],
    acceptances: Mapping[str, Acceptance],
    trend: Trend | None,
    gate: Gate,
    groups: Mapping[str, TestGroups],
    *,
    focus: str | None = None,
) -> tuple[Recommendation, ...]:
    """What to change after this folder: the advice for one of its checkpoints, and what could not
    be evaluated.

    Args:
        candidates: the checkpoints of one model folder, in any order.
        acceptances: by the checkpoint's name.
        trend: over the steps of the folder.
        gate: as for `advise`.
        groups: as for `advise`.
        focus: the name of the selected or best checkpoint. Otherwise one that was accepted, else
            the one with the fewest failed criteria; of several the last step.
    """
    failed = sorted((each for each in candidates if each.failed), key=lambda each: each.name)
    known = [each for each in candidates if not each.failed and each.name in acceptances]
    found: tuple[Recommendation, ...] = ()
    if known:
        best = _focus(known, acceptances, focus)
        found = advise(best, acceptances[best.name], trend, gate, groups)
        if len(candidates) > 1:
            of = fact("measured_on", name=best.name)
            found = tuple(replace(each, figures=(*each.figures, of)) for each in found)
    if not failed:
        return found
    broken = tuple(
        fact("failed_checkpoint", name=each.name, why=each.failed) for each in failed[:FAILED_NAMED]
    )
    repair = Recommendation("missing", fact("repair", count=len(failed)), broken)
    return (*found[: MOST - 1], repair)


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


def _focus(
    known: Sequence[Measurements], acceptances: Mapping[str, Acceptance], focus: str | None
) -> Measurements:
    named = [each for each in known if each.name == focus]
    if named:
        return named[0]

    def worth(each: Measurements) -> tuple[bool, int, float, str]:
        criteria = acceptances[each.name].criteria.values()
        failing = sum(one.passed is not True for one in criteria)
        step = float("inf") if each.step is None else each.step  # `final` comes after every step
        return bool(acceptances[each.name].accepted), -failing, step, each.name

    return max(known, key=worth)


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
