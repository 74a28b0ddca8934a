"""Small models of the common shapes with weights that come out alike everywhere.

In: the name of a shape. Out: a transformers model and its tokenizer. Used by
`tests_around`, which asks lm-eval, and by the tests, which ask the engine.

Weights are drawn by numpy, one generator for each parameter's name, since torch's own drawing
differs between machines and versions. They are large, so that attention matters and choices differ.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from transformers import PreTrainedTokenizerFast

HERE = Path(__file__).parent
CONTEXT = 96
SPREAD = 0.15  # standard deviation of every matrix

_ROTARY = {
    "hidden_size": 48,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": CONTEXT,
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A family, its measures, and the tokenizer it reads with."""

    family: str
    measures: dict[str, Any]
    tokenizer: str = "plain"


SHAPES = {
    "gpt2": Shape("GPT2", {"n_embd": 48, "n_layer": 3, "n_head": 4, "n_positions": CONTEXT}),
    "llama": Shape("Llama", {**_ROTARY, "num_key_value_heads": 2}, "bos"),
    "qwen2": Shape("Qwen2", {**_ROTARY, "num_key_value_heads": 2}),
    "qwen3": Shape("Qwen3", {**_ROTARY, "num_key_value_heads": 1, "head_dim": 16}),
    "gemma": Shape("Gemma", {**_ROTARY, "num_key_value_heads": 1, "head_dim": 16}, "bos"),
    "gpt_neox": Shape("GPTNeoX", {**_ROTARY, "rotary_pct": 0.5}),
    "opt": Shape(
        "OPT",
        {
            "hidden_size": 48,
            "word_embed_proj_dim": 48,
            "ffn_dim": 96,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "max_position_embeddings": CONTEXT,
        },
        "bos",
    ),
    "phi": Shape("Phi", {**_ROTARY, "partial_rotary_factor": 0.5}),
}


def folder_of(tokenizer: str) -> Path:
    """Where a tokenizer lies, as a checkpoint's would."""
    return HERE / "tokenizers" / tokenizer


def tokenizer_of(name: str) -> PreTrainedTokenizerFast:
    """`plain` adds nothing to a text, `bos` puts <s> before it."""
    return PreTrainedTokenizerFast.from_pretrained(folder_of(name))


def model_of(name: str, dtype: torch.dtype = torch.float32) -> Any:
    """The model of a shape, in evaluation mode on the processor."""
    shape = SHAPES[name]
    tokenizer = tokenizer_of(shape.tokenizer)
    config = getattr(transformers, f"{shape.family}Config")(
        vocab_size=len(tokenizer),
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=None,
        **shape.measures,
    )
    kind = "LMHeadModel" if shape.family == "GPT2" else "ForCausalLM"
    model = getattr(transformers, f"{shape.family}{kind}")(config)
    for parameter, weight in sorted(model.named_parameters()):
        weight.data = _drawn(f"{name} {parameter}", tuple(weight.shape), shape.family)
    model.tie_weights()
    return model.to(dtype).eval()


def _drawn(name: str, measures: tuple[int, ...], family: str) -> torch.Tensor:
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    draw = np.random.Generator(np.random.PCG64(seed))
    values = SPREAD * draw.standard_normal(measures)
    is_scale = len(measures) == 1 and name.endswith("weight")
    if is_scale and family != "Gemma":  # Gemma adds the one itself
        values += 1.0
    return torch.from_numpy(values.astype(np.float32))
