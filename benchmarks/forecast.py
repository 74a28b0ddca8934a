"""Forecasts beside what a run took, and silence beside its limit, with a server that drips tokens.

    python benchmarks/forecast.py RECORDINGS [--pace 100] [--real-limit] [--splits]

RECORDINGS has `MODEL/TEST-ID.md`: real answers of small models to `coding` and `data`. A server on
loopback writes them again, in as many tokens as the model did, at 2, 10 and 50 tokens/s; times and
the limit of silence are divided so that `--pace` tokens come each second, whatever the speed: at 2
tokens/s 120 s of silence are 2.4 s.
What the run itself computes is not divided, and weighs more the higher the pace. For each speed:
the forecast after the timing question, the forecast again when half of the answers are stored, and
what both parts took; and how many answers failed although they kept coming. `--real-limit` asks
once with the real limit of 120 s a server that stops in the middle of an answer. `--splits` runs
nothing: of each suite some answers are taken as stored, in every way there is, and the tokens of
the others, up to where a loop is stopped, are foretold; with none stored, by the usual lengths.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from itertools import combinations, product
from pathlib import Path
from statistics import fmean, median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from assay import api
from assay.suites.load import find, load_suite
from assay.text.loops import LoopWatch
from assay.types.options import DEFAULT_TIMEOUT_S
from assay.workflow.commands.discover.forecast import (
    LEAST_SPREAD,
    OPEN_ANSWER,
    Forecast,
    forecast,
    spread_of,
)
from assay.workflow.running.job import Job
from tests.servers.fixtures import Server

SUITES = ("coding", "data")
SPEEDS = (2, 10, 50)
PIECE = re.compile(r"\s?\w{1,6}|\s?[^\w\s]|\s")  # about a token
PROMPT = 160  # characters of a prompt that tell it from the others


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--pace", type=float, default=100.0)
    parser.add_argument("--real-limit", action="store_true")
    parser.add_argument("--splits", action="store_true")
    options = parser.parse_args()
    if options.splits:
        print("| stored of each suite | ranges | hold | high/low, median |\n|--:|--:|--:|--:|")
        print(start(options.recordings))
        for stored in (3, 4, 5):
            print(splits(options.recordings, stored))
        return
    print("| answers of | tokens/s | forecast | took | high/took | half way | took | failed |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for folder in sorted(each for each in options.recordings.iterdir() if each.is_dir()):
        for speed in SPEEDS:
            print(row(folder, speed, options.pace / speed), flush=True)
    if options.real_limit:
        print(f"\na server that stops in an answer is given up after {real_limit():.1f} s")


def row(folder: Path, speed: float, scale: float) -> str:
    server = Server("ollama", no_replay=True, token_ms=1000 / (speed * scale))
    try:
        server.answers({**book(folder), "*": "one two three " * 10})
        with tempfile.TemporaryDirectory() as out:
            common = {"out": Path(out), "timeout": DEFAULT_TIMEOUT_S / scale}
            whole = Job(models=(server.spec(),), suites=SUITES, **common)
            ahead = forecast(whole)
            first, failed = run(server, limit=3, **common)
            later = forecast(whole)
            second, more = run(server, **common)
    finally:
        server.stop()
    took = first + second
    high = (ahead.seconds_high or 0.0) / took
    cells = (
        folder.name, speed, shown(ahead, scale), minutes(took * scale), f"{high:.2f}",
        shown(later, scale), minutes(second * scale), failed + more,
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def start(recordings: Path) -> str:
    """Every test of both suites is judged, and none ends before the longest usual answer."""
    held = []
    for suites in lengths_in(recordings).values():
        took, tests = sum(map(sum, suites)), sum(map(len, suites))
        held.append(OPEN_ANSWER[0] * tests <= took <= OPEN_ANSWER[1] * tests)
    width = OPEN_ANSWER[1] / OPEN_ANSWER[0]
    return f"| 0 | {len(held)} | {fmean(held):.1%} | {width:.1f} |"


def splits(recordings: Path, stored: int) -> str:
    held, widths = [], []
    for suites in lengths_in(recordings).values():
        for ways in product(*(combinations(range(len(each)), stored) for each in suites)):
            known = [[each[n] for n in way] for each, way in zip(suites, ways, strict=True)]
            took = sum(map(sum, suites)) - sum(map(sum, known))
            left = [len(each) - stored for each in suites]
            spread = spread_of([*zip(known, left, strict=True)])
            spread = max(spread, LEAST_SPREAD**0.5)
            foretold = sum(fmean(each) * more for each, more in zip(known, left, strict=True))
            held.append(foretold / spread <= took <= foretold * spread)
            widths.append(spread**2)
    return f"| {stored} | {len(held)} | {fmean(held):.1%} | {median(widths):.1f} |"


def lengths_in(recordings: Path) -> dict[str, list[list[int]]]:
    """Of each model and suite the tokens of its answers, as far as they would have been written."""
    found: dict[str, dict[str, list[int]]] = {}
    for told in index(recordings):
        pieces = PIECE.findall((recordings / told["model"] / f"{told['test']}.md").read_text())
        watch = LoopWatch()
        looped = (n for n, piece in enumerate(pieces, 1) if watch.is_stuck_after(piece))
        share = next(looped, len(pieces)) / len(pieces)
        suite = found.setdefault(told["model"], {}).setdefault(told["test"][:2], [])
        suite.append(round(told["output_tokens"] * share))
    return {model: [*suites.values()] for model, suites in found.items()}


def book(folder: Path) -> dict[str, Any]:
    """What the server answers, by a piece of each test's prompt, in as many tokens as the model
    wrote: pieces by a rule are more where code is indented, and fewer in tables.
    """
    prompts = {case.id: case.prompt for name in SUITES for case in load_suite(find(name)).cases}
    return {
        prompts[told["test"]][:PROMPT]: {
            "text": (folder / f"{told['test']}.md").read_text("utf-8"),
            "tokens": told["output_tokens"],
        }
        for told in index(folder.parent)
        if told["model"] == folder.name and told["test"] in prompts
    }


def index(recordings: Path) -> list[dict[str, Any]]:
    return [*map(json.loads, (recordings / "index.jsonl").read_text("utf-8").splitlines())]


def run(server: Server, **how: object) -> tuple[float, int]:
    """Seconds, and requests that failed."""
    started = time.perf_counter()
    report = api.run([server.spec()], **{"suites": list(SUITES), **how})
    return time.perf_counter() - started, report.models[0].performance.failed


def real_limit() -> float:
    server = Server("ollama", no_replay=True)
    try:
        server.fault("hang_mid_stream", times=None)
        with tempfile.TemporaryDirectory() as out:
            return run(server, suites=["coding"], limit=1, out=Path(out))[0]
    finally:
        server.stop()


def shown(ahead: Forecast, scale: float) -> str:
    low, high = (ahead.seconds_low or 0.0) * scale, (ahead.seconds_high or 0.0) * scale
    return f"{minutes(low)} to {minutes(high)}"


def minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} min"


if __name__ == "__main__":
    main()
