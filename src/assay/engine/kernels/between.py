"""What a layer of Llama's kind does between its products, in one kernel each: eight passes of whole
tensors turned queries and keys, two made SwiGLU. Needs Triton.
"""

from __future__ import annotations

import importlib
from typing import Any

from torch import Tensor

from assay.engine.kernels.fused import FAULTS as FAULTS

triton: Any = importlib.import_module("triton")
tl: Any = importlib.import_module("triton.language")

COLUMNS = 2048


# Triton would evaluate annotations on the GPU.
def _turn(  # type: ignore[no-untyped-def]
    q, k, v, cos, sin, q_out, k_out, v_out, q_row, k_row, v_row, turn_row,
    QUERIES: tl.constexpr, KEYS: tl.constexpr, HALF: tl.constexpr,
    QUERY_ROOM: tl.constexpr, KEY_ROOM: tl.constexpr, ROOM: tl.constexpr,
):  # fmt: skip
    token = tl.program_id(0).to(tl.int64)
    part = tl.arange(0, ROOM)[None, :]
    turn = token * turn_row + part
    cos_one = tl.load(cos + turn, mask=part < HALF, other=0.0).to(tl.float32)
    cos_other = tl.load(cos + turn + HALF, mask=part < HALF, other=0.0).to(tl.float32)
    sin_one = tl.load(sin + turn, mask=part < HALF, other=0.0).to(tl.float32)
    sin_other = tl.load(sin + turn + HALF, mask=part < HALF, other=0.0).to(tl.float32)
    head = tl.arange(0, QUERY_ROOM)[:, None]
    inside = (head < QUERIES) & (part < HALF)
    at = head * (2 * HALF) + part
    one = tl.load(q + token * q_row + at, mask=inside, other=0.0).to(tl.float32)
    other = tl.load(q + token * q_row + at + HALF, mask=inside, other=0.0).to(tl.float32)
    here = q_out + token * (QUERIES * 2 * HALF) + at
    kind = q_out.dtype.element_ty
    tl.store(here, (one * cos_one - other * sin_one).to(kind), mask=inside)
    tl.store(here + HALF, (other * cos_other + one * sin_other).to(kind), mask=inside)
    head = tl.arange(0, KEY_ROOM)[:, None]
    inside = (head < KEYS) & (part < HALF)
    at = head * (2 * HALF) + part
    one = tl.load(k + token * k_row + at, mask=inside, other=0.0).to(tl.float32)
    other = tl.load(k + token * k_row + at + HALF, mask=inside, other=0.0).to(tl.float32)
    here = k_out + token * (KEYS * 2 * HALF) + at
    tl.store(here, (one * cos_one - other * sin_one).to(kind), mask=inside)
    tl.store(here + HALF, (other * cos_other + one * sin_other).to(kind), mask=inside)
    here = v_out + token * (KEYS * 2 * HALF) + at
    tl.store(here, tl.load(v + token * v_row + at, mask=inside, other=0.0), mask=inside)
    value = tl.load(v + token * v_row + at + HALF, mask=inside, other=0.0)
    tl.store(here + HALF, value, mask=inside)


# Likewise.
def _gate(both, out, width, COLUMNS: tl.constexpr):  # type: ignore[no-untyped-def]
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = column < width
    gate = tl.load(both + 2 * row * width + column, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(both + (2 * row + 1) * width + column, mask=inside, other=0.0).to(tl.float32)
    found = gate / (1 + tl.exp(-gate)) * up
    tl.store(out + row * width + column, found.to(out.dtype.element_ty), mask=inside)


_compiled_turn = triton.jit(_turn)
_compiled_gate = triton.jit(_gate)


def turned(
    q: Tensor, k: Tensor, v: Tensor, cos: Tensor, sin: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """[tokens, heads, size] each, and [tokens, size] of the turns."""
    tokens, queries, size = q.shape
    keys = k.shape[1]
    q, k, v = (each if each.stride()[1:] == (size, 1) else each.contiguous() for each in (q, k, v))
    cos, sin = cos.contiguous(), sin.contiguous()
    out = q.new_empty(q.shape), q.new_empty(k.shape), q.new_empty(v.shape)
    _compiled_turn[(tokens,)](
        q, k, v, cos, sin, *out, q.stride(0), k.stride(0), v.stride(0), size,
        QUERIES=queries, KEYS=keys, HALF=size // 2, QUERY_ROOM=triton.next_power_of_2(queries),
        KEY_ROOM=triton.next_power_of_2(keys), ROOM=triton.next_power_of_2(size // 2),
        num_warps=4,
    )  # fmt: skip
    return out


def gated(both: Tensor) -> Tensor:
    """[tokens, 2 * width] in, [tokens, width] out."""
    width = both.shape[1] // 2
    both = both.contiguous()
    out = both.new_empty(len(both), width)
    grid = (len(both), triton.cdiv(width, COLUMNS))
    _compiled_gate[grid](both, out, width, COLUMNS=COLUMNS, num_warps=8)
    return out
