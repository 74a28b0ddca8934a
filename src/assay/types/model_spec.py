"""What a user types to name a model.

In: `PATH`, `hf:PATH`, `ollama:NAME[@URL]`, `openai:NAME[@URL]`, `scripted:FILE.json`. Out: a
ModelSpec.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast, get_args
from urllib.parse import urlsplit, urlunsplit

Scheme = Literal["hf", "ollama", "openai", "scripted"]

# The last "@" directly followed by a URL: `a@b` and `llama3.2:3b` are plain names.
_URL_START = re.compile(r"@(?=https?://)", re.IGNORECASE)
# Anything that looks like a login in a URL, in a spec we could not make sense of, too.
_LOGIN = re.compile(r"(?<=//)[^/@\s]*@(?=[^@]*$)|(?<=//)[^/\s]*@")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model's kind, its name or path, and the server's URL where one was given."""

    scheme: Scheme
    name: str
    url: str | None = None

    def __str__(self) -> str:
        return f"{self.scheme}:{self.name}" + (f"@{without_userinfo(self.url)}" if self.url else "")


def read_spec(text: str) -> ModelSpec:
    """Split a spec. The scheme is what stands before the first colon, if it is one of ours."""
    scheme, colon, rest = text.partition(":")
    if not colon or scheme not in get_args(Scheme):
        return ModelSpec("hf", text)
    if scheme not in ("ollama", "openai"):
        return ModelSpec(cast(Scheme, scheme), rest)
    starts = [match.start() for match in _URL_START.finditer(rest)]
    if not starts:
        return ModelSpec(cast(Scheme, scheme), rest)
    scheme_of_url, _, place = rest[starts[-1] + 1 :].partition("://")
    url = f"{scheme_of_url.lower()}://{place}"
    return ModelSpec(cast(Scheme, scheme), rest[: starts[-1]], url)


def without_secrets(text: str) -> str:
    """A spec as it may be stored and shown: as typed, but for a password in its URL."""
    spec = read_spec(text)
    return str(spec) if spec.url else _LOGIN.sub("", text)


def without_userinfo(url: str) -> str:
    """The URL as it may be stored and shown: `http://me:secret@host/` loses `me:secret@`."""
    try:
        parts = urlsplit(url)
    except ValueError:  # `http://[bad`: what cannot be taken apart is not shown at all
        return "…"
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
