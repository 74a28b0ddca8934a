"""`openai:NAME[@URL]`: models behind any OpenAI-compatible server.

`address` and `key` say where and as whom, `listing` reads the list of models, `dialect` is what a
server turned out to take, `bodies` writes requests in it, `events` and `reading` read answers,
`client` sends and receives, `probe` finds the dialect out, `echo` scores texts where that is proved
right, `asking` keeps trying, `unavailable` says why none of it can be, and `model` puts them
together.
"""

from __future__ import annotations

from assay.plugins import model
from assay.types import Model
from assay.types.options import ServerOptions


@model("openai")
def open_openai(name: str, *, url: str | None, spec: str, server: ServerOptions) -> Model:
    """A model behind a server's URL."""
    from assay.models.openai.address import openai_url
    from assay.models.openai.model import OpenAIModel

    return OpenAIModel(name, openai_url(url), spec=spec, settings=server)
