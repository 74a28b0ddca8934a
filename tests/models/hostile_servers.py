"""Servers that answer as no server should: a process of plain sockets, one behaviour each."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

ESCAPES = "evil\x1b[2J\x1b]0;title\x07"
BIDI = "good\u202egnihtemos"


def _answer(status: str, body: bytes, *headers: str, length: int | None = None) -> bytes:
    head = [f"HTTP/1.1 {status}", f"content-length: {len(body) if length is None else length}",
            *headers, "connection: close", "", ""]  # fmt: skip
    return "\r\n".join(head).encode() + body


def _listing(*names: str) -> bytes:
    return json.dumps({"object": "list", "data": [{"id": name} for name in names]}).encode()


def _behave(kind: str, path: str, peer: socket.socket, port: int) -> None:
    if kind == "huge":
        peer.sendall(_answer("200 OK", b"", length=10**12))
        while True:
            peer.sendall(b" " * 2**16)
    elif kind == "drip":
        for byte in _answer("200 OK", b"", length=10**6):
            peer.sendall(bytes([byte]))
            threading.Event().wait(0.2)
    elif kind == "redirect":
        peer.sendall(_answer("302 Found", b"", f"location: http://127.0.0.1:{port}{path}/again"))
    elif kind == "page":
        peer.sendall(_answer("200 OK", b"<html><body>It works!</body></html>"))
    elif kind == "silent":
        threading.Event().wait(20)
    elif kind == "anything":
        peer.sendall(_answer("200 OK", b"{}"))
    elif kind == "deep":
        peer.sendall(_answer("200 OK", b"[" * 100_000))
    elif kind == "names" and path == "/v1/models":
        peer.sendall(_answer("200 OK", _listing(ESCAPES, BIDI, "x" * 500, "a\nb", "", "honest")))
    elif kind == "many" and path == "/v1/models":
        peer.sendall(_answer("200 OK", _listing(*(f"m{n}" for n in range(5000)))))
    elif kind == "props" and path == "/v1/models":
        peer.sendall(_answer("200 OK", _listing("honest")))
    elif kind == "props" and path == "/props":
        told = {"total_slots": -3, "model_path": "/dev/zero", "chat_template": ESCAPES,
                "build_info": ESCAPES, "default_generation_settings": {"n_ctx": "many"},
                "chat_template_caps": {"supports_tools": "yes"}}  # fmt: skip
        peer.sendall(_answer("200 OK", json.dumps(told).encode()))
    else:
        peer.sendall(_answer("404 Not Found", b""))


@contextmanager
def hostile(kind: str) -> Iterator[int]:
    """The port at which it behaves so."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]

    def serve(peer: socket.socket) -> None:
        with peer:
            try:
                path = peer.recv(65536).split(b" ")[1].decode()
                _behave(kind, path, peer, port)
            except (OSError, IndexError):
                return

    def accept() -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(peer,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield port
    finally:
        listener.close()
