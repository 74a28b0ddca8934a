"""What is known of a checkpoint before it is asked anything, as ModelFacts."""

from __future__ import annotations

import os
import re
from pathlib import Path

from assay.messages import tr
from assay.models.local.fingerprint import fingerprint_of, tokenizer_of
from assay.models.local.folder import Checkpoint
from assay.models.local.loading.checkpoint import Examined, choose_dtype, examine
from assay.types import ModelFacts
from assay.types.decisions import size_class_of

# Names that say little without the folder they lie in.
_STEP = re.compile(
    r"(?:global[-_]?step|step|checkpoint|ckpt|iter|epoch)[-_]?\d.*|\d+|final|last|best",
    re.IGNORECASE,
)


def facts_of(
    checkpoint: Checkpoint,
    *,
    spec: str,
    device: str,
    dtype: str,
    examined: Examined | None = None,
) -> ModelFacts:
    """Reads all weight bytes once."""
    examined = examined or examine(checkpoint)
    return ModelFacts(
        spec=spec,
        name=name_of(checkpoint.path),
        fingerprint=fingerprint_of(checkpoint, dtype=dtype),
        capabilities=frozenset({"generate", "score_text"}),
        is_chat=checkpoint.chat_template is not None,
        parameters=examined.parameters,
        context_length=examined.context_length,
        vocabulary=examined.vocabulary,
        predicts_by="beam",
        tokenizer=tokenizer_of(checkpoint),
        shape=f"{examined.shape} {choose_dtype(None, 'cpu', examined.dtype_on_disk)}",
        about={
            "architecture": _architecture(checkpoint),
            "size": _size(examined.parameters),
            "weights on disk": f"{examined.dtype_on_disk}, {_bytes(examined.bytes_on_disk)}",
            "computed on": f"{_device(device)}, {dtype}",
            "prompts": tr("its chat template")
            if checkpoint.chat_template is not None
            else tr("plain text, as it has no chat template"),
        },
    )


def name_of(path: Path) -> str:
    """The folder's name; with that of its parent where it only says which step it is."""
    here = Path(os.path.abspath(path))
    if _STEP.fullmatch(here.name) and here.parent.name:
        return f"{here.parent.name}/{here.name}"
    return here.name or str(here)


def _architecture(checkpoint: Checkpoint) -> str:
    named = checkpoint.config.get("architectures")
    if isinstance(named, list) and named and isinstance(named[0], str):
        return named[0]
    return str(checkpoint.config["model_type"])


def _size(parameters: int) -> str:
    words = {"tiny": tr("tiny"), "small": tr("small"), "medium": tr("medium"), "large": tr("large")}
    name = words[size_class_of(parameters)]
    return tr("{parameters} parameters ({name})", parameters=in_short(parameters), name=name)


def in_short(count: int) -> str:
    """124 M for 124,439,808; three digits at most."""
    for unit, size in (("B", 10**9), ("M", 10**6), ("k", 10**3)):
        # 999,600 is 1 M, not 1000 k
        if count >= size * 0.9995:
            return f"{float(f'{count / size:.3g}'):g} {unit}"
    return str(count)


def _bytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def _device(device: str) -> str:
    if device == "cpu":
        return "CPU"
    if device == "mps":
        return "MPS"
    import torch

    return f"CUDA, {torch.cuda.get_device_name(torch.device(device))}"
