"""How a test separates good models from weak ones: its corrected item-total correlation."""

import math
from collections.abc import Sequence

from assay.stats.estimates import Limits, estimate, nothing
from assay.stats.intervals import Z95
from assay.types import Estimate

UNIT, METHOD = "correlation", "item-rest correlation, fisher"


def discriminations(scores: Sequence[Sequence[float | None]]) -> list[Estimate]:
    """Of each test (a row) over models, None where a model has no score: Pearson's correlation of
    the test's score with the mean of the model's other scores, so that a test is not correlated
    with itself. Fisher's interval, from four models on; n counts the models.
    """
    import numpy as np

    table = np.array(scores, dtype=np.float64).T
    count = np.isfinite(table).sum(axis=1, keepdims=True)
    known = np.isfinite(table) & (count > 1)
    filled = np.where(known, table, 0.0)
    others = np.nansum(table, axis=1, keepdims=True) - filled
    rest = np.where(known, others / np.maximum(count - 1, 1), 0.0)
    n = known.sum(axis=0)
    most = np.maximum(n, 1)
    x = np.where(known, filled - filled.sum(axis=0) / most, 0.0)
    y = np.where(known, rest - rest.sum(axis=0) / most, 0.0)
    both, spread = (x * y).sum(axis=0), np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    return [
        nothing(unit=UNIT, method=METHOD)
        if models < 3 or spread_here < 1e-12
        else _with_interval(float(shared / spread_here), int(models))
        for shared, spread_here, models in zip(both, spread, n, strict=True)
    ]


def _with_interval(correlation: float, n: int) -> Estimate:
    value = max(-1.0, min(1.0, correlation))
    limits: Limits = (None, None)
    if n > 3:
        middle = math.atanh(max(-1 + 1e-9, min(1 - 1e-9, value)))
        half = Z95 / math.sqrt(n - 3)
        limits = (min(value, math.tanh(middle - half)), max(value, math.tanh(middle + half)))
    return estimate(value, limits, n, unit=UNIT, method=METHOD)
