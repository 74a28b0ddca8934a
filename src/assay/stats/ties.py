"""Which of several candidates the best one is not surely ahead of.

Each candidate's score is a sum of parts; a part is a table with a row for each unit (a test of a
category, a document of a text) and a column for each candidate, and adds the mean of its column. A
figure that is no mean, such as a perplexity, comes as its leave-one-out pseudo-values.

The best of many was chosen from the same data, so one difference against it says too little: the
bound holds for all ordered pairs at once. Units are resampled, the same draw for all candidates,
and every drawn difference is divided by its own standard error; the 95th percentile of the maximum
over all pairs is how many standard errors a lead must have. A part of fewer than FEW units, or of
documents that count for no more than so many equal ones, is not resampled: its differences are
drawn from a normal of its covariance, and their variances from as many normal units (t).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.stats.resampling import DRAWS
from assay.types.score_units import FigureRow, ScoreUnits, UnitTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.floating]
    Places = NDArray[np.signedinteger]

# Units count by their weight: 100 files of real lengths count for some 20 equal ones. Resampled
# as if they were 30, they kept all of 20 equal candidates in 83 % of runs instead of 94.
FEW = 30
SURE = 0.95
# Of checkpoints that answer nine tests in ten alike a draw may hold none of the others; its
# variance is then 0, and the ratio infinite.
LEAST_SHARE = 0.25  # of the observed variance: a draw without any unit that differs knows nothing
MOST_CELLS = 4_000_000  # of draws and units at once: 32 MB
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Leads:
    """By ordered pair [a, b]: how far a leads b, its standard error, and how many of those a lead
    must have to be sure of all pairs at once.
    """

    by: Numbers
    errors: Numbers
    needed: float

    def sure(self, a: int, b: int) -> bool:
        """Whether a is ahead of b."""
        error = float(self.errors[a, b])
        return math.isfinite(error) and bool(self.by[a, b] > self.needed * error + ROUNDING)

    def tied_with(self, best: int) -> tuple[int, ...]:
        """Those that the best one is not surely ahead of."""
        others = range(len(self.by))
        return tuple(each for each in others if each != best and not self.sure(best, each))


def compare_all(parts: Sequence[ScoreUnits], *, seed: int = 0, draws: int = DRAWS) -> Leads:
    """All parts have the same candidates. A part that does not tell how it varies (a single unit in
    which candidates differ) makes nothing sure.
    """
    import numpy as np

    count = _candidates(parts[0])
    first, second = np.triu_indices(count, 1)
    by, variance = np.zeros(len(first)), np.zeros(len(first))
    moved, spread = (np.zeros((draws, len(first)), np.float32) for _ in range(2))
    for place, part in enumerate(parts):
        found = _observe(part, first, second)
        by, variance = by + found.by, variance + found.variance
        random = np.random.default_rng((seed, place))
        if isinstance(part, FigureRow):
            drawn = _draw_figures(part, first, second, random, draws)
        elif part.effective_units < FEW:
            drawn = _draw_tables(part, first, second, random, draws)
        else:
            drawn = _resample(part.values, first, second, found, (seed, place), draws)
        alike = _draw_alike(found, random, draws)
        moved += drawn[0] + alike[0]
        spread += drawn[1] + alike[1]
    needed = _needed(moved, spread, (variance > 0) & np.isfinite(variance))
    return _square(by, np.sqrt(variance), needed, count, (first, second))


def _needed(moved: Numbers, spread: Numbers, known: NDArray[np.bool_]) -> float:
    """The maximum over all pairs of which it is known how they vary, as large as 95 % of draws."""
    import numpy as np

    if not known.any():
        return 0.0
    at_least = np.maximum(spread[:, known], np.finfo(np.float32).tiny)
    ratios = np.square(moved[:, known]) / at_least
    return math.sqrt(float(np.quantile(ratios.max(axis=1), SURE)))


@dataclass(frozen=True, slots=True)
class _Observed:
    """`alike`: the variance where units that all differ alike have none."""

    by: Numbers
    variance: Numbers
    alike: Numbers
    freedom: float = 1.0


def _candidates(part: ScoreUnits) -> int:
    return part.values.shape[1] if isinstance(part, UnitTable) else len(part.values)


def _observe(part: ScoreUnits, first: Places, second: Places) -> _Observed:
    import numpy as np

    if isinstance(part, FigureRow):
        values, errors = np.asarray(part.values), np.asarray(part.errors, np.float64)
        apart = _are_apart(part, first, second)
        by = np.where(apart, values[first] - values[second], 0.0)
        variance = np.where(apart, errors[first] ** 2 + errors[second] ** 2, 0.0)
        return _Observed(by, variance, np.zeros(len(by)))
    units = len(part.values)
    means, covariance = _moments(part.values)
    by = means[first] - means[second]
    if units < 2:
        return _Observed(by, np.where(abs(by) > ROUNDING, np.inf, 0.0), np.zeros(len(by)))
    own = np.diag(covariance)
    variance = np.maximum(own[first] + own[second] - 2 * covariance[first, second], 0.0) / units
    # Units that all differ alike: one more could have differed otherwise, by as much.
    alike = np.where(variance > (ROUNDING + 1e-6 * abs(by)) ** 2, 0.0, (by / units) ** 2)
    return _Observed(by, variance + alike, alike, part.effective_units - 1)


def _moments(values: Numbers) -> tuple[Numbers, Numbers]:
    import numpy as np

    means = values.mean(axis=0)
    apart = values - means
    return means, apart.T @ apart / np.maximum(len(values) - 1, 1)


def _are_apart(part: FigureRow, first: Places, second: Places) -> Numbers:
    import numpy as np

    groups = np.asarray(part.groups)
    different: Numbers = groups[first] != groups[second]
    return different


def _resample(
    values: Numbers,
    first: Places,
    second: Places,
    observed: _Observed,
    seed: tuple[int, int],
    draws: int,
) -> tuple[Numbers, Numbers]:
    """The difference of each pair less the observed one, and its variance, in every draw."""
    import numpy as np

    units = len(values)
    changes = (values[:, first] - values[:, second] - observed.by).astype(np.float32)
    both = np.concatenate((changes, np.square(changes)), axis=1) / np.float32(units)
    moved, spread = (np.empty((draws, len(first)), np.float32) for _ in range(2))
    rows = max(1, MOST_CELLS // units)
    for start in range(0, draws, rows):
        end = min(draws, start + rows)
        means, squares = np.split(_times_drawn(units, seed, start, end) @ both, 2, axis=1)
        moved[start:end] = means
        spread[start:end] = (squares - np.square(means)) / np.float32(units - 1)
    return moved, np.maximum(
        spread, (LEAST_SHARE * (observed.variance - observed.alike)).astype(np.float32)
    )


@lru_cache(maxsize=8)
def _times_drawn(units: int, seed: tuple[int, int], start: int, end: int) -> Numbers:
    """How often each unit comes up in each of these draws; two parts never share a draw."""
    import numpy as np

    random = np.random.default_rng((*seed, units, start))
    picks = random.integers(0, units, size=(end - start, units))
    picks += units * np.arange(end - start)[:, None]
    counted = np.bincount(picks.ravel(), minlength=(end - start) * units)
    return counted.reshape(end - start, units).astype(np.float32)


def _draw_tables(
    part: UnitTable, first: Places, second: Places, random: np.random.Generator, draws: int
) -> tuple[Numbers, Numbers]:
    """As `_resample`, of normal units with the observed covariance, as many as the part has freedom
    and one more.
    """
    import numpy as np

    units, count = part.values.shape
    freedom = max(1, math.floor(part.effective_units - 1))
    apart = (part.values - part.values.mean(axis=0)) / math.sqrt(max(units - 1, 1))
    root = np.linalg.qr(apart, mode="r") if units > count else apart  # the same products, smaller
    means = random.standard_normal((draws, len(root))) @ root / math.sqrt(units)
    drawn = random.standard_normal((draws, freedom, len(root))) @ root
    products = np.matmul(drawn.transpose(0, 2, 1), drawn) / (freedom * units)
    own = np.diagonal(products, axis1=1, axis2=2)
    spread = own[:, first] + own[:, second] - 2 * products[:, first, second]
    return means[:, first] - means[:, second], spread


def _draw_alike(
    observed: _Observed, random: np.random.Generator, draws: int
) -> tuple[Numbers, Numbers]:
    """As `_resample`, of pairs whose units all differ alike, which vary in no resample."""
    import numpy as np

    if not observed.alike.any():
        return np.float32(0.0), np.float32(0.0)  # type: ignore[return-value]
    shape = (draws, len(observed.alike))
    freedom = max(observed.freedom, 1.0)
    moved = random.standard_normal(shape) * np.sqrt(observed.alike)
    return moved, observed.alike * random.chisquare(freedom, shape) / freedom


def _draw_figures(
    part: FigureRow, first: Places, second: Places, random: np.random.Generator, draws: int
) -> tuple[Numbers, Numbers]:
    """As `_resample`, of figures that vary by themselves."""
    import numpy as np

    groups = np.asarray(part.groups)
    errors = np.nan_to_num(np.asarray(part.errors, np.float64), posinf=0.0)  # of those, no bound
    shape = (draws, int(groups.max()) + 1)
    moved = random.standard_normal(shape)[:, groups] * errors
    freedom = max(part.freedom, 1.0)
    variance = (random.chisquare(freedom, shape) / freedom)[:, groups] * errors**2
    apart = _are_apart(part, first, second)
    return (
        np.where(apart, moved[:, first] - moved[:, second], 0.0),
        np.where(apart, variance[:, first] + variance[:, second], 0.0),
    )


def _square(
    by: Numbers, errors: Numbers, needed: float, count: int, pairs: tuple[Places, Places]
) -> Leads:
    import numpy as np

    leads, of = np.zeros((count, count)), np.zeros((count, count))
    leads[pairs], of[pairs] = by, errors
    return Leads(by=leads - leads.T, errors=of + of.T, needed=needed)
