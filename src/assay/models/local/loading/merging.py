"""A LoRA adapter merged into its base's weights, as peft does it, and taken out to the bit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.messages import tr
from assay.models.local.adapter import Adapter, is_turned
from assay.models.local.folder import Checkpoint
from assay.models.local.loading.checkpoint import Examined, check_finite
from assay.models.local.loading.skeleton import as_refusals

if TYPE_CHECKING:
    from torch import Tensor

    from assay.engine.network import Network


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
