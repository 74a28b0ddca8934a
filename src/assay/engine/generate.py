"""Writes behind prompts. Only a row's own tokens, manner and seed decide what it says: step n of a
seed is the n-th number of a counter-based generator (Philox), so that neither the batch nor its
order changes a text. When memory runs out, the rows at a time are halved and go on from where they
were.
"""

import math
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
import torch
from torch import Tensor

from assay.engine.kernels.graphs import NOT_FINITE, Ahead, OwnForward, Steps, likeliest
from assay.engine.layout.batches import fewer_when_full
from assay.engine.layout.slots import Filling, Slots, aligned, rows_that_fit
from assay.engine.network import Network, NotFinite

_NUMBERS_AT_ONCE = 64


class Dice:
    """The numbers of one seed, by step. Temperature 0 takes the likeliest token; `top_k` and
    `top_p` keep the likeliest few, as transformers does, and 0 and 1 keep all.
    """

    def __init__(
        self, temperature: float = 0.0, seed: int = 0, top_k: int = 0, top_p: float = 1.0
    ) -> None:
        self.temperature, self.seed = temperature, seed
        self.top_k, self.top_p = top_k, top_p
        self._numbers: list[float] = []
        self._source: np.random.Generator | None = None

    def number(self, step: int) -> float:
        """In [0, 1), the same however often and in whatever order steps are asked for."""
        if self._source is None:
            self._source = np.random.Generator(np.random.Philox(self.seed % 2**64))
        while step >= len(self._numbers):
            self._numbers += self._source.random(_NUMBERS_AT_ONCE).tolist()
        return self._numbers[step]


Ended = Literal["end", "stop", "length", "context"]

# Computing new prompts costs about one step, an empty slot its share of each: with rows of some 64
# tokens the sum of both is least when a sixth is waited for.
REFILL_AT = 1 / 6

# Asked after each token, the GPU waits for the processor: 200 prompts on an H200 took 0.72 s,
# and 0.165 s with steps ahead and the kernel of `kernels/behind.py`.
STEPS_AHEAD = 4  # that a GPU is given at once

C = TypeVar("C", bound="Continued")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Prompt:
    """`stopped` is shown all tokens after each one; `same` tells `beams` what counts as one."""

    tokens: Sequence[int]
    most_new: int
    temperature: float = 0.0
    seed: int = 0
    top_k: int = 0
    top_p: float = 1.0
    ends: frozenset[int] = frozenset()
    stopped: Callable[[Sequence[int]], bool] | None = None
    same: Callable[[Sequence[int]], Hashable] | None = None


@dataclass(frozen=True, slots=True)
class Written:
    tokens: tuple[int, ...]
    ended: Ended
    prompt_tokens: int


@dataclass(slots=True, eq=False)
class Continued:
    """A prompt, the most tokens that may follow it, and how a text of that length has ended."""

    index: int
    prompt: Prompt
    limit: int
    at_limit: Ended

    def ends_with(self, token: int, written: Sequence[int]) -> Ended | None:
        if token in self.prompt.ends:
            return "end"
        if self.prompt.stopped is not None and self.prompt.stopped(written):
            return "stop"
        return self.at_limit if len(written) >= self.limit else None


@dataclass(slots=True, eq=False)
class _Row(Continued):
    dice: Dice
    tokens: list[int] = field(default_factory=list)
    ended: Ended | None = None

    @property
    def context(self) -> tuple[int, ...]:
        return (*self.prompt.tokens, *self.tokens)

    def take(self, token: int) -> bool:
        if token not in self.prompt.ends:
            self.tokens.append(token)
        self.ended = self.ends_with(token, self.tokens)
        return self.ended is not None

    def written(self) -> Written:
        ended = self.ended or self.at_limit
        return Written(tuple(self.tokens), ended, len(self.prompt.tokens))


def generate(
    network: Network,
    prompts: Sequence[Prompt],
    *,
    most_rows: int | None = None,
    steps: type[Steps] | None = None,
) -> Iterator[tuple[int, Written]]:
    """`steps`: how tokens are put behind rows, usually the quickest way there is. Raises ValueError
    before any work, NotFinite with the index of a prompt, TooLittleMemory.
    """
    rows = [_Row(*each, _dice(each[1])) for each in limits(network, prompts)]
    if steps is None:
        # Running ahead in fp32 was not tried on a GPU.
        tried = network.device.type == "cuda" and network.dtype == torch.bfloat16
        drawn = any(row.dice.temperature > 0 for row in rows)
        steps = Ahead if tried and not drawn else Steps
    if issubclass(steps, Ahead):
        together = partial(_together_ahead, steps=steps)
    else:
        together = partial(_together, steps=steps)
    return run_all(network, rows, most_rows, _Row.written, _alone, together)


def _dice(prompt: Prompt) -> Dice:
    return Dice(prompt.temperature, prompt.seed, prompt.top_k, prompt.top_p)


def limits(network: Network, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Prompt, int, Ended]]:
    """The fields of a Continued for each. Raises ValueError for a prompt that does not fit."""
    for index, prompt in enumerate(prompts):
        room = network.context_length - len(prompt.tokens)
        if room < 1:
            limit = network.context_length - 1
            raise ValueError(f"prompt {index}: {len(prompt.tokens)} tokens > {limit}")
        if not prompt.tokens:
            raise ValueError(f"prompt {index}: no tokens")
        at_limit: Ended = "context" if room < prompt.most_new else "length"
        yield index, prompt, min(room, prompt.most_new), at_limit


def run_all(
    network: Network,
    work: Sequence[C],
    most: int | None,
    result: Callable[[C], R],
    alone: Callable[[Network, C], None],
    together: Callable[[Network, list[C], Slots, int], Iterator[C]],
    *,
    width: int = 1,
) -> Iterator[tuple[int, R]]:
    """Results as they come: several at a time, `width` slots each, or by the slow way."""
    unfinished = {one.index: one for one in work if one.limit > 0}
    yield from ((one.index, result(one)) for one in work if one.limit <= 0)
    if not network.serves_trees:
        for one in unfinished.values():
            alone(network, one)
            yield one.index, result(one)
        return
    if not unfinished:
        return
    capacity = aligned(max(len(one.prompt.tokens) + one.limit for one in unfinished.values()))
    at_once = min(len(unfinished), most or max(1, rows_that_fit(network, capacity) // width))

    def run(at_once: int, tokens: int) -> Iterator[tuple[int, R]]:
        slots = Slots(at_once * width, capacity, network.layers)
        for one in together(network, list(unfinished.values()), slots, tokens):
            del unfinished[one.index]
            yield one.index, result(one)

    yield from fewer_when_full(at_once, network.tokens_at_once, run)


def _together(
    network: Network, rows: list[_Row], slots: Slots, tokens: int, *, steps: type[Steps]
) -> Iterator[_Row]:
    """Rows as they end; the others are as far as they are, whenever it breaks off."""
    filling = Filling(network, [row.context for row in rows])
    step = steps(network, slots)
    live: list[_Row] = []
    while filling or live:
        if filling and slots.free >= min(len(filling), math.ceil(slots.rows * REFILL_AT)):
            # As many prompts as there is place for; each has its first token afterwards.
            numbers, last = filling.next(slots, tokens, slots.free)
            fresh = [rows[number] for number in numbers]
            chosen = _drawn(network.logits(last), fresh)
            live += fresh
        else:
            chosen = _drawn(step.logits([row.tokens[-1] for row in live]), live)
        yield from _ended(live, slots, chosen)


@dataclass(frozen=True, slots=True)
class _Launched:
    """Tokens that a GPU has found, or will have: of each of these rows `steps`."""

    rows: list[_Row]
    steps: int
    tokens: Tensor  # [steps, rows]
    there: Any  # an event

    @classmethod
    def of(cls, rows: Sequence[_Row], found: Tensor) -> "_Launched":
        if found.device.type != "cuda":
            return cls(list(rows), len(found), found, None)
        tokens = torch.empty(found.shape, dtype=found.dtype, pin_memory=True)
        tokens.copy_(found, non_blocking=True)
        there = torch.cuda.Event()  # type: ignore[no-untyped-call]
        there.record()
        return cls(list(rows), len(found), tokens, there)

    def ended(self) -> Iterator[_Row]:
        """Each row takes its tokens up to its end; those found behind that are of no account."""
        if self.there is not None:
            self.there.synchronize()
        for row, tokens in zip(self.rows, self.tokens.T.tolist(), strict=True):
            for token in () if row.ended else tokens:
                if token == NOT_FINITE:
                    raise NotFinite(row.index)
                if row.take(token):
                    yield row
                    break


def _together_ahead(
    network: Network, rows: list[_Row], slots: Slots, tokens: int, *, steps: type[Ahead]
) -> Iterator[_Row]:
    """The next steps are under way while texts are looked at, which therefore end up to two times
    STEPS_AHEAD later than they could.
    """
    filling = Filling(network, [row.context for row in rows])
    ahead = steps(network, slots)
    live: list[_Row] = []
    launched: deque[_Launched] = deque()
    left: dict[_Row, int] = {}  # tokens to its limit, those that are under way counted
    while filling or live:
        if filling and slots.free >= min(len(filling), math.ceil(slots.rows * REFILL_AT)):
            numbers, last = filling.next(slots, tokens, slots.free)
            fresh = [rows[number] for number in numbers]
            launched.append(_Launched.of(fresh, ahead.begin(network.logits(last))))
            live += fresh
            left |= {row: row.limit - len(row.tokens) - 1 for row in fresh}
        elif most := max(left.values(), default=0):
            count = min(STEPS_AHEAD, most)
            launched.append(_Launched.of(live, ahead.run(count, most)))
            left = {row: max(0, some - count) for row, some in left.items()}
        if len(launched) > 1 or not any(left.values()):
            over = list(launched.popleft().ended())
            if over:
                kept = without(live, over)
                slots.reorder(kept)
                ahead.keep(kept)
                live = [live[place] for place in kept]
                for row in over:
                    del left[row]
                yield from over


def without(live: Sequence[Continued], over: Sequence[Continued]) -> list[int]:
    """Places of those that go on; the last ones take the places of those that do not."""
    gone = set(over)
    staying = [place for place, row in enumerate(live) if row not in gone]
    kept = list(range(len(staying)))
    holes = [place for place in kept if live[place] in gone]
    for hole, place in zip(holes, reversed(staying), strict=False):
        kept[hole] = place
    return kept


def _ended(live: list[_Row], slots: Slots, chosen: Sequence[int]) -> Iterator[_Row]:
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


def _alone(network: Network, row: _Row) -> None:
    forward = OwnForward(network)
    while not row.take(_drawn(forward.logits(row.context), [row])[0]):
        pass


@torch.inference_mode()
def draw(logits: Tensor, rows: Sequence[tuple[Dice, int]]) -> list[int]:
    """Raises NotFinite with the number of the first row whose logits are not all numbers."""
    chosen = likeliest(logits)
    drawn = [number for number, (dice, _) in enumerate(rows) if dice.temperature > 0]
    if drawn:
        at = torch.tensor(drawn, device=logits.device)
        by_chance = _by_chance(logits[at], [rows[number] for number in drawn])
        chosen[at] = by_chance.where(chosen[at] >= 0, NOT_FINITE)
    tokens: list[int] = chosen.tolist()
    if NOT_FINITE in tokens:
        raise NotFinite(tokens.index(NOT_FINITE))
    return tokens


def _by_chance(logits: Tensor, rows: Sequence[tuple[Dice, int]]) -> Tensor:
    wide = torch.float32 if logits.device.type == "mps" else torch.float64
    # One too small for the number type would be 0, and 0 / 0 is no number.
    least = torch.finfo(logits.dtype).tiny
    temperature = logits.new_tensor([max(dice.temperature, least) for dice, _ in rows])
    # The largest is taken off before dividing, so that no temperature is too low.
    weights = ((logits - logits.amax(-1, keepdim=True)) / temperature[:, None]).exp()
    for row, (dice, _) in zip(weights, rows, strict=True):
        _keep_likeliest(row, dice)
    up_to = weights.cumsum(-1, dtype=wide)
    numbers = torch.tensor([dice.number(step) for dice, step in rows], dtype=wide)
    # A number just below 1 times the whole may round up to the whole, which no token lies behind.
    below = up_to[:, -1] * (1 - torch.finfo(wide).eps)
    share = (numbers.to(logits.device) * up_to[:, -1]).minimum(below)
    return torch.searchsorted(up_to, share[:, None], right=True)[:, 0]


def _keep_likeliest(weights: Tensor, dice: Dice) -> None:
    """The weights of all others become 0, in place; equal ones at the limit of `top_k` stay."""
    if 0 < dice.top_k < len(weights):
        weights[weights < weights.topk(dice.top_k).values[-1]] = 0
    if dice.top_p < 1:
        ascending, places = weights.sort()
        out = ascending.cumsum(-1) <= (1 - dice.top_p) * ascending.sum()
        out[-1] = False
        weights[places[out]] = 0
