"""What a client sent: whether it is the request that was asked for.

In: requests as the service recorded them, hostile. Out: what is wrong with them, as the end of a
sentence; "" where nothing is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from assay.evidence.running import GroupResult
from assay.evidence.trials import same, shown
from assay.messages import tr, trn

Request = Mapping[str, Any]


def wrong_count(result: GroupResult, expected: int) -> str:
    """How many requests came, where that is not the number expected."""
    found = len(result.requests)
    if found == expected:
        return ""
    return trn(
        "one request was sent instead of {expected}",
        "{count} requests were sent instead of {expected}",
        found,
        expected=expected,
    )


def wrong_request(
    request: Request,
    verb: str,
    path: str,
    *,
    body: object = None,
    query: tuple[str, str] | None = None,
    slashes: int = 0,
) -> str:
    """What is wrong with a request; "" where nothing is."""
    parts = urlsplit(request["path"])
    if request["verb"] != verb:
        return tr("its verb was {found}", found=shown(request["verb"]))
    if unquote(parts.path) != path or (slashes and parts.path.count("/") != slashes):
        return tr("it went to {path}", path=shown(request["path"]))
    values = parse_qs(parts.query, keep_blank_values=True)
    if values != ({query[0]: [query[1]]} if query else {}):
        return tr("it went to {path}", path=shown(request["path"]))
    return "" if body is None else _body(request, body)


def _body(request: Request, expected: object) -> str:
    try:
        found = json.loads(request["body"])
    except (ValueError, RecursionError):
        return tr("its body was no JSON")
    if not same(found, expected):
        return tr("its body was {found}", found=shown(found))
    kind = header(request, "Content-Type")
    if kind.split(";")[0].strip().lower() != "application/json":
        return tr("its content type was {found}", found=shown(kind))
    return ""


def header(request: Request, name: str) -> str:
    """The first header of that name; "" where there is none."""
    return next((text for one, text in request["headers"] if one.lower() == name.lower()), "")
