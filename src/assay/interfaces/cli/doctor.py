"""`assay doctor`: what this machine can do."""

from __future__ import annotations

from pathlib import Path

import click

from assay.interfaces.cli.options import as_json, common
from assay.messages import tr


@click.command(
    "doctor",
    short_help=tr("What this machine can do, and what is missing."),
    help=tr(
        "Show what this machine can do: Python, memory, disk, GPU, Ollama with its models and "
        "whether they fit, keys that are set (never their values), and what is missing, with what "
        "to do about it. Asks no model anything; always exits with 0.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay doctor\n"
        "  assay doctor --json\n"
        "  OLLAMA_HOST=192.168.1.20 assay doctor\n"
    ),
)
@as_json
@common
def command(as_json: bool, out: Path) -> int:
    """Look, then show."""
    from dataclasses import asdict

    from assay.interfaces.cli.output import reader_may_leave, stdout_takes_unicode
    from assay.reports import as_json as as_document
    from assay.reports import doctor
    from assay.reports.terminal import console_for
    from assay.workflow.discover.doctor import examine_machine

    found = examine_machine(out)
    with reader_may_leave():
        if as_json:
            document = doctor.document(
                found.lines, machine=asdict(found.machine), ollama=asdict(found.ollama)
            )
            click.echo(as_document.as_text(document, ascii_only=not stdout_takes_unicode()))
        else:
            doctor.examination(found.lines, console_for())
    return 0
