"""How far models' predictions are apart, token by token, in lockstep: no file of logits."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.engine.layout.windows import Window, windows
from assay.engine.network import NotFinite

WINDOW = 1024  # tokens at most: longer ones cost more for the same answer
POSITIONS_AT_ONCE = 256

Logits = Callable[[int, int], Tensor]  # from, to: [positions, vocabulary]
Reader = Callable[[Sequence[int]], Logits]  # of the tokens that are fed


class TokenDrift(NamedTuple):
    """Of each predicted token: nats, and by both models its log-likelihood, the likeliest token and
    the share of that.
    """

    kl: NDArray[np.float64]
    base: NDArray[np.float64]
    base_top: NDArray[np.float64]
    base_share: NDArray[np.float64]
    other: NDArray[np.float64]
    other_top: NDArray[np.float64]
    other_share: NDArray[np.float64]


@torch.inference_mode()
def compare_readings(
    base: Reader, others: Sequence[Reader], tokens: Sequence[int], *, context: int
) -> Iterator[list[TokenDrift]]:
    """Window by window, one for each other model. The first token comes before the text. Raises
    NotFinite with model and place.
    """
    for window in windows(len(tokens) - 1, min(context, WINDOW)):
        fed = tokens[window.start + 1 : window.end]
        yield _compared([reader(fed) for reader in (base, *others)], tokens, window)


def _compared(found: Sequence[Logits], tokens: Sequence[int], window: Window) -> list[TokenDrift]:
    parts: list[list[list[Tensor]]] = [[] for _ in found[1:]]
    begin = window.length - window.predicted
    for start in range(begin, window.length, POSITIONS_AT_ONCE):
        at = start, min(start + POSITIONS_AT_ONCE, window.length)
        place = window.start + 2 + start
        ours = found[0](*at).float()
        targets = torch.tensor(tokens[place : place + len(ours)], device=ours.device)
        shares, norm, *seen = _seen(ours, targets, 0, place)
        shares.mul_(seen[-1][:, None])
        for number, other in enumerate(found[1:], 1):
            theirs = other(*at).to(ours)
            spare, their_norm, *beside = _seen(theirs, targets, number, place)
            gap = torch.sub(ours, theirs, out=spare).mul_(shares)
            gap.nan_to_num_(0.0, math.inf, -math.inf)  # what is impossible by both, times no share
            kl = gap.sum(-1) - (norm - their_norm)
            if not bool(kl.isfinite().all()):
                raise NotFinite(number, place)
            parts[number - 1].append([kl.clamp_min(0.0), *seen, *beside])
    return [_joined(each) for each in parts]


def _seen(logits: Tensor, targets: Tensor, number: int, place: int) -> list[Tensor]:
    """Shares as multiples of the largest, what they are divided by (its log), log-likelihoods,
    likeliest tokens and their shares. Passes over all logits are what a comparison costs.
    """
    best, which = logits.max(-1)
    multiples = (logits - best[:, None]).exp_()
    sums = multiples.sum(-1)
    norm = best + sums.log()
    likelihoods = logits.gather(1, targets[:, None])[:, 0] - norm
    if not bool(likelihoods.isfinite().all()):
        raise NotFinite(number, place)
    return [multiples, norm, likelihoods, which, sums.reciprocal()]


def _joined(parts: Sequence[Sequence[Tensor]]) -> TokenDrift:
    whole = (torch.cat(list(each)).cpu() for each in zip(*parts, strict=True))
    return TokenDrift(*(each.double().numpy() for each in whole))
