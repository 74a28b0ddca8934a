"""`assay watch`: evaluates each checkpoint as it appears."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.interfaces.cli.options import all_options, command
from assay.interfaces.cli.output import say
from assay.messages import tr
from assay.types.options import WatchOptions

if TYPE_CHECKING:
    from assay.workflow.checkpoints.watch import Sight, Watching


@command(
    "watch",
    summary=tr("Evaluate each checkpoint of a folder as it appears."),
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
    """Watch, and show what is seen."""
    from assay import api
    from assay.reports.progress import progress_for

    with progress_for(sys.stderr) as observer:
        watching = api.watch(**options, observer=observer)
        try:
            for sight in watching:
                _show(sight, as_json=as_json)
        except KeyboardInterrupt as stop:
            raise watching.interrupted() from stop
    _show_end(watching, options["out"], as_json=as_json)
    return watching.exit_code


def _show(sight: Sight, *, as_json: bool) -> None:
    """Checkpoints on stdout, everything else on stderr."""
    from assay.reports.checkpoint_line import checkpoint_document, checkpoint_line
    from assay.workflow.checkpoints.watch import Evaluated, NotEvaluated

    if isinstance(sight, Evaluated):
        found = (sight.decision, sight.name, sight.selection)
        if as_json:
            _echo({**checkpoint_document(*found), "report": str(sight.report), "failed": None})
        else:
            click.echo(checkpoint_line(*found))
            sys.stdout.flush()
        if sight.requests_failed:
            say(tr("{name}: some requests failed; they are asked again at the next start",
                   name=sight.name))  # fmt: skip
    elif isinstance(sight, NotEvaluated):
        if as_json:
            _echo({"checkpoint": sight.name, "accepted": None, "failed": sight.why})
        else:
            click.echo(tr("{name}: failed: {why}", name=sight.name, why=sight.why))
    else:
        say(_in_words(sight))


def _in_words(sight: Sight) -> str:
    from assay.workflow.checkpoints.watch import Gone, Unready, Waiting

    if isinstance(sight, Waiting):
        if sight.exists:
            return tr("no checkpoint in {folder} yet; waiting", folder=sight.folder)
        return tr("there is no folder {folder} yet; waiting", folder=sight.folder)
    if isinstance(sight, Unready):
        return tr("{name}: left alone for now: {why}", name=sight.name, why=sight.why)
    assert isinstance(sight, Gone)
    if not sight.evaluated:
        return tr("{name} was removed before it was evaluated; skipped", name=sight.name)
    if sight.was_best:
        return tr(
            "{name}, the best so far, was removed: save_total_limit of the Trainer may do so; keep "
            "more checkpoints, or copy the best",
            name=sight.name,
        )
    return tr("{name} was removed, and is no candidate any more", name=sight.name)


def _show_end(watching: Watching, out: Path, *, as_json: bool) -> None:
    selection = watching.selection
    if as_json:
        _echo(
            {
                "selected": selection.selected if selection else None,
                "best_so_far": selection.best_so_far if selection else None,
                "reason": watching.reason or None,
                "out": str(out.resolve()),
                "exit_code": int(watching.exit_code),
            }
        )
    elif selection is None:
        say(tr("nothing was evaluated"))
    else:
        click.echo(watching.reason)


def _echo(document: dict[str, object]) -> None:
    """At once: somebody may wait for it at the other end of a pipe."""
    click.echo(json.dumps(document))
    sys.stdout.flush()
