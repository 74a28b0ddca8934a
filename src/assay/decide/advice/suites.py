"""What to do about a suite below its limit: what to teach, and how.

What to add follows from the tests that fail. How to add it follows from the trend: a model that
still learns needs longer training first; one that reads text well but lacks the subject needs
another mixture or fine-tuning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from assay.decide.advice.weak_groups import TestGroups, weak_groups
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
    name, suite = asked.name, measured.suites[asked.name]
    wanted = {
        category: share
        for category in asked.categories or tuple(suite.categories)
        if (share := suite.categories.get(category)) is not None and share.n
    }
    level = fact("suite_level", suite=name, value=value, limit=limit)
    lowest = _lowest(wanted)
    weak = weak_groups(suite.scores, groups)[:NAMED]
    figures = (
        level,
        *(fact("category_level", category=each, value=of) for each, of in wanted.items()),
        *_needed(lowest, wanted, limit),
        *(fact("group_level", **each._asdict()) for each in weak),
    )
    kind = "data_on_groups" if weak else "data_on_category"
    weakest = tuple(f"{each.group} ({each.category})" for each in weak)
    advice = fact(kind, count=len(lowest), suite=name, groups=weakest, categories=lowest)
    how = _how(name, perplexity, trend, level)
    return [Recommendation("domain", advice, figures), how]


def _lowest(wanted: Mapping[str, Estimate]) -> tuple[str, ...]:
    """Several where several are equally low, as those are in which nothing is right."""
    values = {category: of.value or 0.0 for category, of in wanted.items()}
    least = min(values.values())
    return tuple(category for category, value in values.items() if math.isclose(value, least))


def _needed(
    lowest: Sequence[str], wanted: Mapping[str, Estimate], limit: float
) -> Iterator[DecisionFact]:
    """What the lowest would have to reach, each of them, the others staying as they are."""
    others = [of.value or 0.0 for category, of in wanted.items() if category not in lowest]
    needed = (limit * len(wanted) - sum(others)) / len(lowest)
    if others and needed < 1:
        names = tuple(lowest)
        yield fact("needed", count=len(names), categories=names, needed=needed, limit=limit)


def _how(
    suite: str, perplexity: GateCriterion | None, trend: Trend | None, level: DecisionFact
) -> Recommendation:
    curve = trend.suite(suite) if trend is not None else None
    text = trend.text if trend is not None else None
    learns = any(each is not None and each.shape == "improving" for each in (curve, text))
    passed = perplexity.passed if perplexity is not None else None
    figures = [level]
    if perplexity is not None and perplexity.value is not None:
        limit = perplexity.limit or 0.0
        figures.append(fact("perplexity_level", value=perplexity.value, limit=limit))
    if learns and not passed:
        kind = "train_longer_first"
    else:
        kind = "subject_is_missing" if passed else "raise_share"
    figures += [curve_fact(each) for each in (text, curve) if each and each.shape != "too_few"]
    return Recommendation("domain", fact(kind, suite=suite), tuple(figures))
