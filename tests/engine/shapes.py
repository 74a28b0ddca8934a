"""Tiny models with seeded random weights, large enough in value that attention matters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import transformers
from transformers import PretrainedConfig

from assay.engine.network import Network

_VOCABULARY = 211
_ENDS = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
_LLAMA: dict[str, Any] = {
    "vocab_size": _VOCABULARY,
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 96,
    "max_position_embeddings": 128,
    **_ENDS,
}
_NEOX = {name: value for name, value in _LLAMA.items() if name != "num_key_value_heads"}
_GPT2: dict[str, Any] = {
    "vocab_size": _VOCABULARY,
    "n_embd": 48,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 128,
    **_ENDS,
}
SERVED = ("gpt2", "llama", "qwen2", "qwen3", "gemma", "gpt_neox", "opt", "phi")
NOT_SERVED = ("bloom", "mistral", "gemma2", "mamba", "gptj")


def _config(shape: str) -> PretrainedConfig:
    made = {
        "gpt2": lambda: transformers.GPT2Config(**_GPT2),
        "llama": lambda: transformers.LlamaConfig(**_LLAMA),
        "qwen2": lambda: transformers.Qwen2Config(**_LLAMA),
        "qwen3": lambda: transformers.Qwen3Config(**_LLAMA, head_dim=12),
        "gemma": lambda: transformers.GemmaConfig(**_LLAMA, head_dim=12),
        "gpt_neox": lambda: transformers.GPTNeoXConfig(**_NEOX),
        "opt": lambda: transformers.OPTConfig(**_NEOX, ffn_dim=96, word_embed_proj_dim=48),
        "phi": lambda: transformers.PhiConfig(**_NEOX),
        "bloom": lambda: transformers.BloomConfig(
            vocab_size=_VOCABULARY, hidden_size=48, n_layer=2, n_head=4, **_ENDS
        ),
        "mistral": lambda: transformers.MistralConfig(**_LLAMA, sliding_window=16),
        "gemma2": lambda: transformers.Gemma2Config(**_LLAMA, head_dim=12, sliding_window=16),
        "mamba": lambda: transformers.MambaConfig(
            vocab_size=_VOCABULARY, hidden_size=48, num_hidden_layers=2, state_size=8, **_ENDS
        ),
        "gptj": lambda: transformers.GPTJConfig(**_GPT2, rotary_dim=8),
    }
    return made[shape]()


def random_model(shape: str, seed: int = 0, spread: float = 0.2) -> Any:
    """The same weights every time; matrices drawn wide, so that likelihoods differ clearly."""
    torch.manual_seed(seed)
    model = transformers.AutoModelForCausalLM.from_config(_config(shape)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0.0, spread)
    model.tie_weights()
    return model


def made_again(network: Network, kind: type[Network]) -> Network:
    """The same network as one of another kind."""
    return kind(**{name: getattr(network, name) for name in Network.__dataclass_fields__})


def watched(network: Network, watch: Callable[[torch.Tensor, Any], object]) -> Network:
    """The same network; whatever it runs, `watch` sees the tokens and their arrangement before,
    and may raise.
    """

    class Watched(Network):
        def run(self, ids: torch.Tensor, positions: torch.Tensor, arrangement: Any) -> torch.Tensor:
            watch(ids, arrangement)
            return super().run(ids, positions, arrangement)

    return made_again(network, Watched)
