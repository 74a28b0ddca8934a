"""Steps of a network: on a GPU recorded once and played again, one launch instead of hundreds; and
the slow way, one sequence at a time, for attention that cannot be replaced.

Rows and width are rounded up, so that few records are needed; what cannot be recorded is run as it
is.
"""

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves
from transformers.cache_utils import DynamicCache

from assay.engine.layout.packing import on_device
from assay.engine.layout.slots import BehindKernel, Slots, aligned, step_at_once, step_by_length
from assay.engine.network import Network

LEAST_WIDTH = 256
ROWS = (4, 16, 64, 256)
# The kernel reads no more than a row has, where plain attention reads all rows to the width of
# the longest; one recording then serves all lengths.
LONGEST_BY_KERNEL = 8192  # entries of a row, which one program reads
WORTH_RECORDING = 96  # steps: a recording costs as much as that many rows that nobody reads
NOT_FINITE = -1


@dataclass(frozen=True, slots=True)
class Recording:
    """A step, and the place what it finds comes to lie; overwritten by the next step."""

    graph: Any
    found: Tensor


class Steps:
    """`_given` [2, rows]: tokens and positions, in a place that recordings read."""

    def __init__(self, network: Network, slots: Slots) -> None:
        self._network = network
        self._slots = slots
        self._records = network.device.type == "cuda"
        self._given = torch.zeros(2, slots.rows, dtype=torch.long, device=network.device)
        self._recordings: dict[tuple[int, int], Recording] = {}
        self._tried: set[tuple[int, int]] = set()
        self._beside: Any = None  # a stream
        self._pool: Any = None  # of the first recording; the others share its memory
        self._kernel: BehindKernel | None = None
        self._looked = network.device.type != "cuda"  # for a kernel

    @torch.inference_mode()
    def logits(self, tokens: Sequence[int]) -> Tensor:
        """[rows, vocabulary] behind these tokens, one of each live slot, until the next call."""
        lengths = self._slots.lengths
        live = len(lengths)
        self._given[:, :live] = on_device(np.array([tokens, lengths], np.int64), self._given.device)
        self._given[:, live:].zero_()
        found = self._step(live, max(lengths) + 1)
        self._slots.lengths = [length + 1 for length in lengths]
        return found

    def _step(self, live: int, entries: int) -> Tensor:
        """The first step of a size is run as it is, for kernels are chosen and memory is taken when
        they first run; the second is recorded, which costs no more than a plain step.
        """
        self._look_for_kernel()
        if not self._records:
            return self._plainly(live, aligned(entries))
        size = self._size(live, entries)
        if size not in self._tried:
            self._tried.add(size)
            return self._tried_out(size)[:live]
        if size not in self._recordings and not self._record(size):
            return self._plainly(live, aligned(entries))
        recording = self._recordings[size]
        recording.graph.replay()
        return recording.found[:live]

    def _plainly(self, rows: int, width: int) -> Tensor:
        tokens, positions = self._given[:1, :rows], self._given[1:, :rows]
        network = self._network
        if network.by_blocks:
            step = step_at_once(self._slots, positions[0], width, network.dtype, self._kernel)
        else:
            step = step_by_length(self._slots, network.dtype)
        return network.logits(network.run(tokens, positions, step))

    def _look_for_kernel(self) -> None:
        """One that reads no more than a row has, where it serves all attention modules."""
        if self._looked:
            return
        self._looked = True
        # Texts in fp32 were not compared on a GPU.
        if self._network.dtype != torch.bfloat16 or self._slots.capacity > LONGEST_BY_KERNEL:
            return
        try:
            from assay.engine.kernels import behind
        except ImportError:
            return
        network = self._network
        asking = network.model.config.get_text_config().num_attention_heads
        kinds = {each.shape[1::2] for each in self._slots.keys.values()}
        kinds |= {each.shape[1::2] for each in self._slots.values.values()}
        if len(kinds) == 1 and all(
            behind.serves(network.device, network.dtype, heads, asking // heads, size)
            for heads, size in kinds
        ):
            self._kernel = behind.attend_behind

    def _size(self, live: int, entries: int) -> tuple[int, int]:
        rows = next((rows for rows in ROWS if rows >= live), live)
        if self._kernel is not None:
            return min(rows, self._slots.rows), self._slots.capacity
        width = LEAST_WIDTH
        while width < entries:
            width *= 2
        return min(rows, self._slots.rows), min(width, self._slots.capacity)

    def _tried_out(self, size: tuple[int, int]) -> Tensor:
        device = self._network.device
        self._beside = self._beside or torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        usual = torch.cuda.current_stream(device)
        self._beside.wait_stream(usual)
        with torch.cuda.stream(self._beside):
            found = self._plainly(*size)
        usual.wait_stream(self._beside)
        found.record_stream(usual)
        return found

    def _record(self, size: tuple[int, int]) -> bool:
        """As `torch.cuda.graph`, which first gives back all free memory, and that takes as long."""
        device = self._network.device
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize(device)
        try:
            with torch.cuda.stream(self._beside):
                graph.capture_begin(*([self._pool] if self._pool else []))
                try:
                    found = self._plainly(*size)
                finally:
                    graph.capture_end()
        except RuntimeError:
            torch.cuda.synchronize(device)
            self._records = False
            self._recordings.clear()
            return False
        self._pool = self._pool or graph.pool()
        self._recordings[size] = Recording(graph, found)
        return True


class Ahead(Steps):
    """Several steps of greedy rows, of which each feeds the next, before anyone looks at a token. A
    row that has ended meanwhile is computed on, and nobody reads what it says.
    """

    _few = False

    @torch.inference_mode()
    def begin(self, logits: Tensor) -> Tensor:
        """[1, rows] first tokens of those whose prompts were put into the last slots."""
        end = len(self._slots.lengths)
        lengths = self._slots.lengths[end - len(logits) :]
        chosen = likeliest(logits)
        here = slice(end - len(lengths), end)
        self._given[0, here] = chosen.clamp_min(0)
        self._given[1, here] = on_device(np.array(lengths, np.int64), chosen.device)
        self._given[:, end:].zero_()
        return chosen[None]

    @torch.inference_mode()
    def run(self, steps: int, left: int) -> Tensor:
        """[steps, rows] tokens behind those that were found last; NOT_FINITE where no number.
        `left`: how many are wanted at most, from now on.
        """
        self._few = left < WORTH_RECORDING
        slots, last = self._slots, self._last_place
        live = len(slots.lengths)
        found = torch.empty(steps, live, dtype=torch.long, device=self._given.device)
        for step in range(steps):
            found[step] = self._step(live, max(slots.lengths) + 1)
            slots.lengths = [min(length + 1, last) for length in slots.lengths]
        return found

    @torch.inference_mode()
    def keep(self, rows: Sequence[int]) -> None:
        """What was in these slots is now in the first ones."""
        places = on_device(np.array(rows, np.int64), self._given.device)
        self._given[:, : len(rows)] = self._given[:, places]
        self._given[:, len(rows) :].zero_()

    @property
    def _last_place(self) -> int:
        """Rows that have ended stay here."""
        return min(self._slots.capacity, self._network.context_length) - 1

    def _size(self, live: int, entries: int) -> tuple[int, int]:
        size = super()._size(live, entries)
        fitting = (
            [one for one in self._recordings if one[0] >= live and one[1] >= entries]
            if self._few and size not in self._recordings
            else ()
        )
        return min(fitting, default=size)

    def _plainly(self, rows: int, width: int) -> Tensor:
        chosen = likeliest(super()._plainly(rows, width))
        self._given[0, :rows] = chosen.clamp_min(0)
        self._given[1, :rows] = (self._given[1, :rows] + 1).clamp_max(self._last_place)
        return chosen


def likeliest(logits: Tensor) -> Tensor:
    """Of each row the likeliest token, or NOT_FINITE where not all logits are numbers."""
    # A sum over a vocabulary is finite if and only if every logit is, up to 1e33 each.
    return logits.argmax(-1).where(logits.sum(-1).isfinite(), NOT_FINITE)


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
