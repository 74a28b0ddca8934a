"""Where Ollama is.

In: the URL of a spec, or nothing. Out: a URL without a path.

OLLAMA_HOST is written for the server, which listens on it: it may lack a scheme or a port, and
0.0.0.0 ("every address of mine") is no place to connect to.
"""

from __future__ import annotations

import os
from urllib.parse import urlsplit, urlunsplit

from assay.errors import UsageError
from assay.messages import tr
from assay.types.model_spec import without_userinfo

DEFAULT_URL = "http://127.0.0.1:11434"
_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}


def ollama_url(url: str | None = None) -> str:
    """The spec's URL, else OLLAMA_HOST, else the default. Raises UsageError for what is none."""
    if url is not None:
        return _checked(url, shown=without_userinfo(url))
    told = os.environ.get("OLLAMA_HOST", "").strip().strip("\"'")
    if not told:
        return DEFAULT_URL
    whole = told if "://" in told else f"http://{told}"
    return _checked(_connectable(whole, bare="://" not in told), shown="OLLAMA_HOST")


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


def _checked(url: str, *, shown: str) -> str:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise UsageError(
            tr("{url} is no URL of a server", url=shown),
            hint=tr("write for example {example}", example=DEFAULT_URL),
        )
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise UsageError(
            tr("the URL of an Ollama server has no path: {url}", url=shown.partition("?")[0]),
            hint=tr("write for example {example}; for …/v1 use openai:", example=DEFAULT_URL),
        )
    from assay.models.http.connection import server_name  # httpcore takes its time to load

    server_name(parts.hostname or "")
    return urlunsplit((parts.scheme, parts.netloc, "", "", ""))
