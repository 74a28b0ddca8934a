"""What the benchmarks share: a line of the table, and a timed process with its peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass

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
