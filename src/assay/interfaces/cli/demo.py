"""`assay demo`: the main job on what ships, offline."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from assay.interfaces.cli.options import common
from assay.interfaces.cli.output import say
from assay.messages import tr


@click.command(
    "demo",
    short_help=tr("The main job on what ships, offline."),
    help=tr(
        "Show the main job on what ships, offline: a model behind a stand-in server on loopback "
        "and two scripted ones answer the example suite, the run is killed and continued, and the "
        "models are compared and ranked. Writes only under --out.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay demo\n"
        "  assay demo --out /tmp/look\n"
    ),
)
@common
def command(out: Path) -> int:
    """Every step with the command that does it."""
    from assay.interfaces.cli.showing import show_demo
    from assay.reports.progress import progress_for
    from assay.workflow.demo import (
        continue_and_show,
        demo_job,
        stand_in_server,
        start_and_kill,
    )

    with stand_in_server(out) as url:
        say(tr("started a stand-in server on loopback, written answers: {url}", url=url))
        say(f"$ {demo_job(out, url).command}")
        killed = start_and_kill(out, url)
        say(
            tr(
                "… killed on purpose (SIGKILL) after {count} answers; the same command continues:",
                count=killed.replies,
            )
        )
        with progress_for(sys.stderr) as observer:
            shown = continue_and_show(out, url, observer)
    show_demo(shown)
    return 0
