"""Where the keys and values of rows that are being written lie, and how a row sees its own.

    slot 0   p p p p p w w w . . .        p  prompt     w  written     .  room
    slot 1   p p w w w w . . . . .
    slot 2   . . . . . . . . . . .        free: live slots are always the first ones

A row that ends gives its slot to the last live one, so that no ended row is ever computed. What all
layers keep lies in two tensors, so that a row is moved in two passes and not in two for each layer.

Prompts are computed with their shared beginnings once: family by family, longest first, so that
memory runs out at the start or not at all.
"""

import math
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from assay.engine.kernels.attention import attend
from assay.engine.layout.packing import Forest, Kept, PackedRow, Trunk, grow, on_device, pack
from assay.engine.layout.trunks import keep_trunks
from assay.engine.network import Network

ALIGNED = 64  # entries; kernels that take a mask want a multiple of 8, captured steps few widths
CALL = 64  # entries read for nothing that cost as much as another attention call on a processor
MOST_ROWS_CPU = 64
MOST_ROWS_GPU = 256
BYTES_CPU = 2 * 2**30
SHARE_OF_FREE_GPU = 0.5
BYTES_MOVED = 256 * 2**20  # at once: rows that change places are copied first


@dataclass(slots=True, eq=False)
class Slots:
    """[rows, heads, capacity, size] of keys and of values for every attention module; `layers`: how
    many modules there are.
    """

    rows: int
    capacity: int
    layers: int = 1
    bytes_moved: int = BYTES_MOVED
    lengths: list[int] = field(default_factory=list)  # of the live ones
    keys: dict[object, Tensor] = field(default_factory=dict)
    values: dict[object, Tensor] = field(default_factory=dict)
    _whole: list[Tensor] = field(default_factory=list)  # [layers, rows, heads, capacity, size]
    _empty: dict[object, list[Tensor]] = field(default_factory=dict)  # parts of them, by kind

    @property
    def free(self) -> int:
        return self.rows - len(self.lengths)

    def take(self, length: int) -> int:
        """The first free slot, for a prompt of this length, which is to be written into it."""
        self.lengths.append(length)
        return len(self.lengths) - 1

    def write(self, module: object, places: slice | Tensor, keys: Tensor, values: Tensor) -> None:
        """What lies behind a prompt is overwritten before it is seen: prompts may be padded."""
        for kind, stores, given in (("k", self.keys, keys), ("v", self.values, values)):
            _, heads, entries, size = given.shape
            if module not in stores:
                stores[module] = self._part((kind, heads, size), given)
            entries = min(entries, self.capacity)
            stores[module][places, :, :entries] = given[:, :, :entries]

    def _part(self, kind: tuple[str, int, int], like: Tensor) -> Tensor:
        if not self._empty.get(kind):
            _, heads, size = kind
            whole = _zeros(like, (self.layers, self.rows, heads, self.capacity, size))
            self._whole.append(whole)
            self._empty[kind] = list(whole.unbind())
        return self._empty[kind].pop()

    @torch.inference_mode()
    def remove(self, slot: int) -> None:
        last = len(self.lengths) - 1
        if slot != last:
            used = self.lengths[last]
            for whole in self._whole:
                whole[:, slot, :, :used] = whole[:, last, :, :used]
            self.lengths[slot] = used
        self.lengths.pop()

    @torch.inference_mode()
    def reorder(self, rows: Sequence[int], alike: Sequence[int] | None = None) -> None:
        """The live ones are from now on copies of these; of each the first `alike` entries are the
        same already.
        """
        self.lengths = [self.lengths[row] for row in rows]
        moved = [
            (place, row, first, length)
            for place, (row, first, length) in enumerate(
                zip(rows, alike or [0] * len(rows), self.lengths, strict=True)
            )
            if place != row and first < length
        ]
        if not moved:
            return
        # Told row by row, and entry by entry where they lie: large tables are dear to move.
        counts = [length - first for _, _, first, length in moved]
        total = sum(counts)
        told = np.array([*zip(*moved, strict=True), counts], np.int64)
        places, sources, firsts, _, many = on_device(told, self._whole[0].device)
        each = torch.arange(len(moved), device=many.device)
        each = each.repeat_interleave(many, output_size=total)
        entries = torch.arange(total, device=many.device) + (firsts + many - many.cumsum(0))[each]
        to, of = places[each], sources[each]
        for whole in self._whole:
            bytes_each = total * whole[0, 0, :, 0].numel() * whole.dtype.itemsize
            step = max(1, self.bytes_moved // bytes_each)
            for start in range(0, len(whole), step):
                some = whole[start : start + step]
                some[:, to, :, entries] = some[:, of, :, entries]


def _zeros(like: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Zeros, as NaN x 0 is NaN. On a processor NumPy's take memory only where written to."""
    if like.device.type != "cpu":
        return like.new_zeros(shape)
    count = math.prod(shape) * like.dtype.itemsize
    return torch.from_numpy(np.zeros(count, dtype=np.uint8)).view(like.dtype).view(shape)


@dataclass(frozen=True, slots=True)
class SlotGroup:
    first: int
    end: int
    width: int
    mask: Tensor | None  # [slots, 1, 1, width]; None: all is seen


class BehindKernel(Protocol):
    def __call__(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        keys: Tensor,
        values: Tensor,
        positions: Tensor,
        scale: float,
        /,
    ) -> Tensor:
        """Puts each row's key and value in their places, and attends to all up to there."""
        ...


@dataclass(frozen=True, slots=True)
class BehindSlots:
    slots: Slots
    row: Tensor  # the slot of each token
    entry: Tensor  # and where in it its key goes
    groups: Sequence[SlotGroup]
    at_once: BehindKernel | None = None

    def attend(self, module: nn.Module, q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
        keys, values = self.slots.keys[module], self.slots.values[module]
        if self.at_once is not None:
            return self.at_once(q, k, v, keys, values, self.entry, scale)
        keys[self.row, :, self.entry] = k[0].transpose(0, 1)
        values[self.row, :, self.entry] = v[0].transpose(0, 1)
        rows = q.transpose(0, 2)  # [slots, heads, 1, size]
        seen = []
        for group in self.groups:
            here = slice(group.first, group.end)
            found = attend(
                rows[here],
                keys[here, :, : group.width],
                values[here, :, : group.width],
                scale,
                group.mask,
            )
            seen.append(found.transpose(1, 2))
        return torch.cat(seen).transpose(0, 1)


def step_by_length(slots: Slots, like: torch.dtype) -> BehindSlots:
    """One token a row, for processors: slots of like length in one call, padding kept small."""
    lengths = torch.tensor(slots.lengths)
    groups = [
        SlotGroup(first, end, width, _up_to(lengths[first:end], width, like))
        for first, end, width in alike([length + 1 for length in slots.lengths])
    ]
    return BehindSlots(slots, torch.arange(len(slots.lengths)), lengths, groups)


def step_at_once(
    slots: Slots,
    positions: Tensor,
    width: int,
    like: torch.dtype,
    kernel: BehindKernel | None = None,
) -> BehindSlots:
    """For GPUs: nothing here depends on the values of `positions`, so that it can be captured."""
    row = torch.arange(len(positions), device=positions.device)
    if kernel is not None:
        return BehindSlots(slots, row, positions, (), kernel)
    group = SlotGroup(0, len(positions), width, _up_to(positions, width, like))
    return BehindSlots(slots, row, positions, [group])


def _up_to(last: Tensor, width: int, like: torch.dtype) -> Tensor | None:
    if last.device.type == "cpu" and bool((last == width - 1).all()):
        return None
    beyond = torch.arange(width, device=last.device)[None] > last[:, None]
    mask = torch.zeros(beyond.shape, dtype=like, device=last.device)
    return mask.masked_fill_(beyond, float("-inf"))[:, None, None]


def alike(lengths: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """(first, last + 1, longest) of neighbours that cost less read together than by calls apart."""
    first, longest, total = 0, 0, 0
    for number, length in enumerate(lengths):
        wider, sum_of = max(longest, length), total + length
        if number > first and (number + 1 - first) * wider - sum_of > CALL * (number - first):
            yield first, number, longest
            first, wider, sum_of = number, length, length
        longest, total = wider, sum_of
    if lengths:
        yield first, len(lengths), longest


def aligned(entries: int) -> int:
    return -(-entries // ALIGNED) * ALIGNED


def rows_that_fit(network: Network, capacity: int) -> int:
    most, room = MOST_ROWS_CPU, BYTES_CPU
    if network.device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(network.device)
        most, room = MOST_ROWS_GPU, int(SHARE_OF_FREE_GPU * free)
    return max(1, min(most, room // (capacity * network.bytes_kept_per_token)))


class Filling:
    def __init__(self, network: Network, contexts: Sequence[tuple[int, ...]]) -> None:
        self._network = network
        self._contexts = contexts
        self._forest = grow(contexts)
        self._waiting = deque(_order(contexts, self._forest))
        self._kept: dict[Trunk, Kept] = {}
        self._users = Counter(trunk for held in self._forest.trunk_of for trunk in _chain(held))

    def __len__(self) -> int:
        return len(self._waiting)

    def next(self, slots: Slots, tokens: int, rows: int) -> tuple[list[int], Tensor]:
        """Which contexts, in the order of their slots, and their last states [prompts, size]."""
        chosen: list[int] = []
        size = 0
        while self._waiting and len(chosen) < rows:
            size += len(self._behind(self._waiting[0]))
            if chosen and size > tokens:
                break
            chosen.append(self._waiting.popleft())
        missing = {
            trunk: None
            for one in chosen
            for trunk in _chain(self._forest.trunk_of[one])
            if trunk not in self._kept
        }
        room = max((len(self._behind(one)) for one in chosen), default=0)
        in_order = sorted(missing, key=lambda trunk: trunk.start)
        keep_trunks(self._network, in_order, self._kept, room, tokens)
        rows_of = [PackedRow(self._forest.trunk_of[one], self._behind(one)) for one in chosen]
        packing = pack(rows_of, self._kept, self._network.device)
        packing.places = slots
        for one, span in zip(chosen, packing.spans, strict=True):
            span.place = slots.take(len(self._contexts[one]))
        hidden = self._network.hidden(packing)
        ends = [span.start + span.length - 1 for span in packing.spans]
        self._let_go(chosen)
        return chosen, hidden[on_device(np.array(ends), hidden.device)]

    def _behind(self, one: int) -> tuple[int, ...]:
        trunk = self._forest.trunk_of[one]
        return self._contexts[one][trunk.end if trunk else 0 :]

    def _let_go(self, chosen: Sequence[int]) -> None:
        for one in chosen:
            for trunk in _chain(self._forest.trunk_of[one]):
                self._users[trunk] -= 1
                if not self._users[trunk]:
                    del self._kept[trunk]


def _chain(trunk: Trunk | None) -> Iterator[Trunk]:
    return trunk.line() if trunk is not None else iter(())


def _order(contexts: Sequence[Sequence[int]], forest: Forest) -> list[int]:
    number = {
        trunk: place
        for place, trunk in enumerate(trunk for root in forest.roots for trunk in root.family())
    }
    paths = [tuple(number[trunk] for trunk in _chain(held))[::-1] for held in forest.trunk_of]
    longest: Counter[int] = Counter()
    for path, context in zip(paths, contexts, strict=True):
        if path:
            longest[path[0]] = max(longest[path[0]], len(context))

    def key(one: int) -> tuple[int, tuple[int, ...], int]:
        path, size = paths[one], len(contexts[one])
        return -(longest[path[0]] if path else size), path, -size

    return sorted(range(len(contexts)), key=key)
