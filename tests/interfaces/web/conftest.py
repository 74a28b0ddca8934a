"""A real `assay view` over a real store, made once for all tests of the viewer."""

from __future__ import annotations

import http.client
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.conftest import Bench


class Viewer:
    """A viewer that runs, and requests to it that no browser would send."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self.port = int(re.search(r":(\d+)", address)[1])

    def ask(self, path: str = "/", method: str = "GET", body: str = "", **headers: str) -> Any:
        """The answer to a request; `Sec_Fetch_Site` is the header Sec-Fetch-Site."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            named = {name.replace("_", "-"): text for name, text in headers.items()}
            if method == "POST":
                named |= {"Content-Type": "application/x-www-form-urlencoded"}
            connection.request(method, path, body or None, named)
            answer = connection.getresponse()
            answer.text = answer.read().decode()
            return answer
        finally:
            connection.close()


@contextmanager
def view(bench: Bench, *words: str) -> Iterator[Viewer]:
    started = bench.start("view", "--no-open", "--port", "0", *words)
    line = started.stdout.readline()
    assert "The viewer is at http://" in line, started.communicate()
    try:
        yield Viewer(re.search(r"http://\S+", line)[0])
    finally:
        os.kill(started.pid, signal.SIGINT)
        assert started.wait() == 0
        started.communicate()


TESTS = {
    "facts": [
        {"id": "facts_001", "prompt": "What is 2 + 2?", "eval_method": "exact_match",
         "expected": "4", "system": "You are terse."},
        {"id": "facts_002", "prompt": "What is the capital of Togo?",
         "eval_method": "exact_match", "expected": "Lome"},
    ],
    "choices": [
        {"id": "choices_001", "prompt": "Which one is a fruit?", "expected": "B",
         "eval_method": "multiple_choice", "choices": ["stone", "mango", "chair"]},
    ],
}  # fmt: skip


@pytest.fixture(scope="session")
def viewed(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A store with one finished run of two models."""
    bench = Bench(tmp_path_factory.mktemp("viewed"))
    suite = bench.suite(TESTS, name="little")
    good = bench.script("good", answers={"facts_001": "4", "facts_002": "Lome"}, default="B")
    weak = bench.script("weak", answers={"facts_001": "5"}, default="I do not know")
    done = bench.assay("run", good, weak, "-s", suite)
    assert done.returncode == 0, done.stderr
    return bench


@pytest.fixture(scope="session")
def viewer(viewed: Bench) -> Iterator[Viewer]:
    with view(viewed) as started:
        yield started
