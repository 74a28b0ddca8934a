"""How far models' predictions are apart, token by token, in lockstep: no file of logits."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.engine.layout.packing import PackedRow, pack
from assay.engine.layout.windows import Window, windows
from assay.engine.network import Network, NotFinite, own_logits

WINDOW = 1024  # tokens at most: longer ones cost more for the same answer
POSITIONS_AT_ONCE = 256

Logits = Callable[[int, int], Tensor]  # from, to: [positions, vocabulary]
Reader = Callable[[Sequence[int]], Logits]  # of the tokens that are fed


class TokenDrift(NamedTuple):
    """Of each predicted token: nats, log-likelihoods, both likeliest tokens and their shares."""

    kl: NDArray[np.float64]
    base: NDArray[np.float64]
    other: NDArray[np.float64]
    base_top: NDArray[np.float64]
    other_top: NDArray[np.float64]
    base_share: NDArray[np.float64]
    other_share: NDArray[np.float64]


class WindowDrift(NamedTuple):
    """`first`: the place of the first predicted token among all; one entry for each other model."""

    first: int
    others: list[TokenDrift]


def reader_of(network: Network) -> Reader:
    @torch.inference_mode()
    def read(tokens: Sequence[int]) -> Logits:
        if not network.serves_trees:
            whole = own_logits(network, tokens).float()
            return lambda start, end: whole[start:end]
        row = PackedRow(None, list(tokens))
        hidden = network.hidden(pack([row], {}, network.device))
        return lambda start, end: network.logits(hidden[start:end])

    return read


@torch.inference_mode()
def compare_readings(
    base: Reader, others: Sequence[Reader], tokens: Sequence[int], *, context: int
) -> Iterator[WindowDrift]:
    """The first token stands before the text. Raises NotFinite with model and place."""
    for window in windows(len(tokens) - 1, min(context, WINDOW)):
        fed = tokens[window.start + 1 : window.end]
        found = [reader(fed) for reader in (base, *others)]
        yield _compared(found, tokens, window, len(fed))


def _compared(
    found: Sequence[Logits], tokens: Sequence[int], window: Window, fed: int
) -> WindowDrift:
    first = window.first_predicted + 1
    wanted = torch.tensor(tokens[first : window.end + 1])
    parts: list[list[list[Tensor]]] = [[] for _ in found[1:]]
    begin = fed - len(wanted)
    for start in range(0, len(wanted), POSITIONS_AT_ONCE):
        targets = wanted[start : start + POSITIONS_AT_ONCE]
        at = begin + start, begin + start + len(targets)
        ours = found[0](*at).float()
        targets = targets.to(ours.device)
        norm = ours.logsumexp(-1)
        shares = (ours - norm[:, None]).exp_()
        seen = _seen(ours, norm, targets, 0, first + start)
        for number, other in enumerate(found[1:], 1):
            theirs = other(*at).to(ours)
            their_norm = theirs.logsumexp(-1)
            gap = torch.where(shares > 0, ours - theirs, 0.0)
            kl = (gap * shares).sum(-1) - (norm - their_norm)
            beside = _seen(theirs, their_norm, targets, number, first + start)
            if not bool(kl.isfinite().all()):
                raise NotFinite(number, first + start)
            parts[number - 1].append([kl.clamp_min(0.0), *_mixed(seen, beside)])
    return WindowDrift(first, [_joined(each) for each in parts])


Seen = tuple[Tensor, Tensor, Tensor]  # log-likelihoods, likeliest tokens, their shares


def _seen(logits: Tensor, norm: Tensor, targets: Tensor, number: int, place: int) -> Seen:
    likelihoods = logits.gather(1, targets[:, None])[:, 0] - norm
    if not bool(likelihoods.isfinite().all()):
        raise NotFinite(number, place)
    best, which = logits.max(-1)
    return likelihoods, which, (best - norm).exp()


def _mixed(base: Seen, other: Seen) -> list[Tensor]:
    return [each for pair in zip(base, other, strict=True) for each in pair]


def _joined(parts: Sequence[Sequence[Tensor]]) -> TokenDrift:
    whole = (torch.cat(list(each)).cpu() for each in zip(*parts, strict=True))
    return TokenDrift(*(each.double().numpy() for each in whole))
