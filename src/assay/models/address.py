"""Where servers are. A UsageError shows a URL only where it cannot contain a password. OLLAMA_HOST
is written for the server: it may lack a scheme or port, and 0.0.0.0 is no place to connect to. As
in Ollama's own client, 11434 is the port of an address without a scheme; http://HOST is port 80 and
https://HOST 443, where a proxy listens (ollama/envconfig/config.go).
"""

import os
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, urlsplit, urlunsplit

from assay.errors import UsageError
from assay.files.wording import did_you_mean, shown
from assay.messages import tr
from assay.types.model_spec import without_userinfo

DEFAULT_URL = "http://127.0.0.1:11434"
OPENAI_URL = "http://127.0.0.1:8080/v1"
OPENAI_VARIABLE = "OPENAI_BASE_URL"
_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}


def ollama_url(url: str | None = None) -> str:
    if url is not None:
        return _without_path(url, shown=without_userinfo(url))
    told = _variable("OLLAMA_HOST")
    if not told:
        return DEFAULT_URL
    whole = told if "://" in told else f"http://{told}"
    return _without_path(_connectable(whole, bare="://" not in told), shown="OLLAMA_HOST")


def openai_url(url: str | None = None) -> str:
    """The spec's URL, else OPENAI_BASE_URL; where there is neither, a UsageError."""
    whole, shown = url, "…"
    if url is None:
        whole, shown = _variable(OPENAI_VARIABLE), OPENAI_VARIABLE
    elif "@" not in url and "?" not in url:
        shown = url
    if not whole:
        raise UsageError(
            tr("no URL of an OpenAI-compatible server is given"),
            hint=tr(
                "write openai:NAME@URL, for example openai:NAME@{example}, or set {variable}",
                example=OPENAI_URL,
                variable=OPENAI_VARIABLE,
            ),
        )
    if "?" in whole or "#" in whole:
        raise UsageError(
            tr("the URL of a server ends with its path; a ? or # and what follows is refused"),
            hint=tr(
                "write for example {example}; keys come from the environment", example=OPENAI_URL
            ),
        )
    split_server_url(whole, shown, OPENAI_URL)
    return whole.rstrip("/")


def server_name(host: str) -> str:
    """A host's name as the network knows it. Raises UsageError for what is none."""
    try:
        return host if ":" in host else host.encode("idna").decode()
    except UnicodeError as error:
        raise UsageError(
            tr("{host!r} is not a host name", host=host[:80]),
            hint=tr("write for example {example}", example=DEFAULT_URL),
        ) from error


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip().strip("\"'")


def _connectable(url: str, *, bare: bool) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return url
    host = parts.hostname or ""
    host = _EVERY_ADDRESS.get(host, f"[{host}]" if ":" in host else host)
    login = parts.netloc.rpartition("@")[0]
    if port is None and bare:
        port = 11434
    place = host if port is None else f"{host}:{port}"
    return urlunsplit((parts.scheme, f"{login}@{place}" if login else place, parts.path, "", ""))


def _without_path(url: str, *, shown: str) -> str:
    parts = split_server_url(url, shown, DEFAULT_URL)
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise UsageError(
            tr("the URL of an Ollama server has no path: {url}", url=shown.partition("?")[0]),
            hint=tr("write for example {example}; for …/v1 use openai:", example=DEFAULT_URL),
        )
    return urlunsplit((parts.scheme, parts.netloc, "", "", ""))


def split_server_url(url: str, shown: str, example: str) -> SplitResult:
    """The parts of a URL. `shown` is what an error says instead of it."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or not url.isprintable() or " " in url:
        raise UsageError(
            tr("{url} is not a server URL", url=shown),
            hint=tr("write for example {example}", example=example),
        )
    server_name(parts.hostname or "")
    return parts


SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "presets.toml"
LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A server one can ask; a URL of the user's own has no name."""

    name: str
    kind: Literal["ollama", "openai"]
    url: str
    key_env: str | None = None

    @property
    def ollama_address(self) -> str | None:
        return None if self.name == LOCAL else self.url

    @property
    def shown_url(self) -> str:
        address = self.url if self.kind == "openai" else ollama_url(self.ollama_address)
        return without_userinfo(address)

    @property
    def key_is_set(self) -> bool:
        return bool(self.key_env and os.environ.get(self.key_env))

    def spec(self, model: str) -> str:
        url = self.url if self.kind == "openai" else self.ollama_address
        return f"{self.kind}:{model}" + (f"@{url}" if url else "")


@cache
def presets() -> dict[str, Preset]:
    document = tomllib.loads(SHIPPED.read_text("utf-8"))
    return {name: Preset(name=name, **fields) for name, fields in document.items()}


def endpoint(text: str) -> Preset:
    """What --endpoint means: a preset's name, or a URL; one with /v1 is OpenAI-compatible."""
    if text in presets():
        return presets()[text]
    if "://" in text:
        if re.search(r"[^/]/v1(?:[/?#]|$)", text):
            return Preset(name="", kind="openai", url=openai_url(text))
        return Preset(name="", kind="ollama", url=ollama_url(text))
    named = shown(text.rpartition("@")[2])  # what precedes the @ of a login is cut
    if re.search(r"[:/]|^\d+\.", text):
        raise UsageError(
            tr("the endpoint '{text}' is no name of a preset and no URL", text=named),
            hint=tr("a URL begins with http:// or https://"),
        )
    raise UsageError(
        did_you_mean(tr("there is no preset '{name}'", name=named), text, presets()),
        hint=tr("give a URL, or one of {names}", names=", ".join(presets())),
    )
