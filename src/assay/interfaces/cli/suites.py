"""`assay suites`: what ships, what was fetched, and what is in one suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.errors import AssayError, raise_all
from assay.interfaces.cli.options import as_json, common, named_options
from assay.interfaces.cli.output import reader_may_leave, say
from assay.messages import tr

if TYPE_CHECKING:
    from assay.suites.load import SuiteFiles
    from assay.types import Suite


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
@named_options("benchmarks")
@as_json
@common
def command(name: str | None, form: str, benchmarks: Path | None, as_json: bool, out: Path) -> int:
    """A table on stdout."""
    from assay.interfaces.cli.showing import show_suite, show_suites
    from assay.suites.catalogue import catalogue, find
    from assay.suites.load import load_suite
    from assay.workflow.discover.suite_description import describe

    form = "json" if as_json else form
    if name is not None:
        files = find(name, benchmarks)
        suite = load_suite(files)
        show_suite(suite, describe(suite), form)
        _say_without_effect([files])
        return 0
    named = catalogue(benchmarks)
    suites, mistakes = _loaded(named.values())
    if form != "json":
        show_suites(suites, form)
        _show_benchmarks(benchmarks, named)
    _say_without_effect(named.values())
    raise_all(mistakes)
    if form == "json":
        show_suites(suites, form)
    return 0


def _loaded(found: Iterable[SuiteFiles]) -> tuple[list[Suite], list[AssayError]]:
    """The suites without a mistake, and the mistakes of the others."""
    from assay.suites.catalogue import refuse_without_effect
    from assay.suites.load import load_suite

    suites: list[Suite] = []
    mistakes: list[AssayError] = []
    for files in found:
        try:
            refuse_without_effect(files)
            suites.append(load_suite(files))
        except AssayError as error:
            mistakes.append(error)
    return suites, mistakes


def _say_without_effect(found: Iterable[SuiteFiles]) -> None:
    """Errors among them are raised; these are files that may well lie there."""
    for files in found:
        for finding in files.findings:
            if finding.severity == "warning":
                say(str(finding))


@reader_may_leave()
def _show_benchmarks(given: Path | None, named: Mapping[str, SuiteFiles]) -> None:
    """Where fetched suites lie, and how to get those that are missing."""
    from assay.files.file_text import shown_path
    from assay.suites.catalogue import FETCHED, benchmarks_folder, fetch_command

    click.echo(tr("benchmarks: {folder}", folder=shown_path(benchmarks_folder(given))))
    for name, files in named.items():
        for file in files.instead:
            click.echo(
                tr("{suite}: {category} is {file}", suite=name, category=file.stem,
                   file=shown_path(file))
            )  # fmt: skip
    for name in FETCHED:
        if name not in named:
            command = fetch_command(name, given)
            click.echo(tr("{name} is not there; get it with `{command}`", name=name,
                          command=command))  # fmt: skip
