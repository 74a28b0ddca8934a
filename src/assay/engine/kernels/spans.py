"""Attention span by span: for processors, where a call costs little and padding costs much.

The keys of a span are written behind those of its trunk, in the room that Kept left there, and the
next span overwrites them: 700 shared keys are not copied for each of 100 questions.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from assay.engine.kernels.attention import attend
from assay.engine.layout.packing import Kept, PackedSpan, Packing


@dataclass(frozen=True, slots=True)
class SpanBySpan:
    """Each span on its own. Masks are made at the first layer and serve all."""

    packing: Packing
    masks: dict[PackedSpan, Tensor] = field(default_factory=dict)

    def attend(self, module: nn.Module, q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
        out = q.new_empty(1, q.shape[2], q.shape[1], v.shape[3])
        for span in self.packing.spans:
            here = span.here
            keys, values = _behind(span.before, module, k[:, :, here], v[:, :, here])
            seen = attend(q[:, :, here], keys, values, scale, self._mask(span, keys.shape[2], q))
            out[:, here] = seen.transpose(1, 2)
            if span.keep:
                keep(span.keep, module, keys, values)
            if self.packing.places is not None and span.place is not None:
                row = slice(span.place, span.place + 1)
                self.packing.places.write(module, row, keys, values)
        return out

    def _mask(self, span: PackedSpan, keys: int, like: Tensor) -> Tensor | None:
        """0 where a token sees a key, minus infinity where not: what the kernel adds to its scores.
        None is plain causal, which the kernel knows by itself.
        """
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
    """Put keys and values away, with room behind them."""
    for store, given in ((kept.keys, keys), (kept.values, values)):
        rows, heads, length, size = given.shape
        stored = given.new_empty(rows, heads, length + kept.room, size)
        stored[:, :, :length] = given
        store[module] = stored


def _behind(before: Kept | None, module: nn.Module, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
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
