"""An Ollama that says whatever a test wants, byte by byte: what no recording has.

In: the documents and lines a test sets. Out: a server in this process, and replies of a model asked
through it. For shapes only; everything else is tested with the server process of tests/servers.
"""

from __future__ import annotations

import http.server
import itertools
import json
import threading
from contextlib import suppress
from typing import Any

from assay.models.opening import open_model
from assay.types import Message, ModelFacts, Reply, Request, Sampling, ToAnswer
from assay.types.options import ServerOptions

_numbers = itertools.count()
STALE = json.dumps({"message": {"content": "STALE"}, "done": True}) + "\n"


class OddOllama:
    """One model `m`, and what is said about and by it."""

    def __init__(self) -> None:
        self.tags: dict[str, Any] = {"models": [{"name": "m:latest", "digest": "d", "size": 5}]}
        self.show: dict[str, Any] = {"template": "{{ .Messages }}", "capabilities": ["completion"]}
        self.loaded: dict[str, Any] = {"models": []}
        self.load_status = 200
        self.loads = 0
        self.stale = False
        self.lines: list[str] = []
        self.cut = False
        self.final: dict[str, Any] = {}
        self.asked: list[dict[str, Any]] = []
        self.facts: ModelFacts
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, request: Request | None = None, **said: Any) -> Reply:
        """The reply to one request, where the server says this."""
        self.lines, self.cut = said.get("lines", []), said.get("cut", False)
        self.final = said.get("final", {})
        return self.replies(1, request)[0]

    def replies(self, count: int, request: Request | None = None) -> list[Reply]:
        settings = ServerOptions(timeout=20, first_pause_s=0.001)
        model = open_model(f"ollama:m@http://127.0.0.1:{self._server.server_port}", settings)
        try:
            self.facts = model.facts
            return list(model.answer([request] if request else [_plain() for _ in range(count)]))
        finally:
            model.close()


def _plain() -> Request:
    sampling = Sampling(temperature=0, seed=0, max_tokens=9)
    work = ToAnswer(messages=(Message("user", "hello"),), sampling=sampling)
    return Request(id=f"o{next(_numbers)}", suite="s", test_id="t", turn=0, repeat=0, work=work)


def _handler(odd: OddOllama) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            known = {"/api/version": {"version": "0.17.4"}, "/api/tags": odd.tags}
            self._say(known.get(self.path, odd.loaded))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if self.path == "/api/show":
                self._say(odd.show)
            elif self.path == "/api/generate":
                loads = body.get("keep_alive") != 0
                odd.loads += loads
                self._say({"done": True}, odd.load_status if loads else 200)
            else:
                odd.asked.append(body)
                self._stream()

        def _say(self, document: object, status: int = 200) -> None:
            raw = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def _stream(self) -> None:
            final = {"message": {"content": "fine"}, "done": True, "done_reason": "stop"}
            lines = [*odd.lines, *([] if odd.cut else [json.dumps(final | odd.final)])]
            raw = "".join(line + "\n" for line in lines).encode()
            answer = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
            answer += b"%x\r\n%s\r\n" % (len(raw), raw)
            if not odd.cut:
                answer += b"0\r\n\r\n"
            if odd.stale:
                extra = STALE.encode()
                answer += b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(extra), extra)
            self.wfile.write(answer)
            self.close_connection = odd.cut

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            with suppress(OSError):  # the client hangs up when it is told nonsense
                super().handle()

    return Handler
