"""Steps of a network: on a GPU recorded once and played again, one launch instead of hundreds; and
the slow way, one sequence at a time, for attention that cannot be replaced.

Rows and width are rounded up, so that few records are needed; what cannot be recorded is run as it
is.
"""

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves
from transformers import DynamicCache

from assay.engine.layout.slots import Slots, aligned, step_at_once, step_by_length
from assay.engine.network import Network

LEAST_WIDTH = 256
ROWS = (4, 16, 64, 256)


@dataclass(frozen=True, slots=True)
class Recording:
    """A step, the place its input is put in, and the place its logits come to lie."""

    graph: Any
    given: Tensor  # [2, rows]: tokens and positions
    logits: Tensor  # overwritten by the next step


class Steps:
    def __init__(self, network: Network, slots: Slots) -> None:
        self._network = network
        self._slots = slots
        self._records = network.device.type == "cuda"
        self._recordings: dict[tuple[int, int], Recording] = {}
        self._tried: set[tuple[int, int]] = set()
        self._beside: Any = None  # a stream
        self._pool: Any = None  # of the first recording; the others share its memory

    @torch.inference_mode()
    def logits(self, tokens: Sequence[int]) -> Tensor:
        """[rows, vocabulary] behind these tokens, one of each live slot, until the next call."""
        lengths = self._slots.lengths
        given = torch.tensor([tokens, lengths])
        found = self._recorded(given) if self._records else None
        if found is None:
            found = self._plainly(given.to(self._network.device), aligned(max(lengths) + 1))
        self._slots.lengths = [length + 1 for length in lengths]
        return found

    def _plainly(self, given: Tensor, width: int) -> Tensor:
        network = self._network
        if network.by_blocks:
            step = step_at_once(self._slots, given[1], width, network.dtype)
        else:
            step = step_by_length(self._slots, network.dtype)
        return network.logits(network.run(given[:1], given[1:], step))

    def _recorded(self, given: Tensor) -> Tensor | None:
        """The first step of a size is run as it is, for kernels are chosen and memory is taken when
        they first run; the second is recorded, which costs no more than a plain step.
        """
        live = given.shape[1]
        size = self._size(live, int(given[1].max()) + 1)
        if size not in self._tried:
            self._tried.add(size)
            return self._tried_out(size, given)[:live]
        if size not in self._recordings and not self._record(size):
            return None
        recording = self._recordings[size]
        recording.given[:, :live].copy_(given)
        recording.given[:, live:].zero_()
        recording.graph.replay()
        return recording.logits[:live]

    def _size(self, live: int, entries: int) -> tuple[int, int]:
        rows = next((rows for rows in ROWS if rows >= live), live)
        width = LEAST_WIDTH
        while width < entries:
            width *= 2
        return min(rows, self._slots.rows), min(width, self._slots.capacity)

    def _tried_out(self, size: tuple[int, int], now: Tensor) -> Tensor:
        rows, width = size
        device = self._network.device
        given = torch.zeros(2, rows, dtype=torch.long, device=device)
        given[:, : now.shape[1]].copy_(now)
        self._beside = self._beside or torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        usual = torch.cuda.current_stream(device)
        self._beside.wait_stream(usual)
        with torch.cuda.stream(self._beside):
            logits = self._plainly(given, width)
        usual.wait_stream(self._beside)
        given.record_stream(self._beside)
        logits.record_stream(usual)
        return logits

    def _record(self, size: tuple[int, int]) -> bool:
        """As `torch.cuda.graph`, which first gives back all free memory, and that takes as long."""
        rows, width = size
        device = self._network.device
        given = torch.zeros(2, rows, dtype=torch.long, device=device)
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize(device)
        try:
            with torch.cuda.stream(self._beside):
                graph.capture_begin(*([self._pool] if self._pool else []))
                try:
                    logits = self._plainly(given, width)
                finally:
                    graph.capture_end()
        except RuntimeError:
            torch.cuda.synchronize(device)
            self._records = False
            self._recordings.clear()
            return False
        self._pool = self._pool or graph.pool()
        self._recordings[size] = Recording(graph, given, logits)
        return True


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
