"""How a checkpoint differs from an earlier one, as surely as what was stored of both allows.

Paired where both read the same blocks or answered the same tests: what is hard in a text is hard
for both and cancels, so that a difference far smaller than either interval is significant.
"""

from __future__ import annotations

import math

from assay.stats import paired_difference_by_category, ratio
from assay.types import Estimate
from assay.types.decisions import Measurements, SuiteFigures, TextFigures


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
