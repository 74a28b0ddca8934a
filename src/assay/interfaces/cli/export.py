"""`assay export`: the records of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from assay.interfaces.cli.options import common
from assay.messages import tr


@click.command(
    "export",
    short_help=tr("The records of a run as JSONL or CSV."),
    help=tr(
        "Print a run's records, one try a line: question, answer, mark, times.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay export latest --format jsonl > records.jsonl\n"
        "  assay export latest --format csv > records.csv\n"
    ),
)
@click.argument("run", default="latest")
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True
)
@common
def command(run: str, form: Literal["jsonl", "csv"], out: Path) -> int:
    """Lines on stdout."""
    from assay import api
    from assay.interfaces.cli.output import write_exactly

    write_exactly(api.export(run, form=form, out=out))
    return 0
