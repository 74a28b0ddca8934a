"""Runs the benchmarks that need no model and no data, and prints one table."""

from __future__ import annotations

import platform
import tempfile
from pathlib import Path

import scoring
import serving


def main() -> None:
    print(f"{platform.platform()}, Python {platform.python_version()}\n")
    print("| what | figure | beside | aim |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for benchmark in (scoring, serving):
            for figure in benchmark.figures(Path(folder)):
                print(
                    f"| {figure.what} | {figure.value} | {figure.beside} | {figure.aim} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
