"""Draws the one decision that the documentation shows, from a run of the checkpoints that ship.

    make shown

In: the checkpoints of `make demo`, run as a user runs them. Out: the pictures of both READMEs and
of the curves, and every block of a page that stands after a line `<!-- drawn: NAME -->`. The
trainer's tutorial shows the same run, but as a transcript: `python -m tests.transcripts` renews it.
Takes about a minute on two quiet cores.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"
CHECKPOINTS = ROOT / "src" / "assay" / "builtin" / "checkpoints" / "tiny"
COMMAND = "assay run runs/tiny --limit 48"
"""What the pictures and pages show. `make demo` asks as many tests."""

WIDTH = 80
CURVES = "assay-out/checkpoints/tiny/over_steps.svg"
MARKED_BLOCK = re.compile(
    r"(?P<mark>^<!-- drawn: (?P<name>[\w.-]+) -->\n\n?```\w+\n)(?P<text>.*?)(?P<end>^```$)",
    re.MULTILINE | re.DOTALL,
)
NOTEBOOK_CELL = "import assay; print(assay.report('latest')._repr_html_())"


@dataclass(frozen=True)
class Drawing:
    """What the documentation shows of one run."""

    pictures: dict[str, str]
    """By file name in docs/pictures, the SVG."""

    blocks: dict[str, str]
    """By the name in its mark, the text of a block."""


def main() -> None:
    """Write the pictures and the marked blocks again."""
    with tempfile.TemporaryDirectory() as folder:
        drawing = draw_decision(Path(folder))
    for name, svg in drawing.pictures.items():
        (PICTURES / name).write_text(svg, "utf-8")
    for page in marked_pages():
        page.write_text(renew(page.read_text("utf-8"), drawing.blocks), "utf-8")


def draw_decision(folder: Path) -> Drawing:
    """Run the checkpoints in a folder; return all that is shown of the run."""
    shutil.copytree(CHECKPOINTS, folder / "runs" / "tiny")
    english = call(COMMAND, folder)
    curves = (folder / CURVES).read_text("utf-8")
    markdown = call("assay report latest --format md", folder)
    comment = call("assay report latest --format pr-comment", folder)
    notebook = call_python(["-c", NOTEBOOK_CELL], folder)
    # The answers are stored by now: French and `assay watch` compute nothing again.
    french = call(f"{COMMAND} --lang fr", folder)
    shutil.copytree(CHECKPOINTS, folder / "tiny")
    watched = call("assay watch tiny --limit 48 --once", folder)

    pictures = {
        "decision.svg": draw_terminal(english),
        "decision.fr.svg": draw_terminal(french),
        "over_steps.svg": curves,
    }
    blocks = {
        "terminal": plain(english),
        "terminal.fr": plain(french),
        "markdown": before(plain(markdown), "\n| "),
        "pr-comment": plain(comment),
        "notebook": paragraphs(notebook),
        "watch": lines_of_checkpoints(plain(watched)),
    }
    return Drawing(pictures=pictures, blocks=blocks)


def call(command: str, folder: Path) -> str:
    """Return what a command of ours prints on a terminal with colours."""
    return call_python(["-m", *command.split()], folder)


def call_python(arguments: list[str], folder: Path) -> str:
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "LC_ALL": "C.UTF-8"}
    # A user without settings: no key and no store of the machine takes part.
    environment["XDG_DATA_HOME"] = str(folder / "users-data")
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}\n{done.stderr}")
    return done.stdout


def draw_terminal(printed: str) -> str:
    """Return the picture of a terminal, with no font from elsewhere."""
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False
    )
    console.print(Text(f"$ {COMMAND}", style="bold"))
    for line in printed.splitlines():
        console.print(Text.from_ansi(line))
    svg = console.export_svg(title="assay")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return re.sub(r"Fira Code, monospace|Fira Code", "ui-monospace, Menlo, monospace", svg)


def plain(printed: str) -> str:
    """Return what was printed without its colours."""
    lines = [Text.from_ansi(line).plain.rstrip() for line in printed.splitlines()]
    return "".join(f"{line}\n" for line in lines)


def before(text: str, begin: str) -> str:
    """Return a text up to where something begins, with one line break at its end."""
    return text.partition(begin)[0].rstrip() + "\n"


def paragraphs(cell: str) -> str:
    """Return the card of a notebook's cell, without the table and the picture below it."""
    lines = [line for line in cell.splitlines() if line.startswith("<p>")]
    return "".join(f"{line}\n" for line in lines)


def lines_of_checkpoints(watched: str) -> str:
    """Return the line that `assay watch` prints for each checkpoint, without the last report."""
    lines = [line for line in watched.splitlines() if line.startswith("tiny/")]
    return "".join(f"{line}\n" for line in lines)


def renew(page: str, blocks: dict[str, str]) -> str:
    """Return the page with its marked blocks as they are drawn now."""
    return MARKED_BLOCK.sub(
        lambda block: f"{block['mark']}{blocks[block['name']]}{block['end']}", page
    )


def marked_pages() -> list[Path]:
    """Return the pages of docs that show a drawn block."""
    pages = sorted(DOCS.rglob("*.md"))
    return [page for page in pages if MARKED_BLOCK.search(page.read_text("utf-8"))]


if __name__ == "__main__":
    main()
