"""What to change next: from what was measured only, and each piece of advice with its figures.

In: a checkpoint (or all of a folder), whether it was accepted, the trend, the gate, and which kinds
of tests a suite has. Out: at most MOST recommendations, the most useful first, no two alike.

The order: for each criterion that failed its first remedy, in the order in which they are worth
trying (a base that reads badly spoils all else); what is missing; the second remedies; what is too
near to its limit; a run that goes wrong although this checkpoint passes; a part that the weighted
score lacks; for an accepted one what could still be gained.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from assay.decide import wording
from assay.decide.advise_machine import on_memory, on_speed
from assay.decide.advise_measuring import on_failed, on_marginal, on_missing, on_score
from assay.decide.advise_samples import on_samples
from assay.decide.advise_suites import on_suite, suite_limits
from assay.decide.advise_text import on_text, on_the_run
from assay.decide.curve_wording import curve_figure
from assay.decide.trend import Trend
from assay.decide.weak_groups import TestGroups
from assay.messages import tr, trn
from assay.types.decisions import Acceptance, Gate, Measured, Recommendation, SuiteLimit

MOST = 6
GOOD = 0.9  # of a category: what lies below can still be gained
FAILED_NAMED = 5


def advise(
    measured: Measured,
    acceptance: Acceptance,
    trend: Trend | None,
    *,
    gate: Gate | None = None,
    groups: Mapping[str, TestGroups] | None = None,
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
        return (on_failed(measured),)
    asked = suite_limits(acceptance, gate)
    remedies = _remedies(measured, acceptance, trend, gate, asked, groups or {})
    found = [
        *(remedy for first in remedies for remedy in first[:1]),
        *on_missing(measured, acceptance, asked),
        *(remedy for first in remedies for remedy in first[1:]),
        *on_marginal(measured, acceptance, asked),
        *on_the_run(acceptance.criteria.get("perplexity"), trend),
        *on_score(measured),
    ]
    if acceptance.accepted:
        found += _gain(measured, trend, asked)
    return _chosen(found)


def advise_all(
    candidates: Sequence[Measured],
    acceptances: Mapping[str, Acceptance],
    trend: Trend | None,
    *,
    gate: Gate | None = None,
    groups: Mapping[str, TestGroups] | None = None,
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
    found: list[Recommendation] = []
    if known:
        best = _focus(known, acceptances, focus)
        own = advise(best, acceptances[best.name], trend, gate=gate, groups=groups)
        found = [_of(best, each) for each in own] if len(candidates) > 1 else [*own]
    if not failed:
        return tuple(found)
    broken = Recommendation(
        concern="missing",
        advice=trn(
            "Repair or write again {count} checkpoint that could not be evaluated.",
            "Repair or write again {count} checkpoints that could not be evaluated.",
            len(failed),
        ),
        figures=tuple(f"{each.name}: {each.failed}" for each in failed[:FAILED_NAMED]),
    )
    return (*found[: MOST - 1], broken)


# ------------------------------------------------------------------------------ putting it together


def _remedies(
    measured: Measured,
    acceptance: Acceptance,
    trend: Trend | None,
    gate: Gate | None,
    asked: Mapping[str, SuiteLimit],
    groups: Mapping[str, TestGroups],
) -> list[list[Recommendation]]:
    criteria = acceptance.criteria
    found: list[list[Recommendation]] = []
    if "perplexity" in criteria:
        found.append(on_text(measured, criteria["perplexity"], trend, gate))
    for key, limit in asked.items():
        found.append(on_suite(measured, acceptance, key, limit, trend, groups))
    if "generation" in criteria:
        found.append(on_samples(measured, criteria["generation"], trend))
    if "memory" in criteria:
        found.append(on_memory(measured, criteria["memory"]))
    if "speed" in criteria:
        found.append(on_speed(measured, criteria["speed"]))
    return found


def _chosen(found: Iterable[Recommendation]) -> tuple[Recommendation, ...]:
    """The first of those that say the same; none without a figure."""
    kept: dict[str, Recommendation] = {}
    for each in found:
        figures = tuple(dict.fromkeys(figure for figure in each.figures if figure))
        if figures:
            kept.setdefault(each.advice, replace(each, figures=figures))
    return tuple(kept.values())[:MOST]


def _focus(
    known: Sequence[Measured], acceptances: Mapping[str, Acceptance], focus: str | None
) -> Measured:
    named = [each for each in known if each.name == focus]
    if named:
        return named[0]

    def worth(each: Measured) -> tuple[bool, int, float, str]:
        criteria = acceptances[each.name].criteria.values()
        failing = sum(one.passed is not True for one in criteria)
        step = float("inf") if each.step is None else each.step  # `final` comes after every step
        return bool(acceptances[each.name].accepted), -failing, step, each.name

    return max(known, key=worth)


def _of(measured: Measured, advice: Recommendation) -> Recommendation:
    return replace(advice, figures=(*advice.figures, tr("measured on {name}", name=measured.name)))


# -------------------------------------------------------------------------- what could still be won


def _gain(
    measured: Measured, trend: Trend | None, asked: Mapping[str, SuiteLimit]
) -> list[Recommendation]:
    """One sentence for an accepted checkpoint, or nothing."""
    curve = trend.text if trend is not None else None
    if curve is not None and curve.shape == "improving":
        return [
            Recommendation(
                concern="trend",
                advice=tr(
                    "Accepted; the held-out loss still falls, so longer training would gain more."
                ),
                figures=(curve_figure(curve),),
            )
        ]
    lowest = _lowest_category(measured, asked)
    if lowest is None:
        return []
    suite, category, figure = lowest
    return [
        Recommendation(
            concern="domain",
            advice=tr(
                "Accepted; the most to gain is in {category} of {suite}.",
                category=category,
                suite=suite,
            ),
            figures=(tr("{category}: {value}", category=category, value=figure),),
        )
    ]


def _lowest_category(
    measured: Measured, asked: Mapping[str, SuiteLimit]
) -> tuple[str, str, str] | None:
    shares = [
        (share.value, limit.name, category, wording.estimate(share))
        for limit in asked.values()
        if limit.name in measured.suites
        for category, share in measured.suites[limit.name].categories.items()
        if share.value is not None and share.value < GOOD
    ]
    return min(shares)[1:] if shares else None
