"""Steps of a GPU that are recorded once and played again: one launch instead of several hundred.

In: the slots, and the newest token of every live row. Out: logits. Refuses to know: what is drawn.

A recording is made for a number of rows and a width of the slots, both rounded up so that few are
needed; rows beyond the live ones write into free slots, where nobody reads. A step that cannot be
recorded (a model that asks the device something on the way) is run as it is, from then on always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from assay.engine.network import Network
from assay.engine.slots import Slots, aligned, step_at_once, step_by_length

LEAST_WIDTH = 256
ROWS = (4, 16, 64, 256)
# A recording costs about four plain steps; and the first plain ones are its warm-up.
PLAIN_FIRST = 4


@dataclass(frozen=True, slots=True)
class Recording:
    """A step, the place its input is put in, and the place its logits come to lie."""

    graph: Any
    given: Tensor  # [2, rows]: tokens and positions
    logits: Tensor  # overwritten by the next step


class Steps:
    """One token for each live row."""

    def __init__(self, network: Network, slots: Slots) -> None:
        self._network = network
        self._slots = slots
        self._records = network.device.type == "cuda"
        self._recordings: dict[tuple[int, int], Recording] = {}
        self._seen: Counter[tuple[int, int]] = Counter()
        self._beside: Any = None  # a stream
        self._pool: Any = None  # of the first recording; the others share its memory

    @torch.inference_mode()
    def logits(self, tokens: Sequence[int]) -> Tensor:
        """[rows, vocabulary] behind these tokens, one of each live slot; valid until the next
        call. Their keys and values are in the slots afterwards.
        """
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

    # ------------------------------------------------------------------------- on CUDA devices

    def _recorded(self, given: Tensor) -> Tensor | None:
        live = given.shape[1]
        size = self._size(live, int(given[1].max()) + 1)
        if size not in self._recordings:
            self._seen[size] += 1
            if self._seen[size] <= PLAIN_FIRST or not self._record(size, given):
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

    def _record(self, size: tuple[int, int], now: Tensor) -> bool:
        """Run the step once beside the others, as a recording asks for, then record it. Both write
        what the step itself will write.
        """
        rows, width = size
        device = self._network.device
        given = torch.zeros(2, rows, dtype=torch.long, device=device)
        given[:, : now.shape[1]].copy_(now)
        self._beside = self._beside or torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        graph = torch.cuda.CUDAGraph()
        usual = torch.cuda.current_stream(device)
        try:
            self._beside.wait_stream(usual)
            with torch.cuda.stream(self._beside):
                self._plainly(given, width)
            usual.wait_stream(self._beside)
            with torch.cuda.graph(graph, pool=self._pool, stream=self._beside):
                logits = self._plainly(given, width)
        except RuntimeError:
            # A recording that fails leaves its stream in force.
            torch.cuda.set_stream(usual)
            torch.cuda.synchronize(device)
            self._records = False
            self._recordings.clear()
            return False
        self._pool = self._pool or graph.pool()
        self._recordings[size] = Recording(graph, given, logits)
        return True
