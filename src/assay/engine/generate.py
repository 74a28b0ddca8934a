"""Writes behind prompts: token ids in, token ids out, each row as soon as it has ended.

Nothing but a row's own tokens, manner and seed decides what it says: not the batch, not its order,
not the memory. When memory runs out, the rows at a time are halved; those that were being written
go on from where they were.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from torch import Tensor

from assay.engine.kernels.graphs import Steps
from assay.engine.kernels.own_forward import OwnForward
from assay.engine.layout.batches import fewer_when_full, token_budget
from assay.engine.layout.prompt_filling import Filling
from assay.engine.layout.slots import Slots, aligned, rows_that_fit
from assay.engine.network import Network, NotFinite
from assay.engine.sampling import Dice, draw

Ended = Literal["end", "stop", "length", "context"]

# Computing new prompts costs about one step, an empty slot its share of each: with rows of some 64
# tokens the sum of both is least when a sixth is waited for.
REFILL_AT = 1 / 6


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is to be continued, and how. `stopped` is shown all tokens written so far after each
    one. `same` tells `beams` which continuations count as one.
    """

    tokens: Sequence[int]
    most_new: int
    temperature: float = 0.0
    seed: int = 0
    ends: frozenset[int] = frozenset()
    stopped: Callable[[Sequence[int]], bool] | None = None
    same: Callable[[Sequence[int]], Hashable] | None = None

    def limit(self, context_length: int) -> tuple[int, Ended]:
        """How many tokens may follow, and what a text that reaches it ended by."""
        room = context_length - len(self.tokens)
        return (room, "context") if room < self.most_new else (self.most_new, "length")

    def ended(self, token: int, written: Sequence[int]) -> Ended | None:
        """Whether the newest token ends the text: `written` is all of it without an end id."""
        if token in self.ends:
            return "end"
        return "stop" if self.stopped is not None and self.stopped(written) else None


@dataclass(frozen=True, slots=True)
class Written:
    """A continuation without the id that ended it, if one did."""

    tokens: tuple[int, ...]
    ended: Ended
    prompt_tokens: int


@dataclass(slots=True, eq=False)
class _Row:
    index: int
    prompt: Prompt
    limit: int
    at_limit: Ended
    dice: Dice
    tokens: list[int] = field(default_factory=list)
    ended: Ended | None = None

    @property
    def context(self) -> tuple[int, ...]:
        return (*self.prompt.tokens, *self.tokens)

    def take(self, token: int) -> bool:
        """Whether the text ends with this token."""
        if token not in self.prompt.ends:
            self.tokens.append(token)
        self.ended = self.prompt.ended(token, self.tokens)
        if self.ended is None and len(self.tokens) >= self.limit:
            self.ended = self.at_limit
        return self.ended is not None

    def written(self) -> tuple[int, Written]:
        return self.index, Written(
            tokens=tuple(self.tokens),
            ended=self.ended or self.at_limit,
            prompt_tokens=len(self.prompt.tokens),
        )


def generate(
    network: Network, prompts: Sequence[Prompt], *, most_rows: int | None = None
) -> Iterator[tuple[int, Written]]:
    """Write behind every prompt, at most so many at a time. Raises ValueError before any work where
    a prompt does not fit, NotFinite with the index of a prompt, TooLittleMemory.
    """
    check(network, prompts)
    rows = []
    for index, prompt in enumerate(prompts):
        limit, at_limit = prompt.limit(network.context_length)
        dice = Dice(prompt.temperature, prompt.seed)
        rows.append(_Row(index, prompt, limit, at_limit, dice))
    return _all(network, rows, most_rows)


def check(network: Network, prompts: Sequence[Prompt]) -> None:
    limit = network.context_length - 1
    for index, prompt in enumerate(prompts):
        if len(prompt.tokens) > limit:
            raise ValueError(f"prompt {index}: {len(prompt.tokens)} tokens > {limit}")
        if not prompt.tokens:
            raise ValueError(f"prompt {index}: no tokens")


def _all(
    network: Network, rows: Sequence[_Row], most_rows: int | None
) -> Iterator[tuple[int, Written]]:
    unfinished = {row.index: row for row in rows if row.limit > 0}
    yield from (row.written() for row in rows if row.limit <= 0)
    if not network.serves_trees:
        for row in unfinished.values():
            yield _alone(network, row)
        return
    sizes = [len(row.prompt.tokens) + row.limit for row in unfinished.values()]
    capacity = aligned(max(sizes, default=1))
    at_once = min(len(unfinished), most_rows or rows_that_fit(network, capacity))

    def run(at_once: int, tokens: int) -> Iterator[tuple[int, Written]]:
        for row in _together(network, unfinished, Slots(at_once, capacity), tokens):
            del unfinished[row.index]
            yield row.written()

    if unfinished:
        yield from fewer_when_full(at_once, token_budget(network), run)


def _together(
    network: Network, unfinished: dict[int, _Row], slots: Slots, tokens: int
) -> Iterator[_Row]:
    """Rows as they end; the others are as far as they are, whenever it breaks off."""
    rows = list(unfinished.values())
    filling = Filling(network, [row.context for row in rows])
    steps = Steps(network, slots)
    live: list[_Row] = []
    while filling or live:
        if filling and slots.free >= min(len(filling), math.ceil(slots.rows * REFILL_AT)):
            # As many prompts as there is place for; each has its first token afterwards.
            numbers, last = filling.next(slots, tokens, slots.free)
            fresh = [rows[number] for number in numbers]
            chosen = _drawn(network.logits(last), fresh)
            live += fresh
        else:
            chosen = _drawn(steps.logits([row.tokens[-1] for row in live]), live)
        yield from _ended(live, slots, chosen)


def _ended(live: list[_Row], slots: Slots, chosen: Sequence[int]) -> Iterator[_Row]:
    """Each of the last rows takes its token; those that end leave their slots."""
    first = len(live) - len(chosen)
    for slot in reversed(range(first, len(live))):
        row = live[slot]
        if row.take(chosen[slot - first]):
            live[slot] = live[-1]
            live.pop()
            slots.remove(slot)
            yield row


def _drawn(logits: Tensor, rows: Sequence[_Row]) -> list[int]:
    try:
        return draw(logits, [(row.dice, len(row.tokens)) for row in rows])
    except NotFinite as error:
        raise NotFinite(rows[error.args[0]].index) from error


def _alone(network: Network, row: _Row) -> tuple[int, Written]:
    forward = OwnForward(network)
    while not row.take(_drawn(forward.logits(row.context), [row])[0]):
        pass
    return row.written()
