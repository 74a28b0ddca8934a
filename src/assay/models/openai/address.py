"""Where an OpenAI-compatible server is.

In: the URL of a spec, or nothing. Out: a URL, its path included.

A refused URL is shown only where it cannot hold a password: one with "?" or "@" in it may.
"""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from assay.errors import UsageError
from assay.messages import tr

VARIABLE = "OPENAI_BASE_URL"
EXAMPLE = "http://127.0.0.1:8080/v1"


def openai_url(url: str | None = None) -> str:
    """The spec's URL, else OPENAI_BASE_URL. Raises UsageError where there is none, or no good one.

    >>> openai_url("http://127.0.0.1:8080/v1/")
    'http://127.0.0.1:8080/v1'
    """
    if url is not None:
        return _checked(url, shown=url if "@" not in url and "?" not in url else "…")
    told = os.environ.get(VARIABLE, "").strip().strip("\"'")
    if not told:
        raise UsageError(
            tr("no URL of an OpenAI-compatible server is given"),
            hint=tr(
                "write openai:NAME@URL, for example openai:NAME@{example}, or set {variable}",
                example=EXAMPLE,
                variable=VARIABLE,
            ),
        )
    return _checked(told, shown=VARIABLE)


def _checked(url: str, *, shown: str) -> str:
    if "?" in url or "#" in url:
        raise UsageError(
            tr("the URL of a server ends with its path; a ? or # and what follows is refused"),
            hint=tr("write for example {example}; keys come from the environment", example=EXAMPLE),
        )
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or any(not c.isprintable() or c.isspace() for c in url):
        raise UsageError(
            tr("{url} is no URL of a server", url=shown),
            hint=tr("write for example {example}", example=EXAMPLE),
        )
    from assay.models.http.connection import server_name  # httpcore takes its time to load

    server_name(parts.hostname or "")
    return url.rstrip("/")
