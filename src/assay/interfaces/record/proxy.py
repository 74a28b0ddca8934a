"""Passes every request on to one server, and its answer back, byte for byte.

A copy of both is recorded before the end of the answer is passed on. Only the frame is ours: how
long a message is, and what holds for one connection alone. Who may ask is settled before, in
`access.py`.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field

import httpcore
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from assay.api.recording import MOST_BYTES, CallRecording, Exchange, Recorded, Upstream, is_call
from assay.interfaces.record.access import error_document
from assay.messages import tr

CONNECT_S = 30.0
# What a connection is about, not what is said over it; and what only our frame can say.
OF_A_CONNECTION = frozenset(
    {b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate",
     b"proxy-authorization", b"te", b"trailer", b"transfer-encoding", b"upgrade", b"expect",
     b"http2-settings"}
)  # fmt: skip
ENDS = (b'"done":true', b'"done": true', b"[DONE]")
WITHOUT_CONTENT = (204, 304)

Header = tuple[bytes, bytes]
Told = Callable[[str, Recorded], None]


class _ClientLeft(Exception):
    """The application has gone away."""


class _ServerBroke(Exception):
    """In the middle of an answer: the application must see that it is not whole."""


@dataclass(slots=True)
class _Copy:
    """What went by, as long as it is not too large to be recorded."""

    parts: list[bytes] = field(default_factory=list)
    size: int = 0
    is_whole: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, part: bytes) -> None:
        self.size += len(part)
        if self.size <= MOST_BYTES:
            self.parts.append(part)
        else:
            self.parts.clear()

    @property
    def too_large(self) -> bool:
        return self.size > MOST_BYTES

    @property
    def whole(self) -> bytes:
        return b"".join(self.parts)


class Proxy:
    def __init__(self, upstream: Upstream, recording: CallRecording, told: Told) -> None:
        self._upstream = upstream
        self._recording = recording
        self._told = told
        # A connection for each request: one that is kept may be closed while it is used again.
        self._pool = httpcore.AsyncConnectionPool(
            max_connections=None, max_keepalive_connections=0, retries=0
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless its client leaves before the answer is whole."""
        sent, received = _Copy(), _Copy()
        work = asyncio.ensure_future(self._pass_on(scope, receive, send, sent, received))
        gone = asyncio.ensure_future(_until_gone(receive, sent.is_whole))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not received.is_whole.is_set():
                work.cancel()
            await work
        except (asyncio.CancelledError, _ClientLeft):
            self._leave_out(scope, tr("whose client went away"))
        finally:
            gone.cancel()
            work.cancel()

    async def _pass_on(
        self, scope: Scope, receive: Receive, send: Send, sent: _Copy, received: _Copy
    ) -> None:
        target = scope["raw_path"] + (
            b"?" + scope["query_string"] if scope["query_string"] else b""
        )
        url = httpcore.URL(
            scheme=self._upstream.scheme,
            host=self._upstream.host,
            port=self._upstream.port,
            target=target,
        )
        headers, has_body = self._headers_to_server(scope["headers"])
        body = _body(receive, sent) if has_body else None
        if not has_body:
            sent.is_whole.set()
        request = httpcore.Request(
            scope["method"],
            url,
            headers=headers,
            content=body,
            extensions={"timeout": {"connect": CONNECT_S}},
        )
        try:
            response = await self._pool.handle_async_request(request)
        except (
            httpcore.NetworkError,
            httpcore.ProtocolError,
            httpcore.TimeoutException,
            OSError,
        ) as error:
            self._leave_out(scope, tr("that the server did not answer"))
            why = str(error) or type(error).__name__
            said = tr("no answer from {url}: {why}", url=self._upstream.url, why=why)
            await _refusal(scope["path"], said)(scope, receive, send)
            return
        try:
            await self._pass_back(scope, send, response, sent, received)
        finally:
            await response.aclose()

    async def _pass_back(
        self,
        scope: Scope,
        send: Send,
        response: httpcore.Response,
        sent: _Copy,
        received: _Copy,
    ) -> None:
        headers = [*_passed(response.headers)]
        start = {"type": "http.response.start", "status": response.status, "headers": headers}
        await send(start)
        held = b""
        named = {name.lower(): value for name, value in response.headers}
        is_stream = not named.get(b"content-type", b"").startswith(b"application/json")
        length = named.get(b"content-length", b"")
        announced = int(length) if length.isdigit() else None
        try:
            async for part in response.aiter_stream():
                received.add(part)
                if held:
                    await send({"type": "http.response.body", "body": held, "more_body": True})
                    held = b""
                is_end = received.size == announced or any(end in part for end in ENDS)
                if is_stream and not is_end:
                    await send({"type": "http.response.body", "body": part, "more_body": True})
                else:
                    held = part
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            if held:
                await send({"type": "http.response.body", "body": held, "more_body": True})
            self._leave_out(scope, tr("broken off before the end of the answer"))
            raise _ServerBroke from error
        received.is_whole.set()
        await self._record(scope, response, named, sent, received)
        await send({"type": "http.response.body", "body": held})

    async def _record(
        self,
        scope: Scope,
        response: httpcore.Response,
        named: dict[bytes, bytes],
        sent: _Copy,
        received: _Copy,
    ) -> None:
        """Before the end is passed on, so that whatever was answered is on disk."""
        if scope["method"] != "POST" or not is_call(scope["path"]):
            return
        if sent.too_large or received.too_large:
            self._leave_out(scope, tr("larger than {count} MB", count=MOST_BYTES // 2**20))
            return
        exchange = Exchange(
            path=scope["path"],
            sent=sent.whole,
            status=response.status,
            encoding=named.get(b"content-encoding", b"").decode("latin-1").strip().lower(),
            received=received.whole,
        )
        secrets = [*_secrets_in(scope["headers"]), *(self._upstream.login or ())]
        recorded = await asyncio.to_thread(self._recording.take, exchange, secrets)
        if recorded is not None:
            self._told(scope["path"], recorded)

    def _leave_out(self, scope: Scope, why: str) -> None:
        if scope["method"] == "POST" and is_call(scope["path"]):
            self._told(scope["path"], self._recording.leave_out(why))

    def _headers_to_server(self, given: Iterable[Header]) -> tuple[list[Header], bool]:
        """The application's, with the server's name; and whether a body follows."""
        given = list(given)
        named = {name.lower(): value for name, value in given}
        headers = [(b"Host", self._upstream.place.encode("ascii", "replace"))]
        headers += [
            one for one in _passed(given) if one[0].lower() not in (b"host", b"content-length")
        ]
        if self._upstream.login and b"authorization" not in named:
            login = base64.b64encode(":".join(self._upstream.login).encode())
            headers.append((b"Authorization", b"Basic " + login))
        if b"transfer-encoding" in named:
            headers.append((b"Transfer-Encoding", b"chunked"))
        elif b"content-length" in named:
            headers.append((b"Content-Length", named[b"content-length"]))
        return headers, b"transfer-encoding" in named or b"content-length" in named


def _passed(headers: Iterable[Header]) -> Iterable[Header]:
    """Those that are meant for the other side."""
    headers = list(headers)
    own = {
        word.strip().lower()
        for name, value in headers
        if name.lower() == b"connection"
        for word in value.split(b",")
    }
    return [one for one in headers if one[0].lower() not in OF_A_CONNECTION | own]


async def _body(receive: Receive, sent: _Copy) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _ClientLeft
        if part := message.get("body", b""):
            sent.add(part)
            yield part
        if not message.get("more_body", False):
            sent.is_whole.set()
            return


async def _until_gone(receive: Receive, sent_whole: asyncio.Event) -> None:
    await sent_whole.wait()
    while (await receive())["type"] != "http.disconnect":
        pass


def _secrets_in(headers: Iterable[Header]) -> list[str]:
    """The keys that the application sends with its requests: they may stand in its texts too."""
    found = []
    for name, value in headers:
        if name.lower() in (b"authorization", b"x-api-key", b"api-key", b"cookie"):
            text = value.decode("latin-1")
            found += [each for each in (text, text.rpartition(" ")[2]) if len(each) >= 8]
    return found


def _refusal(path: str, said: str) -> JSONResponse:
    """In the words of the protocol that was spoken."""
    known = error_document(said, "server_error") if "/v1/" in path else {"error": said}
    return JSONResponse(json.loads(json.dumps(known)), 502)
