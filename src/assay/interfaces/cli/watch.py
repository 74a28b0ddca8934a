"""`assay watch`: evaluates each checkpoint as it appears."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from assay.interfaces.cli.options import all_options, command
from assay.interfaces.cli.output import say
from assay.messages import tr
from assay.types.options import WatchOptions


@command(
    "watch",
    help=tr(
        "Prints one line for each checkpoint in DIR and keeps the selection up to date. A "
        "checkpoint is evaluated when all its files are written; results in the store are reused. "
        "Ctrl-C ends it, and the same command continues."
    ),
    examples=[
        "assay watch runs/my-model/",
        "assay watch runs/my-model/ --until-accepted && echo ship it",
        "assay watch runs/my-model/ --gate my-gate.toml --text held-out.txt --limit 50",
        "assay watch runs/my-model/ --once",
    ],
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@all_options(WatchOptions)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help=tr("Print one JSON document per line on stdout and nothing else."),
)
def watch(as_json: bool, **options: Any) -> int:
    from assay import api
    from assay.api.rendering import progress_for

    with progress_for(sys.stderr) as observer:
        watching = api.watch(**options, observer=observer)
        try:
            for seen in watching:
                _show(seen.line, seen.document, seen.note, as_json=as_json)
        except KeyboardInterrupt as stop:
            raise watching.interrupted() from stop
    end = watching.end()
    _show(end.line, end.document, end.note, as_json=as_json)
    return watching.exit_code


def _show(line: str, document: object, note: str, *, as_json: bool) -> None:
    """Results on stdout, notes on stderr; at once, because a reader of the pipe may wait for it."""
    if as_json and document is not None:
        click.echo(json.dumps(document))
    elif line:
        click.echo(line)
    sys.stdout.flush()
    if note:
        say(note)
