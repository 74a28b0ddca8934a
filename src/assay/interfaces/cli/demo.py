"""`assay demo`, the main job on what ships; `assay doctor`, what this machine can do."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from assay import api
from assay.interfaces.cli.options import as_json, command
from assay.interfaces.cli.output import say, show, where_assay_is
from assay.messages import tr
from assay.types.results import Report


@command(
    "demo",
    help=tr(
        "Three scripted models answer the example suite, the run is stopped and continued, and the "
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
    if part != "checkpoints":
        demo_models(out)
    if part != "models":
        demo_checkpoints(out)
    return 0


def demo_models(out: Path) -> None:
    from assay.api.demo import demo_job, evaluate, start_and_stop
    from assay.api.rendering import progress_for

    job = demo_job(out)
    say(f"$ {job.command}")
    stopped = tr("… stopped on purpose after {count} answers; the same command continues:",
                 count=start_and_stop(out))  # fmt: skip
    say(stopped)
    with progress_for(sys.stderr) as observer:
        report = evaluate(job, observer)
    _show(report, out)


def _show(report: Report, out: Path) -> None:
    run, where = report.run, f"--out {shlex.quote(report.out)}"
    folder = Path(report.out) / "runs" / run
    if place := where_assay_is():
        _heading(place)
    _heading(f"$ assay report {run} {where}")
    show(report, "text")
    _heading(f"$ assay compare {run} {where}")
    show(api.compare([run], out=out), "text")
    _heading(f"$ assay leaderboard {where}")
    show(api.leaderboard(suite="example", out=out), "text")
    _heading(tr("look further"))
    click.echo(tr("the page:        {path}", path=folder / "reports" / "report.html"))
    click.echo(tr("every speed:     {path}", path=folder / "performance.md"))
    click.echo(tr("every answer:    {path}", path=folder / "outputs"))
    click.echo(tr("the records:     assay export {run} {where}", run=run, where=where))
    _heading(tr("next, with Ollama and a model of your own"))
    click.echo(tr("assay            finds your models and suites, asks, and runs"))
    click.echo(tr("assay doctor     says what this machine can do, and what to do about the rest"))


def _heading(text: str) -> None:
    click.echo()
    click.secho(text, bold=True)


def demo_checkpoints(out: Path, **changed: Any) -> None:
    """`changed`: what is asked otherwise than in the demonstration."""
    from assay.api.demo import INSTALL, checkpoints_job, evaluate, missing_packages
    from assay.api.rendering import progress_for

    if missing_packages():
        say(tr("three checkpoints ship as well; to see them evaluated: {command}", command=INSTALL))
        return
    job = replace(checkpoints_job(out), **changed)
    say(tr("three checkpoints of one training run: which of them is good enough to ship?"))
    say(f"$ {job.command}")
    with progress_for(sys.stderr) as observer:
        report = evaluate(job, observer)
    show(report, "text")


@command(
    "doctor",
    help=tr(
        "Checks Python, memory, disk, GPU, Ollama with its models and whether they fit, other "
        "servers on the usual ports, GGUF files, and API keys (never their values), and says what "
        "to do about what is missing. Asks no model anything; the exit code is always 0."
    ),
    examples=["assay doctor", "assay doctor --json", "OLLAMA_HOST=192.168.1.20 assay doctor"],
)
@as_json
def doctor(as_json: bool, out: Path) -> int:
    show(api.examine_machine(out=out), "json" if as_json else "text")
    return 0
