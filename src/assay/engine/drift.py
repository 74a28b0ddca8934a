"""How far models' predictions are apart, token by token, in lockstep: no file of logits."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.engine.layout.cores import core_by_core
from assay.engine.layout.windows import Window, windows
from assay.engine.network import NotFinite

# Every token is predicted once; llama.cpp's windows of 512 score only the second half of each.
WINDOW = 1024  # tokens at most: longer ones cost more for the same answer
# Comparing 64 or 128 at once is quicker by itself (0.18 and 0.23 ms a token instead of 0.33),
# but drift as a whole is not, and a GPU reads 8 % less with 64.
POSITIONS_AT_ONCE = 256  # of all threads together: their logits are most of the memory
LEAST_POSITIONS = 32
CACHE_BYTES = 2**20  # of a core, for the logits of a few positions

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


def compare_readings(
    base: Reader,
    others: Sequence[Reader],
    tokens: Sequence[int],
    *,
    context: int,
    threads: bool = False,
    at_once: int = POSITIONS_AT_ONCE,
) -> Iterator[list[TokenDrift]]:
    """Window by window, one for each other model. The first token comes before the text. Raises
    NotFinite with model and place. With `threads`, each core reads a window by itself: no step
    waits for another core, where one window on all cores waits after every step. `at_once`:
    positions whose logits are held.
    """
    asked = windows(len(tokens) - 1, min(context, WINDOW))
    cores = torch.get_num_threads() if threads else 1
    rows = max(LEAST_POSITIONS, at_once // cores)
    compare = partial(_compared, (base, *others), tokens, rows)
    return core_by_core(asked, compare, cores=cores)


@torch.inference_mode()
def _compared(
    readers: Sequence[Reader], tokens: Sequence[int], rows: int, window: Window
) -> list[TokenDrift]:
    fed = tokens[window.start + 1 : window.end]
    found = [reader(fed) for reader in readers]
    parts: list[list[list[Tensor]]] = [[] for _ in found[1:]]
    begin = window.length - window.predicted
    for start in range(begin, window.length, rows):
        at = start, min(start + rows, window.length)
        place = window.start + 2 + start
        base = found[0](*at).float()
        logits = [base, *(other(*at).to(base) for other in found[1:])]
        targets = torch.tensor(tokens[place : place + len(base)], device=base.device)
        for first in range(0, len(base), step := _rows_in_cache(base)):
            some = [each[first : first + step] for each in logits]
            beside = _beside_base(some, targets[first : first + step], place + first)
            for part, values in zip(parts, beside, strict=True):
                part.append(values)
    return [_joined(each) for each in parts]


def _rows_in_cache(logits: Tensor) -> int:
    """So few that every pass but the first reads from the cache; a GPU takes all at once."""
    return len(logits) if logits.is_cuda else max(1, CACHE_BYTES // (4 * logits.shape[1]))


def _beside_base(logits: Sequence[Tensor], targets: Tensor, place: int) -> Iterator[list[Tensor]]:
    """Divergence and what both predict, of each other model."""
    base, *others = logits
    shares, norm, *seen = _seen(base, targets, 0, place)
    shares.mul_(seen[-1][:, None])
    for number, other in enumerate(others, 1):
        spare, their_norm, *beside = _seen(other, targets, number, place)
        gap = torch.sub(base, other, out=spare).mul_(shares)
        gap.nan_to_num_(0.0, math.inf, -math.inf)  # what is impossible by both, times no share
        kl = gap.sum(-1) - (norm - their_norm)
        if not bool(kl.isfinite().all()):
            raise NotFinite(number, place)
        yield [kl.clamp_min(0.0), *seen, *beside]


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
