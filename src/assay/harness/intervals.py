"""Intervals of the harness's metrics, over documents. Its own bootstrap is off: it starts a process
for each core, and gives a standard error where an interval is wanted.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from assay.harness.needed import needed
from assay.stats import estimates
from assay.types import Estimate

SHARE = "share"
# A bootstrap with the metric's own function would compute BLEU 2,000 times instead of 20.
GROUPS = 20  # of documents, each left out once
# Metrics from 0 to 1 that are made of all documents at once.
SHARES_OF_ALL = ("f1", "acc", "acc_norm", "exact_match")


def is_number(value: object) -> bool:
    return isinstance(value, bool | int | float) and math.isfinite(value)


def metric_estimate(
    metric: str, items: Sequence[Any], aggregate: Callable[..., Any], value: float, unscored: int
) -> Estimate:
    """`value`: as the harness aggregates the items."""
    metrics = needed("lm_eval.api.metrics")
    numbers = [float(each) for each in items if is_number(each)]
    found: Estimate
    if aggregate is metrics.mean and len(numbers) == len(items):
        if all(0.0 <= each <= 1.0 for each in numbers):
            found = estimates.mean_of(numbers, unscored=unscored)
        else:
            found = estimates.average(numbers, unit="", unscored=unscored)
    elif aggregate is metrics.perplexity and len(numbers) == len(items):
        mean = estimates.average([-each for each in numbers], unit="", unscored=unscored)
        found = mean.mapped(_exp)
    elif aggregate in (metrics.weighted_perplexity, metrics.bits_per_byte):
        losses, sizes = [-float(a) for a, _ in items], [float(b) for _, b in items]
        per = estimates.ratio(losses, sizes, unit="", unscored=unscored)
        is_bits = aggregate is metrics.bits_per_byte
        found = per.mapped(lambda x: x / math.log(2)) if is_bits else per.mapped(_exp)
    else:
        unit = SHARE if metric in SHARES_OF_ALL and 0.0 <= value <= 1.0 else ""
        found = _jackknife(items, aggregate, value, unit=unit, unscored=unscored)
    return replace(found, value=value) if found.n else found


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0))


def _jackknife(
    items: Sequence[Any],
    aggregate: Callable[..., Any],
    value: float,
    *,
    unit: str,
    unscored: int,
) -> Estimate:
    """Groups of documents are left out, one after the other; t with one degree of freedom less
    than there are groups. A few calls of a metric that may take a second each.
    """
    n = len(items)
    groups = min(GROUPS, n)
    limits: tuple[float | None, float | None] = (None, None)
    parts = []
    for group in range(groups if groups > 1 else 0):
        kept = [each for place, each in enumerate(items) if place % groups != group]
        try:
            part = aggregate(kept)
        except (ArithmeticError, ValueError, TypeError, IndexError):
            part = math.nan
        parts.append(float(part) if is_number(part) else math.nan)
    if parts and all(map(math.isfinite, parts)):
        from scipy.special import stdtrit

        mean = math.fsum(parts) / groups
        spread = (groups - 1) / groups * math.fsum((part - mean) ** 2 for part in parts)
        half = float(stdtrit(groups - 1, 0.975)) * math.sqrt(spread)
        ends = (value - half, value + half)
        limits = (max(0.0, ends[0]), min(1.0, ends[1])) if unit == SHARE else ends
    return estimates.estimate(value, limits, n, unscored=unscored, unit=unit, method="jackknife")
