"""What to do about a suite below its limit: which category, which kinds of tests, and how.

In: a checkpoint, what the gate asks of a suite, the trend, the groups of its tests. Out: two
recommendations, what to teach and how.

What to add follows from the tests that fail. How to add it follows from the perplexity: a model
that reads text well but lacks the subject needs another mixture or fine-tuning; one that does not
yet read text well, and still learns, needs longer training first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from assay.decide.advice.weak_groups import Spread, TestGroups, WeakGroup, weak_groups
from assay.decide.trend.curves import Trend, curve_fact
from assay.types import Estimate
from assay.types.decisions import (
    DecisionFact,
    GateCriterion,
    Measurements,
    Recommendation,
    SuiteLimit,
    fact,
)

NAMED = 3  # weak groups in one sentence


def on_suite(
    measured: Measurements,
    asked: SuiteLimit,
    value: float,
    limit: float,
    *,
    perplexity: GateCriterion | None,
    trend: Trend | None,
    groups: TestGroups,
) -> list[Recommendation]:
    """For a suite that is not above its limit."""
    suite = measured.suites[asked.name]
    wanted = {
        category: share
        for category in asked.categories or tuple(suite.categories)
        if (share := suite.categories.get(category)) is not None and share.n
    }
    level = fact("suite_level", suite=asked.name, value=value, limit=limit)
    return [
        _what(asked.name, limit, wanted, weak_groups(suite.scores, groups), level),
        _how(asked.name, perplexity, trend, level),
    ]


def _what(
    suite: str, limit: float, wanted: Mapping[str, Estimate], spread: Spread, level: DecisionFact
) -> Recommendation:
    lowest = _lowest(wanted)
    figures = [
        level,
        *(fact("category_level", category=name, value=of) for name, of in wanted.items()),
        *_needed(lowest, wanted, limit),
    ]
    named = spread.weak[:NAMED]
    kinds = sum(spread.looked_at.get(category, 0) for category in lowest)
    if named:
        kind = "data_on_groups"
        figures += [_group(each) for each in named]
    elif kinds:
        kind = "data_on_all_kinds"
        figures.append(fact("kinds_compared", kinds=kinds))
    else:
        kind = "data_on_category"
    weak = tuple(f"{each.name} ({each.category})" for each in named)
    advice = fact(kind, count=len(lowest), suite=suite, groups=weak, categories=lowest)
    return Recommendation("domain", advice, tuple(figures))


def _lowest(wanted: Mapping[str, Estimate]) -> tuple[str, ...]:
    """Several where several are equally low, as those are in which nothing is right."""
    values = {category: of.value or 0.0 for category, of in wanted.items()}
    least = min(values.values())
    return tuple(category for category, value in values.items() if math.isclose(value, least))


def _needed(
    lowest: Sequence[str], wanted: Mapping[str, Estimate], limit: float
) -> list[DecisionFact]:
    """What the lowest would have to reach, each of them, the others staying as they are."""
    others = [of.value or 0.0 for category, of in wanted.items() if category not in lowest]
    if not others:
        return []
    needed = (limit * len(wanted) - sum(others)) / len(lowest)
    if needed < 1 and not math.isclose(needed, 1):
        called = tuple(lowest)
        return [fact("needed", count=len(called), categories=called, needed=needed, limit=limit)]
    mean = (sum(others) + len(lowest)) / len(wanted)
    return [fact("others_must_rise", categories=tuple(lowest), mean=mean)]


def _group(of: WeakGroup) -> DecisionFact:
    return fact(
        "group_level",
        category=of.category,
        group=of.name,
        failed=of.failed,
        tests=of.tests,
        failed_elsewhere=of.failed_elsewhere,
        tests_elsewhere=of.tests_elsewhere,
        p=of.p_value,
    )


def _how(
    suite: str, perplexity: GateCriterion | None, trend: Trend | None, level: DecisionFact
) -> Recommendation:
    curve = trend.suite(suite) if trend is not None else None
    text = trend.text if trend is not None else None
    learns = text is not None and text.shape == "improving"
    rises = curve is not None and curve.shape == "improving"
    passed = perplexity.passed if perplexity is not None else None
    figures = [level]
    if perplexity is not None and perplexity.value is not None:
        figures.append(
            fact("perplexity_level", value=perplexity.value, limit=perplexity.limit or 0.0)
        )
    if text is not None and learns and passed is False:
        kind = "train_longer_first"
        figures.append(curve_fact(text))
    elif passed:
        kind = "mixture_gets_there_sooner" if rises else "subject_is_missing"
    else:
        kind = "suite_still_rises" if rises else "raise_share"
    if curve is not None and curve.shape != "too_few":
        figures.append(curve_fact(curve))
    return Recommendation("domain", fact(kind, suite=suite), tuple(figures))
