"""Checkpoints on this machine's disk (`PATH`, `hf:PATH`), of the hub (`hf:ORG/NAME`), and GGUF
files (`gguf:FILE`, `gguf:ollama/NAME`) on the same engine.
"""

import shlex
from pathlib import Path

from assay.errors import ModelUnavailable
from assay.files.wording import did_you_mean_path
from assay.messages import tr
from assay.models.local.gguf.header import damaged, is_gguf
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
        problem = tr("there is no folder {path!r}", path=without_secrets(name))
        raise ModelUnavailable(
            did_you_mean_path(problem, Path(name)),
            hint=tr(
                "for a Hugging Face model write hf:ORG/NAME, for Ollama ollama:{name}, for "
                "another server openai:NAME@URL; a custom scheme needs --plugin FILE",
                name=without_secrets(name),
            ),
        )
    path = Path(name)
    if path.is_file() and (is_gguf(path) or path.suffix.lower() == ".gguf"):
        raise ModelUnavailable(
            tr("{path} is a GGUF file, not the folder of a checkpoint", path=path),
            hint=tr("name it gguf:{path}", path=shlex.quote(str(path))),
        )
    if on_hub is not None:
        path = fetch_model(
            on_hub, trust_remote_code=local.trust_remote_code, observer=local.observer
        )
    from assay.models.local.model import LocalModel

    return LocalModel(path, spec=spec, settings=local, commit=path.name if on_hub else "")


@model("gguf")
def open_gguf(name: str, *, spec: str, local: LocalOptions) -> Model:
    """A GGUF file, or the one that Ollama keeps of a model; a path that exists wins."""
    path = Path(name)
    if name.startswith("ollama/") and not path.exists():
        from assay.models.local.gguf.stores import find_blob

        path = find_blob(name.removeprefix("ollama/"))
    if not path.is_file():
        raise ModelUnavailable(
            did_you_mean_path(tr("there is no file {path!r}", path=without_secrets(name)), path),
            hint=tr("name a GGUF file, or a model of Ollama's: gguf:ollama/NAME"),
        )
    if not is_gguf(path):
        raise damaged(path, tr("it does not begin with the letters GGUF"))
    from assay.models.local.model import LocalModel

    return LocalModel(path, spec=spec, settings=local)
