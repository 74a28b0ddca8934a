"""Intervals by formula: 95 % limits of a share, of paired shares, and of a weighted mean."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assay.types import Estimate

Z95 = 1.959963984540054  # two-sided 95 % of a normal


class Interval(NamedTuple):
    """Where 95 % of intervals made this way hold the true value."""

    low: float
    high: float


def all_binary(values: Iterable[float]) -> bool:
    """Whether the formulas for shares hold: every value is 0 or 1."""
    return all(value in (0.0, 1.0) for value in values)


def wilson(share: float, n: float) -> Interval:
    """Wilson's score interval of a share. Also safe for the mean of any variable from 0 to 1:
    none of them has a larger variance than a 0/1 variable of the same mean.
    """
    z2 = Z95**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # At 0 and 1 the formula gives the edge itself, up to rounding.
    low = 0.0 if share == 0 else max(0.0, min(share, centre - half))
    high = 1.0 if share == 1 else min(1.0, max(share, centre + half))
    return Interval(low, high)


def newcombe_paired(a: Sequence[float], b: Sequence[float]) -> Interval:
    """Interval of the difference b - a of two paired shares of 0s and 1s.

    Newcombe 1998 (Statistics in Medicine 17:2635), method 10: Wilson's limits of both shares,
    joined with their correlation phi, whose numerator is corrected for continuity.
    """
    n = len(a)
    both = sum(1 for first, second in zip(a, b, strict=True) if first == second == 1)
    first, second = int(sum(a)), int(sum(b))
    neither = n - first - second + both
    cross = both * neither - (first - both) * (second - both)
    margins = first * (n - first) * second * (n - second)
    phi = (max(cross - n / 2, 0.0) if cross > 0 else cross) / math.sqrt(margins) if margins else 0.0
    share_a, share_b = first / n, second / n
    of_a, of_b = wilson(share_a, n), wilson(share_b, n)
    below, above = share_b - of_b.low, of_a.high - share_a
    up, down = of_b.high - share_b, share_a - of_a.low
    low = math.sqrt(max(0.0, below**2 - 2 * phi * below * above + above**2))
    high = math.sqrt(max(0.0, up**2 - 2 * phi * up * down + down**2))
    difference = (second - first) / n
    return Interval(max(-1.0, difference - low), min(1.0, difference + high))


def mover(parts: Sequence[tuple[Estimate, float]]) -> tuple[float, float | None, float | None]:
    """Weighted mean and its limits: each part's distance to its own limit, added in squares."""
    if len(parts) == 1:
        only = parts[0][0]
        return only.value or 0.0, only.low, only.high
    total = math.fsum(weight for _, weight in parts)
    value = math.fsum(weight * (part.value or 0.0) for part, weight in parts) / total
    if any(part.low is None or part.high is None for part, _ in parts):
        return value, None, None
    below = math.fsum(
        (weight * ((part.value or 0.0) - (part.low or 0.0))) ** 2 for part, weight in parts
    )
    above = math.fsum(
        (weight * ((part.high or 0.0) - (part.value or 0.0))) ** 2 for part, weight in parts
    )
    return value, value - math.sqrt(below) / total, value + math.sqrt(above) / total
