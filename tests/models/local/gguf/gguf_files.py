"""Tiny GGUF files: a checkpoint of transformers as llama.cpp's converter writes it, and llama.cpp
itself to read them, in a process of its own.
"""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import AutoModelForCausalLM

from tests.models.test_llama_cpp import SERVE

ARCHITECTURES = {"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "gemma": "gemma",
                 "gemma2": "gemma2", "gemma3_text": "gemma3", "phi3": "phi3"}  # fmt: skip
_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.qkv_proj": "attn_qkv",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.gate_up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
_OF_GEMMA = {
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}


def write_gguf(
    checkpoint: Path,
    file: Path,
    kind: str = "F32",
    *,
    fields: dict[str, Any] | None = None,
    extra: dict[str, np.ndarray] | None = None,
    rows: int | None = None,
    as_numbers: bool = False,
) -> Path:
    """`kind` of the matrices whose rows it can hold; `fields` over the usual ones (None: left
    out), `extra` tensors beside the model's, `rows` of embeddings for more tokens than it has;
    `as_numbers`: what `kind` makes of the weights, stored as F32.
    """
    model = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32)
    if rows is not None:
        model.resize_token_embeddings(rows)
    config = model.config
    name = ARCHITECTURES[config.model_type]
    writer = gguf.GGUFWriter(file, name)
    told = _fields(config, name) | _tokenizer_fields(checkpoint) | (fields or {})
    for key, value in told.items():
        _add(writer, key, value)
    for key, tensor in model.state_dict().items():
        if key == "lm_head.weight" and config.tie_word_embeddings:
            continue
        stored = _as_stored(key, tensor, name, config), gguf.GGMLQuantizationType[kind]
        _add_tensor(writer, *_renamed(key, name), *stored, as_numbers)
    for key, numbers in (extra or {}).items():
        writer.add_tensor(key, numbers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def _add(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    elif isinstance(value, list):
        writer.add_array(key, value)


def _fields(config: Any, name: str) -> dict[str, Any]:
    rope = config.rope_parameters
    rope = rope.get("full_attention", rope)
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    told = {
        "block_count": config.num_hidden_layers,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "attention.key_length": head,
        "attention.value_length": head,
        "attention.layer_norm_rms_epsilon": float(config.rms_norm_eps),
        "attention.sliding_window": getattr(config, "sliding_window", None),
        "attn_logit_softcapping": getattr(config, "attn_logit_softcapping", None),
        "final_logit_softcapping": getattr(config, "final_logit_softcapping", None),
        "rope.freq_base": float(rope["rope_theta"]),
        "rope.dimension_count": int(head * rope.get("partial_rotary_factor", 1.0)),
    }
    if rope["rope_type"] in ("linear", "yarn"):
        told["rope.scaling.type"] = rope["rope_type"]
        told["rope.scaling.factor"] = float(rope["factor"])
        told["rope.scaling.original_context_length"] = rope.get("original_max_position_embeddings")
    return {f"{name}.{key}": value for key, value in told.items()}


def _tokenizer_fields(checkpoint: Path) -> dict[str, Any]:
    written = json.loads((checkpoint / "tokenizer.json").read_text("utf-8"))
    tokens = sorted(written["model"]["vocab"], key=written["model"]["vocab"].__getitem__)
    special = {each["content"] for each in written["added_tokens"]}
    merges = [each if isinstance(each, str) else " ".join(each)
              for each in written["model"]["merges"]]  # fmt: skip
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3 if token in special else 1 for token in tokens],
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 0,
    }


def _renamed(key: str, name: str) -> tuple[str]:
    bare, _, part = key.rpartition(".")
    names = {**_NAMES, **(_OF_GEMMA if name in ("gemma2", "gemma3") else {})}
    if not bare.startswith("model.layers."):
        return (f"{names[bare]}.{part}",)
    _, _, layer, rest = bare.split(".", 3)
    return (f"blk.{layer}.{names[rest]}.{part}",)


def _as_stored(key: str, tensor: Any, name: str, config: Any) -> np.ndarray:
    numbers = tensor.float().numpy()
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    part = key.split(".")[-2]
    if name == "llama" and part in heads:
        halves = numbers.reshape(heads[part], 2, -1, *numbers.shape[1:])
        return np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(numbers.shape)
    return numbers + 1 if name.startswith("gemma") and part.endswith("norm") else numbers


def _add_tensor(
    writer: gguf.GGUFWriter,
    name: str,
    numbers: np.ndarray,
    kind: gguf.GGMLQuantizationType,
    as_numbers: bool,
) -> None:
    is_whole = kind.name == "F32" or numbers.ndim < 2
    if is_whole or numbers.shape[-1] % gguf.GGML_QUANT_SIZES[kind][0]:
        writer.add_tensor(name, numbers.astype(np.float32))
        return
    stored = _q6_k(numbers) if kind.name == "Q6_K" else gguf.quants.quantize(numbers, kind)
    if as_numbers:
        writer.add_tensor(name, gguf.quants.dequantize(stored, kind))
    else:
        writer.add_tensor(name, stored, raw_dtype=kind)


def _q6_k(numbers: np.ndarray) -> np.ndarray:
    """The library reads K-quants and does not write them. Blocks of 256: four low bits, two high
    bits, a scale for every 16 (here 1 for all), and one for the block.
    """
    blocks = numbers.reshape(-1, 256).astype(np.float32)
    step = np.abs(blocks).max(1, keepdims=True) / 31
    counts = (np.rint(blocks / step) + 32).astype(np.uint8).reshape(-1, 2, 4, 32)
    low = (counts[:, :, :2] & 15) | (counts[:, :, 2:] << 4)
    high = sum((counts[:, :, part] >> 4) << 2 * part for part in range(4))
    scales = np.ones((len(blocks), 16), np.uint8), step.astype(np.float16).view(np.uint8)
    bits = low.reshape(-1, 128), np.asarray(high, np.uint8).reshape(-1, 64)
    return np.concatenate((*bits, *scales), 1).reshape(*numbers.shape[:-1], -1)


def byte_level_fields(texts: list[str], pre: str, size: int) -> dict[str, Any]:
    """Merges that go across every border, so that a text split at another place has other ids."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    written = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(written["vocab"], key=written["vocab"].__getitem__)
    return {
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3, *[1] * (len(tokens) - 1)],
        "tokenizer.ggml.merges": [" ".join(each) for each in written["merges"]],
        "tokenizer.ggml.add_bos_token": False,
    }


def sentence_piece_fields(texts: list[str], size: int, *, spaced: bool) -> dict[str, Any]:
    """Pieces by the order in which they were merged, then single characters."""
    tokenizer = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(vocab_size=size - 259, show_progress=False)
    whole = [text.replace(" ", "▁") for text in texts if "\0" not in text]  # C's texts end there
    tokenizer.train_from_iterator(whole, trainer)
    written = json.loads(tokenizer.to_str())["model"]
    merged = ["".join(each) for each in written["merges"]]
    letters = sorted(set(written["vocab"]) - set(merged))
    pieces = [*dict.fromkeys(merged), *letters]
    marks = ["<unk>", "<s>", "</s>", *(f"<0x{each:02X}>" for each in range(256))]
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.tokens": [*marks, *pieces],
        "tokenizer.ggml.token_type": [2, 3, 3, *[6] * 256, *[1] * len(pieces)],
        "tokenizer.ggml.scores": [*[0.0] * 259, *(float(-each) for each in range(len(pieces)))],
        "tokenizer.ggml.merges": None,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.add_space_prefix": spaced,
    }


@contextmanager
def llama_cpp(file: Path) -> Iterator[Any]:
    """A function that asks llama.cpp's server about this file: (path, question) to the answer."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()

    def ask(path: str, **question: Any) -> Any:
        request = urllib.request.Request(
            f"{address}/{path}", json.dumps(question).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    with process:
        try:
            yield ask
        finally:
            process.kill()
