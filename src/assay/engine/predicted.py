"""How likely given tokens were, and how many others were likelier. Logits are made for some
positions at a time: they are the largest thing a reader makes.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.engine.layout.packing import Kept, PackedRow, Trunk, grow, on_device, pack
from assay.engine.layout.trunks import computed
from assay.engine.network import Network, own_logits, read_row

MANY = 5  # likelier tokens are counted up to here


class Predicted(NamedTuple):
    """`likelier`: with a larger logit, or the same and a lower number; MANY or more."""

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
    """On any device. Rows that several targets share are not copied for all of them at once."""
    logits = logits.float()
    if rows is None:
        rows = torch.arange(len(targets), device=logits.device)
    numbers = torch.arange(logits.shape[1], device=logits.device)
    sums = logits.logsumexp(-1)
    log_likelihood = logits[rows, targets] - sums[rows]
    likelier = []
    for start in range(0, len(targets), len(logits)):
        target = targets[start : start + len(logits)]
        here = logits[rows[start : start + len(logits)]]
        wanted = here.gather(1, target[:, None])
        ahead = (here > wanted) | ((here == wanted) & (numbers < target[:, None]))
        likelier.append(ahead.sum(-1, dtype=torch.int32))
    return Predicted(log_likelihood, torch.cat(likelier).clamp_max_(MANY))


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


@torch.inference_mode()
def predicted_at(
    network: Network,
    hidden: Tensor,
    places: NDArray[np.int64],
    targets: NDArray[np.int64],
    threads: int = 1,
) -> Predicted:
    """The head is run once for all targets of a place. In the order given. `threads` that do so
    share the room for logits.
    """
    at, which = np.unique(places, return_inverse=True)
    order = np.argsort(which, kind="stable")
    at_once = max(1, network.positions_at_once // threads)
    steps = range(0, len(at), at_once)
    ends = np.searchsorted(which[order], [*steps, len(at)]).tolist()
    selected, rows, wanted, back = (
        on_device(numbers, hidden.device)
        for numbers in (at, which[order], targets[order], np.argsort(order))
    )
    found = together(
        from_logits(
            network.logits(hidden[selected[start : start + at_once]]),
            wanted[first:end],
            rows[first:end] - start,
        )
        for start, (first, end) in zip(steps, pairwise(ends), strict=True)
    )
    return Predicted(*(part[back] for part in found))


@torch.inference_mode()
def predicted_alone(
    network: Network, fed: Sequence[int], wanted: Sequence[int] | NDArray[np.int64]
) -> Predicted:
    """Of the last positions, by the model's own forward."""
    logits = own_logits(network, fed)[-len(wanted) :]
    targets = on_device(np.asarray(wanted, np.int64), network.device)
    step = network.positions_at_once
    return together(
        from_logits(logits[start : start + step], targets[start : start + step])
        for start in range(0, len(targets), step)
    )


def together(parts: Iterable[Predicted]) -> Predicted:
    found = list(parts)
    if len(found) == 1:
        return found[0]
    return Predicted(*(torch.cat(part) for part in zip(*found, strict=True)))


@torch.inference_mode()
def by_divisors(
    network: Network, tokens: Sequence[int], divisors: Sequence[float]
) -> list[tuple[float, float, int]]:
    """With all logits divided by each of them: itself, the log-likelihood of the tokens behind the
    first, and how many those are.
    """
    logits_at = read_row(network, tokens[:-1])
    targets = on_device(np.asarray(tokens[1:], np.int64), network.device)
    totals, step = [0.0] * len(divisors), network.positions_at_once
    for start in range(0, len(targets), step):
        some = targets[start : start + step]
        logits = logits_at(start, start + len(some))
        for place, divisor in enumerate(divisors):
            found = from_logits(logits / divisor, some).log_likelihood
            totals[place] += found.double().sum().item()
    return [(by, total, len(targets)) for by, total in zip(divisors, totals, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class _ReadBack:
    number: int
    row: PackedRow
    fed: Sequence[int]
    written: int

    @property
    def logits(self) -> slice:
        """Of its row, those that chose what was written."""
        return slice(self.row.size - self.written, self.row.size)


def mean_entropies(
    network: Network, asked: Sequence[tuple[Sequence[int], Sequence[int]]]
) -> list[float | None]:
    """Of each prompt and what was written behind it: in nats, of the choices at each written token,
    at temperature 1; None where no number.
    """
    found: list[float | None] = [None] * len(asked)
    whole = [(number, *both) for number, both in enumerate(asked) if all(map(len, both))]
    forest = grow([tuple(prompt) for _, prompt, _ in whole])
    work = []
    for (number, prompt, written), trunk in zip(whole, forest.trunk_of, strict=True):
        fed = [*prompt, *written][:-1]
        row = PackedRow(trunk, fed[trunk.end if trunk else 0 :])
        work.append(_ReadBack(number, row, fed, len(written)))
    if network.serves_trees:
        run = partial(_entropies, network)
        batches: Iterator[tuple[list[_ReadBack], list[float]]] = computed(
            network, work, forest, network.tokens_at_once, run
        )
    else:
        batches = (([one], [_entropy_alone(network, one)]) for one in work)
    for batch, means in batches:
        for one, mean in zip(batch, means, strict=True):
            found[one.number] = mean if math.isfinite(mean) else None
    return found


@torch.inference_mode()
def _entropies(
    network: Network, batch: Sequence[_ReadBack], kept: dict[Trunk, Kept], threads: int
) -> list[float]:
    packing = pack([one.row for one in batch], kept, network.device)
    hidden = network.hidden(packing)
    states = torch.cat(
        [hidden[span.here][one.logits] for one, span in zip(batch, packing.spans, strict=True)]
    )
    step = max(1, network.positions_at_once // threads)
    parts = [_entropy(network.logits(states[at : at + step])) for at in range(0, len(states), step)]
    each = torch.cat(parts).double().cpu().numpy()
    ends = np.cumsum([one.written for one in batch])
    return [float(part.mean()) for part in np.split(each, ends[:-1])]


@torch.inference_mode()
def _entropy_alone(network: Network, one: _ReadBack) -> float:
    return _entropy(own_logits(network, one.fed)[-one.written :].float()).double().mean().item()


def _entropy(logits: Tensor) -> Tensor:
    found: Tensor = torch.special.entr(logits.softmax(-1)).sum(-1)
    return found
