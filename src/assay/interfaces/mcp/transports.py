"""How agents reach the tools: over stdio, or over streamable HTTP on this machine."""

import hmac
import secrets
from collections.abc import Callable

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from assay.interfaces.mcp.server import Settings, make_server
from assay.interfaces.web.server import listen_at
from assay.messages import tr

MOST_CONNECTIONS = 64  # at a time; more are answered with 503


def serve_stdio(settings: Settings) -> None:
    make_server(settings).run("stdio")


class BearerToken:
    """Lets in who sends the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                refusal = PlainTextResponse(tr("the token is missing or wrong"), 401)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


def serve_http(
    settings: Settings, *, port: int, token: str | None, say: Callable[[str], None]
) -> None:
    """On 127.0.0.1 only. Without a token one is made up, and said."""
    token = token or secrets.token_urlsafe(24)
    app = BearerToken(make_server(settings).streamable_http_app(host="127.0.0.1"), token)
    with listen_at("127.0.0.1", port) as listening:
        bound = listening.getsockname()[1]
        say(tr("The agent tools are at http://127.0.0.1:{port}/mcp", port=bound))
        say(tr("Send the header  Authorization: Bearer {token}  (Ctrl-C ends it)", token=token))
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, ws="none",
            timeout_graceful_shutdown=1, limit_concurrency=MOST_CONNECTIONS,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[listening])
