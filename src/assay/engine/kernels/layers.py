"""A layer of Llama's kind in fewer passes over a GPU's memory: one product for queries, keys and
values and one for gate and up, what is between products in one kernel each, and sums made by the
products. Done where it tells what the layer's own way tells; which is the slow twin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from assay.engine.kernels.arrangements import SpanBySpan
from assay.engine.kernels.attention import (
    NAME,
    UNSERVED,
    arranged,
    attended,
    short_layers_serve,
)
from assay.engine.layout.packing import PackedRow, pack

_PARTS = {"self_attn", "mlp", "input_layernorm", "post_attention_layernorm"}
_PRODUCTS = ("q_proj", "k_proj", "v_proj")
_NORMS = {"q_norm", "k_norm"}
_TRIED = 24  # tokens
_LARGEST_DIFFERENCE = 1e-4  # of a layer in float32, relative


@dataclass(frozen=True, slots=True)
class Between:
    """What is done between products. `turned`: queries, keys, values as [tokens, heads, size],
    cosines and sines of the positions in; all three without gaps out. `gated`: [tokens, 2 * width]
    in, gates before what they let through; [tokens, width] out.
    """

    turned: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]
    gated: Callable[[Tensor], Tensor]


def turned_by_passes(
    q: Tensor, k: Tensor, v: Tensor, cos: Tensor, sin: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """On any device."""

    def turned(given: Tensor) -> Tensor:
        one, other = given.float().chunk(2, -1)
        around = torch.cat((-other, one), -1)
        return (given.float() * cos.float()[:, None] + around * sin.float()[:, None]).to(q.dtype)

    return turned(q), turned(k), v.contiguous()


def gated_by_passes(both: Tensor) -> Tensor:
    """On any device."""
    gate, up = both.float().chunk(2, -1)
    return (F.silu(gate) * up).to(both.dtype)


BY_PASSES = Between(turned_by_passes, gated_by_passes)


def shorten(model: Any, between: Between | None = None) -> list[Any]:
    """The layers that are computed so from now on; none where one of them is of another kind."""
    layers = list(getattr(model.base_model, "layers", ()))
    if not layers or not all(map(_is_of_the_kind, layers)):
        return []
    between = between or _in_one_kernel(*_kind(layers[0].self_attn))
    if between is None or not _all_tell_the_same(model, layers, between):
        return []
    for number, layer in enumerate(layers):
        layer.forward = _Short(layer, between, first=number == 0)
    return layers


def lengthen(layers: Sequence[Any]) -> None:
    """Back to their own way."""
    for layer in layers:
        del layer.forward


def _is_of_the_kind(layer: Any) -> bool:
    if {name for name, _ in layer.named_children()} != _PARTS:
        return False
    attention, mlp = dict(layer.self_attn.named_children()), dict(layer.mlp.named_children())
    norms = set(attention) - {*_PRODUCTS, "o_proj"}
    if norms not in (set(), _NORMS) or set(mlp) != {"gate_proj", "up_proj", "down_proj", "act_fn"}:
        return False
    activation = mlp.pop("act_fn")
    products = [attention.get(name) for name in (*_PRODUCTS, "o_proj")] + list(mlp.values())
    if not all(type(each) is nn.Linear for each in products):
        return False
    biases = [attention[name].bias is None for name in _PRODUCTS]
    no_bias = all(each.bias is None for each in (attention["o_proj"], *mlp.values()))
    return no_bias and len(set(biases)) == 1 and _is_silu(activation)


def _is_silu(activation: nn.Module) -> bool:
    given = torch.linspace(-4, 4, 65)
    return not list(activation.parameters()) and torch.equal(activation(given), F.silu(given))


def _all_tell_the_same(model: Any, layers: Sequence[Any], between: Between) -> bool:
    """Each in float32, on made-up input: sums in another order, and nothing else. Some families
    leave rotary turns out in a few layers.
    """
    device = next(model.parameters()).device
    config = model.config.get_text_config()
    own, draw = config._attn_implementation, torch.Generator().manual_seed(0)
    given = torch.randn(1, _TRIED, config.hidden_size, generator=draw).to(device)
    packing = pack([PackedRow(None, range(_TRIED))], {}, device)
    try:
        config._attn_implementation = NAME
        turns = model.base_model.rotary_emb(given, position_ids=packing.positions)
        with torch.inference_mode(), arranged(SpanBySpan(packing)):
            return all(_tells_the_same(layer, between, given, turns) for layer in layers)
    except torch.OutOfMemoryError:
        raise
    except UNSERVED:  # a layer of another kind misses something
        return False
    finally:
        config._attn_implementation = own


def _tells_the_same(layer: Any, between: Between, given: Tensor, turns: Any) -> bool:
    plain = deepcopy(layer).float()
    expected = plain(given, position_embeddings=turns)
    found = _Short(plain, between, first=True)(given, position_embeddings=turns)
    if not isinstance(expected, Tensor) or expected.shape != found.shape:
        return False
    apart = (found - expected).norm() / (expected - given).norm()
    return bool(apart < _LARGEST_DIFFERENCE)


class _Short:
    """In place of a layer's forward. What it was given is summed into, so that no copy is made;
    by the first layer not, for others may hold the embeddings.
    """

    def __init__(self, layer: Any, between: Between, *, first: bool) -> None:
        self._own = layer.forward
        self._layer, self._between, self._first = layer, between, first
        attention, mlp = layer.self_attn, layer.mlp
        three = [getattr(attention, name) for name in _PRODUCTS]
        self._sizes = [each.out_features for each in three]
        self._asked = _laid_together([each.weight for each in three])
        self._bias = None
        if three[0].bias is not None:
            self._bias = _laid_together([each.bias for each in three])
        self._gates = _laid_together([mlp.gate_proj.weight, mlp.up_proj.weight])
        self._products = (*three, attention.o_proj, mlp.gate_proj, mlp.up_proj, mlp.down_proj)

    def __call__(self, hidden_states: Tensor, *given: Any, **named: Any) -> Any:
        turns = named.get("position_embeddings")
        if given or turns is None or not self._serves(named, hidden_states, turns[0]):
            return self._own(hidden_states, *given, **named)
        layer, attention = self._layer, self._layer.self_attn
        rows = hidden_states[0]
        q, k, v = self._heads(F.linear(layer.input_layernorm(rows), self._asked, self._bias))
        q, k, v = self._between.turned(q, k, v, turns[0][0], turns[1][0])
        q, k, v = (each.transpose(0, 1)[None] for each in (q, k, v))
        seen = attended(attention, q, k, v, attention.scaling).reshape(len(rows), -1)
        back = attention.o_proj.weight.t()
        rows = torch.addmm(rows, seen, back) if self._first else rows.addmm_(seen, back)
        both = F.linear(layer.post_attention_layernorm(rows), self._gates)
        return rows.addmm_(self._between.gated(both), layer.mlp.down_proj.weight.t())[None]

    def _heads(self, together: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        attention = self._layer.self_attn
        q, k, v = (
            some.view(len(some), -1, attention.head_dim)
            for some in torch.split(together, self._sizes, 1)
        )
        if hasattr(attention, "q_norm"):
            q, k = attention.q_norm(q), attention.k_norm(k)
        return q, k, v

    def _serves(self, named: dict[str, Any], hidden: Tensor, cos: Tensor) -> bool:
        """Not where the model's own way is asked for, or where something looks at the inputs of its
        products.
        """
        return (
            short_layers_serve()
            and len(hidden) == 1
            and named.get("attention_mask") is None
            and named.get("past_key_values") is None
            and cos.shape[-1] == self._layer.self_attn.head_dim
            and not any(each._forward_pre_hooks or each._forward_hooks for each in self._products)
        )


def _laid_together(tensors: Sequence[nn.Parameter]) -> Tensor:
    """One behind the other; each stays what it was, as a part of it, so that nothing is kept twice
    and weights that are put into it later are seen.
    """
    whole = torch.cat([each.data for each in tensors])
    at = 0
    for each in tensors:
        each.data = whole[at : at + len(each)]
        at += len(each)
    return whole


def _kind(attention: Any) -> tuple[torch.device, torch.dtype, int]:
    weight = attention.q_proj.weight
    return weight.device, weight.dtype, attention.head_dim


@cache
def _in_one_kernel(device: torch.device, dtype: torch.dtype, size: int) -> Between | None:
    """Where they can be compiled for such heads and tell the same, also in float32."""
    if device.type != "cuda":
        return None
    try:
        from assay.engine.kernels import between as kernels

        if not all(_tell_the_same(device, each, size) for each in {torch.float32, dtype}):
            return None
    except ImportError:
        return None
    except kernels.FAULTS:
        return None
    return Between(kernels.turned, kernels.gated)


def _tell_the_same(device: torch.device, dtype: torch.dtype, size: int) -> bool:
    from assay.engine.kernels import between as kernels

    draw = torch.Generator(device).manual_seed(0)
    q, k, v = (
        torch.randn(5, heads, size, generator=draw, device=device).to(dtype) for heads in (6, 2, 2)
    )
    cos, sin = torch.randn(2, 5, size, generator=draw, device=device).to(dtype)
    found = (*kernels.turned(q, k, v, cos, sin), kernels.gated(q.flatten(1)))
    expected = (*turned_by_passes(q, k, v, cos, sin), gated_by_passes(q.flatten(1)))
    apart = 1e-5 if dtype == torch.float32 else 1e-2
    pairs = zip(found, expected, strict=True)
    return all(torch.allclose(one, other, rtol=apart, atol=apart) for one, other in pairs)
