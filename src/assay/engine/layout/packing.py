"""Lays rows side by side in one packed forward: no padding, and who sees whom.

A Packing has token ids and positions of one long row, and Spans that tell the attention where each
piece lies, what precedes it, and which of its tokens see each other.

    trunk  t0 t1 t2                      computed earlier, kept
    row    c0 c1 | a0 a1 | b0            context, branch a, branch b
    sees   c1: t0..t2 c0 c1    a1: t0..t2 c0 c1 a0 a1    b0: t0..t2 c0 c1 b0

Trees find what many contexts have in common, so that it is computed once. A trunk costs one more
group in every attention call, so it must save enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

LEAST_SHARED = 16  # tokens; shorter ones are accidents
# Every trunk is one more group in every attention call, and two questions that begin with "Which
# of the following" are alike by accident.
LEAST_SAVED = 96  # tokens over all rows that share it
LARGE = 64  # tokens of a piece, on average, that is rather copied whole


@dataclass(slots=True, eq=False)
class Trunk:
    tokens: Sequence[int]
    parent: Trunk | None = None
    children: list[Trunk] = field(default_factory=list)
    start: int = field(init=False)  # the position of its first token

    def __post_init__(self) -> None:
        self.start = self.parent.end if self.parent else 0

    @property
    def end(self) -> int:
        return self.start + len(self.tokens)

    def family(self) -> Iterator[Trunk]:
        """Itself and all that grow from it: each before its children, and they before others."""
        waiting = [self]
        while waiting:
            trunk = waiting.pop()
            yield trunk
            waiting += reversed(trunk.children)

    def line(self) -> Iterator[Trunk]:
        trunk: Trunk | None = self
        while trunk is not None:
            yield trunk
            trunk = trunk.parent


@dataclass(frozen=True, slots=True)
class Forest:
    """The outermost trunks, and for each context the trunk it hangs on, if any."""

    roots: tuple[Trunk, ...]
    trunk_of: tuple[Trunk | None, ...]


@dataclass(frozen=True, slots=True)
class PackedRow:
    """Tokens behind a trunk, and branches that do not see each other behind those."""

    trunk: Trunk | None
    context: Sequence[int] | NDArray[np.int64]
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
    pieces: list[Sequence[int] | NDArray[np.int64]] = []
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
    pieces: Sequence[Sequence[int] | NDArray[np.int64]],
    laid: Sequence[tuple[int, int, int]],
    tokens: int,
) -> NDArray[np.int64]:
    """[3, tokens]: ids, positions, branches."""
    lengths, firsts, branches = np.array(laid, np.int64).reshape(-1, 3).T
    starts = np.cumsum(lengths) - lengths
    whole = np.empty((3, tokens), np.int64)
    if tokens > LARGE * len(pieces):
        np.concatenate([np.asarray(each, np.int64) for each in pieces], out=whole[0])
    else:
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


def grow(contexts: Sequence[tuple[int, ...]]) -> Forest:
    """A trunk never holds a context's last token, where the first continuation is predicted."""
    order = sorted(range(len(contexts)), key=lambda index: contexts[index])
    shared = [_in_common(contexts[before], contexts[after]) for before, after in pairwise(order)]
    trunk_of: list[Trunk | None] = [None] * len(contexts)
    roots: list[Trunk] = []
    # (first, last + 1, trunk so far): a range of the sorted contexts that share this trunk
    waiting: list[tuple[int, int, Trunk | None]] = [(0, len(order), None)]
    while waiting:
        first, end, parent = waiting.pop()
        depth = parent.end if parent else 0
        for low, high in _runs(shared, first, end, depth + LEAST_SHARED):
            members = order[low:high]
            common = min(shared[low : high - 1], default=0)
            common = min(common, min(len(contexts[index]) for index in members) - 1)
            saved = (len(members) - 1) * (common - depth)
            if common - depth < LEAST_SHARED or saved < LEAST_SAVED:
                continue
            trunk = Trunk(contexts[members[0]][depth:common], parent)
            (parent.children if parent else roots).append(trunk)
            for index in members:
                trunk_of[index] = trunk
            waiting.append((low, high, trunk))
    return Forest(tuple(roots), tuple(trunk_of))


def _runs(shared: Sequence[int], first: int, end: int, least: int) -> Iterator[tuple[int, int]]:
    """Maximal ranges of two or more neighbours that share at least `least` tokens."""
    low = first
    for index in range(first, end):
        if index + 1 == end or shared[index] < least:
            if index > low:
                yield low, index + 1
            low = index + 1


def _in_common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens both begin with: found by halving, comparing slices at C's speed."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
