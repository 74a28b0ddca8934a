"""The slow way: every sequence whole, by the model's own attention and head.

In: a Network and token ids. Out: the same likelihoods the fast ways give. It serves the models
whose attention cannot be replaced, and the tests compare with it.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from assay.engine.network import Network, own_logits


@torch.inference_mode()
def likelihoods_one_by_one(
    network: Network, context: Sequence[int], choices: Sequence[Sequence[int]]
) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    """Of each choice its tokens' log-likelihoods; and 1 where the token is the likeliest."""
    found: tuple[list[tuple[float, ...]], list[tuple[float, ...]]] = ([], [])
    for choice in choices:
        fed = [*context, *choice[:-1]]
        logits = own_logits(network, fed)[len(context) - 1 :].float()
        wanted = torch.tensor(list(choice), device=logits.device)
        values = logits.log_softmax(-1).gather(1, wanted[:, None])[:, 0]
        likeliest = (logits.argmax(-1) == wanted).float()
        found[0].append(tuple(values.tolist()))
        found[1].append(tuple(likeliest.tolist()))
    return found
