"""Validating 10,000 tests, beside json.loads of the same bytes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from measuring import ASSAY, Figure, timed, write_suite

COUNT = 10_000


def figures(folder: Path) -> Iterator[Figure]:
    suite = write_suite(folder / "validating", COUNT)
    raw = (suite / "made.json").read_bytes()
    started = time.perf_counter()
    json.loads(raw)
    bare = time.perf_counter() - started
    done = timed([*ASSAY, "validate", str(suite)], repeats=3)
    assert done.returncode == 0, done.stdout
    yield Figure(
        f"assay validate, {COUNT:,} tests ({len(raw) / 1e6:.1f} MB)",
        f"{done.seconds:.2f} s, {done.peak_mb:.0f} MB",
        f"json.loads {bare:.3f} s: {done.seconds / bare:.0f} times",
        "under 2 s",
    )
