"""The slow way, one sequence at a time, for attention that cannot be replaced."""

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves
from transformers import DynamicCache

from assay.engine.network import Network, own_logits


class OwnForward:
    """The model's own forward and whatever it keeps: keys and values, or states."""

    def __init__(self, network: Network) -> None:
        self._network = network
        takes = inspect.signature(network.model.forward).parameters
        self._name = "cache_params" if "cache_params" in takes else "past_key_values"
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in takes else {}
        self.begin()

    def begin(self) -> None:
        self._computed: list[int] = []
        self._cache: Any = None

    def feed(self, ids: Tensor) -> Tensor:
        return self._run(ids).argmax(-1, keepdim=True)

    @torch.inference_mode()
    def logits(self, tokens: Sequence[int]) -> Tensor:
        """[1, vocabulary] in fp32. A sequence that only grew is continued from the cache."""
        tokens = list(tokens)
        held = len(self._computed)
        grew = held < len(tokens) and tokens[:held] == self._computed
        if not grew or type(self._cache) is not DynamicCache:
            self.begin()
        ids = torch.tensor([tokens[len(self._computed) :]], device=self._network.device)
        self._computed = tokens
        return self._run(ids).float()

    def _run(self, ids: Tensor) -> Tensor:
        given = {} if self._cache is None else {self._name: self._cache}
        out = self._network.model(input_ids=ids, use_cache=True, **given, **self._last_only)
        self._cache = getattr(out, self._name, None)
        last: Tensor = out.logits[:, -1]
        return last

    def cached(self) -> Iterator[Tensor]:
        leaves = tree_leaves([vars(layer) for layer in getattr(self._cache, "layers", ())])
        yield from (each for each in leaves if isinstance(each, Tensor))

    def cache_numbers(self) -> int:
        return sum(each.numel() for each in self.cached())


@torch.inference_mode()
def likelihoods_one_by_one(
    network: Network, context: Sequence[int], choices: Sequence[Sequence[int]]
) -> tuple[list[float], list[float]]:
    """Of all choices each token's log-likelihood; and 1 where it is the likeliest."""
    found: tuple[list[float], list[float]] = ([], [])
    for choice in choices:
        fed = [*context, *choice[:-1]]
        logits = own_logits(network, fed)[len(context) - 1 :].float()
        wanted = torch.tensor(list(choice), device=logits.device)
        values = logits.log_softmax(-1).gather(1, wanted[:, None])[:, 0]
        found[0].extend(values.tolist())
        found[1].extend((logits.argmax(-1) == wanted).float().tolist())
    return found
