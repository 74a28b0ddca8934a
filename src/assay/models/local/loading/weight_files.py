"""The tensors in a checkpoint's files, compared with those its config asks for."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from assay.errors import AssayError, ModelUnavailable, raise_all, tried
from assay.messages import tr
from assay.models.local.folder import Checkpoint
from assay.models.local.loading.skeleton import (
    as_refusals,
    quiet,
    reason,
    require_extra,
    skeleton_of,
)
from assay.models.local.loading.tensors import FLOATS, Tensor, Tensors

NAMED = 5

_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers")
# Causal masks and rotary tables that older versions of transformers saved with the weights.
_TABLES = ("inv_freq", "masked_bias")


def tensors_in(checkpoint: Checkpoint) -> Tensors:
    if checkpoint.is_gguf:
        from assay.models.local.gguf.weights import tensors_of

        return tensors_of(checkpoint)
    found: dict[str, Tensor] = {}
    mistakes: list[AssayError] = []
    read = read_header if checkpoint.is_safetensors else partial(_unpickled, checkpoint)
    for file in checkpoint.weight_files:
        for tensors in tried(mistakes, read, file):
            found |= tensors
    raise_all(mistakes)
    return found


def main_dtype(tensors: Tensors) -> str:
    sizes: Counter[str] = Counter(float32=0)
    for tensor in tensors.values():
        if "float" in tensor.dtype:
            sizes[tensor.dtype] += tensor.bytes
    return sizes.most_common(1)[0][0]


def read_header(path: Path) -> dict[str, Tensor]:
    require_extra()
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as file:
            return {name: _described(file.get_slice(name), path) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        why = error.strerror or str(error) if isinstance(error, OSError) else reason(error)
        raise _refused_file(path, why) from error


def _described(tensor: Any, path: Path) -> Tensor:
    dtype, shape = tensor.get_dtype(), tuple(tensor.get_shape())
    bits = re.search(r"\d+", dtype)  # BOOL has none, and takes a byte
    size = math.prod(shape) * int(bits.group() if bits else 8) // 8
    return Tensor(FLOATS.get(dtype, dtype), shape, size, path)


def _refused_file(path: Path, why: str) -> ModelUnavailable:
    return ModelUnavailable(
        tr("the weight file {path} is damaged: {why}", path=path, why=why),
        hint=tr("copy or save the file again; a checkpoint may still be being written"),
    )


def _unpickled(checkpoint: Checkpoint, path: Path) -> dict[str, Tensor]:
    """Only tensors are taken from a pickle: any other object in it is refused, not made."""
    require_extra()
    import torch

    with quiet(), as_refusals(checkpoint, tr("{file} is not a file of weights", file=path.name)):
        found = torch.load(path, map_location="meta", weights_only=True)
    if not isinstance(found, dict) or not found:
        raise _refused_file(path, tr("it holds no tensors under names"))
    kept = {}
    for name, tensor in found.items():
        if not isinstance(name, str) or not isinstance(tensor, torch.Tensor):
            raise _refused_file(path, tr("{name!r} is no tensor", name=name))
        dtype = str(tensor.dtype).removeprefix("torch.")
        kept[name] = Tensor(dtype, tuple(tensor.shape), tensor.nbytes, path)
    return kept


def check_layers(checkpoint: Checkpoint, tensors: Tensors) -> None:
    """More layers than tensors, or none, are refused before the model is built."""
    nested = checkpoint.config.get("text_config")
    for config in (checkpoint.config, nested if isinstance(nested, dict) else {}):
        for key in _LAYERS:
            layers = config.get(key)
            if isinstance(layers, int) and not 1 <= layers <= len(tensors):
                raise _mismatch(
                    checkpoint,
                    tr("config.json asks for {layers} layers, and the files hold {count} tensors",
                       layers=layers, count=len(tensors)),
                )  # fmt: skip


def check_shapes(checkpoint: Checkpoint, tensors: Tensors) -> None:
    """Of the tensors that have the model's own names; the others are looked at when loaded."""
    if checkpoint.is_gguf:
        return
    wanted = skeleton_of(checkpoint).state_dict()
    wrong = [
        _wrong_shape(name, tensor.shape, wanted[name].shape)
        for name, tensor in sorted(tensors.items())
        if name in wanted and tensor.shape != tuple(wanted[name].shape)
    ]
    if wrong:
        raise _mismatch(checkpoint, _listed(wrong))


def check_loaded(
    checkpoint: Checkpoint, tensors: Tensors, info: Mapping[str, Any], model: Any
) -> None:
    """Tensors without a place are an error where the model has their part."""
    mistakes: list[AssayError] = []
    wrong = [
        _wrong_shape(name, found, wanted) for name, found, wanted in sorted(info["mismatched_keys"])
    ]
    if wrong:
        mistakes.append(_mismatch(checkpoint, _listed(wrong)))
    if info["missing_keys"]:
        what = tr("the files lack tensors of the model: {names}",
                  names=_listed(sorted(info["missing_keys"])))  # fmt: skip
        mistakes.append(_mismatch(checkpoint, what))
    modules = {_without_numbers(name) for name, _ in model.named_modules() if name}
    forgotten = [
        name
        for name in sorted(info["unexpected_keys"])
        if _without_numbers(name.rpartition(".")[0]) in modules and _has_numbers(name, tensors)
    ]
    if forgotten:
        what = tr("config.json has no place for {names}", names=_listed(forgotten))
        mistakes.append(_mismatch(checkpoint, what))
    raise_all(mistakes)


def _wrong_shape(name: str, found: Iterable[int], wanted: Iterable[int]) -> str:
    return tr(
        "{name} has the shape {found}, and config.json asks for {wanted}",
        name=name,
        found=_shape(found),
        wanted=_shape(wanted),
    )


def _has_numbers(name: str, tensors: Tensors) -> bool:
    """Whether a tensor can be weights, rather than a table computed from the config."""
    if name.endswith(_TABLES):
        return False
    tensor = tensors.get(name)
    is_mask = tensor is not None and len(tensor.shape) == 4 and tensor.shape[:2] == (1, 1)
    return not (is_mask and name.endswith(".bias"))


def _without_numbers(name: str) -> str:
    return re.sub(r"(?<![^.])\d+(?![^.])", "*", name)


def _shape(shape: Iterable[int]) -> str:
    return "×".join(map(str, shape)) or "1"


def _listed(names: list[str]) -> str:
    shown = "; ".join(names[:NAMED])
    more = len(names) - NAMED
    return shown if more <= 0 else tr("{shown}; and {count} more", shown=shown, count=more)


def _mismatch(checkpoint: Checkpoint, what: str) -> ModelUnavailable:
    return ModelUnavailable(
        tr("the weights in {path} do not fit its config.json: {what}",
           path=checkpoint.path, what=what),
        hint=tr("copy config.json and the weights from the same checkpoint"),
    )  # fmt: skip
