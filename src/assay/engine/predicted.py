"""How likely given tokens were, and how many others were likelier. Logits are made for some
positions at a time: they are the largest thing a reader makes.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.engine.layout.packing import on_device
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


@torch.inference_mode()
def mean_entropy(network: Network, prompt: Sequence[int], written: Sequence[int]) -> float | None:
    """In nats, of the choices at each written token, at temperature 1; None where no number."""
    if not prompt or not written:
        return None
    tokens = [*prompt, *written][:-1]
    logits = read_row(network, tokens)(len(prompt) - 1, len(tokens))
    entropy = torch.special.entr(logits.softmax(-1)).sum(-1).mean().item()
    return entropy if math.isfinite(entropy) else None


@torch.inference_mode()
def mean_log_likelihood(
    network: Network, prompt: Sequence[int], written: Sequence[int]
) -> float | None:
    """In nats per written token, at temperature 1; None where no number."""
    if not prompt or not written:
        return None
    tokens = [*prompt, *written][:-1]
    logits = read_row(network, tokens)(len(prompt) - 1, len(tokens))
    targets = on_device(np.asarray(written, np.int64), network.device)
    found = from_logits(logits, targets).log_likelihood.double().mean().item()
    return found if math.isfinite(found) else None
