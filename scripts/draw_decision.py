"""Draws the picture of a decision for the README, from a real run of the checkpoints that ship.

    python scripts/draw_decision.py docs/pictures/decision.svg
    python scripts/draw_decision.py docs/pictures/decision.fr.svg fr

Takes some minutes on two cores. The picture has the first lines of what a terminal shows, and the
lines about the gate.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
CHECKPOINTS = ROOT / "src" / "assay" / "builtin" / "checkpoints" / "tiny"
WIDTH = 100
COMMAND = "assay run runs/tiny"
TABLE_ENDS = ("Weighted score", "Score pondéré")
GATE = (" at the default gate", " à la barrière par défaut")


def main(target: Path, language: str = "en") -> None:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(CHECKPOINTS, Path(folder) / "runs" / "tiny")
        done = subprocess.run(
            [sys.executable, "-m", *COMMAND.split()],
            cwd=folder,
            env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "LC_ALL": language},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    target.write_text(draw(done.stdout), "utf-8")


def draw(printed: str) -> str:
    """The picture of what was printed, with no font from elsewhere."""
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False
    )
    console.print(Text(f"$ {COMMAND}", style="bold"))
    for line in choose_lines(printed.splitlines()):
        console.print(Text.from_ansi(line))
    svg = console.export_svg(title="assay")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return re.sub(r"Fira Code, monospace|Fira Code", "ui-monospace, Menlo, monospace", svg)


def choose_lines(lines: list[str]) -> list[str]:
    """From the first to the table of checkpoints, and the part about the gate."""
    plain = [Text.from_ansi(line).plain for line in lines]
    score = next(n for n, line in enumerate(plain) if line.startswith(TABLE_ENDS))
    gate = next(n for n, line in enumerate(plain) if any(name in line for name in GATE))
    end = next(n for n, line in enumerate(plain) if n > gate and not line.strip())
    return [*lines[:score], *lines[gate:end]]


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])
