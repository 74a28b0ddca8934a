"""`ollama:NAME[@URL]`: models behind Ollama's native API."""

from assay.plugins import model
from assay.types import Model
from assay.types.options import ServerOptions


@model("ollama")
def open_ollama(name: str, *, url: str | None, spec: str, server: ServerOptions) -> Model:
    from assay.models.address import ollama_url
    from assay.models.ollama.model import OllamaModel

    return OllamaModel(name, ollama_url(url), spec=spec, settings=server)
