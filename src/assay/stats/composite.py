"""Two composite scores: how much higher a is than b, each a sum of parts of different kinds.

Few observations make a bootstrap too narrow. As in `resampling` the draws are moved out, here part
by part, since a sum of 300 tests and 3 runs has no n of its own. A single observation does not tell
how far it spreads: a difference with such a piece has no interval.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.stats.estimates import Limits, estimate
from assay.stats.intervals import Z95
from assay.stats.resampling import DRAWS, resampled_means
from assay.types import Estimate
from assay.types.score_parts import ScorePiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

AT_ONCE = 2_000_000  # counts held in memory while blocks are drawn: 16 MB
Block = tuple[float, int]
Count = Callable[[Any], Any]  # of a mean, or of an array of them


def paired_tests(
    categories: Sequence[tuple[Sequence[float], Sequence[float], float]],
) -> ScorePiece:
    """Scores of the same tests, by category: those of a, those of b, and what their means weigh."""

    def drawn(seed: int, draws: int) -> Numbers:
        import numpy as np

        total = np.zeros(draws)
        for place, (a, b, weight) in enumerate(categories):
            changes = [first - second for first, second in zip(a, b, strict=True)]
            means = resampled_means(changes, seed=seed + place, draws=draws)
            total += weight * _moved_out(means, math.fsum(changes) / len(changes), len(changes))
        return total

    return ScorePiece(
        n=sum(len(a) for a, _, _ in categories),
        value=math.fsum(
            weight * (math.fsum(a) - math.fsum(b)) / len(a) for a, b, weight in categories
        ),
        spreads=all(len(a) > 1 for a, _, _ in categories),
        drawn=drawn,
    )


def text_blocks(
    a: Sequence[Block],
    b: Sequence[Block],
    *,
    weight: float,
    together: bool,
    counts: tuple[Count, Count] | None = None,
) -> ScorePiece:
    """A text read by both sides: weight · what the mean log-likelihood of a token counts on each
    side, its exponential where nothing else is given. What is summed may also be hits.

    `together`: the blocks hold the same tokens on both sides.
    """
    n, counts = min(len(a), len(b)), counts or (_exp, _exp)
    own = [float(count(_mean(side))) for count, side in zip(counts, (a, b), strict=True)]
    value = weight * (own[0] - own[1])

    def drawn(seed: int, draws: int) -> Numbers:
        if together:
            both = drawn_means((a, b), seed, draws)
            found = counts[0](both[0]) - counts[1](both[1])
            return _moved_out(weight * found, value, n)
        sides = []
        for place, (side, count) in enumerate(zip((a, b), counts, strict=True)):
            (means,) = drawn_means((side,), seed + place, draws)
            sides.append(_moved_out(count(means), own[place], len(side)))
        return weight * (sides[0] - sides[1])

    return ScorePiece(n=n, value=value, spreads=n > 1, drawn=drawn)


def repeated_runs(a: Sequence[float], b: Sequence[float], *, weight: float) -> ScorePiece:
    """Measurements repeated on either side, such as speeds: weight · median of each."""
    n = min(len(a), len(b))
    value = weight * (statistics.median(a) - statistics.median(b))

    def drawn(seed: int, draws: int) -> Numbers:
        """Medians of few runs spread far enough; the tails are short, by t against z."""
        import numpy as np

        medians = []
        for place, side in enumerate((a, b)):
            runs = np.asarray(side, dtype=np.float64)
            random = np.random.default_rng((seed, place, 2))
            picks = random.integers(0, len(runs), size=(draws, len(runs)))
            medians.append(np.median(runs[picks], axis=1))
        difference = weight * (medians[0] - medians[1])
        return value + (difference - value) * _t_over_z(len(a) + len(b) - 2)

    return ScorePiece(n=n, value=value, spreads=n > 1, drawn=drawn)


def unpaired(a: Estimate, b: Estimate, *, weight: float) -> ScorePiece:
    """Two estimates alone, drawn from normals as wide as their intervals."""
    value = weight * ((a.value or 0.0) - (b.value or 0.0))

    def drawn(seed: int, draws: int) -> Numbers:
        import numpy as np

        total = np.full(draws, value)
        for place, side in enumerate((a, b)):
            spread = weight * ((side.high or 0.0) - (side.low or 0.0)) / 2 / Z95
            total += spread * np.random.default_rng((seed, place, 3)).standard_normal(draws)
        return total

    spreads = None not in (a.low, a.high, b.low, b.high)
    return ScorePiece(n=min(a.n, b.n), value=value, spreads=spreads, drawn=drawn)


def composite_difference(
    pieces: Sequence[ScorePiece], *, seed: int = 0, draws: int = DRAWS
) -> Estimate | None:
    """How much higher a is than b, over all pieces, with a 95 % interval of percentiles; without
    one where a piece does not tell how it varies.

    `n` counts what was drawn: pairs of tests and of blocks, and runs. Nothing to compare is None.
    """
    if not pieces:
        return None
    value, n = math.fsum(piece.value for piece in pieces), sum(piece.n for piece in pieces)
    limits: Limits = (None, None)
    if all(piece.spreads for piece in pieces):
        import numpy as np

        total = np.zeros(draws)
        for place, piece in enumerate(pieces):  # a piece never shares another one's draw
            total += piece.drawn(seed + 1000 * place, draws)
        low, high = (float(limit) for limit in np.quantile(total, (0.025, 0.975)))
        limits = min(low, value), max(high, value)
    return estimate(value, limits, n, unit="score", method="paired bootstrap")


def _moved_out(drawn: Numbers, value: float, n: int) -> Numbers:
    """What draws of n observations, two or more, must be stretched by: √(n/(n−1)) · t/z."""
    return value + (drawn - value) * math.sqrt(n / (n - 1)) * _t_over_z(n - 1)


def _t_over_z(freedom: int) -> float:
    """How much longer the tails of t are."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975)) / Z95


def _mean(blocks: Sequence[Block]) -> float:
    return math.fsum(amount for amount, _ in blocks) / sum(n for _, n in blocks)


def _exp(mean: Any) -> Any:
    import numpy as np

    return np.exp(mean)


def drawn_means(
    sides: Sequence[Sequence[Block]],
    seed: int,
    draws: int,
    *,
    at_once: int = AT_ONCE,
) -> list[Numbers]:
    """Σ log-likelihood / Σ tokens of every draw; all sides see the same blocks."""
    import numpy as np

    found: list[list[Numbers]] = [[] for _ in sides]
    columns = [np.asarray(side, dtype=np.float64) for side in sides]
    blocks_drawn = len(sides[0])
    random, even = np.random.default_rng((seed, 1)), np.full(blocks_drawn, 1 / blocks_drawn)
    rows = max(1, at_once // blocks_drawn)  # a few draws at a time: a long text has 100,000 blocks
    for start in range(0, draws, rows):
        size = min(rows, draws - start)
        counts = random.multinomial(blocks_drawn, even, size=size).astype(np.float64)
        for kept, blocks in zip(found, columns, strict=True):
            sums = counts @ blocks
            kept.append(sums[:, 0] / sums[:, 1])
    return [np.concatenate(kept) for kept in found]
