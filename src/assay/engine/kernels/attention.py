"""What runs inside a model in place of its own attention, registered by name with transformers; a
model that does not call it is found out by counting calls.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, local
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers.modeling_utils import AttentionInterface

NAME = "assay_packed"
# What some families pass to their attention, and no arrangement does.
_UNSERVED = ("softcap", "s_aux", "position_bias", "sliding_window")


class UnservedAttention(Exception):
    """The model asks of its attention what the arrangements do not do."""


# What a model that is not served may raise on its first try.
UNSERVED = (UnservedAttention, RuntimeError, ValueError, KeyError, TypeError, AttributeError)


class Arrangement(Protocol):
    def attend(self, module: nn.Module, q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
        """[1, heads, tokens, size] each in, [1, tokens, heads, size] out."""
        ...


class Stopped(Exception):
    """Nobody waits for this forward any more."""


class _InForce(local):
    arrangement: Arrangement | None = None
    calls = 0
    stopped: Event | None = None
    layers_own_way: bool = False


_in_force = _InForce()


@contextmanager
def arranged(arrangement: Arrangement) -> Iterator[None]:
    """Put an arrangement in force for one forward. One forward runs at a time in a thread."""
    _in_force.arrangement, _in_force.calls = arrangement, 0
    try:
        yield
    finally:
        _in_force.arrangement = None


def stop_with(event: Event) -> None:
    """Forwards of this thread end at the next layer once it is set: Ctrl-C waits for no window."""
    _in_force.stopped = event


def calls_of_last_forward() -> int:
    return _in_force.calls


def short_layers_serve() -> bool:
    """Not in the model's own forward, nor where only the attention is looked at."""
    return _in_force.arrangement is not None and not _in_force.layers_own_way


@contextmanager
def layers_own_way() -> Iterator[None]:
    _in_force.layers_own_way = True
    try:
        yield
    finally:
        _in_force.layers_own_way = False


def attended(module: nn.Module, q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
    """As `Arrangement.attend`, by the one in force."""
    if _in_force.arrangement is None:
        raise UnservedAttention
    if _in_force.stopped is not None and _in_force.stopped.is_set():
        raise Stopped
    _in_force.calls += 1
    return _in_force.arrangement.attend(module, q, k, v, scale)


def _attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    **more: object,
) -> tuple[Tensor, None]:
    unknown = [name for name in _UNSERVED if more.get(name) is not None]
    if attention_mask is not None or unknown:
        raise UnservedAttention(", ".join(unknown))
    scale = scaling if scaling is not None else query.shape[-1] ** -0.5
    return attended(module, query, key, value, scale), None


# No mask is registered under this name, so that models make none: the arrangement knows who sees
# whom. Even a function that gives none would have them look at all positions first, which makes a
# GPU wait and forbids recording a step.
AttentionInterface.register(NAME, _attention)


def attend(q: Tensor, k: Tensor, v: Tensor, scale: float, mask: Tensor | None) -> Tensor:
    """No mask means causal. Query heads that share a key head are laid behind each other."""
    shared_by = q.shape[1] // k.shape[1]
    causal = mask is None and q.shape[2] > 1
    known = shared_by > 1 and q.device.type == "cuda" and _shares_heads(q, k, v, mask, causal)
    if shared_by == 1 or known:
        return F.scaled_dot_product_attention(
            q, k, v, mask, is_causal=causal, scale=scale, enable_gqa=known
        )
    if causal:
        k, v = (each.repeat_interleave(shared_by, 1) for each in (k, v))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)
    rows, _, tokens, size = q.shape
    folded = q.reshape(rows, k.shape[1], shared_by * tokens, size)
    if mask is not None:
        mask = mask.repeat(1, 1, shared_by, 1)
    out = F.scaled_dot_product_attention(folded, k, v, mask, scale=scale)
    return out.reshape(rows, q.shape[1], tokens, v.shape[3])


def _shares_heads(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool) -> bool:
    """The kernel of cuDNN does, on these GPUs alone: a step takes 85 us with it, 193 without."""
    if q.dtype == torch.float32 or torch.cuda.get_device_capability(q.device)[0] not in (9, 10):
        return False
    asked = torch.backends.cuda.SDPAParams(q, k, v, mask, 0.0, causal, True)
    return bool(torch.backends.cuda.can_use_cudnn_attention(asked))
