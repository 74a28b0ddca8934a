"""From what two models predicted, token by token, to figures with intervals.

Intervals are drawn from blocks of a thousand tokens, for neighbours are alike.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.stats import estimates
from assay.types import Estimate
from assay.types.drift import DriftBlock, DriftLimits, FlippedToken, ModelDrift

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.engine.drift import TokenDrift

    Floats = NDArray[np.float64]

BLOCK = 1000
SHOWN_FLIPS = 20
BY_BLOCKS = "bootstrap over blocks"


@dataclass(slots=True)
class DriftFigures:
    """Of one model, window after window. `flips`: the place in the text, with all that is known of
    it, of those that diverge most.
    """

    model: str
    kl: list[Floats] = field(default_factory=list)
    same: list[Floats] = field(default_factory=list)
    base: list[Floats] = field(default_factory=list)
    other: list[Floats] = field(default_factory=list)
    flips: list[tuple[float, int, tuple[int, int, float, float]]] = field(default_factory=list)

    def add(self, first: int, found: TokenDrift) -> None:
        same = found.base_top == found.other_top
        for kept, values in (
            (self.kl, found.kl),
            (self.same, same.astype(float)),
            (self.base, -found.base),
            (self.other, -found.other),
        ):
            kept.append(values)
        flipped = (~same).nonzero()[0]
        for at in flipped[found.kl[flipped].argsort()[-SHOWN_FLIPS:]].tolist():
            tops = (int(found.base_top[at]), int(found.other_top[at]))
            told = (*tops, float(found.base_share[at]), float(found.other_share[at]))
            entry = (float(found.kl[at]), first + at, told)
            keep = heapq.heappush if len(self.flips) < SHOWN_FLIPS else heapq.heappushpop
            keep(self.flips, entry)

    def summed(self, limits: DriftLimits, flips: Sequence[FlippedToken]) -> ModelDrift:
        kl, same, base, other = map(_blocks, (self.kl, self.same, self.base, self.other))
        gaps = [theirs - ours for ours, theirs in zip(base, other, strict=True)]
        ratio = _mean(gaps, "nats").mapped(math.exp, unit="ratio")
        found = ModelDrift(
            model=self.model,
            kl=_mean(kl, "nats"),
            kl_median=_quantile(kl, 0.5),
            kl_p99=_quantile(kl, 0.99),
            same_top=_mean(same, "share"),
            perplexity=perplexity_of(other),
            perplexity_ratio=ratio,
            flipped=int(sum(len(each) - each.sum() for each in same)),
            flips=tuple(flips),
            blocks=tuple(
                DriftBlock(
                    tokens=len(each),
                    kl=float(each.mean()),
                    same_top=float(alike.mean()),
                    perplexity_ratio=math.exp(float(gap.mean())),
                )
                for each, alike, gap in zip(kl, same, gaps, strict=True)
            ),
        )
        return _held(found, limits)

    @property
    def base_perplexity(self) -> Estimate:
        return perplexity_of(_blocks(self.base))


def _held(found: ModelDrift, limits: DriftLimits) -> ModelDrift:
    """By the figures themselves, as a gate decides."""
    exceeded = list(_exceeded(found, limits))
    asked = limits != DriftLimits()
    return replace(found, accepted=not exceeded if asked else None, exceeded=tuple(exceeded))


def _exceeded(found: ModelDrift, limits: DriftLimits) -> Iterator[str]:
    kl, same = found.kl.value, found.same_top.value
    if limits.max_kl is not None and (kl is None or kl > limits.max_kl):
        yield "max_kl"
    if limits.min_same_top is not None and (same is None or same < limits.min_same_top):
        yield "min_same_top"


def perplexity_of(blocks: Sequence[Floats]) -> Estimate:
    return _mean(blocks, "nats").mapped(math.exp, unit="perplexity")


def _blocks(parts: Sequence[Floats]) -> list[Floats]:
    import numpy as np

    whole = np.concatenate(parts)
    return [whole[start : start + BLOCK] for start in range(0, len(whole), BLOCK)]


def _mean(blocks: Sequence[Floats], unit: str) -> Estimate:
    sizes = [float(len(each)) for each in blocks]
    found = estimates.ratio([float(each.sum()) for each in blocks], sizes, unit=unit)
    return replace(found, n=int(sum(sizes)), method=BY_BLOCKS)


def _quantile(blocks: Sequence[Floats], share: float) -> Estimate:
    return replace(estimates.block_quantile(blocks, share, unit="nats"), method=BY_BLOCKS)
