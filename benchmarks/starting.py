"""`assay --help`, beside an interpreter that does nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from measuring import ASSAY, Figure, timed


def figures(folder: Path) -> Iterator[Figure]:
    bare = timed([sys.executable, "-c", "pass"], repeats=5)
    done = timed([*ASSAY, "--help"], repeats=5)
    assert done.returncode == 0
    yield Figure(
        "assay --help",
        f"{done.seconds:.2f} s, {done.peak_mb:.0f} MB",
        f"python -c pass {bare.seconds:.3f} s: {done.seconds / bare.seconds:.1f} times",
        "under 0.5 s",
    )
