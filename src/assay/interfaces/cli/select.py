"""`assay select`: gate and pick among checkpoints that were evaluated before."""

from __future__ import annotations

from pathlib import Path

import click

from assay.interfaces.cli.options import as_json, common, named_options
from assay.messages import tr


@click.command(
    "select",
    short_help=tr("Gate and pick among checkpoints that were evaluated before."),
    help=tr(
        "Hold the reports of evaluated checkpoints against a gate and pick the one to ship. No "
        "model is loaded, so that another gate costs nothing.\n\n"
        "DIR is a checkpoint, a folder of them, a folder of such folders, or the --out folder of "
        "a run. Exit 0: one is selected. 1: none passes. 2: nothing there was evaluated, or a "
        "report cannot be used.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay select runs/my-model/\n"
        "  assay select runs/my-model/ runs/other/ --gate strict.toml\n"
        "  assay select assay-out/ --json\n"
    ),
)
@click.argument("folders", metavar="DIR...", nargs=-1, required=True)
@named_options("gate", "write_back")
@as_json
@common
def command(
    folders: tuple[str, ...], gate: Path | None, write_back: bool, as_json: bool, out: Path
) -> int:
    """Select, then show."""
    from assay import api
    from assay.interfaces.cli.showing_selection import show_selected

    selected = api.select(folders, gate=gate, write_back=write_back, out=out)
    show_selected(selected, "json" if as_json else "text")
    return int(selected.exit_code)
