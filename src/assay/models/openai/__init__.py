"""`openai:NAME[@URL]`: models behind any OpenAI-compatible server."""

from assay.plugins import model
from assay.types import Model
from assay.types.options import ServerOptions


@model("openai")
def open_openai(name: str, *, url: str | None, spec: str, server: ServerOptions) -> Model:
    from assay.models.address import openai_url
    from assay.models.openai.model import OpenAIModel

    return OpenAIModel(name, openai_url(url), spec=spec, settings=server)
