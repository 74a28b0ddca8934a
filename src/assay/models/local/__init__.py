"""`PATH` or `hf:PATH`: checkpoints on this machine's disk.

folder               what belongs to a checkpoint, and its small files
facts                what is known of it, and what stands for it in every request id
loading              whether files, config and tokenizer fit; weights on a device
tokens               texts as token ids
answering, stopping  requests through the engine and back to replies
speed                tokens a second, in a process of its own
model                all of it as a Model
"""

from __future__ import annotations

from pathlib import Path

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.plugins import model
from assay.types import Model
from assay.types.model_spec import without_secrets
from assay.types.options import LocalOptions


@model("hf")
def open_checkpoint(name: str, *, spec: str, local: LocalOptions) -> Model:
    """A folder with config.json and weights."""
    if not Path(name).exists():
        raise ModelUnavailable(
            tr("there is no folder {path!r}", path=without_secrets(name)),
            hint=tr(
                "for a model of Ollama write ollama:{name}, for another server openai:NAME@URL; "
                "a scheme of your own needs --plugin FILE",
                name=without_secrets(name),
            ),
        )
    from assay.models.local.model import LocalModel

    return LocalModel(Path(name), spec=spec, settings=local)
