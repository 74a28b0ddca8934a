"""Computes prompts for writing, their shared beginnings once: family by family, longest first, so
that memory runs out at the start or not at all.
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence

import numpy as np
from torch import Tensor

from assay.engine.layout.batches import by_tokens, halved_when_full
from assay.engine.layout.packing import Forest, Kept, PackedRow, Trunk, grow, on_device, pack
from assay.engine.layout.slots import Slots
from assay.engine.network import Network


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


def keep_trunks(
    network: Network, trunks: Sequence[Trunk], kept: dict[Trunk, Kept], room: int, budget: int
) -> None:
    """Generation by generation, parents before children: a trunk needs its parent's keys."""
    by_depth: dict[int, list[Trunk]] = {}
    depth: dict[Trunk, int] = {}
    for trunk in trunks:
        above = depth.get(trunk.parent, -1) if trunk.parent else -1
        depth[trunk] = above + 1
        by_depth.setdefault(depth[trunk], []).append(trunk)
    for generation in by_depth.values():
        for batch in by_tokens(generation, lambda trunk: len(trunk.tokens), budget):
            for _ in halved_when_full(
                batch,
                lambda part: network.hidden(pack([], kept, network.device, trunks=part, room=room)),
            ):
                pass


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
