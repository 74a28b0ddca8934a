"""What many rows begin with is computed once, and kept while the rows that hang on it are."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from assay.engine.layout.batches import by_tokens, halved_when_full
from assay.engine.layout.cores import core_by_core
from assay.engine.layout.packing import Forest, Kept, PackedRow, Trunk, pack
from assay.engine.network import Network

LEAST_OF_A_CORE = 512  # tokens in a batch


class Hanging(Protocol):
    """A piece of work whose row hangs on a trunk, or on none."""

    @property
    def row(self) -> PackedRow: ...


W = TypeVar("W", bound=Hanging)
R = TypeVar("R")


def computed(
    network: Network,
    work: Sequence[W],
    forest: Forest,
    budget: int,
    run: Callable[[list[W], dict[Trunk, Kept], int], R],
) -> Iterator[tuple[list[W], R]]:
    """Batches of the work, and what `run` makes of each; it is told how many run side by side."""
    hanging: dict[Trunk | None, list[W]] = {}
    for one in work:
        hanging.setdefault(one.row.trunk, []).append(one)
    for several in hanging.values():
        several.sort(key=lambda one: one.row.size)
    kept: dict[Trunk, Kept] = {}
    trunks = [trunk for root in forest.roots for trunk in root.family()]
    for some in by_tokens(trunks, lambda trunk: trunk.end, network.tokens_kept):
        # Of those that were kept, only what these hang on is needed again.
        kept = {trunk: kept[trunk] for trunk in some[0].line() if trunk in kept}
        here = [one for trunk in some for one in hanging.get(trunk, ())]
        room = 0 if network.by_blocks else max((one.row.size for one in here), default=0)
        keep_trunks(network, some, kept, room, budget)
        yield from _batch_by_batch(here, kept, budget, run)
    # Rows that hang on a trunk are put behind it in turn; these have nothing in common.
    yield from _batch_by_batch(hanging.get(None, ()), {}, budget, run, network.cores(budget))


def _batch_by_batch(
    work: Sequence[W],
    kept: dict[Trunk, Kept],
    budget: int,
    run: Callable[[list[W], dict[Trunk, Kept], int], R],
    cores: int = 1,
) -> Iterator[tuple[list[W], R]]:
    def run_batch(batch: list[W]) -> list[tuple[list[W], R]]:
        return list(halved_when_full(batch, lambda part: run(part, kept, cores)))

    share = min(budget, max(LEAST_OF_A_CORE, budget // cores))
    batches = by_tokens(work, lambda one: one.row.size, share)
    for found in core_by_core(batches, run_batch, cores=cores):
        yield from found


def keep_trunks(
    network: Network,
    trunks: Sequence[Trunk],
    kept: dict[Trunk, Kept],
    room: int,
    budget: int,
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
            # Their states are not needed: `pack` puts their keys and values into `kept`.
            for _ in halved_when_full(
                batch,
                lambda part: network.hidden(pack([], kept, network.device, trunks=part, room=room)),
            ):
                pass
