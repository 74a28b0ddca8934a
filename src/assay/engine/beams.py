"""The k likeliest continuations of a prompt by the sum of log-likelihoods, an end id's included.

Each step takes extensions likeliest first, of equal ones those of lower ids: complete ones are put
aside, others live on, until max(4, 2k) live or k complete ones are at least as likely; the search
ends when k complete ones are as likely as the best live one, for sums only fall. A hypothesis is a
row of the slots, of which what lies behind the prompt is copied where it branches; rows without one
repeat the first.
"""

import heapq
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from assay.engine.generate import Continued, Ended, Prompt, limits, run_all, without
from assay.engine.kernels.graphs import OwnForward, Steps
from assay.engine.layout.slots import Filling, Slots
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
class _Search(Continued):
    """The hypotheses of one prompt. Knows nothing of how likelihoods come about."""

    k: int
    live: list[_Hypothesis] = field(default_factory=lambda: [_Hypothesis((), 0.0, 0)])
    slots: Sequence[int] = ()  # of its rows
    home: int | None = None  # the first of the slots that all begin with the prompt
    complete: dict[Hashable, Beam] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return max(LEAST_WIDTH, 2 * self.k)

    def extend(self, values: Floats, ids: Ids, vocabulary: int) -> bool:
        """The likeliest tokens of each live hypothesis. False: too few to tell, nothing changed."""
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
            tokens = before if token in self.prompt.ends else (*before, token)
            if ended := self.ends_with(token, tokens):
                self._put_aside(complete, Beam(tokens, worth, ended))
            else:
                live.append(_Hypothesis(tokens, worth, row))
        self.live, self.complete = live, complete
        return True

    def _put_aside(self, complete: dict[Hashable, Beam], beam: Beam) -> None:
        """Of equals the first, for they come likeliest first in a step, but not over steps."""
        reads = self.prompt.same(beam.tokens) if self.prompt.same else beam.tokens
        held = complete.get(reads)
        if held is None or beam.log_likelihood > held.log_likelihood:
            complete[reads] = beam

    def _enough(self, complete: dict[Hashable, Beam], worth: float) -> bool:
        better = sum(beam.log_likelihood >= worth for beam in complete.values())
        return better >= self.k

    def branched(self) -> list[int]:
        """Of each row the slot it goes on from; one that nobody reads stays where it is."""
        own = self.slots[len(self.live) :] or [self.slots[0]] * (self.width - len(self.live))
        return [self.slots[one.parent] for one in self.live] + list(own)

    def rows(self) -> list[_Hypothesis]:
        return self.live + self.live[:1] * (self.width - len(self.live))

    @property
    def done(self) -> bool:
        return not self.live or self._enough(self.complete, self.live[0].worth)

    def best(self) -> tuple[Beam, ...]:
        order = sorted(self.complete.values(), key=lambda beam: (-beam.log_likelihood, beam.tokens))
        return tuple(order[: self.k])


def beams(
    network: Network, prompts: Sequence[Prompt], *, k: int, most_rows: int | None = None
) -> Iterator[tuple[int, tuple[Beam, ...]]]:
    """Fewer than k where fewer different ones exist. Raises what `generate` raises."""
    searches = [_Search(*each, k) for each in limits(network, prompts)]
    width = max(LEAST_WIDTH, 2 * k)
    return run_all(network, searches, most_rows, _Search.best, _alone, _together, width=width)


def _together(
    network: Network, searches: list[_Search], slots: Slots, tokens: int
) -> Iterator[_Search]:
    """Those that were under way when memory ran out begin again."""
    for search in searches:
        search.live, search.complete, search.home = [_Hypothesis((), 0.0, 0)], {}, None
    filling = Filling(network, [tuple(search.prompt.tokens) for search in searches])
    steps = Steps(network, slots)
    width = searches[0].width
    live: list[_Search] = []
    while filling or live:
        if filling and slots.free >= width:
            numbers, last = filling.next(slots, tokens, rows=slots.free // width)
            fresh = [searches[number] for number in numbers]
            for place, search in enumerate(fresh, len(live) * width):
                search.slots = [place]
            _extend(network.logits(last), fresh, 1)
            live += fresh
        else:
            newest = [row.tokens[-1] for search in live for row in search.rows()]
            _extend(steps.logits(newest), live, width)
        over = [search for search in live if search.done]
        yield from over
        live = [live[place] for place in without(live, over)]
        homes = range(0, len(live) * width, width)
        alike = []
        for home, search in zip(homes, live, strict=True):
            alike += [len(search.prompt.tokens) if search.home == home else 0] * width
        slots.reorder([slot for search in live for slot in search.slots], alike)
        for home, search in zip(homes, live, strict=True):
            search.home, search.slots = home, range(home, home + width)


@torch.inference_mode()
def _extend(logits: Tensor, searches: Sequence[_Search], rows: int) -> None:
    """Each search's next step; `rows` rows of the logits are its own, the live ones first."""
    vocabulary = logits.shape[1]
    # Nothing is added, except that one logit which is no number makes its whole row none.
    whole = logits.logsumexp(-1, keepdim=True) + 0 * logits.sum(-1, keepdim=True)
    count = searches[0].width + MORE_THAN_WIDTH
    values, ids = _likeliest(logits, whole, count)
    for number, search in enumerate(searches):
        here = slice(number * rows, number * rows + len(search.live))
        if not np.isfinite(values[here, 0]).all():
            raise NotFinite(search.index)
        mine = values[here], ids[here]
        while not search.extend(*mine, vocabulary):
            mine = _likeliest(logits[here], whole[here], 4 * mine[0].shape[1])
        if search.slots:
            search.slots = search.branched()


def _likeliest(logits: Tensor, whole: Tensor, count: int) -> tuple[Floats, Ids]:
    values, ids = logits.topk(min(count, logits.shape[1]), dim=-1)
    found = torch.stack(((values - whole).double(), ids.double())).cpu().numpy()
    return found[0], found[1].astype(np.int64)


def _alone(network: Network, search: _Search) -> None:
    forward = OwnForward(network)
    while not search.done:
        found = [forward.logits((*search.prompt.tokens, *one.tokens)) for one in search.live]
        _extend(torch.cat(found), [search], len(found))
