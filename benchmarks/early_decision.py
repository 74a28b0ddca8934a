"""How often an early decision is wrong, and how much of a suite it asks: a simulation.

    python benchmarks/early_decision.py [--orders 10000]

Each population is one suite with a known score; it is asked in random orders without replacement,
all orders at once. Deterministic: the same seed gives the same figures on every machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.early import SuiteMean, Wager
from assay.stats.looks import ALPHA

if TYPE_CHECKING:
    from numpy.typing import NDArray

AT_ONCE = 2_000  # orders in memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Over all orders: the mean share of tests asked, its 90th percentile, the share decided each
    way, and what the full suite says.
    """

    share: float
    most: float
    passed: float
    failed: float
    full: bool

    @property
    def wrong(self) -> float:
        return self.failed if self.full else self.passed


def ask_in_orders(
    scores: NDArray[np.float64],
    mean: SuiteMean,
    *,
    orders: int,
    alpha: float = ALPHA,
    seed: int = 0,
) -> Asked:
    """One suite in many orders."""
    drawn = np.random.default_rng(seed)
    at: list[NDArray[np.int64]] = []
    passes: list[NDArray[np.bool_]] = []
    while (left := orders - sum(map(len, at))) > 0:
        table = drawn.permuted(np.tile(scores, (min(left, AT_ONCE), 1)), axis=1)
        found = _race(table, mean, alpha)
        at.append(found[0])
        passes.append(found[1])
    asked, passed = np.concatenate(at) / mean.size, np.concatenate(passes)
    total, limit = float(scores.sum()), float(mean.limit * mean.size)
    return Asked(
        share=float(asked.mean()),
        most=float(np.quantile(asked, 0.9)),
        passed=float(passed.mean()),
        failed=float(1 - passed.mean()),
        full=total > limit + 1e-9,
    )


def _race(
    table: NDArray[np.float64], mean: SuiteMean, alpha: float
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    orders, size = table.shape
    sums, graded = mean.sums, not mean.whole
    above = Wager(size, np.full(orders, sums.fails), graded=graded)
    below = Wager(size, np.full(orders, sums.passes), graded=graded)
    at, passes = np.zeros(orders, np.int64), np.zeros(orders, bool)
    for number in range(size):
        above.feed(table[:, number])
        below.feed(1 - table[:, number])
        won = above.has_won(alpha)
        lost = below.has_won(alpha, reaches=mean.fails_at)
        new = (at == 0) & (won | lost)
        at[new], passes[new] = number + 1, won[new]
        if at.all():
            break
    return at, passes


def right_and_wrong(size: int, share: float) -> NDArray[np.float64]:
    right = round(size * share)
    return np.repeat([1.0, 0.0], [right, size - right])


def graded(size: int, share: float) -> NDArray[np.float64]:
    """Scores between 0 and 1 around a mean, in quarters and thirds, that have exactly this mean."""
    steps = np.array([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1.0])
    drawn = np.random.default_rng(1).choice(steps, size)
    moved: NDArray[np.float64] = np.clip(drawn + share - drawn.mean(), 0.0, 1.0)
    for _ in range(100):
        moved = np.clip(moved + share - moved.mean(), 0.0, 1.0)
    return moved


def simulate(orders: int) -> Iterator[tuple[str, int, Asked]]:
    for size in (100, 300, 1000):
        for distance in (0.30, 0.20, 0.15, 0.10, 0.05, 0.02, 0.0, -0.05, -0.10, -0.15, -0.20):
            mean = SuiteMean(size=size, limit=Fraction(1, 2), whole=True)
            scores = right_and_wrong(size, 0.5 + distance)
            found = ask_in_orders(scores, mean, orders=orders)
            yield f"right or wrong, {distance:+.2f} from 0.5", size, found
        for distance in (0.15, 0.10, 0.0, -0.15):
            mean = SuiteMean(size=size, limit=Fraction(7, 10))
            found = ask_in_orders(graded(size, 0.7 + distance), mean, orders=orders)
            yield f"scores from 0 to 1, {distance:+.2f} from 0.7", size, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=10_000)
    orders = parser.parse_args().orders
    print(f"{orders} orders, alpha {ALPHA}")
    print("| suite | tests | mean share asked | 90th percentile | wrong |")
    print("|---|---|---|---|---|")
    for name, size, found in simulate(orders):
        figures = f"{found.share:.3f} | {found.most:.3f} | {found.wrong:.4f}"
        print(f"| {name} | {size} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
