"""Faults planted into the checkpoint that ships: each is a copy with one thing wrong."""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

TINY = Path(__file__).resolve().parents[2] / "src/assay/builtin/checkpoints/tiny"
EMBEDDING, HEAD = "model.embed_tokens.weight", "lm_head.weight"
Tensors = dict[str, torch.Tensor]


def copy_step(into: Path, step: str = "step_008000") -> Path:
    """With its tokenizer inside, so that both can be changed."""
    shutil.copytree(TINY / step, into)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(TINY / name, into)
    return into


def change_weights(folder: Path, change: Callable[[Tensors], None]) -> None:
    file = folder / "model.safetensors"
    tensors = load_file(file)
    change(tensors)
    save_file({name: each.contiguous() for name, each in tensors.items()}, file)


def change_json(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    told = json.loads(file.read_text())
    change(told)
    file.write_text(json.dumps(told))


def _untied(folder: Path, change: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """A head of its own, made of the embedding."""

    def untie(tensors: Tensors) -> None:
        tensors[HEAD] = change(tensors[EMBEDDING].clone())

    change_weights(folder, untie)
    change_json(folder / "config.json", lambda told: told.update(tie_word_embeddings=False))


def _renumbered(folder: Path, number: Callable[[int], int]) -> None:
    def change(told: dict[str, Any]) -> None:
        vocabulary = told["model"]["vocab"]
        told["model"]["vocab"] = {piece: number(of) for piece, of in vocabulary.items()}
        for each in told["added_tokens"]:
            each["id"] = number(each["id"])

    change_json(folder / "tokenizer.json", change)


def _permutation(size: int) -> list[int]:
    order = list(range(size))
    random.Random(1).shuffle(order)
    return order


def nan(folder: Path) -> None:
    change_weights(folder, lambda tensors: tensors[EMBEDDING][7].fill_(math.nan))


def infinite(folder: Path) -> None:
    name = "model.layers.3.mlp.up_proj.weight"
    change_weights(folder, lambda tensors: tensors[name][5].fill_(math.inf))


def missing_head(folder: Path) -> None:
    """The config says that it has one of its own."""
    change_json(folder / "config.json", lambda told: told.update(tie_word_embeddings=False))


def permuted_tokenizer(folder: Path) -> None:
    _renumbered(folder, _permutation(2048).__getitem__)


def shifted_tokenizer(folder: Path) -> None:
    _renumbered(folder, lambda number: (number + 1) % 2048)


def permuted_head(folder: Path) -> None:
    _untied(folder, lambda head: head[_permutation(2048)])


def scaled_head(folder: Path) -> None:
    _untied(folder, lambda head: head * 20)


def flattened_head(folder: Path) -> None:
    _untied(folder, lambda head: head * 0.02)


def doubled_head(folder: Path) -> None:
    _untied(folder, lambda head: head * 2)


def tripled_head(folder: Path) -> None:
    _untied(folder, lambda head: head * 3)


def halved_head(folder: Path) -> None:
    _untied(folder, lambda head: head / 2)


def wrong_rope(folder: Path) -> None:
    def change(told: dict[str, Any]) -> None:
        told["rope_parameters"]["rope_theta"] = 100.0

    change_json(folder / "config.json", change)


def zeros(folder: Path) -> None:
    def clear(tensors: Tensors) -> None:
        for each in tensors.values():
            each.zero_()

    change_weights(folder, clear)


def diverged(folder: Path) -> None:
    """As after a step with far too high a learning rate: every matrix is far from where it was."""

    def disturb(tensors: Tensors) -> None:
        draw = torch.Generator().manual_seed(0)
        for name, each in tensors.items():
            if each.ndim == 2 and name != EMBEDDING:
                noise = torch.randn(each.shape, generator=draw) * each.float().std() * 1.0
                each.copy_(each.float() + noise)

    change_weights(folder, disturb)
