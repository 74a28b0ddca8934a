"""`assay leaderboard`: every model in the store, best first."""

from __future__ import annotations

from pathlib import Path

import click

from assay.interfaces.cli.options import as_json, common
from assay.messages import tr


@click.command(
    "leaderboard",
    short_help=tr("Every model in the store, best first."),
    help=tr(
        "Every model in the store, best first, one table per suite; a model's newest finished run "
        "counts.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay leaderboard\n"
        "  assay leaderboard -s example --json\n"
    ),
)
@click.option("-s", "--suite", help=tr("Only this suite."))
@click.option(
    "--format", "form", type=click.Choice(["text", "md", "json"]), default="text", show_default=True
)
@as_json
@common
def command(suite: str | None, form: str, as_json: bool, out: Path) -> int:
    """One leaderboard on stdout."""
    from assay import api
    from assay.interfaces.cli.showing import show_leaderboard

    show_leaderboard(api.leaderboard(suite=suite, out=out), "json" if as_json else form)
    return 0
