"""`http://HOST[:PORT][/v1]`: the only model of a server, whichever interface it has.

Ollama's own interface is used where it answers /api/version, else that of OpenAI. Several models
are refused, each with the spec that names it.
"""

from __future__ import annotations

from contextlib import closing
from urllib.parse import urlsplit, urlunsplit

from assay.errors import ModelUnavailable, UsageError
from assay.messages import tr
from assay.plugins import model
from assay.types import Model
from assay.types.model_spec import ModelSpec, without_userinfo
from assay.types.options import ServerOptions

MOST_NAMED = 12  # of the models of a server


@model("http")
def open_http(name: str, *, server: ServerOptions) -> Model:
    return _open_only_model(f"http:{name}", server)


@model("https")
def open_https(name: str, *, server: ServerOptions) -> Model:
    return _open_only_model(f"https:{name}", server)


def _open_only_model(url: str, server: ServerOptions) -> Model:
    from assay.models.ollama.model import OllamaModel
    from assay.models.openai.model import OpenAIModel

    only = _only_model(url, server)
    kind = OllamaModel if only.scheme == "ollama" else OpenAIModel
    return kind(only.name, only.url or "", spec=str(only), settings=server)


def _only_model(url: str, server: ServerOptions) -> ModelSpec:
    """The server's model as if it had been named."""
    from assay.models.address import openai_url, split_server_url

    example = "http://127.0.0.1:8080"
    split_server_url(url, without_userinfo(url), example)
    root = urlunsplit(urlsplit(url)._replace(path="", query="", fragment=""))
    scheme, address, names = "ollama", root, _of_ollama(root, server)
    if names is None:
        address = openai_url(url if urlsplit(url).path.strip("/") else f"{root}/v1")
        scheme, names = "openai", _of_openai(address, server)
    specs = [ModelSpec(scheme, name, address) for name in names]
    if len(specs) == 1:
        return specs[0]
    shown = without_userinfo(address)
    if not specs:
        raise ModelUnavailable(
            tr("the server at {url} lists no model", url=shown),
            hint=tr("load one, or name it: {spec}", spec=f"{scheme}:NAME@{shown}"),
        )
    listed = ", ".join(map(str, specs[:MOST_NAMED]))
    more = len(specs) - MOST_NAMED
    raise UsageError(
        tr("the server at {url} has {count} models", url=shown, count=len(names)),
        hint=tr("name one: {specs}", specs=listed + (f", … (+{more})" if more > 0 else "")),
    )


def _of_ollama(root: str, server: ServerOptions) -> list[str] | None:
    """The names of an Ollama server's models; None for a server of another kind."""
    from assay.models.http.connection import Connection
    from assay.models.http.faults import Fault
    from assay.models.ollama.client import OllamaClient

    with closing(Connection(root, timeout_s=server.timeout, connections=1)) as connection:
        client = OllamaClient(connection)
        try:
            client.version()
        except Fault as fault:
            if fault.cause == "unreachable":
                start = tr("start it, or correct the address; `assay doctor` shows what runs")
                other = tr("try {url}", url=fault.instead) if fault.instead else ""
                raise ModelUnavailable(fault.sentence, hint=fault.hint or other or start) from fault
            return None
        try:
            return [str(each["name"]) for each in client.models() if each.get("name")]
        except Fault as fault:
            raise ModelUnavailable(str(fault)) from fault


def _of_openai(url: str, server: ServerOptions) -> list[str]:
    from assay.models.http.connection import Connection
    from assay.models.http.faults import Fault
    from assay.models.openai.facts import entries_of
    from assay.models.openai.model import key_for

    key = key_for(url, server)
    connection = Connection(
        url, timeout_s=server.timeout, connections=1, headers=key.headers, secrets=key.secrets
    )
    with closing(connection):
        try:
            document = connection.document("GET", "/models")
        except Fault as fault:
            hint = key.how_to_set() if fault.status in (401, 403) else ""
            raise ModelUnavailable(
                tr("{url} lists no models: {why}", url=without_userinfo(url), why=fault),
                hint=hint or tr("name the model: openai:NAME@{url}", url=without_userinfo(url)),
            ) from fault
    return [entry["id"] for entry in entries_of(document)]
