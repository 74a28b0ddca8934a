"""How a checkpoint differs from an earlier one, as surely as what was stored of both allows.

Paired where both read the same blocks or answered the same tests: what is hard in a text is hard
for both and cancels, so that a difference far smaller than either interval is significant.

A trainer logs the loss of a few batches every N steps, which jumps about. So the mean of the
losses logged in the half of the stretch before each of the two steps is taken, and where both have
three and more, the fall must be larger than 1.96 standard errors of their difference. Where the
loss is known at the two steps alone, the fall must be at least SMALLEST.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.stats import paired_difference_by_category, ratio
from assay.types import Estimate
from assay.types.decisions import Measurements, SuiteFigures, TextFigures

SMALLEST = 0.005  # nats per token
Z95 = 1.959963984540054


def by_loss(a: Measurements, b: Measurements) -> Estimate | None:
    """Nats per token: a bootstrap over blocks of the same tokens, else of the two perplexities."""
    if a.text is None or b.text is None:
        return None
    if not _same_blocks(a.text, b.text):
        return unpaired(
            *(text.perplexity.mapped(math.log, unit="nats") for text in (a.text, b.text))
        )
    tokens = [float(count) for _, count in a.text.blocks]
    rises = [
        earlier - later
        for (earlier, _), (later, _) in zip(a.text.blocks, b.text.blocks, strict=True)
    ]
    return ratio(rises, tokens, unit="nats")


def by_bits(a: Measurements, b: Measurements) -> Estimate | None:
    """Bits per byte, unpaired: blocks of different tokenizers hold different text."""
    if a.text is None or b.text is None:
        return None
    return unpaired(a.text.bits_per_byte, b.text.bits_per_byte)


def by_tests(a: SuiteFigures, b: SuiteFigures) -> Estimate | None:
    """Points, over the tests that both have a score for, each category with the same weight;
    unpaired where there are none.
    """
    pairs = {
        category: ([earlier[test] for test in both], [b.scores[category][test] for test in both])
        for category, earlier in a.scores.items()
        if (both := sorted(earlier.keys() & b.scores.get(category, {}).keys()))
    }
    if not pairs:
        return unpaired(a.score, b.score)
    return paired_difference_by_category(pairs, dict.fromkeys(pairs, 1.0)).estimate


def unpaired(a: Estimate | None, b: Estimate | None) -> Estimate | None:
    """Later less earlier, with MOVER's interval; without one where a side has none."""
    if a is None or b is None or a.value is None or b.value is None:
        return None
    value = b.value - a.value
    below, above = _reach(b.value, b.low, a.high, a.value), _reach(b.high, b.value, a.value, a.low)
    return Estimate(
        value=value,
        low=None if below is None else value - below,
        high=None if above is None else value + above,
        n=min(a.n, b.n),
        unscored=max(a.unscored, b.unscored),
        unit=b.unit,
        method="mover",
    )


def _reach(
    upper: float | None, lower: float | None, other_upper: float | None, other_lower: float | None
) -> float | None:
    """Root of the sum of squares of two distances; None where an end is missing."""
    if upper is None or lower is None or other_upper is None or other_lower is None:
        return None
    return math.hypot(upper - lower, other_upper - other_lower)


def _same_blocks(a: TextFigures, b: TextFigures) -> bool:
    return (
        len(a.blocks) > 0
        and (a.tokenizer, a.window, a.stride) == (b.tokenizer, b.window, b.stride)
        and [count for _, count in a.blocks] == [count for _, count in b.blocks]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingChange:
    """Mean training loss before each of two steps, in nats per token. `falls`: by more than their
    noise.
    """

    since: float
    until: float
    before: float
    after: float
    falls: bool


def training_change(
    losses: Mapping[float, float], since: float, until: float
) -> TrainingChange | None:
    """None where the loss is unknown about one of the two steps."""
    if until <= since:
        return None
    stretch = (until - since) / 2
    before, after = _within(losses, since, stretch), _within(losses, until, stretch)
    if not before or not after:
        return None
    fall = statistics.fmean(before) - statistics.fmean(after)
    return TrainingChange(
        since=since,
        until=until,
        before=statistics.fmean(before),
        after=statistics.fmean(after),
        falls=fall >= SMALLEST and fall > _noise(before, after),
    )


def _within(losses: Mapping[float, float], end: float, stretch: float) -> list[float]:
    return [
        loss
        for step, loss in sorted(losses.items())
        if end - stretch < step <= end and math.isfinite(loss)
    ]


def _noise(before: Sequence[float], after: Sequence[float]) -> float:
    if min(len(before), len(after)) < 3:
        return 0.0
    return Z95 * math.sqrt(
        statistics.variance(before) / len(before) + statistics.variance(after) / len(after)
    )
