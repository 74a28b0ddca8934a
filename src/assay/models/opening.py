"""Turns what a user typed into a Model.

In: a model spec as text, and how servers and checkpoints are asked. Out: a Model whose facts are
known; asking comes later.
"""

from __future__ import annotations

from pathlib import Path

from assay.errors import ModelUnavailable, UsageError
from assay.messages import tr
from assay.types import Model
from assay.types.model_spec import read_spec, without_secrets
from assay.types.options import LocalOptions, ServerOptions


def open_model(
    text: str, settings: ServerOptions | None = None, local: LocalOptions | None = None
) -> Model:
    """Find a model. Raises ModelUnavailable with what to do where it is not there."""
    spec = read_spec(text)
    settings = settings or ServerOptions()
    if not spec.name:
        raise UsageError(
            tr("the model {spec} has no name", spec=without_secrets(text)),
            hint=tr("write for example ollama:llama3.2:3b or scripted:answers.json"),
        )
    if spec.scheme == "scripted":
        from assay.models.scripted import ScriptedModel

        return ScriptedModel(Path(spec.name))
    if spec.scheme == "ollama":
        from assay.models.ollama.address import ollama_url
        from assay.models.ollama.model import OllamaModel

        return OllamaModel(spec.name, ollama_url(spec.url), spec=str(spec), settings=settings)
    if spec.scheme == "openai":
        from assay.models.openai.address import openai_url
        from assay.models.openai.model import OpenAIModel

        return OpenAIModel(spec.name, openai_url(spec.url), spec=str(spec), settings=settings)
    if not Path(spec.name).exists():
        raise ModelUnavailable(
            tr("there is no folder {path!r}", path=without_secrets(spec.name)),
            hint=tr(
                "for a model of Ollama write ollama:{name}, for another server openai:NAME@URL",
                name=without_secrets(spec.name),
            ),
        )
    from assay.models.local.model import LocalModel

    return LocalModel(Path(spec.name), spec=str(spec), settings=local or LocalOptions())
