"""Bounds that decide: one-sided ones, and what is left of alpha at the k-th look.

A checkpoint that is stopped at as soon as it passes has been looked at many times, and one of many
equal ones passes by chance. The k-th look has alpha·6/(π²k²), which adds up to alpha over all of
them, however many there are.
"""

import math
from collections.abc import Sequence

from assay.stats.intervals import all_binary

ALPHA = 0.05


def alpha_of_look(k: int, alpha: float = ALPHA) -> float:
    """What the k-th look, from 1, may err."""
    if k < 1:
        raise ValueError("looks are counted from 1")
    return alpha * 6 / (math.pi * k) ** 2


def lower_bound(scores: Sequence[float], tail: float = ALPHA) -> float | None:
    """What the true mean of scores from 0 to 1 lies below with at most this chance.

    All 0 or 1: exact (Clopper and Pearson); without any spread likewise, with the mean for a share.
    Else t on the mean. None of no scores.
    """
    n = len(scores)
    if not n:
        return None
    mean = min(1.0, math.fsum(scores) / n)
    if all_binary(scores) or min(scores) == max(scores):
        return _exact_bound(mean, n, tail)
    from scipy.special import stdtrit

    variance = math.fsum((score - mean) ** 2 for score in scores) / (n - 1)
    return max(0.0, mean - float(stdtrit(n - 1, 1 - tail)) * math.sqrt(variance / n))


def weighted_lower_bound(
    groups: Sequence[tuple[Sequence[float], float]], tail: float = ALPHA
) -> float | None:
    """Of a weighted mean of groups, such as the categories of a suite: the distance of each to its
    own bound, added in squares (MOVER).
    """
    used = [(scores, weight) for scores, weight in groups if len(scores) and weight > 0]
    if not used:
        return None
    total = math.fsum(weight for _, weight in used)
    mean = below = 0.0
    for scores, weight in used:
        own = math.fsum(scores) / len(scores)
        mean += weight * own / total
        below += (weight * (own - (lower_bound(scores, tail) or 0.0)) / total) ** 2
    return max(0.0, mean - math.sqrt(below))


def _exact_bound(share: float, n: int, tail: float) -> float:
    from scipy.special import betaincinv

    passed = share * n
    # Wilson's one-sided bound was not taken: its coverage is too low above one half, and a
    # decision should err on the other side.
    return 0.0 if passed <= 0 else float(betaincinv(passed, n - passed + 1, tail))
