"""`assay doctor`: what this machine can do."""

from __future__ import annotations

from pathlib import Path

import click

from assay.interfaces.cli.options import as_json, command
from assay.messages import tr


@command(
    "doctor",
    summary=tr("Show what this machine can do and what is missing."),
    help=tr(
        "Checks Python, memory, disk, GPU, Ollama with its models and whether they fit, and API "
        "keys (never their values), and says what to do about what is missing. Asks no model "
        "anything; the exit code is always 0."
    ),
    examples=["assay doctor", "assay doctor --json", "OLLAMA_HOST=192.168.1.20 assay doctor"],
)
@as_json
def doctor(as_json: bool, out: Path) -> int:
    """Look, then show."""
    from dataclasses import asdict

    from assay.interfaces.cli.output import reader_may_leave, stdout_takes_unicode
    from assay.reports.doctor import examination_document, examination_json
    from assay.reports.formats.json import render_json
    from assay.reports.formats.terminal import console_for, draw
    from assay.workflow.discover.doctor import examine_machine

    found = examine_machine(out)
    with reader_may_leave():
        if as_json:
            document = examination_json(
                found.lines, machine=asdict(found.machine), ollama=asdict(found.ollama)
            )
            click.echo(render_json(document, ascii_only=not stdout_takes_unicode()))
        else:
            draw(examination_document(found.lines), console_for())
    return 0
