"""What a user types to name a model, in parts; which schemes there are is for `plugins` to know."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

# The last "@" directly followed by a URL: `a@b` and `llama3.2:3b` are plain names.
_URL_START = re.compile(r"@(?=https?://)", re.IGNORECASE)
# Anything that looks like a login in a URL, in a spec we could not make sense of, too.
_LOGIN = re.compile(r"(?<=//)[^/@\s]*@(?=[^@]*$)|(?<=//)[^/\s]*@")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model's scheme, its name or path, and the server's URL where one was given."""

    scheme: str
    name: str
    url: str | None = None

    def __str__(self) -> str:
        return without_secrets(f"{self.scheme}:{self.name}" + (f"@{self.url}" if self.url else ""))


def split_url(text: str) -> tuple[str, str | None]:
    """`NAME@URL` as NAME and URL; None where there is no URL."""
    starts = [match.start() for match in _URL_START.finditer(text)]
    if not starts:
        return text, None
    scheme, _, place = text[starts[-1] + 1 :].partition("://")
    return text[: starts[-1]], f"{scheme.lower()}://{place}"


def without_secrets(text: str) -> str:
    """A spec as it may be stored and shown: as typed, but for a password in its URL."""
    name, url = split_url(text)
    return f"{name}@{without_userinfo(url)}" if url else _LOGIN.sub("", text)


def without_userinfo(url: str) -> str:
    """The URL as it may be stored and shown: `http://me:secret@host/` loses `me:secret@`."""
    try:
        parts = urlsplit(url)
    except ValueError:  # `http://[bad`: what cannot be taken apart is not shown at all
        return "…"
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
