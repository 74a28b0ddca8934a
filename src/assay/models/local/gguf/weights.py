"""The tensors of a GGUF file as numbers: dequantised exactly as they are stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.gguf.families import (
    EMBEDDINGS,
    HEAD,
    ROPE_FACTORS,
    family_of,
    names_in,
)
from assay.models.local.gguf.header import GgufHeader, damaged, read_gguf
from assay.models.local.gguf.numbers import numbers_of, readable_kinds
from assay.models.local.loading.skeleton import config_of, skeleton_of
from assay.models.local.loading.tensors import FLOATS, Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.engine.rounding import Rounding
    from assay.models.local.folder import Checkpoint


def tensors_of(checkpoint: Checkpoint) -> dict[str, Tensor]:
    """As `weight_files` has those of other files. Number types that cannot be read are refused."""
    header = read_gguf(checkpoint.path)
    lacking = sorted({each.kind for each in header.tensors.values()} - readable_kinds())
    if lacking:
        raise ModelUnavailable(
            tr("{path} holds tensors of type {names}, which the installed gguf cannot read",
               path=header.path, names=", ".join(lacking)),
            hint=tr("a newer version may: pip install -U gguf; or take a file of another type, "
                    "such as Q4_K_M or Q8_0"),
        )  # fmt: skip
    found = {}
    for name, to in names_in(header):
        told = header.tensors[name]
        kind = FLOATS.get(told.kind, told.kind)
        found[to] = Tensor(kind, told.shape, told.bytes, header.path)
    return found


def load_gguf(checkpoint: Checkpoint, dtype: Any) -> tuple[Any, dict[str, Any]]:
    """The model, and what transformers found out while loading it."""
    header = read_gguf(checkpoint.path)
    skeleton = skeleton_of(checkpoint)
    model, info = type(skeleton).from_pretrained(
        None,
        config=config_of(checkpoint),
        state_dict=_state(header, checkpoint.config, dtype),
        dtype=dtype,
        ignore_mismatched_sizes=True,
        output_loading_info=True,
    )
    if ROPE_FACTORS in header.tensors:
        _divide_frequencies(header, model.base_model.rotary_emb)
    return model, info


def roundings_in(checkpoint: Checkpoint) -> dict[str, Rounding]:
    """How llama.cpp rounds what each layer is given, by the block of the layer's weights: K-quants
    and their kin have 256, simple types fewer. Embeddings are looked up, unless they are the head.
    """
    from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

    from assay.engine.rounding import Q8_0, Q8_K

    header = read_gguf(checkpoint.path)
    found = {}
    for name, to in names_in(header):
        block, _ = GGML_QUANT_SIZES[GGMLQuantizationType[header.tensors[name].kind]]
        if name == EMBEDDINGS:
            to = "" if HEAD in header.tensors else "lm_head.weight"
        if block > 1 and to:
            found[to.removesuffix(".weight")] = Q8_K if block == Q8_K.block else Q8_0
    return found


def _state(header: GgufHeader, config: Mapping[str, Any], dtype: Any) -> dict[str, Any]:
    import torch

    family = family_of(header)
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    found = {}
    for name, to in names_in(header):
        numbers = numbers_of(header, name)
        part = name.split(".")[-2]
        if part in family.reordered:
            numbers = _neighbours_apart(numbers, heads[part])
        elif part.endswith("norm") and family.above:
            numbers = numbers - np.float32(family.above)
        found[to] = torch.from_numpy(numbers).to(dtype)
    return found


def _neighbours_apart(rows: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """From pairs that lie side by side to halves of a head, as transformers turns them."""
    paired = rows.reshape(heads, -1, 2, *rows.shape[1:])
    return np.ascontiguousarray(paired.swapaxes(1, 2)).reshape(rows.shape)


def _divide_frequencies(header: GgufHeader, table: Any) -> None:
    """Llama 3.1 and later: the rotary table is part of the weights."""
    import torch

    factors = torch.from_numpy(numbers_of(header, ROPE_FACTORS))
    if factors.shape != table.inv_freq.shape or not bool((factors > 0).all()):
        raise damaged(header.path, tr("{name} does not fit", name=ROPE_FACTORS))
    for name in ("inv_freq", "original_inv_freq"):
        setattr(table, name, getattr(table, name) / factors)
