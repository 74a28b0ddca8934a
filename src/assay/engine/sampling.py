"""Chooses the next token of each row. Step n of a seed is the n-th number of a counter-based
generator (Philox), so that neither the batch nor its order changes a text.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from assay.engine.network import NotFinite

_NUMBERS_AT_ONCE = 64
_NOT_FINITE = -1


class Dice:
    """The numbers of one seed, by step. Temperature 0 takes the likeliest token."""

    def __init__(self, temperature: float = 0.0, seed: int = 0) -> None:
        self.temperature, self.seed = temperature, seed
        self._numbers: list[float] = []
        self._source: np.random.Generator | None = None

    def number(self, step: int) -> float:
        """In [0, 1), the same however often and in whatever order steps are asked for."""
        if self._source is None:
            self._source = np.random.Generator(np.random.Philox(self.seed % 2**64))
        while step >= len(self._numbers):
            self._numbers += self._source.random(_NUMBERS_AT_ONCE).tolist()
        return self._numbers[step]


@torch.inference_mode()
def draw(logits: Tensor, rows: Sequence[tuple[Dice, int]]) -> list[int]:
    """Raises NotFinite with the number of the first row whose logits are not all numbers."""
    # A sum over a vocabulary is finite if and only if every logit is, up to 1e33 each.
    finite = logits.sum(-1).isfinite()
    chosen = logits.argmax(-1)
    drawn = [number for number, (dice, _) in enumerate(rows) if dice.temperature > 0]
    if drawn:
        at = torch.tensor(drawn, device=logits.device)
        chosen[at] = _by_chance(logits[at], [rows[number] for number in drawn])
    tokens: list[int] = chosen.where(finite, _NOT_FINITE).tolist()
    if _NOT_FINITE in tokens:
        raise NotFinite(tokens.index(_NOT_FINITE))
    return tokens


def _by_chance(logits: Tensor, rows: Sequence[tuple[Dice, int]]) -> Tensor:
    wide = torch.float32 if logits.device.type == "mps" else torch.float64
    # One too small for the number type would be 0, and 0 / 0 is no number.
    least = torch.finfo(logits.dtype).tiny
    temperature = logits.new_tensor([max(dice.temperature, least) for dice, _ in rows])
    # The largest is taken off before dividing, so that no temperature is too low.
    weights = ((logits - logits.amax(-1, keepdim=True)) / temperature[:, None]).exp()
    up_to = weights.cumsum(-1, dtype=wide)
    numbers = torch.tensor([dice.number(step) for dice, step in rows], dtype=wide)
    # A number just below 1 times the whole may round up to the whole, which no token lies behind.
    below = up_to[:, -1] * (1 - torch.finfo(wide).eps)
    share = (numbers.to(logits.device) * up_to[:, -1]).minimum(below)
    return torch.searchsorted(up_to, share[:, None], right=True)[:, 0]
