"""Draws the picture of a real run for the README: runs the demo, records what a terminal shows.

python scripts/draw_demo.py docs/pictures/demo.svg
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from assay import api
from assay.reports.comparison import comparison_document
from assay.reports.formats.terminal import draw
from assay.reports.leaderboard import leaderboard_document
from assay.reports.progress import SilentProgress
from assay.reports.run_report import run_document
from assay.workflow.demo import demo_job, start_and_stop
from assay.workflow.evaluate.evaluation import evaluate

WIDTH = 110


def main(target: Path) -> None:
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, markup=False,
        highlight=False,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        out = Path("assay-out")
        job = demo_job(out)
        command = Text(f"$ {job.command}", style="bold")
        console.print(command)
        stopped = start_and_stop(out)
        console.print(Text(f"… stopped after {stopped} answers\n", style="red"))
        console.print(command)
        report = evaluate(job, SilentProgress())
        # One model and one pair of the three: a picture for a page, not the whole output.
        one = replace(report, models=report.models[:1], hints=())
        draw(run_document(one), console)
        console.print(Text("\n$ assay compare latest", style="bold"))
        comparison = api.compare([report.run], out=out)
        last = replace(comparison, pairs=comparison.pairs[-1:])
        draw(comparison_document(last), console)
        console.print(Text("\n$ assay leaderboard", style="bold"))
        draw(leaderboard_document(api.leaderboard(suite="example", out=out)), console)
    target.write_text(console.export_svg(title="assay"), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
