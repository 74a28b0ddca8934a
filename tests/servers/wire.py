"""HTTP as bytes on a socket.

In: a socket, and an application that is called with an Exchange for every request. Out: answers
with a length or in chunks, on connections that are kept open. It offers the means to break the
protocol (`raw`, `cut`), and never uses them itself. Its own parser instead of http.server's: that
one builds an e-mail message of every header block, which costs more than all the rest of a trivial
answer.
"""

from __future__ import annotations

import json
import select
import socket
import socketserver
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

REASONS = {status.value: status.phrase for status in HTTPStatus}
JSON = "application/json; charset=utf-8"
LOOK_EVERY_S = 0.01  # how often a waiting answer looks whether its client is still there


class ClientLeftError(ConnectionError):
    """The other side went away, or the server was reset, before the answer was complete."""


@dataclass
class Answer:
    """What is to be sent: frames are chunks of a stream, or the one body of a plain answer.

    A frame is (seconds to wait before it, bytes).
    """

    status: int = 200
    content_type: str = JSON
    frames: list[tuple[float, bytes]] = field(default_factory=list)
    chunked: bool = False
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def body(self) -> bytes:
        return b"".join(frame for _, frame in self.frames)


def as_json(document: Any) -> bytes:
    """JSON as Go writes it: no spaces, letters beyond ASCII as they are, < > & escaped."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&":
        if character in text:
            text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode()


def plain(document: Any, status: int = 200, content_type: str = JSON, **more: Any) -> Answer:
    """An answer of one JSON document."""
    return Answer(status, content_type, [(0.0, as_json(document))], **more)


class Exchange:
    """One request and the way back to its client."""

    def __init__(
        self,
        connection: socket.socket,
        method: str,
        path: str,
        headers: dict[str, str],
        body: bytes,
    ) -> None:
        self.connection = connection
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.keep_open = headers.get("connection", "").lower() != "close"
        self.status: int | None = None
        self.is_over: Callable[[], bool] = lambda: False  # set where a reset must end a wait
        self._at_end: list[Callable[[], None]] = []

    # ------------------------------------------------------------------ is anyone there?

    def client_left(self) -> bool:
        try:
            readable, _, _ = select.select([self.connection], [], [], 0)
            return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""
        except (OSError, ValueError):
            return True

    def wait(self, seconds: float | None) -> None:
        """Let time pass, for ever if None, while the client is there."""
        end = None if seconds is None else time.monotonic() + seconds
        while end is None or (left := end - time.monotonic()) > 0:
            if self.is_over() or self.client_left():
                raise ClientLeftError
            time.sleep(LOOK_EVERY_S if end is None else min(LOOK_EVERY_S, left))

    # ------------------------------------------------------------------ what is sent

    def at_end(self, act: Callable[[], None]) -> None:
        """Do this just before the last bytes go out: who has the whole answer may ask again, and
        must not meet a server that still counts the first request.
        """
        self._at_end.append(act)

    def ending(self) -> None:
        while self._at_end:
            self._at_end.pop()()

    def raw(self, data: bytes) -> None:
        try:
            self.connection.sendall(data)
        except OSError as gone:
            raise ClientLeftError from gone

    def head(self, answer: Answer, length: int | None = None) -> bytes:
        self.status = answer.status
        lines = [f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Unknown')}"]
        lines.append(f"Content-Type: {answer.content_type}")
        lines.extend(f"{name}: {value}" for name, value in answer.headers)
        if length is not None:
            lines.append(f"Content-Length: {length}")
        elif answer.chunked:
            lines.append("Transfer-Encoding: chunked")
        else:
            lines.append(f"Content-Length: {len(answer.body)}")
        if not self.keep_open:
            lines.append("Connection: close")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def send(self, answer: Answer) -> None:
        """The whole answer, with its delays."""
        if not answer.chunked:
            for pause, _ in answer.frames:
                if pause:
                    self.wait(pause)
            body = b"" if self.method == "HEAD" else answer.body
            head = self.head(answer)
            self.ending()
            self.raw(head + body)
            return
        self._send_chunks(answer)

    def _send_chunks(self, answer: Answer) -> None:
        waiting = [self.head(answer)]
        for pause, frame in answer.frames:
            if pause:
                if waiting:
                    self.raw(b"".join(waiting))
                    waiting = []
                self.wait(pause)
            waiting.append(chunk(frame))
        waiting.append(b"0\r\n\r\n")
        self.ending()
        self.raw(b"".join(waiting))

    def cut(self, *, hard: bool = False) -> None:
        """Close the connection here and now; `hard` with a reset instead of an end."""
        self.keep_open = False
        if hard:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _read_chunks(lines: Any) -> bytes:
    parts = []
    while size := int(lines.readline().split(b";")[0], 16):
        parts.append(lines.read(size))
        lines.readline()
    lines.readline()
    return b"".join(parts)


class Connection(socketserver.StreamRequestHandler):
    """Reads one request after the other from one client."""

    disable_nagle_algorithm = True
    server: Listener

    def handle(self) -> None:
        exchange = self._next()
        while exchange is not None:
            try:
                self.server.application(exchange)
            except ClientLeftError:
                exchange.keep_open = False
            exchange = self._next() if exchange.keep_open else None

    def _next(self) -> Exchange | None:
        words = self.rfile.readline(65537).split()
        if len(words) != 3:
            return None
        headers: dict[str, str] = {}
        while (line := self.rfile.readline(65537)) not in (b"\r\n", b"\n", b""):
            name, _, value = line.partition(b":")
            headers[name.decode("latin-1").lower()] = value.strip().decode("latin-1")
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = _read_chunks(self.rfile)
        else:
            length = int(headers.get("content-length") or 0)
            body = self.rfile.read(length) if length else b""
        method, path, _ = (word.decode("latin-1") for word in words)
        return Exchange(self.connection, method, path, headers, body)


class Listener(socketserver.ThreadingTCPServer):
    """Accepts clients on loopback, a thread each."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 256

    def __init__(self, port: int, application: Callable[[Exchange], None]) -> None:
        super().__init__(("127.0.0.1", port), Connection)
        self.application = application

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def shutdown_request(self, request: Any) -> None:
        """Close at once: an orderly shutdown first would turn a reset into a normal end."""
        self.close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is no error; anything else is one of ours and must be seen."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)
