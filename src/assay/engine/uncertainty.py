"""How unsure a model was of what it wrote: token ids in, one number out."""

import math
from collections.abc import Sequence

import torch

from assay.engine.layout.packing import PackedRow, pack
from assay.engine.network import Network, own_logits


@torch.inference_mode()
def mean_entropy(network: Network, prompt: Sequence[int], written: Sequence[int]) -> float | None:
    """In nats, of the choices at each written token, at temperature 1; None where no number."""
    if not prompt or not written:
        return None
    tokens = [*prompt, *written][:-1]
    if network.serves_trees:
        hidden = network.hidden(pack([PackedRow(None, tokens)], {}, network.device))
        logits = network.logits(hidden[len(prompt) - 1 :])
    else:
        logits = own_logits(network, tokens)[len(prompt) - 1 :].float()
    entropy = torch.special.entr(logits.softmax(-1)).sum(-1).mean().item()
    return entropy if math.isfinite(entropy) else None
