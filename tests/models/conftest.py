"""What the tests of served models share."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from assay.models.opening import open_model
from assay.types import Model
from assay.types.options import ServerOptions
from tests.models.asking import KEY, QUICK
from tests.servers.fixtures import Server

Habit = Callable[[str, dict[str, Any]], tuple[int, Any]]


@pytest.fixture
def planted_key(monkeypatch: pytest.MonkeyPatch) -> str:
    """A key in the environment, which must turn up in one header and nowhere else."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return KEY


@pytest.fixture
def opened(openai_server: Server) -> Iterator[Callable[..., Model]]:
    """Opens, probes, and closes at the end."""
    models: list[Model] = []

    def open_it(settings: ServerOptions = QUICK, *, spec: str = "") -> Model:
        models.append(open_model(spec or openai_server.spec(), settings))
        models[-1].probe()
        return models[-1]

    yield open_it
    for model in models:
        model.close()


@pytest.fixture
def peculiar() -> Iterator[Callable[[Habit], str]]:
    """A server whose answers a function decides; gives its URL. It never streams."""
    running: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def start(habit: Habit) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.reply(200, {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 99}]})

            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                self.reply(*habit(self.path, json.loads(self.rfile.read(length))))

            def reply(self, status: int, document: Any) -> None:
                raw = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        running.append((server, thread))
        return f"http://127.0.0.1:{server.server_address[1]}/v1"

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()
