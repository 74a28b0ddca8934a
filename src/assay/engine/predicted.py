"""How likely given tokens were, and how many others were likelier, from hidden states.

A row of logits for each position is the largest thing a reader makes: 206 MB for 1,024 positions of
GPT-2. On a processor they are made for 512 positions and 4,096 tokens of vocabulary at a time, and
summed up and searched while they are in the cache:

    for each slice   logits, sum of exponentials, the largest logit of every 64
    then             in the few 64s with a logit not below the target's, who is likelier

On a GPU one kernel does all of it (`fused`).

Exponentials are not shifted by the largest logit, which is not known yet: a sum of them is as exact
at any scale, as long as it neither overflows nor vanishes. Rows where it might are done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.engine.layout.packing import on_device
from assay.engine.network import Network

MANY = 5  # likelier tokens are counted up to here
# Rows of a product: 256 take 30 % longer each than 512 on two cores, for the weights are read more
# often; a vocabulary of 262,144 would take too much memory with more than 128.
POSITIONS = 512
FEWEST_POSITIONS = 128
LOGITS_BYTES = 128 * 2**20
SLICE = 4096
TOGETHER = 64  # neighbours of which the largest is kept
# exp(70) times a million tokens is below the largest fp32; exp(-60) is far above the smallest.
SAFE = (-60.0, 70.0)


class Predicted(NamedTuple):
    """Of each token its log-likelihood, and how many tokens were likelier: those with a larger
    logit, and those with the same and a lower number. MANY stands for more, too.
    """

    log_likelihood: Tensor
    likelier: Tensor


def from_logits(logits: Tensor, targets: Tensor, rows: Tensor | None = None) -> Predicted:
    """From rows of logits that are there already; `rows`: of each target its own, else in order."""
    fused = _fused() if logits.device.type == "cuda" else None
    if fused is None:
        return by_passes(logits, targets, rows)
    if logits.stride(1) != 1:
        logits = logits.contiguous()
    if rows is None:
        rows = torch.arange(len(targets), device=logits.device)
    log_likelihood, likelier = fused(logits, rows, targets)
    return Predicted(log_likelihood, likelier.clamp_max_(MANY))


def by_passes(logits: Tensor, targets: Tensor, rows: Tensor | None = None) -> Predicted:
    """On any device."""
    logits = (logits if rows is None else logits[rows]).float()
    wanted = logits.gather(1, targets[:, None])
    log_likelihood = wanted[:, 0] - logits.logsumexp(-1)
    ahead = logits == wanted
    ahead &= torch.arange(logits.shape[1], device=logits.device) < targets[:, None]
    ahead |= logits > wanted
    return Predicted(log_likelihood, ahead.sum(-1, dtype=torch.int32).clamp_max_(MANY))


@cache
def _fused() -> Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]] | None:
    """The kernel that does it in one pass, where it can be compiled and tells the same."""
    try:
        from assay.engine.kernels import fused
    except ImportError:
        return None
    draw = torch.Generator("cuda").manual_seed(0)
    logits = torch.randn(7, 5000, generator=draw, device="cuda")
    targets = torch.arange(7, device="cuda") * 700
    rows = torch.arange(7, device="cuda").flip(0)
    try:
        found, likelier = fused.in_one_pass(logits, rows, targets)
        expected = by_passes(logits, targets, rows)
        alike = torch.allclose(found, expected.log_likelihood, atol=1e-4)
        alike &= torch.equal(likelier.clamp_max(MANY), expected.likelier)
    except fused.FAULTS:
        return None
    return fused.in_one_pass if alike else None


class Head:
    """A network's head with room to work in, for up to `most` positions a call."""

    def __init__(self, network: Network, most: int) -> None:
        self._network = network
        self._slices = _Slices(network, most) if network.device.type == "cpu" else None

    @torch.inference_mode()
    def predicted_at(
        self, hidden: Tensor, places: NDArray[np.int64], targets: NDArray[np.int64]
    ) -> Predicted:
        """[tokens, size] in, and for each target the place it is predicted from; the head is run
        once for all targets of a place. In the order given.
        """
        at, which = np.unique(places, return_inverse=True)
        order = np.argsort(which, kind="stable")
        steps = range(0, len(at), self._at_once)
        ends = np.searchsorted(which[order], [*steps, len(at)]).tolist()
        device = hidden.device
        selected, rows, wanted, back = (
            on_device(numbers, device)
            for numbers in (at, which[order], targets[order], np.argsort(order))
        )
        found = together(
            self._some(
                hidden[selected[start : start + self._at_once]],
                wanted[first:end],
                rows[first:end] - start,
            )
            for start, (first, end) in zip(steps, pairwise(ends), strict=True)
        )
        return Predicted(*(part[back] for part in found))

    @property
    def _at_once(self) -> int:
        return self._slices.positions if self._slices else self._network.positions_at_once

    def _some(self, hidden: Tensor, targets: Tensor, rows: Tensor) -> Predicted:
        if self._slices:
            return self._slices.predicted(hidden, targets, rows)
        return from_logits(self._network.logits(hidden), targets, rows)


def together(parts: Iterable[Predicted]) -> Predicted:
    found = list(parts)
    if len(found) == 1:
        return found[0]
    return Predicted(*(torch.cat(part) for part in zip(*found, strict=True)))


class _Slices:
    """The head of a network on a processor, a slice of the vocabulary at a time."""

    def __init__(self, network: Network, most: int) -> None:
        self._network = network
        head = network.model.get_output_embeddings()
        self._weight, self._bias = head.weight, getattr(head, "bias", None)
        self._vocabulary = len(self._weight)
        fitting = LOGITS_BYTES // (4 * self._vocabulary)
        self.positions = min(most, POSITIONS, max(FEWEST_POSITIONS, fitting))
        groups = -(-self._vocabulary // TOGETHER)
        slices = -(-self._vocabulary // SLICE)
        with torch.inference_mode():
            # What pads the last group stays minus infinity: no slice is written there.
            self._logits = torch.full((self.positions, groups * TOGETHER), float("-inf"))
            self._largest = torch.empty(self.positions, groups)
            self._exponentials = torch.empty(self.positions, SLICE)
            self._sums = torch.empty(self.positions, slices)
            self._within = torch.arange(TOGETHER)

    def predicted(self, hidden: Tensor, targets: Tensor, which: Tensor) -> Predicted:
        rows = len(hidden)
        hidden = hidden.float()
        for number, start in enumerate(range(0, self._vocabulary, SLICE)):
            end = min(start + SLICE, self._vocabulary)
            logits = self._logits[:rows, start:end]
            self._write(hidden, start, end, logits)
            exponentials = self._exponentials[:rows, : end - start]
            torch.exp(logits, out=exponentials)
            torch.sum(exponentials, -1, out=self._sums[:rows, number])
            first, last = start // TOGETHER, -(-end // TOGETHER)
            grouped = self._logits[:rows, first * TOGETHER : last * TOGETHER]
            torch.amax(grouped.view(rows, -1, TOGETHER), -1, out=self._largest[:rows, first:last])
        wanted = self._logits[which, targets][:, None]
        return Predicted(
            wanted[:, 0].double() - self._log_sums(rows)[which],
            self._likelier(wanted, targets, which),
        )

    def _write(self, hidden: Tensor, start: int, end: int, out: Tensor) -> None:
        torch.mm(hidden, self._weight[start:end].float().t(), out=out)
        if self._bias is not None:
            out += self._bias[start:end]
        finished = self._network._finished(out)
        if finished is not out:
            out.copy_(finished)

    def _log_sums(self, rows: int) -> Tensor:
        found = self._sums[:rows].sum(-1, dtype=torch.float64).log_()
        largest = self._largest[:rows].amax(-1)
        unsafe = ((largest < SAFE[0]) | (largest > SAFE[1])).nonzero()[:, 0]
        for row in unsafe.tolist():
            found[row] = self._logits[row].double().logsumexp(-1)
        return found

    def _likelier(self, wanted: Tensor, targets: Tensor, which: Tensor) -> Tensor:
        """Each group whose largest logit is above the target's holds a likelier token, so that
        MANY such groups settle it; of the others only few groups need a look.
        """
        largest = self._largest[which]
        open_ones = (largest > wanted).sum(-1, keepdim=True) < MANY
        one, group = ((largest >= wanted) & open_ones).nonzero(as_tuple=True)
        logits = self._logits.view(self.positions, -1, TOGETHER)[which[one], group]
        token = group[:, None] * TOGETHER + self._within
        level = wanted[one]
        ahead = (logits > level) | ((logits == level) & (token < targets[one, None]))
        counted = torch.zeros(len(targets), dtype=torch.long)
        counted.index_add_(0, one, ahead.sum(-1))
        counted.masked_fill_(~open_ones[:, 0], MANY)
        return counted.clamp_max_(MANY)
