"""The model and tokenizer of the comparison: seeded weights, a vocabulary learnt from the items.

In: a shape's name, a device, a number type. Out: a transformers model and a tokenizer; counts of
parameters; the rate at which this machine multiplies matrices.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

VOCABULARY = 50_257
END = "<|endoftext|>"
CONTEXT = 1024
# Wider than the usual 0.02, at which a fresh model only repeats its last token.
SPREAD = 0.06


def tokenizer_from(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """Byte-level BPE."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END)


def model_of(shape: str, device: str, dtype: torch.dtype) -> Any:
    """124m: GPT-2 as it was published. 500m: as today's models of that size are built."""
    shared: dict[str, Any] = {"bos_token_id": 0, "eos_token_id": 0, "initializer_range": SPREAD}
    torch.manual_seed(0)
    if shape == "124m":
        config = GPT2Config(vocab_size=VOCABULARY, n_positions=CONTEXT, **shared)
        model = GPT2LMHeadModel(config)
    else:
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=VOCABULARY,
                hidden_size=1024,
                intermediate_size=4096,
                num_hidden_layers=28,
                num_attention_heads=16,
                num_key_value_heads=8,
                max_position_embeddings=CONTEXT,
                tie_word_embeddings=True,
                **shared,
            )
        )
    return model.to(dtype=dtype, device=device).eval()


def parameters(model: Any) -> tuple[int, int]:
    """Of the matrices every token passes, and of the head."""
    head = model.get_output_embeddings().weight.numel()
    tables = {id(table.weight) for table in _tables(model)}
    body = sum(p.numel() for p in model.parameters() if p.ndim == 2 and id(p) not in tables)
    untied = id(model.get_output_embeddings().weight) not in tables
    return body - (head if untied else 0), head


def _tables(model: Any) -> Iterable[torch.nn.Embedding]:
    return (module for module in model.modules() if isinstance(module, torch.nn.Embedding))


def matrix_rate(device: str, dtype: torch.dtype) -> float:
    """Floating-point operations a second of a large product: the best of five tries."""
    size = 2048 if device == "cpu" else 8192
    one, other = (torch.randn(size, size, device=device, dtype=dtype) for _ in range(2))
    best = 0.0
    for _ in range(6):
        synchronize(device)
        started = time.perf_counter()
        torch.mm(one, other)
        synchronize(device)
        best = max(best, 2 * size**3 / (time.perf_counter() - started))
    return best


def synchronize(device: str) -> None:
    """Wait until a device has done what it was given."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    elif device == "mps":
        torch.mps.synchronize()
