"""One sample: a share, a mean, a rate, a quantile, several shares under their weights, pass@k."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.stats.intervals import all_binary, mover, wilson
from assay.stats.resampling import DRAWS, bootstrap_interval, limits_of
from assay.types import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Limits = tuple[float | None, float | None]
# Quantiles of a draw are looked up on this grid, so that a million tokens cost what a thousand
# do.
QUANTILE_STEPS = 1000
BY_BLOCKS = "bootstrap over blocks"
OVER_TESTS = ("wilson", "bootstrap", "mover", "none")  # that only say how an interval was computed
PART_OF_TESTS = "anytime-valid"  # of the full suite, from part of its tests


def nothing(*, unscored: int = 0, unit: str = "share", method: str = "none") -> Estimate:
    return Estimate(
        value=None, low=None, high=None, n=0, unscored=unscored, unit=unit, method=method
    )


def estimate(
    value: float, limits: Limits, n: int, *, unscored: int = 0, unit: str = "share", method: str
) -> Estimate:
    low, high = limits
    return Estimate(
        value=value, low=low, high=high, n=n, unscored=unscored, unit=unit, method=method
    )


def proportion(successes: int, n: int, *, unscored: int = 0) -> Estimate:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if n == 0:
        return nothing(unscored=unscored, method="wilson")
    share = successes / n
    return estimate(share, wilson(share, n), n, unscored=unscored, method="wilson")


def mean_of(
    scores: Sequence[float], *, unscored: int = 0, seed: int = 0, draws: int = DRAWS
) -> Estimate:
    """The mean of scores from 0 to 1: Wilson if all are 0 or 1, else a bootstrap over tests.

    Scores without any spread are a case for Wilson too: resampling them would claim certainty.
    """
    if any(not 0.0 <= score <= 1.0 for score in scores):
        raise ValueError("a score lies between 0 and 1")
    n = len(scores)
    if n == 0:
        return nothing(unscored=unscored, method="wilson")
    mean = min(1.0, math.fsum(scores) / n)
    if all_binary(scores) or min(scores) == max(scores):
        return estimate(mean, wilson(mean, n), n, unscored=unscored, method="wilson")
    limits = bootstrap_interval(scores, mean, seed=seed, draws=draws)
    return estimate(mean, limits, n, unscored=unscored, method="bootstrap")


def average(values: Sequence[float], *, unit: str, unscored: int = 0, seed: int = 0) -> Estimate:
    """The mean of numbers without bounds, such as seconds. One number has no interval."""
    n = len(values)
    if n == 0:
        return nothing(unscored=unscored, unit=unit, method="bootstrap")
    mean = math.fsum(values) / n
    limits = bootstrap_interval(values, mean, seed=seed, draws=DRAWS) if n > 1 else (None, None)
    found = estimate(mean, limits, n, unscored=unscored, unit=unit, method="bootstrap")
    return _not_below_zero(found, values)


def _not_below_zero(found: Estimate, values: Sequence[float]) -> Estimate:
    """A few numbers that differ much have wide limits; what is never negative has none below 0, and
    what takes time or tokens none at 0: there the lower half is as wide as the upper on the
    logarithm's scale.
    """
    if found.low is None or found.low > 0 or min(values) < 0:
        return found
    if found.unit not in TAKEN or not found.value or found.high is None:
        return replace(found, low=0.0)
    return replace(found, low=found.value * math.exp(1 - found.high / found.value))


TAKEN = ("s", "tokens", "tokens/s")  # units of what every answer takes some of


def ratio(
    amounts: Sequence[float], per: Sequence[float], *, unit: str, unscored: int = 0
) -> Estimate:
    """All amounts over all of what they took, such as tokens per second.

    The interval is that of the linearised ratio (a_i - r·p_i, over the mean p): the usual delta
    method, resampled by observation.
    """
    n, total = len(amounts), math.fsum(per)
    if n == 0 or total <= 0:
        return nothing(unscored=unscored, unit=unit, method="bootstrap")
    value = math.fsum(amounts) / total
    linear = [value + (a - value * p) * n / total for a, p in zip(amounts, per, strict=True)]
    found = replace(average(linear, unit=unit, unscored=unscored), value=value)
    return _not_below_zero(found, amounts)


def quantile_of(values: Sequence[float], share: float, *, unit: str, unscored: int = 0) -> Estimate:
    """A quantile with the interval of order statistics, which assumes nothing of the values.

    A bound beyond the smallest or largest value seen is None: ten answers cannot bound a p95.
    """
    n = len(values)
    if n == 0:
        return nothing(unscored=unscored, unit=unit, method="order statistics")
    import numpy as np
    from scipy.special import bdtr

    ordered = np.sort(np.asarray(values, dtype=np.float64))
    below = bdtr(np.arange(n, dtype=np.float64), n, share)  # P(at most k values under the quantile)
    lows = np.flatnonzero(below <= 0.025)
    highs = np.flatnonzero(below >= 0.975)
    low = float(ordered[lows[-1]]) if lows.size else None
    high = float(ordered[highs[0]]) if highs.size else None
    value = float(np.quantile(ordered, share))
    return estimate(value, (low, high), n, unscored=unscored, unit=unit, method="order statistics")


def block_quantile(
    blocks: "Sequence[Sequence[float] | NDArray[np.float64]]", share: float, *, unit: str
) -> Estimate:
    """A quantile of all values, its interval from draws of whole blocks; one block has none. Each
    draw is looked up among some hundred values around the quantile, so that a million are quick.
    """
    import numpy as np

    ordered = np.sort(np.concatenate(blocks))
    n, count = len(ordered), len(blocks)
    value = float(np.quantile(ordered, share))
    limits: Limits = (None, None)
    if count > 1:
        grid = np.unique(np.quantile(ordered, np.linspace(0.0, 1.0, QUANTILE_STEPS + 1)))
        below = np.array([np.searchsorted(np.sort(each), grid, side="right") for each in blocks])
        drawn = np.random.default_rng(0).multinomial(count, [1 / count] * count, size=DRAWS)
        sizes = drawn @ np.array([len(each) for each in blocks])
        reached = drawn @ below >= share * sizes[:, None]
        low, high = limits_of(grid[reached.argmax(1)], count)
        limits = (min(low, value), max(high, value))
    return estimate(value, limits, n, unit=unit, method=BY_BLOCKS)


def weighted(
    parts: Sequence[tuple[Estimate, float]], *, scale: float = 100.0, unit: str = "points"
) -> Estimate:
    """Weighted mean of shares, with an interval from theirs (MOVER: Zou and Donner 2008).

    A part without observations leaves the weights, but what it could not score stays counted.
    A part of weight 0 does not count at all.
    """
    used = [(part, weight) for part, weight in parts if weight > 0]
    counted = [(part, weight) for part, weight in used if part.n > 0]
    unscored = sum(part.unscored for part, _ in used)
    if not counted:
        return nothing(unscored=unscored, unit=unit, method="mover")
    value, low, high = mover(counted)
    n = sum(part.n for part, _ in counted)
    method = counted[0][0].method if len(counted) == 1 else "mover"
    share = estimate(value, (low, high), n, unscored=unscored, unit=unit, method=method)
    return share.mapped(lambda x: max(0.0, min(1.0, x)) * scale)


def even_mean(shares: Sequence[Estimate | None]) -> Estimate | None:
    """The mean of shares that all count the same; None where one of them, or all, are missing."""
    found = [share for share in shares if share is not None and share.n > 0]
    if not found or len(found) < len(shares):
        return None
    return weighted([(share, 1.0) for share in found], scale=1.0, unit="share")


def pass_at_k(n: int, c: int, k: int) -> float:
    """Chance that at least one of k trials passes, from c passes in n (unbiased)."""
    _check_trials(n, c, k)
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Chance that all of k trials pass, from c passes in n (unbiased)."""
    _check_trials(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def _check_trials(n: int, c: int, k: int) -> None:
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"{c} passes in {n} tries say nothing about {k}")
