"""`assay compare`: runs or models side by side, test by test."""

from __future__ import annotations

from pathlib import Path

import click

from assay.interfaces.cli.options import as_json, common
from assay.messages import tr


@click.command(
    "compare",
    short_help=tr("Runs or models side by side, test by test."),
    help=tr(
        "Compare runs test by test: differences with intervals, significance, and the tests that "
        "flipped. Each name is a run (all its models take part) or a model of the store. The "
        "first is compared with each of the others.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay compare latest\n"
        "  assay compare 20261114 20261115\n"
        "  assay compare scripted:a.json scripted:b.json\n"
    ),
)
@click.argument("runs", metavar="A B...", nargs=-1, required=True)
@click.option(
    "--format", "form", type=click.Choice(["text", "md", "json"]), default="text", show_default=True
)
@as_json
@common
def command(runs: tuple[str, ...], form: str, as_json: bool, out: Path) -> int:
    """One comparison on stdout."""
    from assay import api
    from assay.interfaces.cli.showing import show_comparison

    show_comparison(api.compare(runs, out=out), "json" if as_json else form)
    return 0
