"""`PATH` or `hf:PATH`: checkpoints on this machine's disk.

`model` is the Model; the rest in the order it needs them:

    folder, files               what belongs to a checkpoint, and its small files
    skeleton, weights, vocabulary   the model its config describes, without weights; whether the
                                files and the tokenizer fit it
    fingerprint, facts, size_class  what stands for it in every request id; what is known of it
    loading                     weights on a device, ready for the engine
    tokenizer, tokenizer_file   texts and token ids
    prompts                     a conversation as the text to be continued
    encoding, pieces, remembered    prompts, choices and texts as token ids; each piece once
    answering, stopping, reading    requests through the engine and back to replies
    speed                       tokens a second in a process of its own
    shipped                     where the tiny checkpoints lie that ship
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
