"""The k likeliest continuations of a prompt, as beam search finds them.

What is found, exactly (the manner of drawing plays no part):
- A hypothesis is worth the sum of its tokens' log-likelihoods, that of an end id included. There is
  no penalty or reward for length.
- It is complete with an end id, when `stopped` says so, or at its most tokens.
- Every step looks at all extensions of the live hypotheses, likeliest first, equal ones by lower
  token ids. Complete ones are put aside, others live on, until max(4, 2k) live or until k complete
  ones are at least as likely as the extension looked at.
- Of complete ones that read the same only the likeliest counts.
- The search ends when k complete ones are at least as likely as the best live one, for sums only
  fall; or when none lives.

All hypotheses of a prompt lie in one slot: each adds its keys behind those of all others, and a
mask says which entries it sees. So nothing is copied when one of them branches.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from assay.engine.generate import Ended, Prompt, check
from assay.engine.kernels.own_forward import OwnForward
from assay.engine.layout.batches import fewer_when_full, token_budget
from assay.engine.layout.prompt_filling import Filling
from assay.engine.layout.slots import BehindSlots, SlotGroup, Slots, aligned, alike, rows_that_fit
from assay.engine.network import Network, NotFinite

LEAST_WIDTH = 4
MORE_THAN_WIDTH = 8  # extensions fetched at first: those that are complete take no live place

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Beam:
    """A continuation without its end id, whose likelihood is counted all the same."""

    tokens: tuple[int, ...]
    log_likelihood: float
    ended: Ended


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    tokens: tuple[int, ...]
    worth: float
    parent: int  # its place among the live ones of the step before


@dataclass(slots=True, eq=False)
class _Search:
    """The hypotheses of one prompt. Knows nothing of how likelihoods come about."""

    index: int
    prompt: Prompt
    k: int
    limit: int
    at_limit: Ended
    live: list[_Hypothesis] = field(default_factory=lambda: [_Hypothesis((), 0.0, 0)])
    complete: dict[Hashable, Beam] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return max(LEAST_WIDTH, 2 * self.k)

    def extend(self, values: Floats, ids: Ids, vocabulary: int) -> bool:
        """[live, candidates] log-likelihoods and tokens, each row the likeliest of a hypothesis.
        False: there are too few candidates to tell, and nothing has changed.
        """
        worths = values + np.array([[one.worth] for one in self.live])
        # What was not fetched is at most as likely as the last that was.
        unseen = -np.inf if values.shape[1] >= vocabulary else worths[:, -1].max()
        candidates = [
            (-worths[row, column], self.live[row].tokens, int(ids[row, column]), row)
            for row, column in np.argwhere(worths > unseen)
        ]
        heapq.heapify(candidates)
        live: list[_Hypothesis] = []
        complete = dict(self.complete)
        while len(live) < self.width:
            if not candidates:
                if values.shape[1] < vocabulary:
                    return False
                break
            negative, before, token, row = heapq.heappop(candidates)
            worth = float(-negative)
            if self._enough(complete, worth):
                break
            ended, beam = self._beam(before, token, worth)
            if ended:
                self._put_aside(complete, beam)
            else:
                live.append(_Hypothesis(beam.tokens, worth, row))
        self.live, self.complete = live, complete
        return True

    def _beam(self, before: tuple[int, ...], token: int, worth: float) -> tuple[bool, Beam]:
        tokens = before if token in self.prompt.ends else (*before, token)
        ended = self.prompt.ended(token, tokens)
        if ended is None and len(tokens) >= self.limit:
            ended = self.at_limit
        return ended is not None, Beam(tokens, worth, ended or self.at_limit)

    def _put_aside(self, complete: dict[Hashable, Beam], beam: Beam) -> None:
        """Of equals the first, for they come likeliest first in a step, but not over steps."""
        reads = self.prompt.same(beam.tokens) if self.prompt.same else beam.tokens
        held = complete.get(reads)
        if held is None or beam.log_likelihood > held.log_likelihood:
            complete[reads] = beam

    def _enough(self, complete: dict[Hashable, Beam], worth: float) -> bool:
        better = sum(beam.log_likelihood >= worth for beam in complete.values())
        return better >= self.k

    @property
    def done(self) -> bool:
        return not self.live or self._enough(self.complete, self.live[0].worth)

    def best(self) -> tuple[Beam, ...]:
        order = sorted(self.complete.values(), key=lambda beam: (-beam.log_likelihood, beam.tokens))
        return tuple(order[: self.k])


def beams(
    network: Network, prompts: Sequence[Prompt], *, k: int, most_rows: int | None = None
) -> Iterator[tuple[int, tuple[Beam, ...]]]:
    """Search behind every prompt, at most so many prompts at a time. There are fewer than k where
    not so many different ones exist.

    Raises:
        ValueError: a prompt does not fit; before any work.
        NotFinite: with the index of the prompt behind which the model answers with no number.
        TooLittleMemory: not even one prompt fits.
    """
    check(network, prompts)
    searches = [
        _Search(index, prompt, k, *prompt.limit(network.context_length))
        for index, prompt in enumerate(prompts)
    ]
    return _all(network, searches, most_rows)


def _all(
    network: Network, searches: Sequence[_Search], most_rows: int | None
) -> Iterator[tuple[int, tuple[Beam, ...]]]:
    unfinished = {search.index: search for search in searches if search.limit > 0}
    yield from ((search.index, ()) for search in searches if search.limit <= 0)
    if not unfinished:
        return
    if not network.serves_trees:
        for search in unfinished.values():
            yield search.index, _alone(network, search)
        return
    width = next(iter(unfinished.values())).width
    capacity = aligned(
        max(len(search.prompt.tokens) + width * search.limit for search in unfinished.values())
    )
    at_once = min(len(unfinished), most_rows or rows_that_fit(network, capacity, width))

    def run(at_once: int, tokens: int) -> Iterator[tuple[int, tuple[Beam, ...]]]:
        for index, found in _together(network, unfinished, Slots(at_once, capacity), tokens):
            del unfinished[index]
            yield index, found

    yield from fewer_when_full(at_once, token_budget(network), run)


def _together(
    network: Network, unfinished: dict[int, _Search], slots: Slots, tokens: int
) -> Iterator[tuple[int, tuple[Beam, ...]]]:
    """Those that were under way when memory ran out begin again."""
    searches = [
        _Search(one.index, one.prompt, one.k, one.limit, one.at_limit)
        for one in unfinished.values()
    ]
    filling = Filling(network, [tuple(search.prompt.tokens) for search in searches])
    live: list[_Search] = []
    sights = _Sights(slots, searches[0].width)
    while filling or live:
        if filling and slots.free:
            numbers, last = filling.next(slots, tokens)
            fresh = [searches[number] for number in numbers]
            _extend(network.logits(last), fresh, [1] * len(fresh))
            live += fresh
            for search in fresh:
                sights.add(len(search.prompt.tokens))
        else:
            _extend(sights.step(network, live), live, [sights.width] * len(live))
        for slot in reversed(range(len(live))):
            search = live[slot]
            if search.done:
                live[slot] = live[-1]
                live.pop()
                slots.remove(slot)
                sights.remove(slot, len(live))
                yield search.index, search.best()


@torch.inference_mode()
def _extend(logits: Tensor, searches: Sequence[_Search], rows: Sequence[int]) -> None:
    """Each search's next step; `rows` of the logits are its own, the live ones first."""
    vocabulary = logits.shape[1]
    # Nothing is added, except that one logit which is no number makes its whole row none.
    whole = logits.logsumexp(-1, keepdim=True) + 0 * logits.sum(-1, keepdim=True)
    count = searches[0].width + MORE_THAN_WIDTH
    values, ids = _likeliest(logits, whole, count)
    first = 0
    for search, own in zip(searches, rows, strict=True):
        here = slice(first, first + len(search.live))
        if not np.isfinite(values[here, 0]).all():
            raise NotFinite(search.index)
        mine = values[here], ids[here]
        while not search.extend(*mine, vocabulary):
            mine = _likeliest(logits[here], whole[here], 4 * mine[0].shape[1])
        first += own


def _likeliest(logits: Tensor, whole: Tensor, count: int) -> tuple[Floats, Ids]:
    """The likeliest tokens of each row, by one transfer."""
    values, ids = logits.topk(min(count, logits.shape[1]), dim=-1)
    found = torch.stack(((values - whole).double(), ids.double())).cpu().numpy()
    return found[0], found[1].astype(np.int64)


class _Sights:
    """Which entries of its slot each hypothesis sees."""

    def __init__(self, slots: Slots, width: int) -> None:
        self.width = width
        self._slots = slots
        self._seen = np.zeros((slots.rows, width, slots.capacity), dtype=bool)
        self._prompt: list[int] = []

    def add(self, prompt: int) -> None:
        slot = len(self._prompt)
        self._seen[slot] = False
        self._seen[slot, :, :prompt] = True
        self._prompt.append(prompt)

    def remove(self, slot: int, last: int) -> None:
        self._seen[slot] = self._seen[last]
        self._prompt[slot] = self._prompt[last]
        self._prompt.pop()

    @torch.inference_mode()
    def step(self, network: Network, searches: Sequence[_Search]) -> Tensor:
        """Run the newest token of every hypothesis; places without one run that of the first,
        unseen: any other might be no number, which no mask hides.
        """
        width, slots = self.width, self._slots
        tokens = np.zeros((len(searches), width), dtype=np.int64)
        positions = np.zeros_like(tokens)
        for slot, search in enumerate(searches):
            parents = [one.parent for one in search.live]
            start = slots.lengths[slot]
            sights = self._seen[slot]
            sights[: len(parents)] = sights[parents]
            sights[np.arange(width), start + np.arange(width)] = True
            tokens[slot] = search.live[0].tokens[-1]
            for place, one in enumerate(search.live):
                tokens[slot, place] = one.tokens[-1]
                positions[slot, place] = self._prompt[slot] + len(one.tokens) - 1
        entries = np.array(slots.lengths)[:, None] + np.arange(width)
        rows = np.repeat(np.arange(len(searches)), width)
        packed = np.stack((tokens.ravel(), positions.ravel(), entries.ravel(), rows))
        given = torch.from_numpy(packed).to(network.device)
        slots.lengths = [length + width for length in slots.lengths]
        step = BehindSlots(slots, width, given[3], given[2], self._groups(network))
        return network.logits(network.run(given[:1], given[1:2], step))

    def _groups(self, network: Network) -> list[SlotGroup]:
        lengths = self._slots.lengths
        runs = alike(lengths)
        if network.by_blocks:
            runs = iter([(0, len(lengths), min(aligned(max(lengths)), self._slots.capacity))])
        groups = []
        for first, end, width in runs:
            seen = torch.from_numpy(self._seen[first:end, None, :, :width]).to(network.device)
            mask = torch.zeros(seen.shape, dtype=network.dtype, device=network.device)
            groups.append(SlotGroup(first, end, width, mask.masked_fill_(~seen, float("-inf"))))
        return groups


def _alone(network: Network, search: _Search) -> tuple[Beam, ...]:
    """By the model's own attention, one hypothesis after another."""
    forward = OwnForward(network)
    while not search.done:
        found = [forward.logits((*search.prompt.tokens, *one.tokens)) for one in search.live]
        _extend(torch.cat(found), [search], [len(found)])
    return search.best()
