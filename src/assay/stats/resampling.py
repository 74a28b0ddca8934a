"""Intervals by drawing: the bootstrap, for values that no formula fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.stats.intervals import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

DRAWS = 2000
# Above it neighbours share a group whose spread is added as a normal: 100,000 tests take 0.15 s
# and less than 100 MB instead of 1.6 GB.
GROUPS = 512  # distinct values up to which a resample is exact


def bootstrap_interval(values: Sequence[float], mean: float, *, seed: int, draws: int) -> Interval:
    """Percentile interval, never beyond the values."""
    low, high = limits_of(resampled_means(values, seed=seed, draws=draws), len(values))
    low, high = max(low, min(values)), min(high, max(values))  # the noise inside groups may leave
    return Interval(min(low, mean), max(high, mean))


def limits_of(drawn: Sequence[float] | Numbers, n: int) -> tuple[float, float]:
    """Percentiles of draws of n observations, moved out for few of them (Hesterberg 2015).

    The plain percentiles are too narrow by about sqrt((n-1)/n) and by z against t; at n = 10 they
    hold the true mean 9 times in 10. From some 100 tests on both are the same.
    """
    import numpy as np
    from scipy.special import ndtr, stdtrit

    tail = float(ndtr(-math.sqrt(n / (n - 1)) * stdtrit(n - 1, 0.975)))
    low, high = np.quantile(drawn, (tail, 1 - tail))
    return float(low), float(high)


def resampled_means(values: Sequence[float], *, seed: int, draws: int) -> Numbers:
    """Means of `draws` resamples, without drawing n numbers for each.

    A resample's mean depends only on how often each distinct value was drawn, and those counts are
    multinomial: exact, and independent of n and of the order of tests. Above GROUPS distinct values
    neighbours share a group, and the spread inside a group is added as a normal. 100,000 tests
    need 8 MB and 0.1 s this way; drawing them one by one would need 1.6 GB and seconds.
    """
    import numpy as np

    ordered = np.asarray(values, dtype=np.float64)
    centres, counts = np.unique(ordered, return_counts=True)
    inside = np.zeros(len(centres))
    if len(centres) > GROUPS:
        groups = np.array_split(np.sort(ordered), GROUPS)
        centres = np.array([group.mean() for group in groups])
        counts = np.array([len(group) for group in groups])
        inside = np.array([group.var() for group in groups])
    drawn = _times_drawn(tuple(counts.tolist()), draws, seed)
    means: Numbers = drawn @ centres
    if inside.any():
        noise = np.random.default_rng((seed, 1)).standard_normal(draws)
        means += noise * np.sqrt(drawn @ inside)
    return means / len(ordered)


@lru_cache(maxsize=4)
def _times_drawn(counts: tuple[int, ...], draws: int, seed: int) -> Numbers:
    """How often each group comes up in each resample. Figures over the same tests share it: a
    model's dozen timings of 500 answers took 0.8 s without, 0.02 s with.
    """
    import numpy as np

    random = np.random.default_rng(seed)
    groups, total = len(counts), sum(counts)
    if groups < total:
        return random.multinomial(total, np.array(counts) / total, size=draws).astype(np.float64)
    # All different: counting plain draws is the same distribution at an eighth of the time.
    picks = random.integers(0, groups, size=(draws, groups))
    picks += groups * np.arange(draws)[:, None]
    return np.bincount(picks.ravel(), minlength=draws * groups).reshape(draws, groups).astype(float)
