"""Endpoints by name: `local`, and providers by their URL and the variable with the key."""

import os
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from assay.errors import UsageError
from assay.files.wording import did_you_mean, shown
from assay.messages import tr
from assay.models.address import ollama_url, openai_url
from assay.types.model_spec import without_userinfo

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
        return _endpoint_of_url(text)
    named = shown(text.rpartition("@")[2])  # what precedes the @ of a login is cut
    if re.search(r"[:/]|^\d+\.", text):
        raise UsageError(
            tr("the endpoint '{text}' is no name of a preset and no URL", text=named),
            hint=tr("a URL begins with http:// or https://"),
        )
    raise UsageError(
        did_you_mean(tr("there is no preset '{name}'", name=named), text, presets()),
        hint=tr("--list-presets shows the presets; or give a URL"),
    )


def _endpoint_of_url(url: str) -> Preset:
    try:
        is_openai = "v1" in urlsplit(url).path.split("/")
    except ValueError:
        is_openai = False
    if is_openai:
        return Preset(name="", kind="openai", url=openai_url(url))
    return Preset(name="", kind="ollama", url=ollama_url(url))
