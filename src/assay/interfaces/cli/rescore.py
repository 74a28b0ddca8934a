"""`assay rescore`: mark again from the stored answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from assay.interfaces.cli.options import as_json, common
from assay.messages import tr, trn


@click.command(
    "rescore",
    short_help=tr("Mark a run again from its stored answers."),
    help=tr(
        "Mark a run again from its stored answers; no model is asked. The test files are read "
        "again, so a mended keyword list counts.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay rescore latest\n"
        "  assay rescore 20261115T1015\n"
    ),
)
@click.argument("run", default="latest")
@click.option("-v", "--verbose", is_flag=True, help=tr("Show every test."))
@as_json
@common
def command(run: str, verbose: bool, as_json: bool, out: Path) -> int:
    """Marks, then the new report."""
    from assay import api
    from assay.interfaces.cli.showing import show_report

    done = api.rescore(run, out=out)
    for note in done.notes:
        click.echo(note, err=True)
    click.echo(
        trn(
            "{count} answer marked again, {changed} changed",
            "{count} answers marked again, {changed} changed",
            done.marked,
            changed=done.changed,
        ),
        err=True,
    )
    report = replace(done.report, exit_code=0)
    show_report(report, "json" if as_json else "text", verbose=verbose)
    return 0
