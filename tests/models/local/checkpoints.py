"""Tiny checkpoints with random weights and a tokenizer of their own, as a trainer would leave them.

In: a folder, a family and a seed. Out: the folder with config.json, model.safetensors,
tokenizer.json, tokenizer_config.json and generation_config.json. The same arguments give the same
bytes. Weights are large (standard deviation 0.2), so that attention changes the answers and two
seeds never look alike.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    GenerationConfig,
    PreTrainedTokenizerFast,
)

from assay.models.local import speed

END = "<|endoftext|>"
VOCABULARY = 384  # 256 bytes, the end of text, and the merges that the text below gives
SPREAD = 0.2
TIMED = 32  # tokens, where a test does not want all 256

# A template in the manner of ChatML, without tokens of its own.
CHAT_TEMPLATE = (
    "{% for message in messages %}[{{ message['role'] }}]\n{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant]\n{% endif %}"
)

TEXT = """\
The driver of the network card is loaded when the machine starts. The machine starts in a minute.
Which command lists the files of a folder? The command ls lists the files of a folder.
Which command shows the free memory? The command free shows the free memory in kilobytes.
Question: what is the driver for this card? Answer: the driver for this card is in the kernel.
Once there was a small dog that found a red ball in the garden and took it to the house.
The small dog and the old cat live in the same house, and they share the same garden.
A. the first choice B. the second choice C. the third choice D. the fourth choice
12 plus 12 is 24, and 100 minus 1 is 99; 3.5 kilograms of rice cost 20 cedis.
Le café est déjà fermé ; naïve façade, où êtes-vous ? Ŋutsu la le aƒe me, eye wòle nu ɖum.
def total(numbers):\n    return sum(number for number in numbers if number > 0)\n
"""

Shape = Mapping[str, Any]
_SMALL: Shape = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}
_GROUPED: Shape = {**_SMALL, "num_key_value_heads": 2}
_WIDE_HEADS: Shape = {**_GROUPED, "head_dim": 16}

# Family: model_type, what its config says of size, and the name of its context length.
SHAPES: dict[str, tuple[str, Shape, str]] = {
    "gpt2": ("gpt2", {"n_embd": 32, "n_layer": 2, "n_head": 4}, "n_positions"),
    "llama": ("llama", _GROUPED, "max_position_embeddings"),
    "qwen": ("qwen2", {**_GROUPED, "tie_word_embeddings": True}, "max_position_embeddings"),
    "qwen3": ("qwen3", _WIDE_HEADS, "max_position_embeddings"),
    "gemma": ("gemma", _WIDE_HEADS, "max_position_embeddings"),
    "gemma2": (
        "gemma2",
        {**_WIDE_HEADS, "query_pre_attn_scalar": 16, "sliding_window": 16},
        "max_position_embeddings",
    ),
    "neox": ("gpt_neox", _SMALL, "max_position_embeddings"),
    "opt": (
        "opt",
        {
            "hidden_size": 32,
            "ffn_dim": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "word_embed_proj_dim": 32,
            "pad_token_id": None,
        },
        "max_position_embeddings",
    ),
    "phi": ("phi", _SMALL, "max_position_embeddings"),
    "mistral": ("mistral", {**_GROUPED, "sliding_window": 16}, "max_position_embeddings"),
    "bloom": ("bloom", {"hidden_size": 32, "n_layer": 2, "n_head": 4}, "seq_length"),
    "mamba": ("mamba", {"hidden_size": 32, "state_size": 8, "num_hidden_layers": 2}, "n_positions"),
}


def make_checkpoint(
    folder: Path,
    shape: str = "llama",
    *,
    seed: int = 0,
    chat_template: str | None = None,
    dtype: str = "float32",
    context: int = 128,
    vocabulary: int = VOCABULARY,
    adds_bos: bool = False,
    with_tokenizer: bool = True,
    max_shard_size: str | None = None,
    **config: Any,
) -> Path:
    """Save a checkpoint and return its folder. `config` overrides what the family's config says;
    `max_shard_size` ("10KB") makes several weight files with an index; `chat_template` makes it a
    chat model (CHAT_TEMPLATE will do); `adds_bos` puts the end of text before every text, as
    Llama's tokenizers do with their BOS.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model = make_model(
        shape, seed=seed, dtype=dtype, context=context, vocabulary=vocabulary, **config
    )
    end = make_tokenizer(vocabulary).token_to_id(END)
    model.generation_config = GenerationConfig(bos_token_id=end, eos_token_id=end)
    shards = {} if max_shard_size is None else {"max_shard_size": max_shard_size}
    model.save_pretrained(folder, **shards)
    if with_tokenizer:
        save_tokenizer(
            folder,
            vocabulary=vocabulary,
            context=context,
            chat_template=chat_template,
            adds_bos=adds_bos,
        )
    return folder


def make_model(
    shape: str = "llama",
    *,
    seed: int = 0,
    dtype: str = "float32",
    context: int = 128,
    vocabulary: int = VOCABULARY,
    **config: Any,
) -> Any:
    """The model alone, in evaluation mode on the CPU."""
    kind, sizes, context_name = SHAPES[shape]
    end = make_tokenizer(vocabulary).token_to_id(END)
    about = {
        "vocab_size": vocabulary,
        "bos_token_id": end,
        "eos_token_id": end,
        "pad_token_id": end,
        context_name: context,
        **sizes,
        **config,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **about))
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if parameter.dim() >= 2 and name.endswith("weight"):
                    parameter.normal_(0.0, SPREAD)
                elif parameter.dim() == 1:
                    parameter.add_(torch.randn_like(parameter) * SPREAD / 2)
    model.tie_weights()
    return model.to(getattr(torch, dtype)).eval()


def save_tokenizer(
    folder: Path,
    *,
    vocabulary: int = VOCABULARY,
    context: int = 128,
    chat_template: str | None = None,
    adds_bos: bool = False,
) -> None:
    """The tokenizer's files alone, for a folder above the checkpoints for instance."""
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=make_tokenizer(vocabulary, adds_bos=adds_bos),
        bos_token=END,
        eos_token=END,
        model_max_length=context,
        clean_up_tokenization_spaces=False,
    )
    if chat_template is not None:
        wrapped.chat_template = chat_template
    wrapped.save_pretrained(folder)


def make_tokenizer(vocabulary: int = VOCABULARY, *, adds_bos: bool = False) -> Tokenizer:
    """A byte-level BPE tokenizer with exactly that many tokens; the end of text is token 0."""
    tokenizer = Tokenizer.from_str(_trained(vocabulary))
    if adds_bos:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{END} $A", pair=f"{END} $A {END} $B", special_tokens=[(END, 0)]
        )
    return tokenizer


@cache
def _trained(vocabulary: int) -> str:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        min_frequency=1,
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT.splitlines(keepends=True), trainer)
    if tokenizer.get_vocab_size() != vocabulary:
        raise ValueError(f"the text gives {tokenizer.get_vocab_size()} tokens, not {vocabulary}")
    found: str = tokenizer.to_str()
    return found


def measure_speed_here(of: speed.TimedCheckpoint, **_: object) -> dict[str, Any]:
    """In the place of `speed.measure_speed`: without the process of its own, which
    tests/models/local/test_speed.py starts, with few tokens, the threads there are, and processor
    time: a busy machine falls below the gate's 10 tokens/s, as it should.
    """
    found = speed.measure_here(
        replace(of, new_tokens=TIMED), threads=torch.get_num_threads(), clock=time.process_time
    )
    told: dict[str, Any] = json.loads(json.dumps(found))
    return told


def edit_json(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a JSON file of a checkpoint in place."""
    document = json.loads(path.read_text("utf-8"))
    change(document)
    path.write_text(json.dumps(document), "utf-8")
