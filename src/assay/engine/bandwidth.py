"""How many bytes a second this machine's memory delivers, for a device and a number type.

Writing a token reads every weight once, so memory sets its pace. A model's speed is compared with
a measured figure, since nobody reaches those of a data sheet.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

SECONDS_EACH = 0.25
RUNS_AT_LEAST = 2
COLUMNS = 4096
# Large enough to leave the caches of most processors; small enough to be filled in no time.
SIZES = {"cpu": (8 * 2**20, 128 * 2**20), "gpu": (64 * 2**20, 2**30)}


@torch.inference_mode()
def measure_bandwidth(device: torch.device, dtype: torch.dtype, *, size: int) -> float:
    """Bytes a second of a matrix times a vector, which is what writing a token consists of.

    `size`: bytes of the data that matters, such as a small model's weights, which may stay in a
    cache from token to token; kept within what a moment allows.
    """
    least, most = SIZES["cpu" if device.type == "cpu" else "gpu"]
    rows = min(max(size, least), most) // dtype.itemsize // COLUMNS
    matrix = torch.ones(rows, COLUMNS, dtype=dtype, device=device)
    vector = torch.ones(COLUMNS, dtype=dtype, device=device)
    return matrix.nbytes / _quickest(lambda: torch.mv(matrix, vector), device)


def _quickest(work: Callable[[], object], device: torch.device) -> float:
    """Seconds of the quickest run, the first one left out."""
    work()
    wait_for(device)
    best = float("inf")
    runs = 0
    until = time.perf_counter() + SECONDS_EACH
    while runs < RUNS_AT_LEAST or time.perf_counter() < until:
        start = time.perf_counter()
        work()
        wait_for(device)
        best = min(best, time.perf_counter() - start)
        runs += 1
    return best


def wait_for(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()
