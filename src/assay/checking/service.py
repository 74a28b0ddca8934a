"""A service on the loopback interface that answers as it is told to, faults included.

A reply with `hold` is kept back until the step under way has ended, so that a client without a
deadline is told from one with, whatever the machine's speed. One with `raw` has that text as its
body, whatever it is, and one that is `cut` ends before its announced length. One that is `broken`
never begins: the connection ends once the request has been read. One with `needs` goes only to
requests with these headers; any other gets a 401 in its place.
"""

import socket
import threading
import time
from http.server import BaseHTTPRequestHandler
from json import dumps
from socketserver import TCPServer, ThreadingMixIn
from typing import Any

LONGEST_HOLD_S = 3.0
_MOST_REQUESTS = 500
_LONGEST_BODY = 100_000
_BUSY = {"status": 503, "body": {"error": "busy"}}
_STRANGER = {"status": 401, "body": {"error": "who are you?"}}


class Script:
    """What to answer, and what was asked."""

    def __init__(self, replies: list[dict[str, Any]]) -> None:
        self.replies = replies
        self.requests: list[dict[str, Any]] = []
        self.step_ended = threading.Event()
        self._lock = threading.Lock()

    def next_reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to this request; busy once the script is at its end."""
        with self._lock:
            at = len(self.requests)
            if at < _MOST_REQUESTS:
                self.requests.append(request)
        reply: dict[str, Any] = self.replies[at] if at < len(self.replies) else _BUSY
        given = {(name.lower(), text) for name, text in request["headers"]}
        needs: dict[str, str] = reply.get("needs", {})
        needed = {(name.lower(), text) for name, text in needs.items()}
        return reply if needed <= given else _STRANGER


class Service(ThreadingMixIn, TCPServer):
    """Listens on a port of its own choice. `script` is changed from group to group."""

    daemon_threads = True
    request_queue_size = 32

    def __init__(self) -> None:
        self.script = Script([])
        super().__init__(("127.0.0.1", 0), _Handler)
        self.base_url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        # Bound and never listening: whoever connects is refused.
        self._closed_door = socket.socket()
        self._closed_door.bind(("127.0.0.1", 0))
        # The same service at another address, for a second client.
        self.second = _SecondDoor(("127.0.0.1", 0), _Handler)
        self.second.main = self
        self.second_url = f"http://127.0.0.1:{self.second.server_address[1]}/branch/v2"
        threading.Thread(target=self.second.serve_forever, args=(0.05,), daemon=True).start()
        self.refused_url = f"http://127.0.0.1:{self._closed_door.getsockname()[1]}/v1"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def begin(self, replies: list[dict[str, Any]]) -> None:
        self.script = Script(replies)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news."""


class _SecondDoor(ThreadingMixIn, TCPServer):
    """Another port of a service."""

    daemon_threads = True
    main: Service

    @property
    def script(self) -> Script:
        return self.main.script

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    wbufsize = -1  # head and body in one packet: two would wait for each other
    server: Service | _SecondDoor

    def handle_one_request(self) -> None:
        self.raw_requestline = self.rfile.readline(65_537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        script = self.server.script
        length = self.headers.get("Content-Length") or "0"
        size = min(int(length), _LONGEST_BODY) if length.isdecimal() else 0
        request = {
            "verb": self.command[:20],
            "path": self.path[:2_000],
            "headers": [[name[:200], text[:500]] for name, text in self.headers.items()][:50],
            "body": self.rfile.read(size).decode("utf-8", "replace") if size else "",
            "at": time.monotonic(),
            "port": self.server.server_address[1],
        }
        reply = script.next_reply(request)
        if reply.get("broken"):
            self.close_connection = True
            return
        if reply.get("hold"):
            script.step_ended.wait(LONGEST_HOLD_S)
        self._send(reply)

    def _send(self, reply: dict[str, Any]) -> None:
        body = b"" if reply.get("body") is None else dumps(reply["body"]).encode("utf-8")
        body = reply["raw"].encode("utf-8", "surrogateescape") if "raw" in reply else body
        self.send_response_only(reply["status"])
        if body:
            self.send_header("Content-Type", "application/json")
        if reply["status"] != 204:
            self.send_header("Content-Length", str(len(body) + 9 * bool(reply.get("cut"))))
        self.close_connection = self.close_connection or bool(reply.get("cut"))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
