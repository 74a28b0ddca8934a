"""Where the time of a decoded token goes: attention, MLP, head, sampling, cache, and the rest.

Modules are told apart by their names, as models of transformers have them. The clock is read
around each of them, so a profile is a little slower than a timing, and says only which share is
whose.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import nn

from assay.engine.kernels.graphs import OwnForward
from assay.engine.network import Network
from assay.engine.timing import _decoder, _OneRow, lengths, wait_for

PARTS = ("attention", "mlp", "head", "sampling", "cache", "rest")
TOKENS = 32  # that are profiled, after as many to warm up as a timing has
WARM_UP = 4
_NAMES = {
    "attention": re.compile(r"(?:self_attn|self_attention|attn|attention|mixer)$"),
    "mlp": re.compile(r"(?:mlp|feed_forward|ffn|block_sparse_moe)$"),
}


class _Stopwatch:
    """Seconds by part. What is inside another part is taken off that one."""

    def __init__(self, device: torch.device, clock: Callable[[], float]) -> None:
        self._device, self._clock = device, clock
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._open: list[tuple[str, float]] = []

    def begin(self, part: str) -> None:
        wait_for(self._device)
        self._open.append((part, self._clock()))

    def end(self) -> None:
        wait_for(self._device)
        part, since = self._open.pop()
        spent = self._clock() - since
        self.seconds[part] += spent
        if self._open:
            self.seconds[self._open[-1][0]] -= spent

    @contextmanager
    def over(self, part: str) -> Iterator[None]:
        self.begin(part)
        try:
            yield
        finally:
            self.end()


def profile_decoding(
    network: Network,
    *,
    prompt_tokens: int | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Any]:
    """Seconds of one token by part, and of how many tokens that is the mean."""
    usual, room = lengths(network.context_length)
    prompt = min(prompt_tokens or usual, network.context_length - 2)
    tokens = max(1, min(TOKENS, room, network.context_length - prompt - 1))
    draw = torch.Generator().manual_seed(0)
    fed = torch.randint(0, network.vocabulary, (1, prompt), generator=draw).to(network.device)
    decoder = _decoder(network, network.context_length)
    watch = _Stopwatch(network.device, clock)
    with torch.inference_mode():
        decoder.begin()
        fed = decoder.feed(fed)
        for _ in range(min(WARM_UP, tokens - 1)):
            fed = decoder.feed(fed)
        left = tokens - min(WARM_UP, tokens - 1)
        with ExitStack() as hooked:
            _watch_modules(network.model, watch, hooked)
            _watch_decoder(network, decoder, watch, hooked)
            for _ in range(left):
                with watch.over("rest"):
                    fed = decoder.feed(fed)
    return {
        "tokens": left,
        "seconds_per_token": {part: spent / left for part, spent in watch.seconds.items()},
    }


def _watch_modules(model: nn.Module, watch: _Stopwatch, hooked: ExitStack) -> None:
    head = model.get_output_embeddings()  # type: ignore[operator]
    for name, module in model.named_modules():
        part = next((part for part, named in _NAMES.items() if named.search(name)), "")
        part = "head" if module is head else part
        inner = any(each.search(name.rpartition(".")[0]) for each in _NAMES.values())
        if part and not inner:  # of a module in a module the outer one counts
            before = module.register_forward_pre_hook(lambda *_, of=part: watch.begin(of))
            after = module.register_forward_hook(lambda *_: watch.end())
            hooked.callback(before.remove)
            hooked.callback(after.remove)


def _watch_decoder(
    network: Network, decoder: _OneRow | OwnForward, watch: _Stopwatch, hooked: ExitStack
) -> None:
    """Of one row of ours also keeping keys and values, the head and the choice are apart."""
    if not isinstance(decoder, _OneRow):
        return
    decoder.watched = watch.over
    hooked.callback(lambda: setattr(decoder, "watched", None))
