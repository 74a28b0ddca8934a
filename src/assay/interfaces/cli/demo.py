"""`assay demo`: the main job on what ships, offline."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from assay.interfaces.cli.options import command
from assay.interfaces.cli.output import say
from assay.messages import tr


@command(
    "demo",
    summary=tr("Show the main job on shipped models and tests, offline."),
    help=tr(
        "Three scripted models answer the example suite, the run is killed and continued, and the "
        "models are compared and ranked. Then three checkpoints of a small model are evaluated, "
        "and the one to ship is selected. Writes only under --out."
    ),
    examples=["assay demo", "assay demo --part checkpoints", "assay demo --out /tmp/look"],
)
@click.option(
    "--part",
    type=click.Choice(["models", "checkpoints"]),
    help=tr("Show only the scripted models, or only the checkpoints. Default: both."),
)
def demo(part: str | None, out: Path) -> int:
    """Every step with the command that does it."""
    if part != "checkpoints":
        _models(out)
    if part != "models":
        _checkpoints(out)
    return 0


def _models(out: Path) -> None:
    from assay.api.demo import continue_and_show, demo_job, start_and_kill
    from assay.api.rendering import progress_for
    from assay.interfaces.cli.showing import show_demo

    say(f"$ {demo_job(out).command}")
    killed = start_and_kill(out)
    say(
        tr(
            "… killed on purpose (SIGKILL) after {count} answers; the same command continues:",
            count=killed.replies,
        )
    )
    with progress_for(sys.stderr) as observer:
        shown = continue_and_show(out, observer)
    show_demo(shown)


def _checkpoints(out: Path) -> None:
    from assay.api.demo import INSTALL, checkpoints_job, evaluate, missing_packages
    from assay.api.rendering import progress_for
    from assay.interfaces.cli.showing import show_report

    if missing_packages():
        say(tr("three checkpoints ship as well; to see them evaluated: {command}", command=INSTALL))
        return
    job = checkpoints_job(out)
    say(tr("three checkpoints of one training run: which of them is good enough to ship?"))
    say(f"$ {job.command}")
    with progress_for(sys.stderr) as observer:
        report = evaluate(job, observer)
    show_report(report, "text")
