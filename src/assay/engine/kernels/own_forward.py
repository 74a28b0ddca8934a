"""The next token's logits by the model's own attention, one sequence at a time.

In: a sequence of token ids. Out: logits behind its last token. It serves the models whose attention
cannot be replaced (ALiBi, sliding windows, state spaces).

A sequence that only grew since the last call is continued from the model's own cache where that is
of the standard kind; otherwise it is computed whole.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache

from assay.engine.network import Network


class OwnForward:
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
