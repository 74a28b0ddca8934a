"""The checkpoints that ship: a tiny model at three steps of one training run.

In: nothing. Out: their folders, by step.

    checkpoints/tiny/               the tokenizer of all three; README.md, how they fare
    checkpoints/tiny/step_NNNNNN/   config, weights, what is known of the training so far
"""

from __future__ import annotations

from pathlib import Path

SHIPPED = Path(__file__).resolve().parents[2] / "builtin" / "checkpoints" / "tiny"


def shipped_checkpoints(folder: Path = SHIPPED) -> tuple[Path, ...]:
    """The folder of each step, the first one first: names of one width sort by number."""
    return tuple(sorted(config.parent for config in folder.glob("step_*/config.json")))
