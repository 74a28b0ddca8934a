"""The inputs of matrix products in 8 bits: what ggml computes with where weights are quantised.

Which layer has which rounding is told from outside; weights and outputs stay as they are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from assay.engine.network import Network

LARGEST = 127


@dataclass(frozen=True, slots=True)
class Rounding:
    """Numbers of a block become whole multiples of a step, its largest divided by 127 (ggml's
    quantize_row_q8_0 and quantize_row_q8_K); the step is kept in a number type of its own.
    """

    name: str
    block: int
    step_type: torch.dtype

    def rounded(self, rows: Tensor) -> Tensor:
        blocks = rows.float().reshape(-1, self.block)
        steps = blocks.abs().amax(-1, keepdim=True).div_(LARGEST)
        counts = blocks.mul(steps.where(steps > 0, 1.0).reciprocal_()).round_()
        return counts.mul_(steps.to(self.step_type).float()).reshape(rows.shape).to(rows.dtype)


Q8_0 = Rounding("Q8_0", 32, torch.float16)
Q8_K = Rounding("Q8_K", 256, torch.float32)


def round_inputs(network: Network, roundings: Mapping[str, Rounding]) -> None:
    """Of the layers named. Done to a network that was compared with its model's own way before:
    sums in another order differ by a bit, and a bit may become a step.
    """
    once = {rounding: _for_neighbours(rounding) for rounding in roundings.values()}
    head = network.model.get_output_embeddings()
    for name, rounding in roundings.items():
        layer = network.model.get_submodule(name)
        layer.register_forward_pre_hook(once[rounding])
        if layer is head:
            network.head_input = rounding.rounded


def _for_neighbours(rounding: Rounding) -> Callable[[Any, tuple[Tensor]], tuple[Tensor]]:
    """Queries, keys and values have one input, gate and up another: rounded once for all of them,
    and let go of with it.
    """
    known: Any = WeakTensorKeyDictionary()

    def round_given(_layer: Any, given: tuple[Tensor]) -> tuple[Tensor]:
        if given[0] not in known:
            known[given[0]] = rounding.rounded(given[0])
        return (known[given[0]],)

    return round_given
