"""What was measured of one checkpoint, from the replies it gave.

Intervals are over the documents of a text, or over blocks of a single one, for neighbours are
alike; too few of them have none (stats/documents.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.stats import estimates
from assay.stats.documents import BY_DOCUMENTS, FEWEST, block_length, over_documents
from assay.types import Estimate
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
    model: str,
    found: TokenDrift,
    flips: Sequence[FlippedToken],
    limits: DriftLimits,
    sizes: Sequence[int],
) -> ModelDrift:
    """Accepted or not by the figures themselves, as a gate decides. `sizes`: the predicted tokens
    of each document.
    """
    same = (found.base_top == found.other_top).astype(float)
    kl_blocks, same_blocks = _blocks(found.kl), _blocks(same)
    gaps = _blocks(found.base - found.other)
    kl, same_top = _mean(found.kl, sizes, "nats"), _mean(same, sizes, "share")
    exceeded = []
    if limits.max_kl is not None and (kl.value or 0.0) > limits.max_kl:
        exceeded.append("max_kl")
    if limits.min_same_top is not None and (same_top.value or 0.0) < limits.min_same_top:
        exceeded.append("min_same_top")
    return ModelDrift(
        model=model,
        kl=kl,
        kl_median=_quantile(found.kl, sizes, 0.5),
        kl_p99=_quantile(found.kl, sizes, 0.99),
        same_top=same_top,
        perplexity=perplexity_of(found.other, sizes),
        perplexity_ratio=_mean(found.base - found.other, sizes, "nats").mapped(
            math.exp, unit="ratio"
        ),
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


def perplexity_of(likelihoods: Floats, sizes: Sequence[int]) -> Estimate:
    return _mean(-likelihoods, sizes, "nats").mapped(math.exp, unit="perplexity")


def _blocks(whole: Floats, length: int = BLOCK) -> list[Floats]:
    return [whole[start : start + length] for start in range(0, len(whole), length)]


def _units(whole: Floats, sizes: Sequence[int]) -> tuple[list[Floats], str]:
    """What an interval is over, and its method: documents, or blocks of a single one."""
    if len(sizes) == 1:
        length = block_length(len(whole))
        return _blocks(whole, length or max(1, len(whole))), estimates.BY_BLOCKS
    import numpy as np

    return np.split(whole, np.cumsum(sizes)[:-1]), BY_DOCUMENTS


def _mean(whole: Floats, sizes: Sequence[int], unit: str) -> Estimate:
    units, method = _units(whole, sizes)
    amounts = [float(each.sum()) for each in units]
    return over_documents(amounts, [len(each) for each in units], unit=unit, method=method)


def _quantile(whole: Floats, sizes: Sequence[int], share: float) -> Estimate:
    units, method = _units(whole, sizes)
    found = estimates.block_quantile(units, share, unit="nats")
    if len(units) < FEWEST:
        return replace(found, low=None, high=None, method=method)
    return found
