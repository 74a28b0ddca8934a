"""Lays rows side by side in one packed forward: no padding, and who sees whom.

A Packing has token ids and positions of one long row, and Spans that tell the attention where each
piece lies, what precedes it, and which of its tokens see each other.

    trunk  t0 t1 t2                      computed earlier, kept
    row    c0 c1 | a0 a1 | b0            context, branch a, branch b
    sees   c1: t0..t2 c0 c1    a1: t0..t2 c0 c1 a0 a1    b0: t0..t2 c0 c1 b0
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.engine.layout.tree import Trunk


@dataclass(frozen=True, slots=True)
class PackedRow:
    """Tokens behind a trunk, and branches that do not see each other behind those."""

    trunk: Trunk | None
    context: Sequence[int]
    branches: tuple[Sequence[int], ...] = ()

    @property
    def size(self) -> int:
        return len(self.context) + sum(map(len, self.branches))


@dataclass(slots=True, eq=False)
class Kept:
    """Of a trunk and all before it, with room behind in which rows follow each other uncopied."""

    length: int
    room: int
    keys: dict[object, Tensor] = field(default_factory=dict)  # [1, heads, length + room, size]
    values: dict[object, Tensor] = field(default_factory=dict)

    def keys_of(self, module: object) -> Tensor:
        return self.keys[module][:, :, : self.length]

    def values_of(self, module: object) -> Tensor:
        return self.values[module][:, :, : self.length]


@dataclass(slots=True, eq=False)
class PackedSpan:
    """`branches`: some do not see each other. `keep`: where keys and values go, if others will hang
    on it. `place`: which of the packing's places gets them and all before them.
    """

    start: int
    length: int
    before: Kept | None = None
    branches: bool = False
    keep: Kept | None = None
    place: int | None = None

    @property
    def here(self) -> slice:
        return slice(self.start, self.start + self.length)


@dataclass(slots=True, eq=False)
class Packing:
    """`branch` [tokens] is 0 in a context and counts from 1 in its branches. Either every span has
    one of the `places` or none has.
    """

    ids: Tensor
    positions: Tensor
    branch: Tensor
    spans: list[PackedSpan]
    places: Any = None  # Slots, where rows are put whole to be written on behind

    @property
    def tokens(self) -> int:
        return self.ids.shape[1]


def pack(
    rows: Sequence[PackedRow],
    kept: dict[Trunk, Kept],
    device: torch.device,
    *,
    trunks: Sequence[Trunk] = (),
    room: int = 0,
) -> Packing:
    """Lay trunks and rows out. Each trunk's new Kept is put into `kept`, with this much room."""
    pieces: list[Sequence[int]] = []
    laid: list[tuple[int, int, int]] = []  # of each piece its length, first position and branch
    spans: list[PackedSpan] = []
    at = 0
    for trunk in trunks:
        before = kept[trunk.parent] if trunk.parent else None
        kept[trunk] = Kept(trunk.end, room)
        spans.append(PackedSpan(at, len(trunk.tokens), before, keep=kept[trunk]))
        pieces.append(trunk.tokens)
        laid.append((len(trunk.tokens), trunk.start, 0))
        at += len(trunk.tokens)
    for row in rows:
        first = row.trunk.end if row.trunk else 0
        before = kept[row.trunk] if row.trunk else None
        spans.append(PackedSpan(at, row.size, before, branches=any(row.branches)))
        pieces += (row.context, *row.branches)
        laid.append((len(row.context), first, 0))
        behind = first + len(row.context)
        laid += [(len(tokens), behind, branch) for branch, tokens in enumerate(row.branches, 1)]
        at += row.size
    whole = on_device(_in_one_row(pieces, laid, at), device)
    return Packing(ids=whole[:1], positions=whole[1:2], branch=whole[2], spans=spans)


def _in_one_row(
    pieces: Sequence[Sequence[int]], laid: Sequence[tuple[int, int, int]], tokens: int
) -> NDArray[np.int64]:
    """[3, tokens]: ids, positions, branches."""
    lengths, firsts, branches = np.array(laid, np.int64).reshape(-1, 3).T
    starts = np.cumsum(lengths) - lengths
    whole = np.empty((3, tokens), np.int64)
    whole[0] = np.fromiter(chain.from_iterable(pieces), np.int64, tokens)
    whole[1] = np.arange(tokens) + np.repeat(firsts - starts, lengths)
    whole[2] = np.repeat(branches, lengths)
    return whole


def on_device(numbers: NDArray[np.int64], device: torch.device) -> Tensor:
    """A transfer that does not wait for what the GPU is doing: from memory that stays in place."""
    tensor = torch.from_numpy(numbers)
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)
