"""How fast this machine could be: what memory delivers, and what matrix products are done.

In: a device and a number type. Out: Bandwidth, measured in less than a second, best of several. A
model's speed is compared with these, for a data sheet's figures are reached by nobody.

Writing a token reads every weight once, so memory sets its pace; reading a text multiplies large
matrices, so the processor does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

SECONDS_EACH = 0.25
RUNS_AT_LEAST = 2
COLUMNS = 4096
# Large enough to leave the caches of most processors; small enough to be filled in no time.
SIZES = {"cpu": (8 * 2**20, 128 * 2**20), "gpu": (64 * 2**20, 2**30)}
SIDES = {"cpu": 1024, "gpu": 8192}  # of the matrices that are multiplied


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """Bytes a second of a large copy, reads and writes counted, and of a product of a matrix with
    a vector, which is what writing a token consists of; and operations a second of a product of
    matrices, two for each pair of numbers.
    """

    copy_bytes_per_s: float
    read_bytes_per_s: float
    operations_per_s: float


def measure_bandwidth(
    device: torch.device, dtype: torch.dtype, *, size: int | None = None
) -> Bandwidth:
    """`size`: bytes of the data that matters, such as a small model's weights, which may stay in a
    cache from token to token; kept within what a moment allows.
    """
    kind = "cpu" if device.type == "cpu" else "gpu"
    least, most = SIZES[kind]
    size = most if size is None else min(max(size, least), most)
    return Bandwidth(
        copy_bytes_per_s=_copied(device, dtype, size),
        read_bytes_per_s=_read(device, dtype, size),
        operations_per_s=_multiplied(device, dtype, SIDES[kind]),
    )


@torch.inference_mode()
def _copied(device: torch.device, dtype: torch.dtype, size: int) -> float:
    source = torch.ones(size // dtype.itemsize, dtype=dtype, device=device)
    target = torch.zeros_like(source)
    return 2 * source.nbytes / _quickest(lambda: target.copy_(source), device)


@torch.inference_mode()
def _read(device: torch.device, dtype: torch.dtype, size: int) -> float:
    matrix = torch.ones(size // dtype.itemsize // COLUMNS, COLUMNS, dtype=dtype, device=device)
    vector = torch.ones(COLUMNS, dtype=dtype, device=device)
    return matrix.nbytes / _quickest(lambda: torch.mv(matrix, vector), device)


@torch.inference_mode()
def _multiplied(device: torch.device, dtype: torch.dtype, side: int) -> float:
    """Small matrices first: a processor without units for this number type would take seconds for
    the large ones.
    """
    small = _operations_per_s(device, dtype, side // 4)
    if 2 * float(side) ** 3 / small > 4 * SECONDS_EACH:
        return small
    return _operations_per_s(device, dtype, side)


def _operations_per_s(device: torch.device, dtype: torch.dtype, side: int) -> float:
    # Zeros would flatter: a GPU clocks higher when no bit changes.
    one = torch.randn(side, side, device=device).to(dtype)
    other = torch.randn(side, side, device=device).to(dtype)
    return 2 * float(side) ** 3 / _quickest(lambda: torch.mm(one, other), device)


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
