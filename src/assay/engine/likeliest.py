"""Every token of a row with how likely it is, and what would have been likelier in its place. What
several rows begin with is computed and told once.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import torch
from torch import Tensor

from assay.engine.layout.packing import Forest, Kept, PackedRow, Trunk, grow, pack
from assay.engine.layout.trunks import computed
from assay.engine.network import Network, NotFinite, read_row


@dataclass(frozen=True, slots=True)
class ToldToken:
    """Natural logarithms. `rank`: 0 for the likeliest token. `likeliest`: the best come first."""

    log_likelihood: float
    rank: int
    likeliest: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class ToTell:
    """The tokens from `first` on, which is at least 1: nothing comes before the very first."""

    tokens: Sequence[int]
    first: int = 1
    count: int = 1


@torch.inference_mode()
def tell(
    network: Network, tokens: Sequence[int], *, first: int = 1, count: int = 1
) -> list[ToldToken]:
    """One row by itself: the plain way, which `tell_all` is held to."""
    if len(tokens) <= first:
        return []
    logits_at = read_row(network, tokens[:-1])
    return list(
        _told(network, tokens[first:], lambda a, b: logits_at(first - 1 + a, first - 1 + b), count)
    )


def tell_all(
    network: Network, asked: Sequence[ToTell], *, budget: int | None = None
) -> Iterator[tuple[int, list[ToldToken]]]:
    """(place in `asked`, what is told of it), each once, in any order."""
    if not network.serves_trees:
        for number, one in enumerate(asked):
            yield number, tell(network, one.tokens, first=one.first, count=one.count)
        return
    yield from ((number, []) for number, one in enumerate(asked) if len(one.tokens) <= one.first)
    left = [(number, one) for number, one in enumerate(asked) if len(one.tokens) > one.first]
    forest = grow([tuple(one.tokens[:-1]) for _, one in left])
    telling = _Telling(network, [one for _, one in left], forest)
    rows = [
        _RowToTell(number, one, PackedRow(trunk, one.tokens[trunk.end if trunk else 0 : -1]))
        for (number, one), trunk in zip(left, forest.trunk_of, strict=True)
    ]
    batches = computed(
        network, rows, forest, budget or network.tokens_at_once, telling.run, telling.keep
    )
    for batch, found in batches:
        for row, told in zip(batch, found, strict=True):
            yield row.number, telling.whole(row, told)


@dataclass(frozen=True, slots=True, eq=False)
class _RowToTell:
    number: int
    asked: ToTell
    row: PackedRow


@dataclass(slots=True, eq=False)
class _Telling:
    """Each token is predicted by the state before it: the first of a row that hangs on a trunk by
    the trunk's last.
    """

    network: Network
    asked: Sequence[ToTell]
    forest: Forest
    first: dict[Trunk, int] = field(default_factory=dict)  # of the rows that hang there
    count: int = 0
    last: dict[Trunk, Tensor] = field(default_factory=dict)
    told: dict[Trunk, list[ToldToken]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one, held in zip(self.asked, self.forest.trunk_of, strict=True):
            for trunk in held.line() if held else ():
                self.first[trunk] = min(one.first, self.first.get(trunk, one.first))
        self.count = max((one.count for one in self.asked), default=0)

    def keep(self, trunks: list[Trunk], hidden: Tensor) -> None:
        pieces, at = [], 0
        for trunk in trunks:
            states = hidden[at : at + len(trunk.tokens)]
            at += len(trunk.tokens)
            self.last[trunk] = states[-1:].clone()
            pieces.append(
                self._piece(trunk.tokens, trunk.start, self.first[trunk], trunk.parent, states)
            )
        for trunk, told in zip(trunks, self._tell(pieces), strict=True):
            self.told[trunk] = told

    def run(
        self, batch: list[_RowToTell], kept: dict[Trunk, Kept], threads: int
    ) -> list[list[ToldToken]]:
        packing = pack([one.row for one in batch], kept, self.network.device)
        hidden = self.network.hidden(packing)
        pieces = []
        for one, span in zip(batch, packing.spans, strict=True):
            trunk = one.row.trunk
            start = trunk.end if trunk else 0
            pieces.append(
                self._piece(
                    one.asked.tokens[start:], start, one.asked.first, trunk, hidden[span.here]
                )
            )
        return list(self._tell(pieces, threads))

    def whole(self, row: _RowToTell, behind: list[ToldToken]) -> list[ToldToken]:
        """With what was told of the trunks before it."""
        asked, found = row.asked, [behind]
        for trunk in row.row.trunk.line() if row.row.trunk else ():
            begins = max(trunk.start, self.first[trunk], 1)
            found.append(self.told[trunk][max(0, asked.first - begins) :])
        told = [one for part in reversed(found) for one in part]
        if asked.count == self.count:
            return told
        return [replace(one, likeliest=one.likeliest[: asked.count]) for one in told]

    def _piece(
        self,
        tokens: Sequence[int],
        start: int,
        first: int,
        behind: Trunk | None,
        states: Tensor,
    ) -> tuple[Sequence[int], Tensor]:
        """Those of the tokens from `start` on that are told, and the states before them."""
        first = max(first, start, 1)
        wanted = tokens[first - start :]
        if first > start:
            return wanted, states[first - start - 1 :][: len(wanted)]
        before = self.last[behind] if behind is not None else states[:0]
        return wanted, torch.cat((before, states))[: len(wanted)]

    @torch.inference_mode()
    def _tell(
        self, pieces: Sequence[tuple[Sequence[int], Tensor]], threads: int = 1
    ) -> Iterator[list[ToldToken]]:
        states = torch.cat([states for _, states in pieces])
        wanted = [token for tokens, _ in pieces for token in tokens]
        told = _told(
            self.network,
            wanted,
            lambda start, end: self.network.logits(states[start:end]),
            self.count,
            threads,
        )
        for tokens, _ in pieces:
            yield list(islice(told, len(tokens)))


def _told(
    network: Network,
    wanted: Sequence[int],
    logits_at: Callable[[int, int], Tensor],
    count: int,
    threads: int = 1,
) -> Iterator[ToldToken]:
    """`threads` that do so share the room for logits."""
    step = max(1, network.positions_at_once // threads)
    for start in range(0, len(wanted), step):
        end = min(start + step, len(wanted))
        logarithms = logits_at(start, end).float().log_softmax(-1)
        targets = torch.tensor(list(wanted[start:end]), device=logarithms.device)
        picked = logarithms.gather(1, targets[:, None])
        ranks = (logarithms > picked).sum(-1).tolist()
        best = logarithms.topk(min(max(count, 1), logarithms.shape[1]))
        for one, rank, values, ids in zip(
            picked[:, 0].tolist(), ranks, best.values.tolist(), best.indices.tolist(), strict=True
        ):
            if not math.isfinite(one):
                raise NotFinite(0)
            yield ToldToken(one, rank, tuple(zip(ids[:count], values[:count], strict=True)))
