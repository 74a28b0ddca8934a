"""Who sees whom in a packing. Processors: span by span, its keys written behind those of its trunk,
so that nothing is copied. GPUs: spans of one trunk padded to a block, for a launch costs more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from assay.engine.kernels.attention import attend
from assay.engine.layout.packing import Kept, PackedSpan, Packing, on_device

ALIGNED = 8  # keys; the kernels that take a mask read it in steps of 16 bytes
LEAST_RUN = 4096  # tokens that are worth a launch of their own, so that they stay where they are
MOST_PADDING = 3.0  # longest to shortest row of a block: on an H200 launches cost more than this
OF_PADDING = -1


@dataclass(frozen=True, slots=True)
class SpanBySpan:
    """For processors: each span on its own. Masks are made at the first layer and serve all."""

    packing: Packing
    masks: dict[PackedSpan, Tensor] = field(default_factory=dict)

    def attend(self, module: nn.Module, q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
        out = q.new_empty(1, q.shape[2], q.shape[1], v.shape[3])
        for span in self.packing.spans:
            here = span.here
            keys, values = _written_behind(span.before, module, k[:, :, here], v[:, :, here])
            seen = attend(q[:, :, here], keys, values, scale, self._mask(span, keys.shape[2], q))
            out[:, here] = seen.transpose(1, 2)
            if span.keep:
                keep(span.keep, module, keys, values)
            if self.packing.places is not None and span.place is not None:
                row = slice(span.place, span.place + 1)
                self.packing.places.write(module, row, keys, values)
        return out

    def _mask(self, span: PackedSpan, keys: int, like: Tensor) -> Tensor | None:
        """What the kernel adds to its scores. None is plain causal, which it knows by itself."""
        if span.before is None and not span.branches:
            return None
        if span not in self.masks:
            branch = self.packing.branch[span.here]
            position = self.packing.positions[0, span.here]
            together = (branch[None] == 0) | (branch[None] == branch[:, None])
            seen = together & (position[None] <= position[:, None])
            mask = like.new_zeros(1, 1, span.length, keys)
            mask[0, 0, :, keys - span.length :].masked_fill_(~seen, float("-inf"))
            self.masks[span] = mask
        return self.masks[span]


def keep(kept: Kept, module: nn.Module, keys: Tensor, values: Tensor) -> None:
    for store, given in ((kept.keys, keys), (kept.values, values)):
        rows, heads, length, size = given.shape
        stored = given.new_empty(rows, heads, length + kept.room, size)
        stored[:, :, :length] = given
        store[module] = stored


def _written_behind(
    before: Kept | None, module: nn.Module, k: Tensor, v: Tensor
) -> tuple[Tensor, Tensor]:
    if before is None:
        return k, v
    end = before.length + k.shape[2]
    keys, values = before.keys[module], before.values[module]
    if keys.shape[2] < end:  # a trunk that hangs on a trunk may be longer than any row
        return (
            torch.cat((before.keys_of(module), k), 2),
            torch.cat((before.values_of(module), v), 2),
        )
    keys[:, :, before.length : end] = k
    values[:, :, before.length : end] = v
    return keys[:, :, :end], values[:, :, :end]


@dataclass(slots=True, eq=False)
class _Block:
    """`run`: where rows of one length lie behind each other, so that nothing is moved."""

    keeping: Sequence[tuple[int, Kept]]  # row, and where its keys and values go
    before: Kept | None
    taken: Tensor  # [rows, tokens]: of the packed row; padding takes the first of its own row
    put: Tensor  # likewise; padding is put behind the packed row
    mask: Tensor | None
    places: Tensor | None  # of each row
    run: slice | None = None


@dataclass(frozen=True, slots=True)
class InBlocks:
    blocks: Sequence[_Block]
    places: Any  # Slots, if any

    def attend(self, module: nn.Module, q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
        packed = [given[0].transpose(0, 1) for given in (q, k, v)]  # [tokens, heads, size]
        tokens = q.shape[2]
        out = q.new_empty(tokens + 1, q.shape[1], v.shape[3])
        for block in self.blocks:
            if block.run is not None:
                rows, keys, values = (
                    given[block.run].view(*block.taken.shape, *given.shape[1:]).transpose(1, 2)
                    for given in packed
                )
                seen = attend(rows, keys, values, scale, None).transpose(1, 2).flatten(0, 1)
                if len(self.blocks) == 1:
                    return seen[None]
                out[block.run] = seen
                continue
            rows, keys, values = (given[block.taken].transpose(1, 2) for given in packed)
            if block.before is not None and block.mask is not None:
                width = block.mask.shape[3]
                keys = _behind(block.before.keys_of(module), keys, width)
                values = _behind(block.before.values_of(module), values, width)
            seen = attend(rows, keys, values, scale, block.mask)
            out[block.put] = seen.transpose(1, 2)
            for number, kept in block.keeping:
                one = slice(number, number + 1)
                keep(kept, module, keys[one, :, : kept.length], values[one, :, : kept.length])
            if self.places is not None and block.places is not None:
                self.places.write(module, block.places, keys, values)
        return out[None, :tokens]


def in_blocks(packing: Packing) -> InBlocks:
    ordered = sorted(packing.spans, key=lambda span: (id(span.before), -span.length))
    blocks = []
    for _, family in groupby(ordered, key=lambda span: id(span.before)):
        alike: list[PackedSpan] = []
        for span in family:
            if alike and (
                alike[0].length > MOST_PADDING * span.length + ALIGNED
                or (span.length != alike[0].length and _run(packing, alike))
            ):
                blocks.append(_block(packing, alike))
                alike = []
            alike.append(span)
        blocks.append(_block(packing, alike))
    return InBlocks(blocks, packing.places)


def _run(packing: Packing, spans: Sequence[PackedSpan]) -> slice | None:
    """Where they lie, if they are many plain rows of one length behind each other."""
    first, last, length = spans[0], spans[-1], spans[0].length
    end = last.start + length
    if packing.places is not None or length % ALIGNED or end - first.start < LEAST_RUN:
        return None
    plain = first.before is None and last.length == length
    together = all(
        span.start == first.start + row * length and not span.branches and span.keep is None
        for row, span in enumerate(spans)
    )
    return slice(first.start, end) if plain and together else None


def _block(packing: Packing, spans: Sequence[PackedSpan]) -> _Block:
    device = packing.ids.device
    before = spans[0].before
    plain = before is None and not any(span.branches for span in spans)
    laid = np.array([(span.start, span.length, span.place or 0) for span in spans], np.int64)
    starts, lengths, places = on_device(laid, device).T
    longest = int(laid[:, 1].max())
    steps = torch.arange(longest if before else _aligned(longest), device=device)
    padding = steps[None] >= lengths[:, None]
    there = starts[:, None] + steps[None]
    # Not of another row: numbers that overflowed there would be no numbers here, masked or not.
    taken = torch.where(padding, starts[:, None], there)
    return _Block(
        keeping=[(row, span.keep) for row, span in enumerate(spans) if span.keep],
        before=before,
        taken=taken,
        put=there.masked_fill(padding, packing.tokens),
        mask=None if plain else _mask(packing, taken, padding, before.length if before else 0),
        places=places if packing.places is not None else None,
        run=_run(packing, spans),
    )


def _aligned(tokens: int) -> int:
    return -(-tokens // ALIGNED) * ALIGNED


def _mask(packing: Packing, index: Tensor, padding: Tensor, shared: int) -> Tensor:
    """True where a token sees a key. Padding sees padding, for a row that sees nothing is NaN."""
    branch = packing.branch[index].masked_fill_(padding, OF_PADDING)
    position = packing.positions[0][index].masked_fill_(padding, 0)
    together = (branch[:, None] == 0) | (branch[:, None] == branch[:, :, None])
    own = together & (position[:, None] <= position[:, :, None])
    rows, tokens = index.shape
    width = _aligned(shared + tokens)
    mask = own.new_zeros(rows, 1, tokens, width)
    mask[:, :, :, :shared] = True
    mask[:, 0, :, shared : shared + tokens] = own
    return mask


def _behind(shared: Tensor, own: Tensor, width: int) -> Tensor:
    """Keys (or values) of the trunk before each row's own, and zeros up to the mask's width."""
    rows, heads, tokens, size = own.shape
    before = shared.shape[2]
    whole = own.new_empty(rows, heads, width, size)
    whole[:, :, :before] = shared
    whole[:, :, before : before + tokens] = own
    whole[:, :, before + tokens :] = 0  # masked, but NaN times 0 is NaN
    return whole
