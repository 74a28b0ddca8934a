"""Finds what many contexts have in common, so that it is computed once. A trunk costs one more
group in every attention call, so it must save enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

LEAST_SHARED = 16  # tokens; shorter ones are accidents
LEAST_SAVED = 96  # tokens over all rows that share it


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
    """Maximal ranges of two or more neighbours that share at least so many tokens."""
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
