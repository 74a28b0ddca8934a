"""What to do about a suite below its limit: which category, which kinds of tests, and how.

In: a checkpoint, the criterion of a suite, the trend, the groups of its tests. Out: two
recommendations, what to teach and how.

What to add follows from the tests that fail. How to add it follows from the perplexity: a model
that reads text well but lacks the subject needs another mixture or fine-tuning; one that does not
yet read text well, and still learns, needs longer training first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from assay.decide import wording
from assay.decide.curve_wording import curve_figure
from assay.decide.trend import Trend
from assay.decide.weak_groups import Spread, TestGroups, WeakGroup, weak_groups
from assay.messages import tr, trn
from assay.types import Estimate
from assay.types.decisions import (
    OS_AVERAGED,
    OS_SUITE,
    Acceptance,
    Criterion,
    Gate,
    Measured,
    Recommendation,
    SuiteLimit,
)

NAMED = 3  # weak groups in one sentence


def suite_limits(acceptance: Acceptance, gate: Gate | None) -> dict[str, SuiteLimit]:
    """The criteria that are about suites, with what each asks. Without a gate its shipped meaning:
    the three tasks of os_benchmark, all categories of others.
    """
    asked: dict[str, SuiteLimit] = {}
    for limit in gate.suites if gate is not None else ():
        plain = "os_benchmark" if limit.name == OS_SUITE else f"suite:{limit.name}"
        names = (plain, *(f"suite:{limit.name}{tail}" for tail in ("", ":2", ":3", ":4")))
        asked.setdefault(next((name for name in names if name not in asked), plain), limit)
    for key, criterion in acceptance.criteria.items():
        if key == "os_benchmark" and key not in asked:
            least = criterion.limit or 0.0
            asked[key] = SuiteLimit(name=OS_SUITE, min=least, categories=OS_AVERAGED)
        elif key.startswith("suite:") and key not in asked:
            asked[key] = SuiteLimit(name=key.removeprefix("suite:"), min=criterion.limit or 0.0)
    return {key: limit for key, limit in asked.items() if key in acceptance.criteria}


def on_suite(
    measured: Measured,
    acceptance: Acceptance,
    key: str,
    asked: SuiteLimit,
    trend: Trend | None,
    groups: Mapping[str, TestGroups],
) -> list[Recommendation]:
    """For the criterion `key` of a suite that is not above its limit; nothing otherwise."""
    criterion, figures = acceptance.criteria[key], measured.suites.get(asked.name)
    if criterion.passed is not False or figures is None:
        return []
    if criterion.value is None or criterion.limit is None:
        return []
    wanted = {
        category: share
        for category in asked.categories or tuple(figures.categories)
        if (share := figures.categories.get(category)) is not None and share.n
    }
    level = tr(
        "{suite}: {value}, limit above {limit}",
        suite=asked.name,
        value=wording.number(criterion.value, beside=criterion.limit),
        limit=wording.number(criterion.limit),
    )
    spread = weak_groups(figures.scores, groups.get(asked.name, {}))
    return [
        _what(asked.name, criterion.limit, wanted, spread, level),
        _how(acceptance, asked.name, trend, level),
    ]


# --------------------------------------------------------------------------------- which tests fail


def _what(
    name: str,
    limit: float,
    wanted: Mapping[str, Estimate],
    spread: Spread,
    level: str,
) -> Recommendation:
    if not wanted:
        return _domain(tr("More training data on the subject of {suite}.", suite=name), level)
    lowest = _lowest(wanted)
    called = ", ".join(lowest)
    figures = (
        level,
        *(
            tr("{category}: {value}", category=category, value=wording.estimate(of))
            for category, of in wanted.items()
        ),
        *_needed(lowest, wanted, limit),
    )
    if spread.weak:
        named = spread.weak[:NAMED]
        advice = trn(
            "More training data on what fails most in {suite}: {groups}. The lowest category is "
            "{categories}.",
            "More training data on what fails most in {suite}: {groups}. The lowest categories "
            "are {categories}.",
            len(lowest),
            suite=name,
            groups=", ".join(
                tr("{group} ({category})", group=each.name, category=each.category)
                for each in named
            ),
            categories=called,
        )
        return _domain(advice, *figures, *(_group(each) for each in named))
    if kinds := sum(spread.looked_at.get(category, 0) for category in lowest):
        advice = trn(
            "More training data for {categories}, the lowest category of {suite}, across all its "
            "kinds: none of them fails more than the others beyond chance.",
            "More training data for {categories}, which are equally low in {suite}, across all "
            "their kinds: none of them fails more than the others beyond chance.",
            len(lowest),
            categories=called,
            suite=name,
        )
        return _domain(advice, *figures, tr("kinds of tests compared: {count}", count=kinds))
    advice = trn(
        "More training data for {categories}, the lowest category of {suite}.",
        "More training data for {categories}, which are equally low in {suite}.",
        len(lowest),
        categories=called,
        suite=name,
    )
    return _domain(advice, *figures)


def _lowest(wanted: Mapping[str, Estimate]) -> list[str]:
    """Several where several stand equally low, as those do in which nothing is right."""
    values = {category: of.value or 0.0 for category, of in wanted.items()}
    least = min(values.values())
    return [category for category, value in values.items() if math.isclose(value, least)]


def _needed(lowest: Sequence[str], wanted: Mapping[str, Estimate], limit: float) -> tuple[str, ...]:
    """What the lowest would have to reach, each of them, the others staying as they are."""
    others = [of.value or 0.0 for category, of in wanted.items() if category not in lowest]
    if not others:
        return ()
    called = ", ".join(lowest)
    needed = (limit * len(wanted) - sum(others)) / len(lowest)
    if needed < 1 and not math.isclose(needed, 1):
        return (
            trn(
                "{categories} above {needed} would lift the mean above {limit}",
                "{categories} above {needed} each would lift the mean above {limit}",
                len(lowest),
                categories=called,
                needed=wording.number(needed),
                limit=wording.number(limit),
            ),
        )
    return (
        tr(
            "even with {categories} at 1 the mean would be {mean}: the others must rise too",
            categories=called,
            mean=wording.number((sum(others) + len(lowest)) / len(wanted)),
        ),
    )


def _group(of: WeakGroup) -> str:
    return tr(
        "{category}, {group}: {failed} of {tests} wrong; the others {failed_elsewhere} of "
        "{tests_elsewhere} (p {p})",
        category=of.category,
        group=of.name,
        failed=of.failed,
        tests=of.tests,
        failed_elsewhere=of.failed_elsewhere,
        tests_elsewhere=of.tests_elsewhere,
        p=wording.p_value(of.p_value),
    )


# -------------------------------------------------------------------------------- how to teach them


def _how(acceptance: Acceptance, name: str, trend: Trend | None, level: str) -> Recommendation:
    text = acceptance.criteria.get("perplexity")
    curve = trend.suite(name) if trend is not None else None
    rises = (curve_figure(curve),) if curve is not None and curve.shape != "too_few" else ()
    reads = trend.text if trend is not None else None
    falls = reads is not None and reads.shape == "improving"
    if reads is not None and falls and text is not None and text.passed is False:
        advice = tr(
            "For {suite}, train longer first: the perplexity is not below its limit and still "
            "falls; change the mixture only if {suite} stays low once it is.",
            suite=name,
        )
        return _domain(advice, level, _perplexity(text), curve_figure(reads), *rises)
    rising = curve is not None and curve.shape == "improving"
    if text is not None and text.passed and rising:
        advice = tr(
            "{suite} still rises with training, so longer training helps; because perplexity is "
            "fine already, a larger share of the subject in the mixture, or fine-tuning on it, "
            "gets there sooner.",
            suite=name,
        )
        return _domain(advice, level, _perplexity(text), *rises)
    if text is not None and text.passed:
        advice = tr(
            "Perplexity is fine and {suite} is low, so the subject is missing rather than the "
            "language: raise its share in the mixture, or fine-tune on it.",
            suite=name,
        )
        return _domain(advice, level, _perplexity(text), *rises)
    if rising:
        advice = tr(
            "{suite} still rises with training: train longer before changing the mixture.",
            suite=name,
        )
        return _domain(advice, level, *rises)
    advice = tr(
        "Raise the share of the subject of {suite} in the mixture for the next run; fine-tuning "
        "on it comes after a better base.",
        suite=name,
    )
    known = (_perplexity(text),) if text is not None and text.value is not None else ()
    return _domain(advice, level, *known, *rises)


def _perplexity(criterion: Criterion) -> str:
    value, limit = criterion.value or 0.0, criterion.limit or 0.0
    return tr(
        "perplexity {value}, limit below {limit}",
        value=wording.number(value, beside=limit),
        limit=wording.number(limit),
    )


def _domain(advice: str, *figures: str) -> Recommendation:
    return Recommendation(concern="domain", advice=advice, figures=figures)
