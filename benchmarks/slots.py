"""Requests lost and times of a run against llama.cpp's server, by slots and connections.

    python benchmarks/slots.py MODEL.gguf [--count 200] [--tokens 24]
        [--slots 1,2,8] [--connections 0,8]
    python benchmarks/slots.py --sleeping 40 [--count 60]

MODEL.gguf is served by xllamacpp in a process of its own. Each run is the main job on COUNT keyword
tests, with default options (0 connections) and with eight, whatever the slots. Answering time by
the client's clock stands beside what the server reports of the same answers (reading and decoding):
as sums, and as the 95th percentile of the difference of single answers. `wall` is the sum of the
answers' shares of the run's time at the server.

With `--sleeping MS` a process that only sleeps stands in for llama.cpp: a token takes so long
whatever else the machine does, and requests beyond its slots queue. It reports no times of its own:
an answer is taken to last as long as its tokens.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from assay import api
from assay.store import Store
from assay.types import Answered
from tests.servers.fixtures import Server

SERVE = """
import os, sys
from xllamacpp import CommonParams, Server
p = CommonParams()
p.model.path = sys.argv[1]
p.n_parallel = int(sys.argv[2])
p.n_ctx = int(sys.argv[3]) * p.n_parallel
p.cpuparams.n_threads = int(sys.argv[4])
p.hostnames = ["127.0.0.1"]
p.port = 0
server = Server(p)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)
"""
WORDS = [
    "river",
    "winter",
    "candle",
    "market",
    "engine",
    "garden",
    "letter",
    "silver",
    "thunder",
    "blanket",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, nargs="?")
    parser.add_argument(
        "--sleeping", type=float, metavar="MS", help="of a token, in place of MODEL"
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=24)
    parser.add_argument("--slots", default="1,2,8")
    parser.add_argument("--connections", default="0,8", help="0: the default")
    parser.add_argument("--context", type=int, default=512, help="tokens of a slot")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if (options.model is None) == (options.sleeping is None):
        parser.error("name MODEL.gguf, or --sleeping MS")
    print("| slots | connections | lost | client, s | server, s | difference | single, 95 % "
          "| queue, s | wall, s | run, s |")  # fmt: skip
    print("|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "short", options.count, options.tokens)
        for slots in map(int, options.slots.split(",")):
            for connections in map(int, options.connections.split(",")):
                with serving(options, slots) as url:
                    asleep = (options.sleeping or 0) * options.tokens / 1000
                    print(row(url, suite, slots, connections or None, asleep), flush=True)


def write_suite(folder: Path, count: int, tokens: int) -> Path:
    folder.mkdir()
    tests = [
        {
            "id": f"short_{number:03d}",
            "prompt": f"{number}. Write a sentence about a {WORDS[number % 10]} in the "
            f"{WORDS[number // 10 % 10]} of {WORDS[number // 100 % 10]}.",
            "eval_method": "keywords",
            "expected_keywords": [WORDS[number % 10]],
            "max_tokens": tokens,
        }
        for number in range(count)
    ]
    (folder / "short.json").write_text(json.dumps(tests), "utf-8")
    return folder


@contextmanager
def serving(options: argparse.Namespace, slots: int) -> Iterator[str]:
    if options.sleeping is not None:
        server = Server("openai", slots=slots, token_ms=options.sleeping)
        server.settings(props={"total_slots": slots})
        server.answers({"*": " ".join(WORDS * 10)})
        try:
            yield server.spec()
        finally:
            server.stop()
        return
    told = [options.model, slots, options.context, options.threads]
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, *map(str, told)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


def row(url: str, suite: Path, slots: int, connections: int | None, asleep: float) -> str:
    """`asleep`: seconds that an answer takes where the server only sleeps."""
    with tempfile.TemporaryDirectory() as out:
        began = time.monotonic()
        report = api.run([url], suites=[str(suite)], out=Path(out), connections=connections)
        took = time.monotonic() - began
        with Store(Path(out), read_only=True) as store:
            run = store.find_run("latest")
            replies = [trial.reply for trial in store.read_trials(run, run.models[0])]
    answered = [each for each in replies if isinstance(each, Answered)]
    pairs = [
        (each.total_s or 0.0, asleep or (told.prefill_s or 0.0) + (told.decode_s or 0.0))
        for each in answered
        if asleep or (told := each.timing)
    ]
    client, server = (sum(side) for side in zip(*pairs, strict=True))
    single = sorted(abs(one / other - 1) for one, other in pairs if other)
    figures = report.models[0].performance
    queue = sum(each.queue_s or 0.0 for each in answered)
    cells = (
        slots,
        connections or "default",
        f"{figures.failed} of {len(replies)}",
        f"{client:.1f}",
        f"{server:.1f}",
        f"{client / server - 1:+.1%}",
        f"{single[int(0.95 * len(single))]:.1%}",
        f"{queue:.1f}",
        f"{figures.wall_s or 0.0:.1f}",
        f"{took:.1f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
