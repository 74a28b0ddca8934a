"""How fast a network writes, one text at a time, and what memory that takes. Memory sets its pace,
so a speed is compared with the bytes a second that it delivers.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.multiprocessing import reductions
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from assay.engine.kernels.attention import attend
from assay.engine.kernels.graphs import OwnForward
from assay.engine.network import Network

Weakly: Any = reductions.StorageWeakRef

PROMPT_TOKENS = 32
NEW_TOKENS = 256
WARM_UP_TOKENS = 8
MB = 1e6
TWO_BYTES = 2  # memory is reported for 16-bit numbers, whatever the network was timed in
SECONDS_EACH = 0.25
RUNS_AT_LEAST = 2
COLUMNS = 4096
# Large enough to leave the caches of most processors; small enough to be filled in no time.
SIZES = {"cpu": (8 * 2**20, 128 * 2**20), "gpu": (64 * 2**20, 2**30)}


def lengths(context_length: int) -> tuple[int, int]:
    prompt = min(PROMPT_TOKENS, context_length // 2)
    return prompt, min(NEW_TOKENS, context_length - prompt)


def time_decoding(
    network: Network,
    *,
    prompt_tokens: int | None = None,
    new_tokens: int | None = None,
    repeats: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Any]:
    """Figures by the names they have in a report; the first new token comes out of the prefill.
    Memory is that of a 16-bit network. Raises ValueError for lengths that do not fit.
    """
    usual = lengths(network.context_length)
    prompt_tokens = usual[0] if prompt_tokens is None else prompt_tokens
    new_tokens = usual[1] if new_tokens is None else new_tokens
    if prompt_tokens < 1 or new_tokens < 2 or prompt_tokens + new_tokens > network.context_length:
        raise ValueError(f"{prompt_tokens} + {new_tokens} tokens in {network.context_length}")
    draw = torch.Generator().manual_seed(0)
    prompt = torch.randint(0, network.vocabulary, (1, prompt_tokens), generator=draw)
    prompt = prompt.to(network.device)
    decoder = _decoder(network, prompt_tokens + new_tokens)
    of_prompt = _peak(network, decoder, prompt)
    begun = decoder.cache_numbers()
    warm_up = min(WARM_UP_TOKENS, new_tokens)
    _timed(decoder, prompt, warm_up, network.device, clock)
    runs = [_timed(decoder, prompt, new_tokens, network.device, clock) for _ in range(repeats)]
    # The last new token was not fed: the cache is whole with it.
    of_token = _peak(network, decoder, prompt[:, :1])
    whole = decoder.cache_numbers()
    memory = {
        "weights_mb": TWO_BYTES * sum(each.numel() for each in network.model.parameters()),
        "cache_mb": TWO_BYTES * whole,
        "activations_mb": max(of_prompt, of_token),
    }
    cache_read = (begun + whole) // 2 * network.dtype.itemsize
    return {
        **figures_of_runs(runs, prompt_tokens),
        "prompt_tokens": prompt_tokens,
        "new_tokens": new_tokens,
        "bytes_per_token": weight_bytes_per_token(network) + cache_read,
        "memory_usage_mb": sum(memory.values()) / MB,
        **{name: size / MB for name, size in memory.items()},
        "threads": torch.get_num_threads(),
    }


def figures_of_runs(runs: Sequence[Sequence[float]], prompt_tokens: int) -> dict[str, Any]:
    prefill = [run[0] for run in runs]
    decode = [sum(run[1:]) for run in runs]
    rates = [(len(run) - 1) / seconds for run, seconds in zip(runs, decode, strict=True)]
    latencies = [seconds for run in runs for seconds in run[1:]]
    first_token_s = statistics.median(prefill)
    return {
        "tokens_per_s": statistics.median(rates),
        "mean_per_s": statistics.fmean(rates),
        "spread_per_s": statistics.stdev(rates) if len(rates) > 1 else None,
        "runs_per_s": rates,
        "prefill_tokens_per_s": prompt_tokens / first_token_s,
        "prefill_s": prefill,
        "decode_s": decode,
        "first_token_s": first_token_s,
        "latency_p50_s": float(np.percentile(latencies, 50)),
        "latency_p95_s": float(np.percentile(latencies, 95)),
    }


@torch.inference_mode()
def _timed(
    decoder: _OneRow | OwnForward,
    prompt: Tensor,
    new_tokens: int,
    device: torch.device,
    clock: Callable[[], float],
) -> tuple[float, ...]:
    decoder.begin()
    wait_for(device)
    seconds = []
    fed = prompt
    for _ in range(new_tokens):
        start = clock()
        fed = decoder.feed(fed)
        wait_for(device)
        seconds.append(clock() - start)
    return tuple(seconds)


def weight_bytes_per_token(network: Network) -> int:
    """Of a table of embeddings one row is read, unless the head reads it whole."""
    model = network.model
    head = model.get_output_embeddings().weight
    tables = {
        id(module.weight) for module in model.modules() if isinstance(module, nn.Embedding)
    } - {id(head)}
    return sum(each.nbytes for each in model.parameters() if id(each) not in tables)


@torch.inference_mode()
def _peak(network: Network, decoder: _OneRow | OwnForward, ids: Tensor) -> int:
    """Bytes that are alive beside weights and cache while the next token is found."""
    before = list(decoder.cached())
    held = [*network.model.parameters(), *network.model.buffers(), ids, *before]
    peak = peak_beyond(held, lambda: decoder.feed(ids), network.device)
    grown = sum(each.nbytes for each in decoder.cached() if all(each is not one for one in before))
    return max(0, peak - grown)


def _decoder(network: Network, room: int) -> _OneRow | OwnForward:
    return _OneRow(network, room) if network.serves_trees else OwnForward(network)


class _OneRow:
    """An Arrangement for one text, with room for all of its keys and values from the start."""

    def __init__(self, network: Network, room: int) -> None:
        self._network = network
        self._room = room
        self._length = 0
        self._kept: dict[nn.Module, tuple[Tensor, Tensor]] = {}

    def begin(self) -> None:
        self._length = 0

    def feed(self, ids: Tensor) -> Tensor:
        end = self._length + ids.shape[1]
        positions = torch.arange(self._length, end, device=ids.device)[None]
        hidden = self._network.run(ids, positions, self)
        self._length = end
        return self._network.logits(hidden[-1:]).argmax(-1, keepdim=True)

    def attend(self, module: nn.Module, q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
        """The whole prompt, or one token behind what is kept: neither needs a mask."""
        if module not in self._kept:
            empty = [each.new_empty(1, each.shape[1], self._room, each.shape[3]) for each in (k, v)]
            self._kept[module] = (empty[0], empty[1])
        keys, values = self._kept[module]
        end = self._length + k.shape[2]
        keys[:, :, self._length : end] = k
        values[:, :, self._length : end] = v
        return attend(q, keys[:, :, :end], values[:, :, :end], scale, None).transpose(1, 2)

    def cached(self) -> Iterator[Tensor]:
        for both in self._kept.values():
            yield from both

    def cache_numbers(self) -> int:
        return sum(each.numel() for each in self.cached()) * self._length // self._room


@torch.inference_mode()
def measure_bandwidth(
    device: torch.device,
    dtype: torch.dtype,
    *,
    size: int,
    seconds: float = SECONDS_EACH,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """By a matrix times a vector of about `size`: a small model's weights may stay in a cache. The
    first run is left out, and of at least two others in so many seconds the quickest counts.
    """
    least, most = SIZES["cpu" if device.type == "cpu" else "gpu"]
    rows = min(max(size, least), most) // dtype.itemsize // COLUMNS
    matrix = torch.ones(rows, COLUMNS, dtype=dtype, device=device)
    vector = torch.ones(COLUMNS, dtype=dtype, device=device)
    torch.mv(matrix, vector)
    wait_for(device)
    best = float("inf")
    runs = 0
    until = clock() + seconds
    while runs < RUNS_AT_LEAST or clock() < until:
        start = clock()
        torch.mv(matrix, vector)
        wait_for(device)
        best = min(best, clock() - start)
        runs += 1
    return matrix.nbytes / best


def wait_for(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def peak_beyond(held: Iterable[Tensor], work: Callable[[], object], device: torch.device) -> int:
    """Elsewhere than on CUDA what an operation puts out is alive until its last user lets go."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
        torch.cuda.reset_peak_memory_stats(device)
        before = int(torch.cuda.memory_allocated(device))
        work()
        torch.cuda.synchronize(device)
        return int(torch.cuda.max_memory_allocated(device)) - before
    with _Watch(held) as watch:
        work()
    return int(watch.peak)


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Adds up what is alive after every operation. Views share a storage, which counts once."""

    def __init__(self, held: Iterable[Tensor]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._held = {Weakly(tensor.untyped_storage()).cdata for tensor in held}
        # The weak reference keeps the storage's address from being used again, not its memory.
        self._alive: dict[int, tuple[Any, int]] = {}
        self.peak = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        result = func(*args, **(kwargs or {}))
        for each in tree_leaves(result):
            if isinstance(each, Tensor):
                storage = each.untyped_storage()
                found = Weakly(storage)
                if found.cdata not in self._held:
                    self._alive.setdefault(found.cdata, (found, storage.nbytes()))
        self._alive = {
            key: (storage, size)
            for key, (storage, size) in self._alive.items()
            if not storage.expired()
        }
        self.peak = max(self.peak, sum(size for _, size in self._alive.values()))
        return result
