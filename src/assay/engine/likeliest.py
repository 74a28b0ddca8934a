"""Every token of a row with how likely it is, and what would have been likelier in its place."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from assay.engine.network import Network, NotFinite, read_row


@dataclass(frozen=True, slots=True)
class ToldToken:
    """Natural logarithms. `rank`: 0 for the likeliest token. `likeliest`: the best come first."""

    log_likelihood: float
    rank: int
    likeliest: tuple[tuple[int, float], ...]


@torch.inference_mode()
def tell(
    network: Network, tokens: Sequence[int], *, first: int = 1, count: int = 1
) -> list[ToldToken]:
    """Of the tokens from `first` on, which is at least 1: nothing comes before the very first."""
    fed = tokens[:-1]
    logits_at = read_row(network, fed)
    found: list[ToldToken] = []
    step = network.positions_at_once
    for start in range(first - 1, len(fed), step):
        end = min(start + step, len(fed))
        logarithms = logits_at(start, end).float().log_softmax(-1)
        wanted = torch.tensor(list(tokens[start + 1 : end + 1]), device=logarithms.device)
        picked = logarithms.gather(1, wanted[:, None])
        ranks = (logarithms > picked).sum(-1).tolist()
        best = logarithms.topk(min(max(count, 1), logarithms.shape[1]))
        for one, rank, values, ids in zip(
            picked[:, 0].tolist(), ranks, best.values.tolist(), best.indices.tolist(), strict=True
        ):
            if not math.isfinite(one):
                raise NotFinite(0)
            likeliest = tuple(zip(ids[:count], values[:count], strict=True))
            found.append(ToldToken(one, rank, likeliest))
    return found
