"""Puts a checkpoint on a device, as a Network whose weights are whole and finite."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.errors import ModelUnavailable, UsageError
from assay.machine import available_memory
from assay.messages import tr, trn
from assay.models.local.adapter import Adapter, is_turned
from assay.models.local.folder import Checkpoint
from assay.models.local.loading.skeleton import (
    as_refusals,
    config_of,
    context_length_of,
    quiet,
    require_extra,
    shape_of,
    skeleton_of,
)
from assay.models.local.loading.tensors import Tensors
from assay.models.local.loading.weight_files import (
    check_layers,
    check_loaded,
    main_dtype,
    tensors_in,
)
from assay.text.number_format import fixed

if TYPE_CHECKING:
    from torch import Tensor

    from assay.engine.network import Network


DTYPES = {"float32": 4, "bfloat16": 2, "float16": 2}  # bytes a number takes
_SHORT = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
# Beside the weights: activations of one batch, and what torch holds for itself.
SLACK_SHARE = 0.1
SLACK_BYTES = 128 * 2**20


@dataclass(frozen=True, slots=True)
class Examined:
    parameters: int  # tied ones once
    context_length: int
    vocabulary: int
    dtype_on_disk: str
    bytes_on_disk: int
    shape: str
    tensors: Tensors


def examine(checkpoint: Checkpoint) -> Examined:
    tensors = tensors_in(checkpoint)
    check_layers(checkpoint, tensors)
    skeleton = skeleton_of(checkpoint)
    context_length = context_length_of(skeleton.config, checkpoint)
    return Examined(
        parameters=sum(parameter.numel() for parameter in skeleton.parameters()),
        context_length=context_length,
        vocabulary=int(skeleton.get_input_embeddings().weight.shape[0]),
        dtype_on_disk=main_dtype(tensors),
        bytes_on_disk=sum(tensor.bytes for tensor in tensors.values()),
        shape=shape_of(skeleton, context_length),
        tensors=tensors,
    )


def choose_device(wanted: str | None = None) -> str:
    require_extra()
    import torch

    with quiet():
        cards = torch.cuda.device_count() if torch.cuda.is_available() else 0
        has_mps = torch.backends.mps.is_available()
    known = ["cpu", *["mps"] * has_mps, *["cuda"] * bool(cards)]
    if wanted is None or wanted == "auto":
        return "cuda" if cards else known[-1]
    known += [f"cuda:{number}" for number in range(cards)]
    if wanted not in known:
        raise UsageError(
            tr("there is no device {name!r} on this machine", name=wanted),
            hint=tr("--device takes auto, {known}", known=", ".join(known)),
        )
    return wanted


def choose_dtype(wanted: str | None, device: str, on_disk: str) -> str:
    """fp32 on a CPU, else the checkpoint's own; without bf16 fp32: fp16 cannot hold it."""
    if wanted is not None and wanted != "auto":
        name = _SHORT.get(wanted, wanted)
        if name not in DTYPES:
            raise UsageError(
                tr("there is no number type {name!r}", name=wanted),
                hint=tr("--dtype takes auto, {known}", known=", ".join(DTYPES)),
            )
        return name
    if device == "cpu" or on_disk not in DTYPES:
        return "float32"
    return "float32" if on_disk == "bfloat16" and not _has_bfloat16(device) else on_disk


def _has_bfloat16(device: str) -> bool:
    import torch

    with quiet():
        if device.startswith("cuda"):
            with torch.cuda.device(device):
                return bool(torch.cuda.is_bf16_supported(including_emulation=False))
        try:
            torch.ones(2, dtype=torch.bfloat16, device=device).sum()
        except (TypeError, RuntimeError):  # macOS before 14
            return False
    return True


def load(
    checkpoint: Checkpoint, device: str, dtype: str, *, examined: Examined | None = None
) -> Network:
    examined = examined or examine(checkpoint)
    check_memory(checkpoint, examined.parameters, device, dtype)
    import torch

    from assay.engine.network import NotFinite, make_ready

    with quiet(), as_refusals(checkpoint, tr("its weights could not be read")):
        try:
            model, info = _from_files(checkpoint, dtype)
        except (MemoryError, torch.OutOfMemoryError) as error:
            raise _too_large(checkpoint, examined.parameters, dtype) from error
    check_loaded(checkpoint, examined.tensors, info, model)
    check_finite(checkpoint, examined, model, dtype)
    with quiet(), as_refusals(checkpoint, tr("{device} could not take it", device=device)):
        try:
            model = model.requires_grad_(False).to(device)
            network = make_ready(model, context_length=examined.context_length)
        except NotFinite as error:
            raise _answers_not_finite(checkpoint, dtype) from error
        except (MemoryError, torch.OutOfMemoryError) as error:
            raise _too_large(checkpoint, examined.parameters, dtype) from error
    if checkpoint.is_gguf:
        from assay.engine.rounding import round_inputs
        from assay.models.local.gguf.weights import roundings_in

        round_inputs(network, roundings_in(checkpoint))
    return network


def refill(
    network: Network, checkpoint: Checkpoint, examined: Examined, dtype: str
) -> Network | None:
    """A network of an equal config with this checkpoint's weights in the place of its own; None
    where the files do not hold exactly its weights by their names, or it must be made anew. After
    a None or an error the network is of no use.
    """
    from assay.engine.network import NotFinite, made_ready_again

    weights = dict(network.model.named_parameters())  # tied ones once
    names = {*weights} if checkpoint.is_safetensors and not checkpoint.is_gguf else set()
    if not names or names != {*examined.tensors} or not network.serves_trees:
        return None
    if any(tuple(weights[name].shape) != each.shape for name, each in examined.tensors.items()):
        return None
    from safetensors import safe_open

    with quiet(), as_refusals(checkpoint, tr("its weights could not be read")):
        for path in checkpoint.weight_files:
            with safe_open(path, framework="pt") as file:
                for name in file.keys():  # noqa: SIM118
                    weights[name].data.copy_(file.get_tensor(name))
        check_finite(checkpoint, examined, network.model, dtype)
        try:
            return made_ready_again(network)
        except NotFinite as error:
            raise _answers_not_finite(checkpoint, dtype) from error


def _from_files(checkpoint: Checkpoint, dtype: str) -> tuple[Any, Any]:
    """Mismatches are not left to transformers, which tells of them in its log only."""
    import torch
    from transformers import AutoModelForCausalLM

    if checkpoint.is_gguf:
        from assay.models.local.gguf.weights import load_gguf

        return load_gguf(checkpoint, getattr(torch, dtype))
    auto: Any = AutoModelForCausalLM
    model, info = auto.from_pretrained(
        str(checkpoint.path.absolute()),
        config=config_of(checkpoint),
        dtype=getattr(torch, dtype),
        local_files_only=True,
        use_safetensors=checkpoint.is_safetensors,
        weights_only=True,
        trust_remote_code=checkpoint.trust_remote_code,
        ignore_mismatched_sizes=True,
        output_loading_info=True,
    )
    return model, info


def _answers_not_finite(checkpoint: Checkpoint, dtype: str) -> ModelUnavailable:
    """All weights are finite, and what they compute is not."""
    return ModelUnavailable(
        tr("{path} answers with NaN or infinity in {dtype}", path=checkpoint.path, dtype=dtype),
        hint=_remedy_for_infinity(dtype),
    )


def check_memory(checkpoint: Checkpoint, parameters: int, device: str, dtype: str) -> None:
    """Weights are read into the computer's memory first, whatever the device."""
    free = [available_memory()]
    if device.startswith("cuda"):
        import torch

        free.append(torch.cuda.mem_get_info(torch.device(device))[0])
    least = min((each for each in free if each), default=0)  # 0: it could not be found out
    if least and _bytes_needed(parameters, dtype) > least:
        raise _too_large(checkpoint, parameters, dtype, least)


def _bytes_needed(parameters: int, dtype: str) -> int:
    return int(parameters * DTYPES[dtype] * (1 + SLACK_SHARE)) + SLACK_BYTES


def _too_large(
    checkpoint: Checkpoint, parameters: int, dtype: str, free: int | None = None
) -> ModelUnavailable:
    halve = tr("--dtype bfloat16 takes half of it; or ") if DTYPES[dtype] == 4 else ""
    return ModelUnavailable(
        tr(
            "{path} needs about {needed} GB of memory in {dtype}, and {free} GB are free",
            path=checkpoint.path,
            needed=fixed(_bytes_needed(parameters, dtype) / 1e9, 1),
            dtype=dtype,
            free=fixed((available_memory() if free is None else free) / 1e9, 1),
        ),
        hint=halve + tr("name another --device, end other programs, or take a smaller model"),
    )


def check_finite(checkpoint: Checkpoint, examined: Examined, model: Any, dtype: str) -> None:
    import torch

    for name, weight in model.named_parameters():
        # A sum is finite where all numbers are, and takes no memory; one that overflowed is no
        # proof, and the slower way decides.
        if math.isfinite(weight.detach().sum(dtype=torch.float32).item()):
            continue
        wrong = int((~torch.isfinite(weight.detach())).sum().item())
        if wrong:
            raise _not_finite(checkpoint, examined, name, wrong, dtype)


def _remedy_for_infinity(dtype: str) -> str:
    if dtype == "float16":
        return tr("float16 may be too narrow for this model: try --dtype float32")
    return tr("training has diverged or a file is damaged: take an earlier checkpoint")


def _not_finite(
    checkpoint: Checkpoint, examined: Examined, name: str, wrong: int, dtype: str
) -> ModelUnavailable:
    bare = re.sub(r"^[^.]+\.", "", name)
    stored = examined.tensors.get(name) or examined.tensors.get(bare)
    what = trn(
        "{file} holds {count} value in {name} that is infinite or not a number",
        "{file} holds {count} values in {name} that are infinite or not numbers",
        wrong,
        file=stored.file if stored else checkpoint.path,
        name=name,
    )
    on_disk = examined.dtype_on_disk
    return ModelUnavailable(what, hint=_remedy_for_infinity("" if dtype == on_disk else dtype))


def merge_adapter(
    network: Network, adapter: Adapter, checkpoint: Checkpoint, examined: Examined, dtype: str
) -> tuple[Network, dict[str, Tensor]]:
    """And the weights before, for `exchange_weights`. Where it raises, the network is of no use."""
    blamed = replace(checkpoint, path=adapter.path)  # the base by itself was whole
    with as_refusals(blamed, tr("the adapter could not be merged")):
        network, before = exchange_weights(network, _merged_weights(network, adapter))
        check_finite(blamed, replace(examined, tensors={}), network.model, dtype)
        return network, before


def _merged_weights(network: Network, adapter: Adapter) -> dict[str, Tensor]:
    import torch
    from safetensors.torch import load_file

    matrices = {
        name.removeprefix("base_model.model.").removesuffix(".weight"): each.float()
        for name, each in load_file(adapter.file, device=str(network.model.device)).items()
    }
    found = {}
    for name, (rank, alpha) in adapter.layers.items():
        scale = alpha / (math.sqrt(rank) if adapter.config.get("use_rslora") else rank)
        layer = network.model.get_submodule(name)
        turned = is_turned(layer)
        weight = (layer.weight.T if turned else layer.weight).float()
        a, b = matrices[f"{name}.lora_A"], matrices[f"{name}.lora_B"]
        merged = torch.addmm(weight, b, a, alpha=scale)
        if adapter.config.get("use_dora"):
            lengths = matrices[f"{name}.lora_magnitude_vector"] / merged.norm(dim=1)
            merged *= lengths[:, None]
        found[name] = (merged.T if turned else merged).to(layer.weight.dtype).contiguous()
    return found


def exchange_weights(
    network: Network, weights: dict[str, Tensor]
) -> tuple[Network, dict[str, Tensor]]:
    """With other weights in some layers, and those they had; a padded head is left behind."""
    before = {}
    for name, weight in weights.items():
        layer = network.model.get_submodule(name)
        before[name], layer.weight.data = layer.weight.data, weight
    return replace(network, _padded=None), before
