"""What was measured of one checkpoint, from the replies it gave.

The interval of perplexity is drawn from blocks of a thousand tokens, for neighbours are alike. Per
word and per byte are the same sum over other counts, so their intervals are its, rescaled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.stats import estimates
from assay.types import (
    Estimate,
)
from assay.types.measured.drift import DriftBlock, DriftLimits, FlippedToken, ModelDrift

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.engine.drift import TokenDrift

    Floats = NDArray[np.float64]


BLOCK = 1000
SHOWN_FLIPS = 20


def find_flips(found: TokenDrift) -> list[int]:
    """The tokens with another likeliest one that diverge most, these first."""
    flipped = (found.base_top != found.other_top).nonzero()[0]
    return [int(at) for at in flipped[found.kl[flipped].argsort()[::-1][:SHOWN_FLIPS]]]


def sum_up_drift(
    model: str, found: TokenDrift, flips: Sequence[FlippedToken], limits: DriftLimits
) -> ModelDrift:
    """Accepted or not by the figures themselves, as a gate decides."""
    same = (found.base_top == found.other_top).astype(float)
    kl_blocks, same_blocks = _blocks(found.kl), _blocks(same)
    gaps = _blocks(found.base - found.other)
    kl, same_top = _mean(kl_blocks, "nats"), _mean(same_blocks, "share")
    exceeded = []
    if limits.max_kl is not None and (kl.value or 0.0) > limits.max_kl:
        exceeded.append("max_kl")
    if limits.min_same_top is not None and (same_top.value or 0.0) < limits.min_same_top:
        exceeded.append("min_same_top")
    return ModelDrift(
        model=model,
        kl=kl,
        kl_median=estimates.block_quantile(kl_blocks, 0.5, unit="nats"),
        kl_p99=estimates.block_quantile(kl_blocks, 0.99, unit="nats"),
        same_top=same_top,
        perplexity=perplexity_of(found.other),
        perplexity_ratio=_mean(gaps, "nats").mapped(math.exp, unit="ratio"),
        flipped=int(len(same) - same.sum()),
        flips=tuple(flips),
        blocks=tuple(
            DriftBlock(
                tokens=len(each),
                kl=float(each.mean()),
                same_top=float(alike.mean()),
                perplexity_ratio=math.exp(float(gap.mean())),
            )
            for each, alike, gap in zip(kl_blocks, same_blocks, gaps, strict=True)
        ),
        accepted=None if limits == DriftLimits() else not exceeded,
        exceeded=tuple(exceeded),
    )


def perplexity_of(likelihoods: Floats) -> Estimate:
    return _mean(_blocks(-likelihoods), "nats").mapped(math.exp, unit="perplexity")


def _blocks(whole: Floats) -> list[Floats]:
    return [whole[start : start + BLOCK] for start in range(0, len(whole), BLOCK)]


def _mean(blocks: Sequence[Floats], unit: str) -> Estimate:
    sizes = [float(len(each)) for each in blocks]
    found = estimates.ratio([float(each.sum()) for each in blocks], sizes, unit=unit)
    return replace(found, n=int(sum(sizes)), method=estimates.BY_BLOCKS)
