"""Whether the mean over a whole suite lies above a limit, decided after part of it.

The suite is finite and asked in a random order without replacement. Two players bet, one against
"it fails" and one against "it passes"; whoever's claim is true can multiply his capital by 1/alpha
with a chance of alpha at most, however often somebody looks (Waudby-Smith and Ramdas; ALPHA of
Stark for scores that are 0 or 1). What is decided is what the full suite would say, nothing about
other tests.

Arrays hold several bets at once: orders of a simulation, or all the sums an interval may hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from assay.stats.looks import ALPHA

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

# Bets pay best if the truth is guessed, and lose little if it is not. In 10,000 simulated orders
# 1,000 right-or-wrong tests that lie 0.15 beyond the limit are decided after 7 % of them, those
# at 0.05 after 39 %, with at most 0.5 % wrong.
AHEAD = 0.15  # the mean is first guessed to lie so far beyond the limit
GUESSED = 20  # as many tests as the first guess counts for
MOST_STAKED = 0.75  # of what a bet on a score could lose
VARIANCE = 0.25  # the first guess of it, which counts for one test
ROUNDING = 1e-9
GRID = 400  # sums that an interval tries


class Wager:
    """The capital of bets that a sum of `size` scores from 0 to 1 is above `total`. Every order has
    one stake at a time, set before its score is seen. `graded`: scores lie between 0 and 1 too.
    """

    def __init__(self, size: int, total: Numbers, *, graded: bool) -> None:
        import numpy as np

        self.size, self.total, self.graded = size, total, graded
        self.fed = 0
        self.sum = np.zeros_like(total)
        self.squares = np.zeros_like(total)
        self.log = np.zeros_like(total)
        self.best = np.zeros_like(total)  # the highest that `log` was
        limit = np.clip(total / size, 0.0, 1.0)
        self._guess = np.minimum(limit + AHEAD, (1.0 + limit) / 2)
        self._beyond = self._guess - limit

    def feed(self, score: Numbers | float) -> None:
        import numpy as np

        left = self.size - self.fed
        null = (self.total - self.sum) / left  # mean of what is left, if it is not above `total`
        seen = GUESSED + self.fed
        mean = (GUESSED * self._guess + self.sum) / seen
        mean = np.maximum(mean, null + self._beyond / (2 * math.sqrt(seen)))
        mean = np.minimum(mean, 1.0 - 1e-6)
        open_ = (null > ROUNDING) & (null < 1.0 - ROUNDING)
        safe = np.where(open_, null, 0.5)
        if self.graded:
            own = (self.sum + self._guess) / (self.fed + 1)
            variance = (VARIANCE + np.maximum(0.0, self._around(own))) / (self.fed + 1)
            ahead = np.maximum(0.0, mean - safe)
            stake = np.minimum(ahead / (variance + ahead**2), MOST_STAKED / safe)
        else:
            stake = np.maximum(0.0, mean - safe) / (safe * (1.0 - safe))
        factor = 1.0 + stake * (score - safe)
        self.log += np.where(open_, np.log(np.maximum(factor, 1e-300)), 0.0)
        np.maximum(self.best, self.log, out=self.best)
        self.sum += score
        self.squares += np.square(score)
        self.fed += 1

    def _around(self, mean: Numbers) -> Numbers:
        return self.squares - 2 * mean * self.sum + self.fed * mean**2

    def has_won(self, alpha: float, *, reaches: bool = False) -> NDArray[np.bool_]:
        """By its capital, or for certain. `reaches`: a sum equal to `total` counts as above it."""
        slack = ROUNDING * self.size * (-1 if reaches else 1)
        won: NDArray[np.bool_] = (self.best >= -math.log(alpha)) | (self.sum > self.total + slack)
        return won


class FinalSum(NamedTuple):
    """The largest sum that fails and, of what is lost, the largest sum that passes."""

    fails: float
    passes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteMean:
    """The weighted mean of `size` tests, which is to lie above `limit`. `whole`: every score is 0
    or 1 and every test counts the same. `largest`: how much more a test of the heaviest category
    counts than the average test; scores are divided by it.
    """

    size: int
    limit: Fraction
    whole: bool = False
    largest: float = 1.0

    @property
    def fails_at(self) -> bool:
        """Whether a sum can lie at the limit itself, where it fails; whole ones lie beside it."""
        return not self.whole

    @property
    def sums(self) -> FinalSum:
        exact = self.limit * self.size
        if self.whole:
            most = math.floor(exact)
            return FinalSum(float(most), float(self.size - most - 1))
        total = float(exact) / self.largest
        return FinalSum(total, self.size - total)


class ScorePair(NamedTuple):
    """One test: its score where passing is to be proved, and where failing is. They differ where a
    request failed or could not be scored: that counts against whichever is to be proved.
    """

    low: float
    high: float


class Race:
    """Both bets on one mean, fed in the drawn order; `passes` is None while it is open."""

    def __init__(self, mean: SuiteMean, *, accept_at: float = ALPHA, reject_at: float = ALPHA):
        import numpy as np

        self.mean = mean
        self.passes: bool | None = None
        self.at = 0  # the number of tests after which it was decided
        self._alphas = accept_at, reject_at
        sums = mean.sums
        self._pass = Wager(mean.size, np.array([sums.fails]), graded=not mean.whole)
        self._fail = Wager(mean.size, np.array([sums.passes]), graded=not mean.whole)

    @property
    def fed(self) -> int:
        return self._pass.fed

    def feed(self, score: ScorePair, *, may_pass: bool = True) -> bool | None:
        """`may_pass`: not too many of the tests so far are without a score."""
        self._pass.feed(score.low)
        self._fail.feed(1.0 - score.high)
        if self.passes is None:
            accept_at, reject_at = self._alphas
            if may_pass and bool(self._pass.has_won(accept_at)[0]):
                self.passes = True
            elif bool(self._fail.has_won(reject_at, reaches=self.mean.fails_at)[0]):
                self.passes = False
            self.at = self.fed if self.passes is not None else 0
        return self.passes


def decide_in_full(mean: SuiteMean, scores: Sequence[ScorePair]) -> bool | None:
    """By the score of all tests; None where those without a score leave it open."""
    sums, slack = mean.sums, ROUNDING * mean.size
    if math.fsum(score.low for score in scores) > sums.fails + slack:
        return True
    lost = math.fsum(1.0 - score.high for score in scores)
    return False if lost > sums.passes + slack * (-1 if mean.fails_at else 1) else None


def interval(
    mean: SuiteMean, scores: Sequence[ScorePair], *, alpha: float = ALPHA
) -> tuple[float, float]:
    """Of the mean over all tests, from those asked in the drawn order: it holds the mean of the
    full suite with at most alpha of error, whenever the asking stopped.
    """
    import numpy as np

    size = mean.size
    steps = size if mean.whole and size <= GRID else GRID
    sums = np.linspace(0.0, size, steps + 1)
    above = Wager(size, sums, graded=not mean.whole)
    below = Wager(size, size - sums, graded=not mean.whole)
    for score in scores:
        above.feed(score.low)
        below.feed(1.0 - score.high)
    # `above` won: the sum is larger than this one.
    possible = np.flatnonzero(~above.has_won(alpha / 2) & ~below.has_won(alpha / 2))
    low, high = float(above.sum[0]), float(size - below.sum[0])
    if possible.size:
        beside = 0 if steps == size else 1  # the truth may lie between two sums that were tried
        low = max(low, float(sums[max(0, int(possible[0]) - beside)]))
        high = min(high, float(sums[min(steps, int(possible[-1]) + beside)]))
    scale = mean.largest / size
    return min(low, high) * scale, min(1.0, max(low, high) * scale)
