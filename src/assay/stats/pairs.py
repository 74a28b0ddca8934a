"""Two samples: how much higher b is than a, how sure that is, and what could be found at all."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.stats.estimates import estimate, nothing
from assay.stats.intervals import Z95, Interval, all_binary, mover, newcombe_paired, wilson
from assay.stats.resampling import DRAWS, bootstrap_interval, resampled_means
from assay.types import Estimate

FLIPS = 20_000  # seeded draws of the stratified McNemar test
ROUNDING = 1e-12  # sums of floats that are equal on paper differ by about 1e-16 per term

Z80 = 0.8416212335729143  # one-sided 80 %: the power of `detectable_difference`


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Mean of b - a over pairs. `gained` and `lost` count pairs where b is higher, and lower."""

    estimate: Estimate
    p_value: float
    method: str
    gained: int
    lost: int


def paired_difference(
    a: Sequence[float], b: Sequence[float], *, seed: int = 0, draws: int = DRAWS
) -> Difference:
    """How much higher b is than a on the same tests, as a share from -1 to 1.

    All 0 or 1: exact McNemar, with Newcombe's interval for pairs. Else a paired bootstrap.
    """
    if not a and not b:
        return Difference(estimate=nothing(), p_value=1.0, method="none", gained=0, lost=0)
    changes = [second - first for first, second in zip(a, b, strict=True)]
    gained, lost = gained_and_lost(changes)
    mean = math.fsum(changes) / len(changes)
    if all_binary(a) and all_binary(b):
        interval, how, method = newcombe_paired(a, b), "newcombe", "mcnemar"
        p_value = mcnemar(gained, lost)
    else:
        method = "paired bootstrap"
        interval, how = _change_interval(changes, mean, seed=seed, draws=draws)
        p_value = bootstrap_p([(changes, 1.0)], seed=seed, draws=draws)
    found = estimate(mean, interval, len(a), method=how)
    return Difference(estimate=found, p_value=p_value, method=method, gained=gained, lost=lost)


def _change_interval(
    changes: Sequence[float], mean: float, *, seed: int, draws: int
) -> tuple[Interval, str]:
    """A bootstrap, or where every pair changed alike, what n such pairs cannot rule out.

    Wilson's limit of 0 in n bounds the share of pairs that would have changed otherwise, and those
    could lie anywhere from -1 to 1.
    """
    if max(changes) - min(changes) > ROUNDING:
        return bootstrap_interval(changes, mean, seed=seed, draws=draws), "paired bootstrap"
    other = wilson(0.0, len(changes)).high
    return Interval(mean - other * (1 + mean), mean + other * (1 - mean)), "wilson"


def paired_difference_by_category(
    groups: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    weights: Mapping[str, float],
    *,
    seed: int = 0,
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
    found = {name: paired_difference(*used[name], seed=seed) for name in used}
    value, low, high = mover([(found[name].estimate, weights[name]) for name in used])
    n = sum(difference.estimate.n for difference in found.values())
    how = "mover" if len(found) > 1 else next(iter(found.values())).estimate.method
    whole = estimate(value, (low, high), n, unit="points", method=how)
    gained = sum(difference.gained for difference in found.values())
    lost = sum(difference.lost for difference in found.values())
    per_test = {name: weights[name] / len(used[name][0]) for name in used}
    if any(difference.method != "mcnemar" for difference in found.values()):
        changes = [
            ([y - x for x, y in zip(*used[name], strict=True)], weights[name]) for name in used
        ]
        p_value, method = bootstrap_p(changes, seed=seed, draws=DRAWS), "paired bootstrap"
    elif math.isclose(min(per_test.values()), max(per_test.values())):
        p_value, method = mcnemar(gained, lost), "mcnemar"
    else:
        counts = [(found[name].gained, found[name].lost, per_test[name]) for name in found]
        p_value, method = stratified_mcnemar(counts, seed=seed), "stratified mcnemar"
    return Difference(
        estimate=whole.mapped(lambda x: max(-1.0, min(1.0, x)) * 100),
        p_value=p_value,
        method=method,
        gained=gained,
        lost=lost,
    )


def tell_apart(a: Estimate, b: Estimate) -> bool:
    """Whether the 95 % interval of b - a, taken as unpaired (MOVER), leaves out 0."""
    if a.value is None or a.low is None or a.high is None:
        return False
    if b.value is None or b.low is None or b.high is None:
        return False
    toward_b, toward_a = (a.high - a.value, b.value - b.low), (a.value - a.low, b.high - b.value)
    distance = math.hypot(*(toward_b if b.value > a.value else toward_a))
    return abs(b.value - a.value) > distance


def detectable_difference(n: float, *, spread: float = 0.5) -> float | None:
    """The smallest mean difference that n pairs find four times in five, at 5 % two-sided.

    (1.96 + 0.84) · spread / sqrt(n), where `spread` is the standard deviation of a pair's
    difference; 0.5 stands for one 0/1 test in four that differs. Never above 1.
    """
    return min(1.0, (Z95 + Z80) * spread / math.sqrt(n)) if n > 0 else None


def gained_and_lost(changes: Iterable[float]) -> tuple[int, int]:
    """How many changes go up, and how many down; what rounding makes is no change."""
    gained = lost = 0
    for change in changes:
        gained += change > ROUNDING
        lost += change < -ROUNDING
    return gained, lost


def mcnemar(gained: int, lost: int) -> float:
    """Exact two-sided p-value that as many pairs went one way as the other."""
    if gained + lost == 0:
        return 1.0
    from scipy.special import bdtr

    return min(1.0, 2.0 * float(bdtr(min(gained, lost), gained + lost, 0.5)))


def stratified_mcnemar(strata: Sequence[tuple[int, int, float]], *, seed: int) -> float:
    """McNemar's question where tests weigh differently: were the two sides alike on every test,
    each pair that differs would have gone either way by a coin; how often do coins go this far?

    A stratum is how many pairs gained, how many lost, and what each of them weighs.
    """
    import numpy as np

    random = np.random.default_rng(seed)
    observed, flipped = 0.0, np.zeros(FLIPS)
    for gained, lost, weight in strata:
        changed = gained + lost
        observed += weight * (gained - lost)
        flipped += weight * (2.0 * random.binomial(changed, 0.5, size=FLIPS) - changed)
    as_far = int((np.abs(flipped) >= abs(observed) - ROUNDING).sum())
    return (as_far + 1) / (FLIPS + 1)


def bootstrap_p(strata: Sequence[tuple[Sequence[float], float]], *, seed: int, draws: int) -> float:
    """Two-sided p-value of a weighted sum of mean changes, resampled within strata.

    Never below 2^(1-m) for m pairs that changed: their signs alone cannot say more, and a
    bootstrap of two or three tests would.
    """
    import numpy as np

    totals = np.zeros(draws)
    changed = 0
    for stratum, (changes, weight) in enumerate(strata):
        totals += weight * resampled_means(changes, seed=seed + stratum, draws=draws)
        changed += sum(gained_and_lost(changes))
    tail = min(int((totals <= ROUNDING).sum()), int((totals >= -ROUNDING).sum()))
    return min(1.0, max(2.0 * (tail + 1) / (draws + 1), 2.0 ** (1 - changed)))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return tuple(adjusted)
