"""What the benchmarks share: a timed child process with its peak memory, and made-up tests.

In: a command or a count. Out: seconds and megabytes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ASSAY = (sys.executable, "-m", "assay")


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    what: str
    value: str
    beside: str
    aim: str


@dataclass(frozen=True, slots=True)
class Timed:
    """A finished child."""

    seconds: float
    peak_mb: float
    returncode: int
    stdout: str


def timed(command: list[str], *, repeats: int = 1) -> Timed:
    """The quickest of some runs of a command, and its peak memory."""
    best: Timed | None = None
    for _ in range(repeats):
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        output = process.stdout.read()
        process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        took = Timed(
            time.perf_counter() - started,
            usage.ru_maxrss / 1024,
            process.returncode,
            output.decode("utf-8", "replace"),
        )
        if best is None or took.seconds < best.seconds:
            best = took
    assert best is not None
    return best


def made_up_tests(count: int) -> list[dict[str, object]]:
    """Tests of the three commonest kinds."""
    kinds: list[dict[str, object]] = [
        {"eval_method": "exact_match", "expected": "42"},
        {"eval_method": "keywords", "expected_keywords": ["alpha", ["beta", "gamma"], "delta"]},
        {"eval_method": "multiple_choice", "expected": "B", "choices": ["one", "two", "six"]},
    ]
    return [
        {
            "id": f"made_{number:06d}",
            "prompt": f"Question {number}: what does the manual say about option {number}?",
            "description": "made up",
            **kinds[number % 3],
        }
        for number in range(count)
    ]


def write_suite(folder: Path, count: int) -> Path:
    """A suite of one category."""
    folder.mkdir(parents=True)
    (folder / "made.json").write_text(json.dumps(made_up_tests(count), indent=1), "utf-8")
    return folder
