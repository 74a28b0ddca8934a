"""`assay report`: any report again, from the store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from assay.interfaces.cli.options import as_json, common
from assay.messages import tr


@click.command(
    "report",
    short_help=tr("Any report again, from the store."),
    help=tr(
        "Show a run's report again, from the store. RUN is an id, the beginning of one, or "
        "latest.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay report\n"
        "  assay report latest -v\n"
        "  assay report 20261115T1015 --format html > report.html\n"
    ),
)
@click.argument("run", default="latest")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "md", "json", "html"]),
    default="text",
    show_default=True,
)
@click.option("-v", "--verbose", is_flag=True, help=tr("Show every test."))
@as_json
@common
def command(run: str, form: str, verbose: bool, as_json: bool, out: Path) -> int:
    """One report on stdout."""
    from assay import api
    from assay.interfaces.cli.showing import show_report

    # The document tells how this command ends; that requests of the run failed is in its figures.
    report = replace(api.report(run, out=out), exit_code=0)
    show_report(report, "json" if as_json else form, verbose=verbose)
    return 0
