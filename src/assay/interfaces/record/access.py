"""Who may ask the proxy, and how a refusal is written in the OpenAI protocol."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from assay.interfaces.web.security import NOT_FOREIGN, Access
from assay.messages import tr


def error_document(message: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    """Return an error as a server with OpenAI's API words it."""
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


class OnlyThoseAllowed:
    """In front of every address. A program sends no Origin; a page of a browser does."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        site = headers.get("sec-fetch-site", "none")
        refusal: Response | None = None
        if not self._access.knows(host):
            said = tr("this server is not called {host!r}", host=host)
            refusal = JSONResponse(error_document(said), 400)
        elif site not in NOT_FOREIGN or headers.get("origin") is not None:
            said = tr("requests from pages of a browser are refused")
            refusal = JSONResponse(error_document(said), 403)
        await (refusal or self._app)(scope, receive, send)
