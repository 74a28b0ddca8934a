"""Runs every benchmark and prints one table."""

from __future__ import annotations

import platform
import tempfile
from pathlib import Path

import asking
import resuming
import scoring
import serving
import starting
import validating


def main() -> None:
    print(f"{platform.platform()}, Python {platform.python_version()}\n")
    print("| what | figure | beside | aim |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for benchmark in (starting, validating, scoring, asking, resuming, serving):
            for figure in benchmark.figures(Path(folder)):
                print(
                    f"| {figure.what} | {figure.value} | {figure.beside} | {figure.aim} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
