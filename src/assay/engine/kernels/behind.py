"""One new token of each row against what is kept before it, in one kernel on a GPU: keys and values
are put in their places, and no more is read than a row has. Needs Triton.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

import torch
from torch import Tensor

from assay.engine.kernels.attention import attend
from assay.engine.kernels.fused import FAULTS

triton: Any = importlib.import_module("triton")
tl: Any = importlib.import_module("triton.language")

ENTRIES = 64  # read at a time
LEAST_HEADS = 16  # what a matrix unit takes
LONGEST_HEAD = 256
TOLERANCE = {torch.float32: 2e-5, torch.bfloat16: 2e-2, torch.float16: 4e-3}


# Triton would evaluate annotations on the GPU.
def _one(  # type: ignore[no-untyped-def]
    q, k, v, keys, values, out, positions, scale,
    q_row, q_head, k_row, k_head, v_row, v_head, slot, slot_head,
    HEADS: tl.constexpr, SHARED_BY: tl.constexpr, SIZE: tl.constexpr,
    GROUP: tl.constexpr, WIDE: tl.constexpr, STEP: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    head = tl.program_id(1)
    before = tl.load(positions + row)
    part = tl.arange(0, WIDE)
    inside = part < SIZE
    query = tl.arange(0, GROUP)
    asked = (query < SHARED_BY)[:, None] & inside[None, :]
    where = (head * SHARED_BY + query)[:, None]
    rows = tl.load(q + row * q_row + where * q_head + part[None, :], mask=asked, other=0.0)
    key = tl.load(k + row * k_row + head * k_head + part, mask=inside, other=0.0)
    value = tl.load(v + row * v_row + head * v_head + part, mask=inside, other=0.0)
    place = row.to(tl.int64) * slot + head.to(tl.int64) * slot_head
    tl.store(keys + place + before * SIZE + part, key, mask=inside)
    tl.store(values + place + before * SIZE + part, value, mask=inside)
    # What was just put there is taken from the registers.
    largest = tl.sum(rows.to(tl.float32) * key.to(tl.float32)[None, :], 1) * scale
    total = tl.full((GROUP,), 1.0, tl.float32)
    found = tl.zeros((GROUP, WIDE), tl.float32) + value.to(tl.float32)[None, :]
    for start in range(0, before, STEP):
        entry = start + tl.arange(0, STEP)
        seen = entry < before
        at = place + entry[:, None] * SIZE + part[None, :]
        there = seen[:, None] & inside[None, :]
        some = tl.load(keys + at, mask=there, other=0.0)
        weights = tl.dot(rows, tl.trans(some), input_precision="ieee") * scale
        weights = tl.where(seen[None, :], weights, float("-inf"))
        larger = tl.maximum(largest, tl.max(weights, 1))
        weights = tl.exp(weights - larger[:, None])
        smaller = tl.exp(largest - larger)
        total = total * smaller + tl.sum(weights, 1)
        some = tl.load(values + at, mask=there, other=0.0)
        found = found * smaller[:, None]
        found += tl.dot(weights.to(some.dtype), some, input_precision="ieee")
        largest = larger
    found = found / total[:, None]
    here = out + (row * HEADS * SHARED_BY + where) * SIZE + part[None, :]
    tl.store(here, found.to(rows.dtype), mask=asked)


_compiled = triton.jit(_one)


def attend_behind(
    q: Tensor, k: Tensor, v: Tensor, keys: Tensor, values: Tensor, positions: Tensor, scale: float
) -> Tensor:
    """[1, heads, rows, size] each in, and slots and their lengths; [1, rows, heads, size] out."""
    heads, rows, size = k.shape[1:]
    shared_by = q.shape[1] // heads
    q, k, v = (each if each.stride(3) == 1 else each.contiguous() for each in (q, k, v))
    out = q.new_empty(1, rows, q.shape[1], size)
    _compiled[(rows, heads)](
        q, k, v, keys, values, out, positions, scale,
        q.stride(2), q.stride(1), k.stride(2), k.stride(1), v.stride(2), v.stride(1),
        keys.stride(0), keys.stride(1),
        HEADS=heads, SHARED_BY=shared_by, SIZE=size,
        GROUP=max(LEAST_HEADS, triton.next_power_of_2(shared_by)),
        WIDE=max(16, triton.next_power_of_2(size)), STEP=ENTRIES,
        num_warps=4,
    )  # fmt: skip
    return out


@cache
def serves(device: torch.device, dtype: torch.dtype, heads: int, shared_by: int, size: int) -> bool:
    """Whether it can be compiled for such heads, and tells what the plain way tells."""
    if dtype not in TOLERANCE or size > LONGEST_HEAD:
        return False
    draw = torch.Generator(device).manual_seed(0)

    def drawn(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=draw, device=device).to(dtype)

    lengths = [0, 1, 63, 64, 65, 200]
    rows, capacity = len(lengths), 256
    positions = torch.tensor(lengths, device=device)
    q = drawn(1, heads * shared_by, rows, size)
    k, v = drawn(1, heads, rows, size), drawn(1, heads, rows, size)
    keys, values = drawn(rows, heads, capacity, size), drawn(rows, heads, capacity, size)
    mine = keys.clone(), values.clone()
    row = torch.arange(rows, device=device)
    keys[row, :, positions] = k[0].transpose(0, 1)
    values[row, :, positions] = v[0].transpose(0, 1)
    beyond = torch.arange(capacity, device=device)[None] > positions[:, None]
    mask = torch.zeros(beyond.shape, device=device).masked_fill_(beyond, float("-inf"))
    asked = q.transpose(0, 2).float()
    expected = attend(asked, keys.float(), values.float(), size**-0.5, mask[:, None, None])
    expected = expected.transpose(1, 2).transpose(0, 1)
    try:
        found = attend_behind(q, k, v, *mine, positions, size**-0.5)
    except FAULTS:
        return False
    same = torch.equal(mine[0], keys) and torch.equal(mine[1], values)
    apart = (found.float() - expected).norm() / expected.norm()
    return same and bool(apart < TOLERANCE[dtype])
