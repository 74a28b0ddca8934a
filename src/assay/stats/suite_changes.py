"""Suites of checkpoints beside guessing and beside each other, paired by test."""

import math
from collections.abc import Sequence

from assay.stats import estimates
from assay.stats.pairs import paired_difference_by_category
from assay.types import Estimate
from assay.types.decisions import Measurements, SuiteFigures


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


def asked_alike(name: str, steps: Sequence[Measurements]) -> list[tuple[float, SuiteFigures]]:
    """Only checkpoints that were asked the tests the last one was asked, all of them."""
    asked = [
        (each.step or 0.0, suite)
        for each in steps
        if (suite := each.suites.get(name)) is not None and not suite.left
    ]
    return [(step, suite) for step, suite in asked if suite.digest == asked[-1][1].digest]


def change_by_tests(a: SuiteFigures, b: SuiteFigures) -> Estimate | None:
    """Points, over the tests that both have a score for, each category with the same weight."""
    pairs = {
        category: ([earlier[test] for test in both], [b.scores[category][test] for test in both])
        for category, earlier in a.scores.items()
        if (both := sorted(earlier.keys() & b.scores.get(category, {}).keys()))
    }
    return paired_difference_by_category(pairs, dict.fromkeys(pairs, 1.0)).estimate
