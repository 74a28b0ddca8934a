"""Asking a server: a whole run beside a bare loop, flat memory, and the size of the store."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
from bare_loop import MODEL, bare_loop
from measuring import ASSAY, Figure, timed

from assay import api
from assay.types.scores import SilentProgress

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.servers.fixtures import Server

COUNT = 500
CONNECTIONS = 10
MANY = 50_000


def _trivial(folder: Path, count: int) -> Path:
    """One request a test: a choice of letters would be asked twice where no letter comes."""
    tests = [
        {
            "id": f"trivial_{number:06d}",
            "prompt": f"Question {number}",
            "eval_method": "exact_match",
            "expected": "42",
            "max_tokens": 16,
        }
        for number in range(count)
    ]
    folder.mkdir(parents=True)
    (folder / "trivial.json").write_text(json.dumps(tests), "utf-8")
    return folder


class _Memory(SilentProgress):
    """Looks at this process's memory as replies come."""

    def __init__(self) -> None:
        self.seen: list[float] = []
        self._replies = 0
        self._process = psutil.Process()

    def replied(self, spec: str, reply: object, score: object) -> None:
        self._replies += 1
        if self._replies % 500 == 0:
            self.seen.append(self._process.memory_info().rss / 2**20)


def figures(folder: Path) -> Iterator[Figure]:
    server = Server("ollama", delay_ms=20, slots=64, no_replay=True)
    server.answers({"*": "42"})
    try:
        yield from _speed(server, folder)
        server.settings(delay_ms=0)
        yield from _memory_and_store(server, folder)
    finally:
        server.stop()


def _speed(server: Server, folder: Path) -> Iterator[Figure]:
    suite = _trivial(folder / "served", COUNT)
    out = folder / "served-out"
    spec = f"ollama:{MODEL}@{server.url}"

    def run() -> None:
        api.run([spec], suites=[str(suite)], connections=CONNECTIONS, fresh=True, out=out)

    def bare() -> None:
        bare_loop(server.url, COUNT, CONNECTIONS)

    run()  # both have loaded what they need
    bare()
    ratios = [_seconds(run) / _seconds(bare) for _ in range(5)]
    yield Figure(
        f"a whole run, {COUNT} requests of 20 ms at {CONNECTIONS} connections",
        f"{statistics.median(ratios):.2f} times ({min(ratios):.2f} to {max(ratios):.2f})",
        "a bare httpx loop",
        "at most 1.2 times",
    )
    command = [*ASSAY, "run", spec, "-s", str(suite), "--connections", str(CONNECTIONS), "--fresh"]
    whole = timed([*command, "--out", str(out), "--json"], repeats=3)
    script = [sys.executable, str(Path(__file__).with_name("bare_loop.py"))]
    loop = timed([*script, server.url, str(COUNT), str(CONNECTIONS)], repeats=3)
    yield Figure(
        "the same as commands, start of Python included",
        f"{whole.seconds:.2f} s, {whole.seconds / loop.seconds:.2f} times",
        f"the loop as a script, {loop.seconds:.2f} s",
        "–",
    )


def _memory_and_store(server: Server, folder: Path) -> Iterator[Figure]:
    suite = _trivial(folder / "many", MANY)
    memory = _Memory()
    spec = f"ollama:{MODEL}@{server.url}"
    out = folder / "many-out"
    api.run(
        [spec],
        suites=[str(suite)],
        connections=CONNECTIONS,
        out=out,
        observer=memory,
    )
    tenth = len(memory.seen) // 10
    yield Figure(
        f"memory while {MANY:,} requests are asked",
        f"{memory.seen[-1]:.0f} MB at the last reply",
        f"{memory.seen[tenth]:.0f} MB after a tenth",
        "flat",
    )
    store = (out / "assay.db").stat().st_size
    tests = sum(file.stat().st_size for file in suite.iterdir())
    yield Figure(
        f"the store of {MANY:,} short answers",
        f"{store / 2**20:.0f} MB, {store / MANY:.0f} bytes an answer",
        f"the tests as JSON, {tests / MANY:.0f} bytes each",
        "–",
    )


def _seconds(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
