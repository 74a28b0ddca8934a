"""How many bytes a piece of work takes at its peak, beside what is there already.

CUDA's allocator counts by itself. Elsewhere every operation is watched: what it puts out is alive
until its last user lets go. What an operation takes and gives back within itself is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing import reductions
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

Weakly: Any = reductions.StorageWeakRef


def peak_beyond(held: Iterable[Tensor], work: Callable[[], object], device: torch.device) -> int:
    """Bytes of tensors that were alive at the same time, those of `held` left out."""
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
