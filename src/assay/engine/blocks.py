"""Attention in blocks of rows: for GPUs, where every call costs a launch.

In: a Packing. Out: an Arrangement that pads spans of one trunk to a block and attends
to them all at once; everything outside attention stays packed. Refuses to know: what spans mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch
from torch import Tensor, nn

from assay.engine.attention import attend
from assay.engine.packing import Kept, Packing, Span, on_device
from assay.engine.spans import keep

ALIGNED = 8  # keys; the kernels that take a mask read it in steps of 16 bytes
MOST_PADDING = 3.0  # longest to shortest row of a block: on an H200 launches cost more than this
OF_PADDING = -1


@dataclass(slots=True, eq=False)
class _Block:
    """Spans of one trunk, padded to one length."""

    spans: Sequence[Span]
    before: Kept | None
    taken: Tensor  # [rows, tokens]: places in the packed row; padding takes the first
    put: Tensor  # likewise; padding is put behind the packed row
    mask: Tensor | None


@dataclass(frozen=True, slots=True)
class InBlocks:
    """Each block at once."""

    blocks: Sequence[_Block]

    def attend(self, module: nn.Module, q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
        """One attention call a block."""
        packed = [given[0].transpose(0, 1) for given in (q, k, v)]  # [tokens, heads, size]
        tokens = q.shape[2]
        out = q.new_empty(tokens + 1, q.shape[1], v.shape[3])
        for block in self.blocks:
            rows, keys, values = (given[block.taken].transpose(1, 2) for given in packed)
            if block.mask is not None:
                width = block.mask.shape[3]
                keys = _behind(block.before.keys_of(module) if block.before else None, keys, width)
                values = _behind(
                    block.before.values_of(module) if block.before else None, values, width
                )
            seen = attend(rows, keys, values, scale, block.mask)
            out[block.put] = seen.transpose(1, 2)
            for number, span in enumerate(block.spans):
                if span.keep:
                    here = slice(number, number + 1)
                    length = span.keep.length
                    keep(span.keep, module, keys[here, :, :length], values[here, :, :length])
        return out[None, :tokens]


def in_blocks(packing: Packing) -> InBlocks:
    """Put spans of one trunk and like length together."""
    ordered = sorted(packing.spans, key=lambda span: (id(span.before), -span.length))
    blocks = []
    for _, family in groupby(ordered, key=lambda span: id(span.before)):
        alike: list[Span] = []
        for span in family:
            if alike and alike[0].length > MOST_PADDING * span.length + ALIGNED:
                blocks.append(_block(packing, alike))
                alike = []
            alike.append(span)
        blocks.append(_block(packing, alike))
    return InBlocks(blocks)


def _block(packing: Packing, spans: Sequence[Span]) -> _Block:
    device = packing.ids.device
    laid = np.array([(span.start, span.length) for span in spans], np.int64)
    starts, lengths = on_device(laid, device).T
    steps = torch.arange(int(laid[:, 1].max()), device=device)
    padding = steps[None] >= lengths[:, None]
    places = starts[:, None] + steps[None]
    taken = places.masked_fill(padding, 0)
    before = spans[0].before
    plain = before is None and not any(span.branches for span in spans)
    mask = None if plain else _mask(packing, taken, padding, before.length if before else 0)
    return _Block(spans, before, taken, places.masked_fill(padding, packing.tokens), mask)


def _mask(packing: Packing, index: Tensor, padding: Tensor, shared: int) -> Tensor:
    """True where a token sees a key. Padding sees padding, for a row that sees nothing is NaN."""
    branch = packing.branch[index].masked_fill_(padding, OF_PADDING)
    position = packing.positions[0][index].masked_fill_(padding, 0)
    together = (branch[:, None] == 0) | (branch[:, None] == branch[:, :, None])
    own = together & (position[:, None] <= position[:, :, None])
    rows, tokens = index.shape
    width = -(-(shared + tokens) // ALIGNED) * ALIGNED
    mask = own.new_zeros(rows, 1, tokens, width)
    mask[:, :, :, :shared] = True
    mask[:, 0, :, shared : shared + tokens] = own
    return mask


def _behind(shared: Tensor | None, own: Tensor, width: int) -> Tensor:
    """Keys (or values) of the trunk before each row's own, and zeros up to the mask's width."""
    rows, heads, tokens, size = own.shape
    before = shared.shape[2] if shared is not None else 0
    whole = own.new_empty(rows, heads, width, size)
    if shared is not None:
        whole[:, :, :before] = shared
    whole[:, :, before : before + tokens] = own
    whole[:, :, before + tokens :] = 0  # masked, but NaN times 0 is NaN
    return whole
