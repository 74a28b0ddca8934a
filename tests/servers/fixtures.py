"""The servers as fixtures.

In: nothing, or the flags of another server. Out: a Server whose process runs while the test does.
`ollama_server` and `openai_server` are processes that live as long as the test session and are
reset before every test; `start_ollama` and `start_openai` start others, which end with the test.

    def test_a_busy_server_is_asked_again(ollama_server, bench):
        ollama_server.answers({"capital of Togo": "Lomé"})   # what the model says (speech.py)
        ollama_server.fault("http_503", times=2)             # what goes wrong (spoiling.py)
        bench.assay("run", ollama_server.spec(), suite)
        assert [r.status for r in ollama_server.asked] == [503, 503, 200]
        assert ollama_server.max_at_once == 1
        assert ollama_server.asked[0].body["options"]["repeat_penalty"] == 1.0

    def test_an_old_server(start_ollama):
        server = start_ollama(version="0.11.10", slots=2, also=["llama3.2:3b=2019393189"])
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE_S, wait_for

ROOT = Path(__file__).resolve().parents[2]
FIRST_MODEL = {"ollama": "smollm2:135m-instruct-q4_1", "openai": "test-model"}


@dataclass(frozen=True)
class Received:
    """One request as the server saw it."""

    seq: int
    time: float
    method: str
    path: str
    body: Any
    headers: Mapping[str, str]  # names in lower case
    client_port: int  # the same for two requests: the same connection
    at_once: int  # requests for an answer in work when it came, itself included
    asks: bool  # it asks a model for an answer; a load or an unload does not
    fault: str | None
    status: int | None  # None: nothing was sent
    ended: str | None  # complete, cut; None: still in work
    finished: float | None = None


class Server:
    """A server process and the means to steer it."""

    def __init__(self, scheme: str, **flags: Any) -> None:
        self.scheme = scheme
        command = [sys.executable, "-m", f"tests.servers.{scheme}", *_words(flags)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.strip().isdigit(), f"{command} did not start"
        self.port = int(line)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def url(self) -> str:
        """What follows the @ of a spec."""
        path = "/v1" if self.scheme == "openai" else ""
        return f"http://127.0.0.1:{self.port}{path}"

    def spec(self, name: str | None = None) -> str:
        """What a user would write for this model; the server's first one if none is named."""
        return f"{self.scheme}:{name or FIRST_MODEL[self.scheme]}@{self.url}"

    # ------------------------------------------------------------------ steering

    def fault(self, kind: str, when: str = "*", times: int | None = 1, **details: Any) -> None:
        """Spoil the next `times` answers (None: all) to messages that contain `when`."""
        self._order(faults=[{"kind": kind, "when": when, "times": times, **details}])

    def answers(self, book: Mapping[str, Any]) -> None:
        """Decide what the model says; see tests/servers/speech.py for what a page may be."""
        self._order(answers=dict(book))

    def settings(self, **changes: Any) -> None:
        """Change what the flags of the process set."""
        self._order(settings=changes)

    def reset(self) -> None:
        """As after the start: no faults, no book, nothing loaded, an empty log."""
        self._order(reset=True)

    # ------------------------------------------------------------------ what happened

    def log(self, path: str | None = None) -> list[Received]:
        """The requests so far, in the order in which they came; of one path, if given."""
        requests = [Received(**entry) for entry in self._log()["requests"]]
        return [r for r in requests if path is None or r.path == path]

    @property
    def asked(self) -> list[Received]:
        """The requests for an answer, without probes, loads and unloads."""
        return [request for request in self.log() if request.asks]

    @property
    def max_at_once(self) -> int:
        """How many requests for an answer were in work at the same time, at most."""
        return int(self._log()["max_at_once"])

    @property
    def received(self) -> int:
        return int(self._log()["received"])

    def wait_until(self, holds: Callable[[Server], bool]) -> None:
        """Wait for something to be true, without an opinion on how fast."""
        wait_for(lambda: holds(self), every_s=0.02)

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """A request without any client of ours: status, and JSON or else text."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            sent = body if isinstance(body, bytes | None) else json.dumps(body)
            connection.request(method, path, sent, dict(headers or {}))
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        finally:
            connection.close()
        try:
            return response.status, json.loads(text)
        except ValueError:
            return response.status, text

    # ------------------------------------------------------------------ the end

    def kill(self) -> None:
        """As `kill -9`: connections break, the port refuses."""
        self._process.kill()
        self.stop()

    def stop(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(PATIENCE_S)

    def _order(self, **order: Any) -> None:
        status, answer = self.ask("POST", "/control", order)
        assert status == 200, answer

    def _log(self) -> dict[str, Any]:
        status, log = self.ask("GET", "/control/log")
        assert status == 200, log
        return dict(log)


def _words(flags: Mapping[str, Any]) -> list[str]:
    """delay_ms=20 is --delay-ms 20; True a bare flag; a list one flag for each."""
    words = []
    for name, value in flags.items():
        flag = f"--{name.replace('_', '-')}"
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is True:
                words.append(flag)
            elif each is not False and each is not None:
                words.extend([flag, str(each)])
    return words


def _starter(scheme: str) -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def start(**flags: Any) -> Server:
        started.append(Server(scheme, **flags))
        return started[-1]

    yield start
    for server in started:
        if server._process.poll() is None:
            server.stop()


@pytest.fixture(scope="session")
def ollama_process() -> Iterator[Server]:
    server = Server("ollama")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def openai_process() -> Iterator[Server]:
    server = Server("openai")
    yield server
    server.stop()


@pytest.fixture
def ollama_server(ollama_process: Server) -> Server:
    """Ollama 0.17.4 as recorded, fresh. Do not stop it: others use it after you."""
    ollama_process.reset()
    return ollama_process


@pytest.fixture
def openai_server(openai_process: Server) -> Server:
    """A plain OpenAI-compatible server, fresh. Do not stop it: others use it after you."""
    openai_process.reset()
    return openai_process


@pytest.fixture
def start_ollama() -> Iterator[Callable[..., Server]]:
    """start_ollama(version="0.11.10", slots=2): an Ollama of your own."""
    yield from _starter("ollama")


@pytest.fixture
def start_openai() -> Iterator[Callable[..., Server]]:
    """start_openai(delay_ms=20, key="secret"): a server of your own."""
    yield from _starter("openai")
