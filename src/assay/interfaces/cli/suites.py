"""`assay suites`: what ships, what was fetched, and what is in one suite."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.interfaces.cli.options import as_json, benchmarks, common
from assay.interfaces.cli.output import reader_may_leave
from assay.messages import tr

if TYPE_CHECKING:
    from assay.suites.files import SuiteFiles


@click.command(
    "suites",
    short_help=tr("List what ships and what was fetched, or show one suite."),
    help=tr(
        "List the suites that ship and those that were fetched, or show one: its tests, what they "
        "are made of, where their facts come from, and what answers that know nothing would "
        "score.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay suites\n"
        "  assay suites example\n"
        "  assay suites my-tests/ --format md > card.md\n"
    ),
)
@click.argument("name", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "md", "json"]),
    default="text",
    show_default=True,
    help=tr("json also of the list; of one suite md and json hold the card without the tests."),
)
@benchmarks
@as_json
@common
def command(name: str | None, form: str, benchmarks: Path | None, as_json: bool, out: Path) -> int:
    """A table on stdout."""
    from assay.interfaces.cli.showing import show_suite, show_suites
    from assay.suites.catalogue import catalogue, find
    from assay.suites.load import load_all, load_suite
    from assay.workflow.describing import describe

    form = "json" if as_json else form
    if name is not None:
        suite = load_suite(find(name, benchmarks))
        show_suite(suite, describe(suite), form)
        return 0
    named = catalogue(benchmarks)
    show_suites(load_all(list(named.values())), form)
    if form != "json":
        _show_benchmarks(benchmarks, named)
    return 0


@reader_may_leave()
def _show_benchmarks(given: Path | None, named: Mapping[str, SuiteFiles]) -> None:
    """Where fetched suites lie, and how to get those that are missing."""
    from assay.suites.catalogue import FETCHED, benchmarks_folder

    click.echo(tr("benchmarks: {folder}", folder=benchmarks_folder(given)))
    for name, files in named.items():
        for file in files.instead:
            click.echo(
                tr("{suite}: {category} is {file}", suite=name, category=file.stem, file=file)
            )
    for name in FETCHED:
        if name not in named:
            click.echo(tr("{name} is not there; get it with `assay fetch {name}`", name=name))
