"""How agents reach the tools: over stdio, or over streamable HTTP on this machine."""

import hmac
import json
import secrets
from collections.abc import Callable
from types import TracebackType
from typing import Any

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from assay.interfaces.mcp.server import Settings, make_server
from assay.interfaces.web.server import listen_at
from assay.messages import tr

MOST_CONNECTIONS = 64  # at a time; more are answered with 503


def serve_stdio(settings: Settings) -> None:
    anyio.run(_serve_stdio, make_server(settings))


async def _serve_stdio(server: MCPServer) -> None:
    """As the package does it, but a line that cannot be read is answered, not only logged."""
    low = server._lowlevel_server
    async with stdio_server() as (read, write):
        lines: Any = AnsweredLines(read, write)
        await low.run(lines, write, low.create_initialization_options())


class AnsweredLines:
    """The messages of a client. What is no message (broken JSON, half a surrogate pair) comes as an
    exception, and would leave its sender waiting.
    """

    def __init__(self, read: Any, write: Any) -> None:
        self._read, self._write = read, write

    def __getattr__(self, name: str) -> Any:
        return getattr(self._read, name)

    def __aiter__(self) -> "AnsweredLines":
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def receive(self) -> Any:
        while isinstance(item := await self._read.receive(), Exception):
            error = ErrorData(code=PARSE_ERROR, message=tr("this line is no JSON-RPC message"))
            refusal = JSONRPCError(jsonrpc="2.0", id=_id_in(item), error=error)
            await self._write.send(SessionMessage(refusal))
        return item

    async def __aenter__(self) -> "AnsweredLines":
        await self._read.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._read.__aexit__(kind, error, trace)


def _id_in(error: Exception) -> int | str | None:
    """Of the request that could not be read, where it can be told."""
    try:
        line = error.errors()[0]["input"]  # type: ignore[attr-defined]
        known = (json.loads(line) if isinstance(line, str) else line)["id"]
        json.dumps(known, ensure_ascii=False).encode()
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return None
    return known if isinstance(known, int | str) else None


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
