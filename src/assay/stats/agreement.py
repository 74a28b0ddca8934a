"""How far raters agree on the same things: an `Estimate` from -1 to 1 with a bootstrap interval.

Draws are over the things rated, or over `clusters` of them where some belong together. Ratings
without spread have no value and count as unscored: they agree on nothing that is not chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.stats.estimates import Limits, estimate, nothing
from assay.stats.intervals import wilson
from assay.stats.resampling import DRAWS, limits_of
from assay.types import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Statistic = Callable[[Numbers], float | None]

UNIT = "agreement"
FEWEST = 3  # things rated: two ranks agree or do not, which is no correlation


def spearman(a: Sequence[float], b: Sequence[float], **drawing: Any) -> Estimate:
    """Rank correlation; equal ratings share the mean of their ranks."""
    return _estimate(_spearman, _table(zip(a, b, strict=True)), **drawing)


def quadratic_kappa(a: Sequence[float], b: Sequence[float], **drawing: Any) -> Estimate:
    """Cohen's kappa with quadratic weights, on the ratings as numbers.

    The number of grades cancels out, and so does the table: one less the mean squared difference
    over what two independent raters with these means and variances would have.
    """
    return _estimate(_quadratic_kappa, _table(zip(a, b, strict=True)), **drawing)


def krippendorff_alpha(ratings: Sequence[Sequence[float | None]], **drawing: Any) -> Estimate:
    """Ordinal. One row per thing rated, one place per rater; None where it was not rated.

    A row with fewer than two ratings can neither agree nor disagree and is left out. `n` counts
    the others.
    """
    width = max(map(len, ratings), default=0)
    rows, kept = [], []
    for place, row in enumerate(ratings):
        given = [math.nan if one is None else float(one) for one in row]
        if sum(not math.isnan(one) for one in given) >= 2:
            rows.append(given + [math.nan] * (width - len(given)))
            kept.append(place)
    if (clusters := drawing.get("clusters")) is not None:
        drawing["clusters"] = [clusters[place] for place in kept]
    return _estimate(_alpha_ordinal, _table(rows), fewest=2, **drawing)


def icc(ratings: Sequence[Sequence[float]], **drawing: Any) -> Estimate:
    """ICC(A,1), one rater's absolute agreement (McGraw and Wong 1996); no rating missing."""
    return _estimate(_icc, _table(ratings), fewest=2, **drawing)


def share_within(ratings: Sequence[Sequence[float]], most: float = 0, **drawing: Any) -> Estimate:
    """The share of pairs of ratings of one thing at most `most` apart; no rating missing."""
    import numpy as np

    def share(table: Numbers) -> float | None:
        first, second = np.triu_indices(table.shape[1], 1)
        return float((abs(table[:, first] - table[:, second]) <= most).mean())

    table = _table(ratings)
    if table.ndim != 2 or table.shape[1] < 2:
        return nothing(unit="share", method="bootstrap")
    found = replace(_estimate(share, table, fewest=1, **drawing), unit="share")
    if found.value in (0.0, 1.0):  # drawing would claim certainty
        low, high = wilson(found.value, len(_members(drawing.get("clusters"), found.n)))
        return replace(found, low=low, high=high, method="wilson")
    return found


def _spearman(table: Numbers) -> float | None:
    a, b = (_ranks(column) for column in table.T)
    a, b = a - a.mean(), b - b.mean()
    spread = float(a @ a) * float(b @ b)
    return float(a @ b) / math.sqrt(spread) if spread > 0 else None


def _quadratic_kappa(table: Numbers) -> float | None:
    a, b = table.T
    observed = float(((a - b) ** 2).mean())
    by_chance = float(a.var() + b.var() + (a.mean() - b.mean()) ** 2)
    return 1 - observed / by_chance if by_chance > 0 else None


def _alpha_ordinal(table: Numbers) -> float | None:
    """The ordinal distance of two grades is the difference of their mid-ranks among all ratings.
    Squared distances of all pairs are twice a sum of squares around the mean, times the count:
    within a row for what is observed, over all ratings for what chance would give.
    """
    import numpy as np

    given = ~np.isnan(table)
    values = _ranks(table[given])
    ranks = np.zeros(table.shape)
    ranks[given] = values
    counts = given.sum(axis=1).astype(np.float64)
    means = ranks.sum(axis=1) / counts
    within = (((ranks - means[:, None]) ** 2) * given).sum(axis=1)
    total = float(counts.sum())
    observed = float((2 * counts * within / (counts - 1)).sum()) / total
    by_chance = 2 * float(((values - values.mean()) ** 2).sum()) / (total - 1)
    return 1 - observed / by_chance if by_chance > 0 else None


def _ranks(values: Numbers) -> Numbers:
    """From 1 on; equal values share their mean. (scipy.stats takes a second to import.)"""
    import numpy as np

    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles: Numbers = np.cumsum(counts) - (counts - 1) / 2
    return middles[places]


def _icc(table: Numbers) -> float | None:
    """From the mean squares of things rated, of raters, and of what neither explains."""
    n, k = table.shape
    if k < 2:
        return None
    middle = table.mean()
    of_rows = table.mean(axis=1) - middle
    of_columns = table.mean(axis=0) - middle
    left = table - middle - of_rows[:, None] - of_columns[None, :]
    rows = k * float(of_rows @ of_rows) / (n - 1)
    columns = n * float(of_columns @ of_columns) / (k - 1)
    rest = float((left**2).sum()) / ((n - 1) * (k - 1))
    below = rows + (k - 1) * rest + k * (columns - rest) / n
    return (rows - rest) / below if below > 0 else None


def _table(rows: Iterable[Sequence[float]]) -> Numbers:
    import numpy as np

    return np.asarray([*rows], dtype=np.float64)


def _estimate(
    statistic: Statistic,
    table: Numbers,
    *,
    clusters: Sequence[Hashable] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    fewest: int = FEWEST,
) -> Estimate:
    """With percentiles, moved out for few clusters as in `resampling`. A draw that has no value
    (all ratings alike) is left out; where that is every second one, there is no interval.
    """
    import numpy as np

    n = len(table)
    name = "bootstrap" if clusters is None else "cluster bootstrap"
    value = statistic(table) if n >= fewest else None
    if value is None:
        return nothing(unscored=n, unit=UNIT, method=name)
    members = _members(clusters, n)
    count = len(members)
    random = np.random.default_rng(seed)
    found = []
    for _ in range(draws if count > 1 else 0):
        picks = random.integers(0, count, size=count)
        drawn = statistic(table[np.concatenate([members[pick] for pick in picks])])
        if drawn is not None:
            found.append(drawn)
    limits: Limits = (None, None)
    if count > 1 and 2 * len(found) >= draws:
        low, high = limits_of(found, count)
        limits = min(low, value), max(high, value)
    return estimate(value, limits, n, unit=UNIT, method=name)


def _members(clusters: Sequence[Hashable] | None, n: int) -> list[NDArray[np.int64]]:
    """The places of each cluster, in the order of their first ones."""
    import numpy as np

    places: dict[Hashable, list[int]] = {}
    for place in range(n):
        places.setdefault(place if clusters is None else clusters[place], []).append(place)
    return [np.asarray(some, dtype=np.int64) for some in places.values()]
