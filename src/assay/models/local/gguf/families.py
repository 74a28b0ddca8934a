"""The architectures a GGUF file may have: its config, and its tensors by transformers' names.

What llama.cpp changes when it writes a file is undone here: `llama` files hold the rows of q and k
in another order, and Gemma's norms have 1 added.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.gguf.header import GgufHeader, damaged
from assay.text.safe_text import one_line

_LAYER = re.compile(r"blk\.(\d{1,5})\.(.+)\.(weight|bias)")
EMBEDDINGS, HEAD = "token_embd.weight", "output.weight"
_OUTSIDE = {
    EMBEDDINGS: "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    HEAD: "lm_head.weight",
}
_SPLIT = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_NORMED = {"attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm"}
_BETWEEN = {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_FUSED = {
    "attn_norm": "input_layernorm",
    "attn_qkv": "self_attn.qkv_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_up": "mlp.gate_up_proj",
    "ffn_down": "mlp.down_proj",
}
# Tables of rotary factors: part of the config, not of the weights.
ROPE_FACTORS = "rope_freqs.weight"
ROPE_TABLES = ("rope_factors_short.weight", "rope_factors_long.weight")

Settings = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Family:
    """`model_type` and the class by transformers' names, `names` of a layer's tensors."""

    model_type: str
    architecture: str
    names: Mapping[str, str] = field(default_factory=lambda: _SPLIT)
    reordered: tuple[str, ...] = ()  # whose rows lie in the other rotary order
    above: float = 0.0  # what the file's norms are more than the model's
    more: Callable[[_Told], Settings] = lambda told: {}


class _Told:
    """The fields of one architecture; a number that is needed and is none is refused by name."""

    def __init__(self, header: GgufHeader) -> None:
        self.header = header
        self._name = header.fields["general.architecture"]

    def number(self, name: str, otherwise: float | None = None) -> float:
        key = f"{self._name}.{name}"
        found = self.header.fields.get(key, otherwise)
        if isinstance(found, bool) or not isinstance(found, int | float) or not found > 0:
            shown = one_line(str(found), longest=40)
            raise damaged(self.header.path, tr("{key} is {found}", key=key, found=shown))
        return found

    def count(self, name: str, otherwise: int | None = None) -> int:
        return int(self.number(name, otherwise))

    def maybe(self, name: str) -> Any:
        return self.header.fields.get(f"{self._name}.{name}")

    @property
    def head_size(self) -> int:
        own = self.count("embedding_length") // self.count("attention.head_count")
        return self.count("attention.key_length", own)

    def rope(self) -> Settings:
        found: Settings = {"rope_type": "default",
                           "rope_theta": self.number("rope.freq_base", 10_000.0)}  # fmt: skip
        scaling = self.maybe("rope.scaling.type") or "none"
        if scaling in ("linear", "yarn"):
            found |= {"rope_type": scaling, "factor": self.number("rope.scaling.factor")}
        if scaling == "yarn":
            found["original_max_position_embeddings"] = self.count(
                "rope.scaling.original_context_length"
            )
        elif scaling not in ("none", "linear", "longrope"):
            name = one_line(str(scaling), longest=40)
            raise damaged(self.header.path, tr("its rotary scaling is {name!r}", name=name))
        return found


def _llama(told: _Told) -> Settings:
    return {"attention_bias": "blk.0.attn_q.bias" in told.header.tensors}


def _gemma2(told: _Told) -> Settings:
    """What the file leaves out llama.cpp knows by the number of layers: the 27 B models divide by
    the root of another size.
    """
    layers, heads = told.count("block_count"), told.count("attention.head_count")
    is_27b = layers == {"gemma2": 46, "gemma3": 62}[told.header.fields["general.architecture"]]
    scalar = told.count("embedding_length") // heads if is_27b else told.head_size
    return {
        "query_pre_attn_scalar": scalar,
        "sliding_window": told.count("attention.sliding_window", 4096),
        "attn_logit_softcapping": told.maybe("attn_logit_softcapping"),
        "final_logit_softcapping": told.maybe("final_logit_softcapping"),
    }


def _gemma3(told: _Told) -> Settings:
    """Layers that see a window turn by a base of their own, without scaling."""
    near = {"rope_type": "default", "rope_theta": told.number("rope.freq_base_swa", 10_000.0)}
    far = told.rope() | {"rope_theta": told.number("rope.freq_base", 1_000_000.0)}
    return _gemma2(told) | {
        "sliding_window": told.count("attention.sliding_window"),
        "rope_parameters": {"sliding_attention": near, "full_attention": far},
    }


def _phi3(told: _Told) -> Settings:
    rope = told.rope()
    rope["partial_rotary_factor"] = told.count("rope.dimension_count", told.head_size) / (
        told.head_size
    )
    found: Settings = {"rope_parameters": rope, "pad_token_id": None,
                       "sliding_window": told.maybe("attention.sliding_window")}  # fmt: skip
    if all(name in told.header.tensors for name in ROPE_TABLES):
        from assay.models.local.gguf.numbers import numbers_of

        short, long = (numbers_of(told.header, name).tolist() for name in ROPE_TABLES)
        rope |= {"rope_type": "longrope", "short_factor": short, "long_factor": long}
        original = told.count("rope.scaling.original_context_length")
        rope["original_max_position_embeddings"] = original
        rope["factor"] = told.count("context_length") / original
        found["original_max_position_embeddings"] = original
        if told.maybe("rope.scaling.attn_factor"):
            rope["attention_factor"] = told.number("rope.scaling.attn_factor")
    return found


FAMILIES = {
    "llama": Family("llama", "LlamaForCausalLM", reordered=("attn_q", "attn_k"), more=_llama),
    "qwen2": Family("qwen2", "Qwen2ForCausalLM"),
    "qwen3": Family("qwen3", "Qwen3ForCausalLM", _SPLIT | _NORMED),
    "gemma": Family("gemma", "GemmaForCausalLM", above=1.0),
    "gemma2": Family("gemma2", "Gemma2ForCausalLM", _SPLIT | _BETWEEN, above=1.0, more=_gemma2),
    "gemma3": Family("gemma3_text", "Gemma3ForCausalLM", _SPLIT | _BETWEEN | _NORMED, above=1.0,
                     more=_gemma3),
    "phi3": Family("phi3", "Phi3ForCausalLM", _FUSED, more=_phi3),
}  # fmt: skip


def family_of(header: GgufHeader) -> Family:
    """Refused by name, before anything is loaded, where it is another."""
    name = header.fields.get("general.architecture")
    if not isinstance(name, str) or name not in FAMILIES:
        raise ModelUnavailable(
            tr("{path} is of the architecture {name!r}, which Assay does not compute",
               path=header.path, name=one_line(str(name), longest=40)),
            hint=tr("it computes {names}; for others start `llama-server -m FILE --port 8080` of "
                    "llama.cpp and name the model openai:NAME@http://127.0.0.1:8080/v1",
                    names=", ".join(FAMILIES)),
        )  # fmt: skip
    parts = header.fields.get("split.count", 1)
    if isinstance(parts, int) and parts > 1:
        raise ModelUnavailable(
            tr("{path} is one of {count} parts of a model", path=header.path, count=parts),
            hint=tr("put them together: llama-gguf-split --merge FIRST-PART WHOLE.gguf"),
        )
    return FAMILIES[name]


def config_in(header: GgufHeader, ids: Mapping[str, Any]) -> Settings:
    """As config.json would say it; `ids` of special tokens."""
    family, told = family_of(header), _Told(header)
    embeddings = header.tensors.get(EMBEDDINGS)
    layers = told.count("block_count")
    if embeddings is None or layers > len(header.tensors):
        raise damaged(header.path, tr("it holds {count} tensors for {layers} layers",
                                      count=len(header.tensors), layers=layers))  # fmt: skip
    heads = told.count("attention.head_count")
    config: Settings = {
        "model_type": family.model_type,
        "architectures": [family.architecture],
        "vocab_size": embeddings.shape[0],
        "hidden_size": told.count("embedding_length"),
        "intermediate_size": told.count("feed_forward_length"),
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": told.count("attention.head_count_kv", heads),
        "head_dim": told.head_size,
        "max_position_embeddings": told.count("context_length"),
        "rms_norm_eps": told.number("attention.layer_norm_rms_epsilon"),
        "rope_parameters": told.rope(),
        "tie_word_embeddings": HEAD not in header.tensors,
        **ids,
        **family.more(told),
    }
    turned = told.count("rope.dimension_count", told.head_size)
    if turned != told.head_size and family.model_type != "phi3":
        raise damaged(header.path, tr("it turns {turned} of the {size} numbers of a head",
                                      turned=turned, size=told.head_size))  # fmt: skip
    return config


def names_in(header: GgufHeader) -> Iterator[tuple[str, str]]:
    """Each tensor's name in the file, and in transformers. One without a place is refused: a layer
    left out changes every answer.
    """
    family = family_of(header)
    strangers = []
    for name in header.tensors:
        inside = _LAYER.fullmatch(name)
        if name in _OUTSIDE:
            yield name, _OUTSIDE[name]
        elif inside and inside[2] in family.names:
            yield name, f"model.layers.{int(inside[1])}.{family.names[inside[2]]}.{inside[3]}"
        elif name not in (ROPE_FACTORS, *ROPE_TABLES):
            strangers.append(one_line(name, longest=60))
    if strangers:
        shown = ", ".join(strangers[:3])
        raise damaged(header.path, tr("{family} has no place for {count} of its tensors ({shown})",
                                      family=family.architecture, count=len(strangers),
                                      shown=shown))  # fmt: skip
