"""Lays rows side by side in one packed forward: no padding, and who sees whom.

In: Rows (a trunk, the tokens behind it, branches behind those) and Trunks to be computed. Out: a
Packing: token ids and positions of one long row, and Spans that tell the attention where each piece
lies, what precedes it, and which of its tokens see each other. Refuses to know: weights and scores.

    trunk  t0 t1 t2                      computed earlier, kept
    row    c0 c1 | a0 a1 | b0            context, branch a, branch b
    sees   c1: t0..t2 c0 c1    a1: t0..t2 c0 c1 a0 a1    b0: t0..t2 c0 c1 b0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.engine.tree import Trunk


@dataclass(frozen=True, slots=True)
class Row:
    """Tokens behind a trunk, and branches that do not see each other behind those."""

    trunk: Trunk | None
    context: Sequence[int]
    branches: tuple[Sequence[int], ...] = ()

    @property
    def size(self) -> int:
        """How many tokens are computed for it."""
        return len(self.context) + sum(map(len, self.branches))


@dataclass(slots=True, eq=False)
class Kept:
    """Keys and values of a trunk and all before it, by attention module; with room behind them in
    which rows are put one after another, so that what is shared is never copied.
    """

    length: int
    room: int
    keys: dict[object, Tensor] = field(default_factory=dict)  # [1, heads, length + room, size]
    values: dict[object, Tensor] = field(default_factory=dict)

    def keys_of(self, module: object) -> Tensor:
        """Without the room behind them."""
        return self.keys[module][:, :, : self.length]

    def values_of(self, module: object) -> Tensor:
        """Without the room behind them."""
        return self.values[module][:, :, : self.length]


@dataclass(slots=True, eq=False)
class Span:
    """A piece of the packed row: `start` to `start + length`, behind what `before` keeps.

    `branches`: some of its tokens do not see each other. `keep`: where its keys and values go, if
    others will hang on it.
    """

    start: int
    length: int
    before: Kept | None = None
    branches: bool = False
    keep: Kept | None = None

    @property
    def place(self) -> slice:
        """Where it lies in the packed row."""
        return slice(self.start, self.start + self.length)


@dataclass(slots=True, eq=False)
class Packing:
    """One forward: ids and positions [1, tokens], and its spans.

    `branch` [tokens] is 0 for tokens of a context and counts from 1 for those of its branches.
    """

    ids: Tensor
    positions: Tensor
    branch: Tensor
    spans: list[Span]

    @property
    def tokens(self) -> int:
        """How many are computed."""
        return self.ids.shape[1]


def pack(
    rows: Sequence[Row],
    kept: dict[Trunk, Kept],
    device: torch.device,
    *,
    trunks: Sequence[Trunk] = (),
    room: int = 0,
) -> Packing:
    """Lay trunks and rows out. Each trunk's new Kept is put into `kept`, with this much room."""
    ids: list[int] = []
    positions: list[int] = []
    branch: list[int] = []
    spans: list[Span] = []
    for trunk in trunks:
        before = kept[trunk.parent] if trunk.parent else None
        keep = Kept(trunk.end, room)
        spans.append(Span(len(ids), len(trunk.tokens), before, keep=keep))
        kept[trunk] = keep
        ids += trunk.tokens
        positions += range(trunk.start, trunk.end)
        branch += [0] * len(trunk.tokens)
    for row in rows:
        start = row.trunk.end if row.trunk else 0
        before = kept[row.trunk] if row.trunk else None
        spans.append(Span(len(ids), row.size, before, branches=any(row.branches)))
        behind = start + len(row.context)
        ids += row.context
        positions += range(start, behind)
        branch += [0] * len(row.context)
        for number, tokens in enumerate(row.branches, 1):
            ids += tokens
            positions += range(behind, behind + len(tokens))
            branch += [number] * len(tokens)
    laid = on_device(np.array((ids, positions, branch), np.int64), device)
    return Packing(ids=laid[:1], positions=laid[1:2], branch=laid[2], spans=spans)


def on_device(numbers: NDArray[np.int64], device: torch.device) -> Tensor:
    """A transfer that does not wait for what the GPU is doing: from memory that stays in place."""
    tensor = torch.from_numpy(numbers)
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)
