"""A LoRA adapter merged into the weights of its base, by peft, and taken out again to the bit.

The matrices are added to the weights, so that the engine computes a model like any other.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.adapter import Adapter
from assay.models.local.folder import Checkpoint
from assay.models.local.loading.checkpoint import Examined, check_finite
from assay.models.local.loading.skeleton import INSTALL, as_refusals, quiet

if TYPE_CHECKING:
    from torch import Tensor

    from assay.engine.network import Network


def merge_adapter(
    network: Network, adapter: Adapter, checkpoint: Checkpoint, examined: Examined, dtype: str
) -> tuple[Network, dict[str, Tensor]]:
    """The base with the adapter in it, and the weights that it had, for `restore_base`. Where this
    raises, the network is of no more use.
    """
    from safetensors.torch import load_file

    model = network.model
    before = {name: model.get_submodule(name).weight.data.clone() for name in adapter.layers}
    blamed = replace(checkpoint, path=adapter.path)  # the base by itself was whole
    with quiet(), as_refusals(blamed, tr("the adapter could not be merged")):
        try:
            peft: Any = importlib.import_module("peft")
        except ImportError as missing:
            raise ModelUnavailable(
                tr("to load an adapter Assay needs {packages}", packages="peft"),
                hint=tr("install them: {command}", command=INSTALL),
            ) from missing
        wrapped = peft.get_peft_model(model, _lora_config(peft, adapter))
        peft.set_peft_model_state_dict(wrapped, load_file(adapter.file, device="cpu"))
        wrapped.merge_and_unload()
        check_finite(blamed, replace(examined, tensors={}), model, dtype)
        return replace(network, _padded=None), before


def _lora_config(peft: Any, adapter: Adapter) -> Any:
    ranks = {re.escape(name): each.rank for name, each in adapter.layers.items()}
    alphas = {re.escape(name): each.alpha for name, each in adapter.layers.items()}
    return peft.LoraConfig(
        task_type="CAUSAL_LM",
        r=next(iter(ranks.values())),
        lora_alpha=next(iter(alphas.values())),
        rank_pattern=ranks if len(set(ranks.values())) > 1 else {},
        alpha_pattern=alphas if len(set(alphas.values())) > 1 else {},
        target_modules=list(adapter.layers),
        use_dora=bool(adapter.config.get("use_dora")),
        use_rslora=bool(adapter.config.get("use_rslora")),
        fan_in_fan_out=bool(adapter.config.get("fan_in_fan_out")),
        init_lora_weights=False,
        inference_mode=True,
    )


def restore_base(network: Network, before: dict[str, Tensor]) -> Network:
    """The same layers with other weights are computed the same way; only a padded head is left
    behind.
    """
    for name, weight in before.items():
        network.model.get_submodule(name).weight.data = weight
    return replace(network, _padded=None)
