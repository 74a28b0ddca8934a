"""`assay fetch`: benchmarks made by others, as suites with a name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.interfaces.cli.options import NamedPath, as_json, command, named_options
from assay.interfaces.cli.output import say, stdout_takes_unicode
from assay.interfaces.cli.showing import write
from assay.messages import tr


@command(
    "fetch",
    help=tr(
        "NAME is mmlu or hellaswag. Writes a suite that -s finds by its name, from the Hugging "
        "Face hub or, with --from, from a copy on this machine. Repeated tests are dropped and "
        "listed."
    ),
    examples=[
        "assay fetch mmlu --from data/",
        "assay fetch mmlu hellaswag",
        "assay fetch mmlu --all --benchmarks my-benchmarks",
    ],
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option(
    "--from",
    "source",
    type=NamedPath(path_type=Path),
    metavar="DIR",
    help=tr("Unpacked copy on this machine; nothing is downloaded. Default: the hub."),
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help=tr("All subjects of MMLU, or the whole validation split of HellaSwag."),
)
@named_options("benchmarks")
@as_json
def fetch(as_json: bool, out: Path, **options: Any) -> int:
    from assay import api
    from assay.api.fetched import render_fetched

    fetched = api.fetch(**options, tell=say)
    form, ascii_only = "json" if as_json else "text", not stdout_takes_unicode()
    write(render_fetched(fetched, form, ascii_only=ascii_only))
    return 0
