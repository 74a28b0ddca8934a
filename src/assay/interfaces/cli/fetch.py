"""`assay fetch`: benchmarks made by others, as suites with a name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.interfaces.cli.options import NamedPath, as_json, command, named_options
from assay.interfaces.cli.output import reader_may_leave, say
from assay.messages import tr, trn

if TYPE_CHECKING:
    from assay.workflow.fetch.benchmarks import Benchmark, Fetched


@command(
    "fetch",
    summary=tr("Fetch the benchmarks MMLU and HellaSwag."),
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
    """Fetch, then show what was written."""
    from assay import api

    fetched = api.fetch(**options, tell=say)
    if as_json:
        _show_json(fetched)
    else:
        _show(fetched)
    return 0


@reader_may_leave()
def _show(fetched: Fetched) -> None:
    for benchmark in fetched.benchmarks:
        made = benchmark.made
        click.echo(f"{made.name}: {made.title}")
        for line in _about(benchmark):
            click.echo(f"  {line}")
    click.echo(tr("next: {command}", command=fetched.following))


def _about(benchmark: Benchmark) -> Iterator[str]:
    from assay.files.file_text import shown_path

    made = benchmark.made
    yield tr("prompts: {form}", form=made.prompts)
    yield tr("source: {source}", source=made.source)
    yield tr("licence: {licence}", licence=benchmark.licence)
    for name, tests in made.categories.items():
        count = trn("{count} test", "{count} tests", len(tests))
        yield tr("{name}: {count}, weight {weight}", name=name, count=count,
                 weight=made.weights[name])  # fmt: skip
    if made.left_out:
        yield tr("left out, no test split: {names}", names=", ".join(made.left_out))
    yield from _about_dropped(benchmark)
    for note in made.notes:
        yield tr("note: {note}", note=note)
    yield tr("written: {folder}", folder=shown_path(benchmark.folder))


def _about_dropped(benchmark: Benchmark) -> Iterator[str]:
    if not benchmark.made.dropped:
        yield tr("dropped: nothing")
        return
    yield trn(
        "dropped: {count} question, listed in dropped.tsv",
        "dropped: {count} questions, listed in dropped.tsv",
        len(benchmark.made.dropped),
    )
    words = {
        "repeated": tr("asked before"),
        "other_options": tr("asked before, with other options or another writing of them"),
        "contradictory": tr("asked twice with different right answers"),
        "shown": tr("answered by an example of its own prompt"),
        "equal_options": tr("two options are the same"),
    }
    for reason, count in benchmark.reasons.items():
        yield f"  {count} {words[reason]}"


@reader_may_leave()
def _show_json(fetched: Fetched) -> None:
    from assay.interfaces.cli.output import stdout_takes_unicode
    from assay.reports.formats.json import render_json

    document = {
        "benchmarks": str(fetched.folder.resolve()),
        "fetched": [_document(benchmark) for benchmark in fetched.benchmarks],
        "next": fetched.following,
        "exit_code": 0,
    }
    click.echo(render_json(document, ascii_only=not stdout_takes_unicode()))


def _document(benchmark: Benchmark) -> dict[str, Any]:
    made = benchmark.made
    return {
        "suite": made.name,
        "title": made.title,
        "version": made.version,
        "prompts": made.prompts,
        "source": made.source,
        "licence": benchmark.licence,
        "folder": str(benchmark.folder.resolve()),
        "categories": {name: len(tests) for name, tests in made.categories.items()},
        "weights": dict(made.weights),
        "left_out": list(made.left_out),
        "notes": list(made.notes),
        "dropped": [
            {
                "subject": one.subject,
                "file": one.place.name,
                "row": one.place.row,
                "reason": one.reason,
                "like": None if one.like is None else {"file": one.like.name, "row": one.like.row},
            }
            for one in made.dropped
        ],
    }
