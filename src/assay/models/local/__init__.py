"""`PATH` or `hf:PATH`: checkpoints on this machine's disk; `hf:ORG/NAME`: models of the hub.

`folder`, `hub` and `adapter` find files, `loading` and `tokens` make a network and a tokenizer of
them, `answering` asks these, `speed` times them, and `model` is all of it as a Model.
"""

from pathlib import Path

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.hub import fetch_model, read_hub_spec
from assay.plugins import model
from assay.types import Model
from assay.types.model_spec import without_secrets
from assay.types.options import LocalOptions


@model("hf")
def open_checkpoint(name: str, *, spec: str, typed: str, local: LocalOptions) -> Model:
    """A folder with config.json and weights, or one of the hub."""
    on_hub = read_hub_spec(typed)
    if on_hub is None and not Path(name).exists():
        raise ModelUnavailable(
            tr("there is no folder {path!r}", path=without_secrets(name)),
            hint=tr(
                "for a model of the Hugging Face hub write hf:ORG/NAME, of Ollama ollama:{name}, "
                "of another server openai:NAME@URL; a scheme of your own needs --plugin FILE",
                name=without_secrets(name),
            ),
        )
    path = Path(name)
    if on_hub is not None:
        path = fetch_model(
            *on_hub, trust_remote_code=local.trust_remote_code, observer=local.observer
        )
    from assay.models.local.model import LocalModel

    return LocalModel(path, spec=spec, settings=local, commit=path.name if on_hub else "")
