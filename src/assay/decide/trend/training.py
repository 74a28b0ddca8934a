"""Whether the training loss fell between two steps.

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

SMALLEST = 0.005  # nats per token
Z95 = 1.959963984540054


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
