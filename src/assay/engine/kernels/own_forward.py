"""The slow way: one sequence at a time, by the model's own attention and head.

It serves models whose attention cannot be replaced (ALiBi, sliding windows, state spaces), and the
tests compare the fast ways with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache

from assay.engine.network import Network, own_logits


class OwnForward:
    """A sequence that only grew since the last call is continued from the model's own cache, where
    that is of the standard kind; otherwise it is computed whole.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        takes = inspect.signature(network.model.forward).parameters
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in takes else {}
        self._computed: list[int] = []
        self._cache: Any = None

    @torch.inference_mode()
    def logits(self, tokens: Sequence[int]) -> Tensor:
        """[1, vocabulary] in fp32."""
        tokens = list(tokens)
        held = len(self._computed)
        continues = self._cache is not None and 0 < held < len(tokens)
        if not continues or tokens[:held] != self._computed:
            self._cache, held = None, 0
        given = dict(self._last_only)
        if self._cache is not None:
            given["past_key_values"] = self._cache
        ids = torch.tensor([tokens[held:]], device=self._network.device)
        out = self._network.model(input_ids=ids, use_cache=True, **given)
        cache = getattr(out, "past_key_values", None)
        self._cache = cache if type(cache) is DynamicCache else None
        self._computed = tokens
        last: Tensor = out.logits[:, -1].float()
        return last


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
