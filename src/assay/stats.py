"""Pure mathematics: how sure a figure is. Numbers in, `Estimate` out.

In: scores, counts and weights. Out: estimates with 95 % intervals, paired differences, adjusted
p-values. Refuses to know: tests, models, suites, and how a number is shown.

Which interval where, and why: `docs/statistics.md`, `docs/decisions/020-intervals.md`.
numpy and scipy are loaded inside the functions: importing this module must cost nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from assay.types import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Z95 = 1.959963984540054  # two-sided 95 % of a normal
Z80 = 0.8416212335729143  # one-sided 80 %: the power of `detectable_difference`
DRAWS = 2000
FLIPS = 20_000  # seeded draws of the stratified McNemar test
GROUPS = 512  # distinct values up to which a resample is exact
ROUNDING = 1e-12  # sums of floats that are equal on paper differ by about 1e-16 per term


class Interval(NamedTuple):
    """Where 95 % of intervals made this way hold the true value."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Mean of b - a over pairs. `gained` and `lost` count pairs where b is higher, and lower."""

    estimate: Estimate
    p_value: float
    method: str
    gained: int
    lost: int


# ------------------------------------------------------------------------------------ one sample


def nothing(*, unscored: int = 0, unit: str = "share", method: str = "none") -> Estimate:
    """The estimate of no observation."""
    return _estimate(None, (None, None), n=0, unscored=unscored, unit=unit, method=method)


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


def proportion(successes: int, n: int, *, unscored: int = 0, unit: str = "share") -> Estimate:
    """A share of successes, with Wilson's interval."""
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if n == 0:
        return nothing(unscored=unscored, unit=unit, method="wilson")
    share = successes / n
    low, high = wilson(share, n)
    return _estimate(share, (low, high), n=n, unscored=unscored, unit=unit, method="wilson")


def mean_of(
    scores: Sequence[float],
    *,
    unscored: int = 0,
    unit: str = "share",
    seed: int = 0,
    draws: int = DRAWS,
) -> Estimate:
    """The mean of scores from 0 to 1: Wilson if all are 0 or 1, else a bootstrap over tests.

    Scores without any spread are a case for Wilson too: resampling them would claim certainty.
    """
    if any(not 0.0 <= score <= 1.0 for score in scores):
        raise ValueError("a score lies between 0 and 1")
    n = len(scores)
    if n == 0:
        return nothing(unscored=unscored, unit=unit, method="wilson")
    mean = min(1.0, math.fsum(scores) / n)
    if _all_binary(scores) or min(scores) == max(scores):
        (low, high), method = wilson(mean, n), "wilson"
    else:
        (low, high), method = _bootstrap_interval(scores, mean, seed=seed, draws=draws), "bootstrap"
    return _estimate(mean, (low, high), n=n, unscored=unscored, unit=unit, method=method)


def average(
    values: Sequence[float], *, unit: str, unscored: int = 0, seed: int = 0, draws: int = DRAWS
) -> Estimate:
    """The mean of numbers without bounds, such as seconds. One number has no interval."""
    n = len(values)
    if n == 0:
        return nothing(unscored=unscored, unit=unit, method="bootstrap")
    mean = math.fsum(values) / n
    interval = _bootstrap_interval(values, mean, seed=seed, draws=draws) if n > 1 else (None, None)
    return _estimate(mean, interval, n=n, unscored=unscored, unit=unit, method="bootstrap")


def ratio(
    amounts: Sequence[float], per: Sequence[float], *, unit: str, unscored: int = 0, seed: int = 0
) -> Estimate:
    """All amounts over all of what they took, such as tokens per second.

    The interval is that of the linearised ratio (a_i - r·p_i, over the mean p): the usual delta
    method, resampled by observation.
    """
    n, total = len(amounts), math.fsum(per)
    if n != len(per):
        raise ValueError(f"{n} amounts for {len(per)} observations")
    if n == 0 or total <= 0:
        return nothing(unscored=unscored, unit=unit, method="bootstrap")
    value = math.fsum(amounts) / total
    linear = [value + (a - value * p) * n / total for a, p in zip(amounts, per, strict=True)]
    around = average(linear, unit=unit, unscored=unscored, seed=seed)
    return _estimate(
        value, (around.low, around.high), n=n, unscored=unscored, unit=unit, method="bootstrap"
    )


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
    return _estimate(
        float(np.quantile(ordered, share)),
        (low, high),
        n=n,
        unscored=unscored,
        unit=unit,
        method="order statistics",
    )


def weighted(
    parts: Sequence[tuple[Estimate, float]], *, scale: float = 100.0, unit: str = "points"
) -> Estimate:
    """Weighted mean of shares, with an interval from theirs (MOVER: Zou and Donner 2008).

    A part without observations leaves the weights, but what it could not mark stays counted.
    A part of weight 0 does not count at all.
    """
    used = [(part, weight) for part, weight in parts if weight > 0]
    counted = [(part, weight) for part, weight in used if part.n > 0]
    unscored = sum(part.unscored for part, _ in used)
    if not counted:
        return nothing(unscored=unscored, unit=unit, method="mover")
    value, low, high = _mover(counted)
    return Estimate(
        value=_clamp(value, 0.0, 1.0) * scale,
        low=None if low is None else _clamp(low, 0.0, 1.0) * scale,
        high=None if high is None else _clamp(high, 0.0, 1.0) * scale,
        n=sum(part.n for part, _ in counted),
        unscored=unscored,
        unit=unit,
        method=counted[0][0].method if len(counted) == 1 else "mover",
    )


# ----------------------------------------------------------------------------------------- pairs


def paired_difference(
    a: Sequence[float], b: Sequence[float], *, seed: int = 0, draws: int = DRAWS
) -> Difference:
    """How much higher b is than a on the same tests, as a share from -1 to 1.

    All 0 or 1: exact McNemar, with Newcombe's interval for pairs. Else a paired bootstrap.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} scores cannot be paired with {len(b)}")
    if not a:
        return Difference(estimate=nothing(), p_value=1.0, method="none", gained=0, lost=0)
    changes = [second - first for first, second in zip(a, b, strict=True)]
    gained, lost = _gained_and_lost(changes)
    mean = math.fsum(changes) / len(changes)
    if _all_binary(a) and _all_binary(b):
        interval, how, method = newcombe_paired(a, b), "newcombe", "mcnemar"
        p_value = mcnemar(gained, lost)
    else:
        method = "paired bootstrap"
        interval, how = _change_interval(changes, mean, seed=seed, draws=draws)
        p_value = _bootstrap_p([(changes, 1.0)], seed=seed, draws=draws)
    estimate = _estimate(mean, interval, n=len(a), unscored=0, unit="share", method=how)
    return Difference(estimate=estimate, p_value=p_value, method=method, gained=gained, lost=lost)


def paired_difference_by_category(
    groups: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    weights: Mapping[str, float],
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> Difference:
    """The difference of two suite scores, in points: category differences under their weights.

    The interval is MOVER's over the categories' own. The p-value tests the weighted difference:
    exact McNemar on all pairs where every test weighs the same, McNemar stratified by category
    where they do not, and a bootstrap within categories where scores are not all 0 or 1.
    """
    used = {
        name: pair
        for name, pair in sorted(groups.items())
        if len(pair[0]) > 0 and weights.get(name, 0.0) > 0
    }
    if not used:
        return Difference(
            estimate=nothing(unit="points"), p_value=1.0, method="none", gained=0, lost=0
        )
    found = {name: paired_difference(*used[name], seed=seed, draws=draws) for name in used}
    value, low, high = _mover([(found[name].estimate, weights[name]) for name in used])
    p_value, method = _suite_p(used, found, weights, seed=seed, draws=draws)
    estimate = Estimate(
        value=value * 100,
        low=None if low is None else max(-1.0, low) * 100,
        high=None if high is None else min(1.0, high) * 100,
        n=sum(difference.estimate.n for difference in found.values()),
        unscored=0,
        unit="points",
        method="mover" if len(found) > 1 else next(iter(found.values())).estimate.method,
    )
    return Difference(
        estimate=estimate,
        p_value=p_value,
        method=method,
        gained=sum(difference.gained for difference in found.values()),
        lost=sum(difference.lost for difference in found.values()),
    )


def mcnemar(gained: int, lost: int) -> float:
    """Exact two-sided p-value that as many pairs went one way as the other."""
    if gained + lost == 0:
        return 1.0
    from scipy.special import bdtr

    return min(1.0, 2.0 * float(bdtr(min(gained, lost), gained + lost, 0.5)))


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
    of_a, of_b, share_a, share_b = (
        wilson(first / n, n),
        wilson(second / n, n),
        first / n,
        second / n,
    )
    below, above = share_b - of_b.low, of_a.high - share_a
    up, down = of_b.high - share_b, share_a - of_a.low
    low = math.sqrt(max(0.0, below**2 - 2 * phi * below * above + above**2))
    high = math.sqrt(max(0.0, up**2 - 2 * phi * up * down + down**2))
    difference = (second - first) / n
    return Interval(max(-1.0, difference - low), min(1.0, difference + high))


def detectable_difference(n: float, *, spread: float = 0.5) -> float | None:
    """The smallest mean difference that n pairs find four times in five, at 5 % two-sided.

    (1.96 + 0.84) · spread / sqrt(n), where `spread` is the standard deviation of a pair's
    difference; 0.5 stands for one 0/1 test in four that differs. Never above 1.
    """
    return min(1.0, (Z95 + Z80) * spread / math.sqrt(n)) if n > 0 else None


# --------------------------------------------------------------------------------- several things


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjustment, in the order given."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return tuple(adjusted)


def pass_at_k(n: int, c: int, k: int) -> float:
    """Chance that at least one of k tries passes, from c passes in n (unbiased)."""
    _check_tries(n, c, k)
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Chance that all of k tries pass, from c passes in n (unbiased)."""
    _check_tries(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def tell_apart(a: Estimate, b: Estimate) -> bool:
    """Whether the 95 % interval of b - a, taken as unpaired (MOVER), leaves out 0."""
    if a.value is None or a.low is None or a.high is None:
        return False
    if b.value is None or b.low is None or b.high is None:
        return False
    toward_b, toward_a = (a.high - a.value, b.value - b.low), (a.value - a.low, b.high - b.value)
    distance = math.hypot(*(toward_b if b.value > a.value else toward_a))
    return abs(b.value - a.value) > distance


# --------------------------------------------------------------------------------------- the parts


def _all_binary(values: Iterable[float]) -> bool:
    return all(value in (0.0, 1.0) for value in values)


def _estimate(
    value: float | None,
    limits: tuple[float | None, float | None],
    *,
    n: int,
    unscored: int,
    unit: str,
    method: str,
) -> Estimate:
    low, high = limits
    return Estimate(
        value=value, low=low, high=high, n=n, unscored=unscored, unit=unit, method=method
    )


def _clamp(value: float, low: float, high: float) -> float:
    return max(low, min(high, value))


def _check_tries(n: int, c: int, k: int) -> None:
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"{c} passes in {n} tries say nothing about {k}")


def _gained_and_lost(changes: Iterable[float]) -> tuple[int, int]:
    gained = lost = 0
    for change in changes:
        gained += change > ROUNDING
        lost += change < -ROUNDING
    return gained, lost


def _mover(
    parts: Sequence[tuple[Estimate, float]],
) -> tuple[float, float | None, float | None]:
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


def _resampled_means(values: Sequence[float], *, seed: int, draws: int) -> Numbers:
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
    random = np.random.default_rng(seed)
    drawn = random.multinomial(len(ordered), counts / counts.sum(), size=draws)
    noise = random.standard_normal(draws) * np.sqrt(drawn @ inside)
    means: Numbers = (drawn @ centres + noise) / len(ordered)
    return means


def _bootstrap_interval(values: Sequence[float], mean: float, *, seed: int, draws: int) -> Interval:
    """Percentile interval, its percentiles moved out for few tests (Hesterberg 2015).

    The plain percentiles are too narrow by about sqrt((n-1)/n) and by z against t; at n = 10 they
    hold the true mean 9 times in 10. From some 100 tests on both are the same.
    """
    import numpy as np
    from scipy.special import ndtr, stdtrit

    n = len(values)
    tail = float(ndtr(-math.sqrt(n / (n - 1)) * stdtrit(n - 1, 0.975)))
    means = _resampled_means(values, seed=seed, draws=draws)
    low, high = (float(limit) for limit in np.quantile(means, (tail, 1 - tail)))
    low, high = max(low, min(values)), min(high, max(values))  # the noise inside groups may leave
    return Interval(min(low, mean), max(high, mean))


def _change_interval(
    changes: Sequence[float], mean: float, *, seed: int, draws: int
) -> tuple[Interval, str]:
    """A bootstrap, or where every pair changed alike, what n such pairs cannot rule out.

    Wilson's limit of 0 in n bounds the share of pairs that would have changed otherwise, and those
    could lie anywhere from -1 to 1.
    """
    if max(changes) - min(changes) > ROUNDING:
        return _bootstrap_interval(changes, mean, seed=seed, draws=draws), "paired bootstrap"
    other = wilson(0.0, len(changes)).high
    return Interval(mean - other * (1 + mean), mean + other * (1 - mean)), "wilson"


def _bootstrap_p(
    strata: Sequence[tuple[Sequence[float], float]], *, seed: int, draws: int
) -> float:
    """Two-sided p-value of a weighted sum of mean changes, resampled within strata.

    Never below 2^(1-m) for m pairs that changed: their signs alone cannot say more, and a
    bootstrap of two or three tests would.
    """
    import numpy as np

    totals = np.zeros(draws)
    changed = 0
    for stratum, (changes, weight) in enumerate(strata):
        totals += weight * _resampled_means(changes, seed=seed + stratum, draws=draws)
        changed += sum(_gained_and_lost(changes))
    tail = min(int((totals <= ROUNDING).sum()), int((totals >= -ROUNDING).sum()))
    return min(1.0, max(2.0 * (tail + 1) / (draws + 1), 2.0 ** (1 - changed)))


def _suite_p(
    pairs: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    found: Mapping[str, Difference],
    weights: Mapping[str, float],
    *,
    seed: int,
    draws: int,
) -> tuple[float, str]:
    """The p-value of a weighted difference, and the test that gave it."""
    gained = sum(difference.gained for difference in found.values())
    lost = sum(difference.lost for difference in found.values())
    per_test = {name: weights[name] / len(pairs[name][0]) for name in pairs}
    if any(difference.method != "mcnemar" for difference in found.values()):
        strata = [
            ([y - x for x, y in zip(*pairs[name], strict=True)], weights[name]) for name in pairs
        ]
        return _bootstrap_p(strata, seed=seed, draws=draws), "paired bootstrap"
    if math.isclose(min(per_test.values()), max(per_test.values())):
        return mcnemar(gained, lost), "mcnemar"
    return _stratified_mcnemar(found, per_test, seed=seed), "stratified mcnemar"


def _stratified_mcnemar(
    found: Mapping[str, Difference], per_test: Mapping[str, float], *, seed: int
) -> float:
    """McNemar's question where tests weigh differently: were the two sides alike on every test,
    each pair that differs would have gone either way by a coin; how often do coins go this far?
    """
    import numpy as np

    random = np.random.default_rng(seed)
    observed, flipped = 0.0, np.zeros(FLIPS)
    for name, difference in found.items():
        changed = difference.gained + difference.lost
        observed += per_test[name] * (difference.gained - difference.lost)
        flipped += per_test[name] * (2.0 * random.binomial(changed, 0.5, size=FLIPS) - changed)
    as_far = int((np.abs(flipped) >= abs(observed) - ROUNDING).sum())
    return (as_far + 1) / (FLIPS + 1)
