"""A LoRA adapter and its base. Layers and ranks are read from names and shapes of the tensors, so
that no pattern of a stranger is run and no module named in a config is imported.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.errors import ModelUnavailable, raise_all
from assay.messages import tr
from assay.models.local.finding import find_checkpoint
from assay.models.local.folder import (
    ADAPTER,
    ADAPTER_CONFIG,
    CONFIG_BYTES,
    Checkpoint,
    has_tokenizer,
    read_object,
)
from assay.models.local.hub import fetch_model, read_hub_spec
from assay.models.local.loading.skeleton import skeleton_of
from assay.models.local.loading.tensors import Tensors
from assay.models.local.loading.weight_files import NAMED, read_header
from assay.types.options import LocalOptions

_TENSOR = re.compile(
    r"base_model\.model\.(?P<layer>.+)\.(?P<part>lora_A|lora_B|lora_magnitude_vector)(?:\.weight)?"
)
_PLAIN_NAME = re.compile(r"[\w.]+", re.ASCII)
# Values that leave the base as it is; of other keys, none, false and empty ones do.
_HARMLESS: Mapping[str, tuple[object, ...]] = {
    "init_lora_weights": (True, False, "gaussian", "orthogonal"),
    "bias": ("none",),
    "megatron_core": ("megatron.core",),  # imported only with a megatron_config
}
# What is read, or says nothing about the sum of base and adapter.
_KNOWN = frozenset(
    {
        "alpha_pattern", "auto_mapping", "base_model_name_or_path", "ensure_weight_tying",
        "exclude_modules", "fan_in_fan_out", "inference_mode", "layers_pattern",
        "layers_to_transform", "lora_alpha", "lora_dropout", "peft_type", "peft_version",
        "qalora_group_size", "r", "rank_pattern", "revision", "target_modules", "task_type",
        "use_dora", "use_rslora",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """`layers`: rank and alpha of those that it changes, by their names in the base."""

    path: Path
    config: Mapping[str, Any]
    base: str
    layers: Mapping[str, tuple[int, float]]

    @property
    def file(self) -> Path:
        return self.path / ADAPTER


def is_adapter(path: Path) -> bool:
    return (path / ADAPTER_CONFIG).is_file()


def find_base(path: Path, named: str | None) -> str:
    config = read_object(path / ADAPTER_CONFIG, CONFIG_BYTES)
    base = named or config.get("base_model_name_or_path")
    revision = None if named else config.get("revision")
    if isinstance(base, str) and base:
        if Path(base).is_dir():
            return base
        spec = base if base.startswith("hf:") else f"hf:{base}"
        spec += f"@{revision}" if isinstance(revision, str) and revision else ""
        if read_hub_spec(spec):
            return spec
    raise ModelUnavailable(
        tr("{path} is an adapter on the base model {base!r}, which is not here",
           path=path, base=base or ""),
        hint=tr("name the folder of its base, or its name on the hub: --base DIR_OR_HUB_ID"),
    )  # fmt: skip


def find_adapter(path: Path, settings: LocalOptions) -> tuple[Checkpoint, Adapter]:
    config = read_object(path / ADAPTER_CONFIG, CONFIG_BYTES)
    raise_all([_refused(path, why) for why in _mistakes(path, config)])
    tensors = read_header(path / ADAPTER)
    base = find_base(path, settings.base)
    folder = Path(base)
    if on_hub := read_hub_spec(base):
        folder = fetch_model(on_hub, observer=settings.observer)
    tokenizer = settings.tokenizer or (path if has_tokenizer(path) else None)
    checkpoint = find_checkpoint(
        folder, tokenizer=tokenizer, trust_remote_code=settings.trust_remote_code
    )
    adapter = Adapter(path=path, config=config, base=base, layers={})
    return checkpoint, replace(adapter, layers=_layers(adapter, tensors, checkpoint))


def _mistakes(path: Path, config: Mapping[str, Any]) -> Iterator[str]:
    if config.get("peft_type") != "LORA":
        yield tr("it is of the kind {kind!r}, not LORA", kind=config.get("peft_type"))
        return
    if not (path / ADAPTER).is_file():
        yield tr("it has no {file}; no other file of weights is read", file=ADAPTER)
    others = [
        key
        for key, value in config.items()
        if key not in _KNOWN and value not in _HARMLESS.get(key, (None, False, 0, "", [], {}))
    ]
    if others:
        yield tr("{file} asks for {keys}, which changes more than LoRA matrices do",
                 file=ADAPTER_CONFIG, keys=", ".join(sorted(others)[:NAMED]))  # fmt: skip
    classes = config.get("auto_mapping")
    library = classes.get("parent_library") if isinstance(classes, dict) else "transformers"
    if str(library).partition(".")[0] != "transformers":
        yield tr("it names Python code of its own, {name!r}", name=str(library))
    alphas = config.get("alpha_pattern") or {}
    if not isinstance(alphas, dict):
        alphas = {"": None}
    sizes = [config.get("lora_alpha"), *alphas.values()]
    if not all(isinstance(each, int | float) and each > 0 for each in sizes):
        yield tr("{file} has no lora_alpha above 0", file=ADAPTER_CONFIG)
    if not all(_PLAIN_NAME.fullmatch(str(key)) for key in alphas):
        yield tr("alpha_pattern holds patterns; only names of layers are read")


def _layers(
    adapter: Adapter, tensors: Tensors, checkpoint: Checkpoint
) -> dict[str, tuple[int, float]]:
    """Compared with the base, before anything large is read."""
    matrices: dict[str, dict[str, tuple[int, ...]]] = {}
    for name, tensor in tensors.items():
        found = _TENSOR.fullmatch(name)
        if found is None:
            raise _refused(adapter.path, tr("the tensor {name} is no LoRA matrix", name=name))
        matrices.setdefault(found["layer"], {})[found["part"]] = tensor.shape
    model = skeleton_of(checkpoint)
    modules = dict(model.named_modules())
    ends = (model.get_input_embeddings(), model.get_output_embeddings())
    tied = ends if ends[0].weight is ends[1].weight else ()
    layers = {}
    for name, parts in sorted(matrices.items()):
        weight = getattr(modules.get(name), "weight", None)
        a, b = parts.get("lora_A", ()), parts.get("lora_B", ())
        if modules.get(name) in tied:
            why = tr("it changes {name}, which its base uses at both ends", name=name)
            raise _refused(adapter.path, why)
        if weight is None or len(a) != 2 or len(b) != 2 or a[0] != b[1] or not a[0]:
            raise _misfit(adapter, name, tr("the base has no such layer, or a matrix is missing"))
        shape = tuple(reversed(weight.shape) if is_turned(modules[name]) else weight.shape)
        if shape != (b[0], a[1]):
            what = tr("it is {found} there, and {wanted} in the base",
                      found=f"{b[0]}×{a[1]}", wanted="×".join(map(str, shape)))  # fmt: skip
            raise _misfit(adapter, name, what)
        layers[name] = a[0], _alpha(adapter.config, name)
    if not layers:
        raise _refused(adapter.path, tr("{file} holds no matrix", file=ADAPTER))
    return layers


def _alpha(config: Mapping[str, Any], layer: str) -> float:
    patterns: Mapping[str, float] = config.get("alpha_pattern") or {}
    named = (alpha for name, alpha in patterns.items() if f".{layer}".endswith(f".{name}"))
    return float(next(named, config["lora_alpha"]))


def is_turned(layer: object) -> bool:
    """GPT-2 keeps its weights transposed."""
    return type(layer).__name__ == "Conv1D"


def _misfit(adapter: Adapter, layer: str, what: str) -> ModelUnavailable:
    return ModelUnavailable(
        tr("{path} does not fit its base {base}: {layer}: {what}",
           path=adapter.path, base=adapter.base, layer=layer, what=what),
        hint=tr("name the model that it was trained on: --base DIR_OR_HUB_ID"),
    )  # fmt: skip


def _refused(path: Path, why: str) -> ModelUnavailable:
    return ModelUnavailable(
        tr("the adapter {path} cannot be used: {why}", path=os.fspath(path), why=why),
        hint=tr(
            "merge it into its base model (peft: merge_and_unload(), then save_pretrained()) and "
            "name the folder of the result"
        ),
    )
