"""Figures of a text, over its documents: all losses over all tokens, and how sure that is.

Documents, not tokens, carry the variance: tokens of one document are alike. The interval is that of
the ratio of sums: leave-one-out (jackknife) variance, and t with (Σ tokens)²/Σ tokens² − 1 degrees
of freedom, for a long document counts for more than a short one. A paired difference has fewer
where few documents make most of its variance. Fewer than FEWEST documents have no interval, nor has
a text of which one document is nearly all. Inside a single document the units are blocks of it, and
the interval holds for more of this document only.

`benchmarks/certainty.py` simulates how often the interval holds the truth;
`docs/decisions/intervals.md` has the figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.stats.estimates import Limits, estimate, nothing
from assay.types import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Column = Sequence[float] | Numbers

FEWEST = 12  # documents, or blocks of one
BLOCK = 1000  # tokens
# Blocks of one document say less than they claim, even of that document: neighbouring blocks are
# alike. Simulated, twelve of them hold its mean in 66 % at 2,000 tokens and in 90 % at 24,000.
LEAST_TOKENS = 2000  # of a single document
LEAST_FREEDOM = 1.0  # below it t has no mean: one document is most of the text
# Few documents make most of the variance of a paired difference. Simulated for 12, 30 and 100
# documents of real lengths, one model against another of twice the training text: by the tokens
# alone 94.7, 92.4 and 90.2 % held the truth, by Satterthwaite's freedom as it is 94.8, 92.9 and
# 91.7 %, by 0.6 of it 95.4, 94.0 and 93.3 %. Half of it was too wide elsewhere.
SEEN_TAILS = 0.6  # of the freedom that the sample shows: it shows less of its tails than there is
BY_DOCUMENTS = "leave-one-out over documents"
BY_BLOCKS = "leave-one-out over blocks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Jackknife:
    """A ratio of sums, or a difference of two: its value, standard error and freedom; and the
    pseudo-values, one a unit, whose mean and spread are the same.
    """

    value: float
    error: float
    freedom: float
    pseudo_values: Numbers

    def limits(self, tail: float = 0.025) -> Limits:
        """Beyond each lies the truth with this chance; none where the spread is not known."""
        from scipy.special import stdtrit

        units = len(self.pseudo_values)
        if units < FEWEST or self.freedom < LEAST_FREEDOM or not math.isfinite(self.error):
            return None, None
        half = float(stdtrit(self.freedom, 1 - tail)) * self.error
        return self.value - half, self.value + half


def ratio_of_sums(amounts: Column, sizes: Column) -> Jackknife:
    """All amounts over all sizes, of units such as documents: the loss per token."""
    import numpy as np

    a, t = np.asarray(amounts, np.float64), np.asarray(sizes, np.float64)
    return _jackknife(a.sum() / t.sum(), _without_each(a) / _without_each(t), t)


def difference_of_ratios(first: tuple[Column, Column], second: tuple[Column, Column]) -> Jackknife:
    """The second ratio less the first, over the same documents: sizes may differ, as those of two
    tokenizers do.
    """
    import numpy as np

    (a, t), (b, u) = (
        tuple(np.asarray(each, np.float64) for each in side) for side in (first, second)
    )
    value = b.sum() / u.sum() - a.sum() / t.sum()
    replicates = _without_each(b) / _without_each(u) - _without_each(a) / _without_each(t)
    found = _jackknife(value, replicates, t / t.sum() + u / u.sum())
    return replace(found, freedom=min(found.freedom, _observed_freedom(replicates)))


def pseudo_values(
    amounts: Column, sizes: Column, function: Callable[[Numbers], Numbers]
) -> Numbers:
    """Of a function of a ratio of sums, one a unit; a single unit has the value itself."""
    import numpy as np

    a, t = np.asarray(amounts, np.float64), np.asarray(sizes, np.float64)
    units, value = len(a), function(a.sum() / t.sum())
    if units < 2:
        return np.full(units, value)
    found: Numbers = units * value - (units - 1) * function(_without_each(a) / _without_each(t))
    return found


def over_documents(
    amounts: Sequence[float], sizes: Sequence[float], *, unit: str, method: str = BY_DOCUMENTS
) -> Estimate:
    """A ratio of sums as an estimate; `n` counts the sizes. What is never negative has no limit
    below 0.
    """
    total = math.fsum(sizes)
    if not total > 0:
        return nothing(unit=unit, method=method)
    found = ratio_of_sums(amounts, sizes)
    low, high = found.limits()
    if low is not None and min(amounts) >= 0:
        low = max(0.0, low)
    return estimate(found.value, (low, high), round(total), unit=unit, method=method)


def paired_over_documents(
    first: tuple[Sequence[float], Sequence[float]],
    second: tuple[Sequence[float], Sequence[float]],
    *,
    unit: str,
    method: str = BY_DOCUMENTS,
) -> Estimate:
    """By how much the second ratio is higher, on the same documents; `n` counts the documents."""
    if not math.fsum(first[1]) > 0 or not math.fsum(second[1]) > 0:
        return nothing(unit=unit, method=method)
    found = difference_of_ratios(first, second)
    return estimate(found.value, found.limits(), len(first[0]), unit=unit, method=method)


def block_length(tokens: int) -> int | None:
    """Of a single document: BLOCK, or less so that there are FEWEST; None where it is too short."""
    return None if tokens < LEAST_TOKENS else min(BLOCK, tokens // FEWEST)


def _without_each(of: Numbers) -> Numbers:
    """The sum of all others; of a single unit there are none, and nothing is known."""
    import numpy as np

    left: Numbers = of.sum() - of if len(of) > 1 else np.full(1, np.nan)
    return left


def _jackknife(value: float, replicates: Numbers, sizes: Numbers) -> Jackknife:
    """`replicates`: the value without each unit in turn."""
    import numpy as np

    units = len(replicates)
    spread = math.fsum((replicates - replicates.mean()) ** 2) if units > 1 else math.inf
    return Jackknife(
        value=float(value),
        error=math.sqrt(spread * (units - 1) / units) if units > 1 else math.inf,
        freedom=float(sizes.sum() ** 2 / np.square(sizes).sum()) - 1,
        pseudo_values=units * value - (units - 1) * replicates,
    )


def _observed_freedom(replicates: Numbers) -> float:
    """Satterthwaite's, by the fourth moment: twice the squared variance over the variance of it."""
    import numpy as np

    squares = np.square(replicates - replicates.mean())
    total = float(squares.sum())
    if not 0 < total < math.inf:
        return math.inf
    beyond_equal = float(np.square(squares).sum()) / total**2 - 1 / len(squares)
    return SEEN_TAILS * 2 / beyond_equal if beyond_equal > 0 else math.inf
