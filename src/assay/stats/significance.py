"""p-values: how often chance alone would go as far; several of them adjusted by Holm."""

from collections.abc import Iterable, Sequence

from assay.stats.resampling import resampled_means

FLIPS = 20_000  # seeded draws of the stratified McNemar test
ROUNDING = 1e-12  # sums of floats that are equal on paper differ by about 1e-16 per term


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
