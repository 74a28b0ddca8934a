"""Commands on test files: suites, validate and schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import click

from assay.errors import ExitCode, UsageError, raise_all
from assay.interfaces.cli.options import as_json, command, format_of, named_options, plugin_option
from assay.interfaces.cli.output import reader_may_leave, say
from assay.interfaces.cli.showing import show
from assay.messages import tr, trn
from assay.types.options import SchemaKind


@command(
    "suites",
    help=tr(
        "Lists the shipped and fetched suites. With NAME, shows its tests, what they consist of, "
        "where their facts come from, and the baselines."
    ),
    examples=[
        "assay suites",
        "assay suites example",
        "assay suites my-tests/ --format md > card.md",
    ],
)
@click.argument("name", required=False)
@format_of("text", "md", "json")
@named_options("benchmarks")
@as_json
@plugin_option
def suites(name: str | None, form: str, benchmarks: Path | None, as_json: bool, out: Path) -> int:
    form = "json" if as_json else form
    if name is None:
        _list_suites(form, benchmarks)
    else:
        _show_suite(name, form, benchmarks)
    return 0


def _show_suite(name: str, form: str, benchmarks: Path | None) -> None:
    from assay import api

    found = api.describe_suite(name, benchmarks=benchmarks)
    show(found, form)
    for warning in found.warnings:
        say(warning)


def _list_suites(form: str, benchmarks: Path | None) -> None:
    """As JSON nothing is printed where a suite has a mistake: the error is the document then."""
    from assay import api

    found = api.list_suites(benchmarks=benchmarks)
    for warning in found.warnings:
        say(warning)
    if form == "json":
        raise_all(found.mistakes)
    show(found, form)
    if form != "json":
        with reader_may_leave():
            for line in found.about_benchmarks:
                click.echo(line)
    raise_all(found.mistakes)


@command(
    "validate",
    help=tr(
        "Prints each finding on one line:\n\n"
        "\b\n"
        "  file:line:col: test-id: error: message\n\n"
        "A file whose name ends in .toml is a gate; gates inside a folder of tests are ignored. "
        "Exit code 0: no errors (warnings are possible); 2: errors."
    ),
    examples=[
        "assay validate my-tests/",
        "assay validate my-tests/grammar.json other-tests/",
        "assay validate my-gate.toml",
    ],
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@plugin_option
def validate(paths: tuple[str, ...], out: Path) -> int:
    from assay import api

    if "" in paths:  # an empty Path would be the current folder
        raise UsageError(
            tr("one of the paths is empty"),
            hint=tr("Give a folder or a test file; `.` is the folder you are in."),
        )
    findings = api.validate([Path(path) for path in paths])
    with reader_may_leave():
        for finding in findings:
            click.echo(str(finding))
    errors = sum(finding.severity == "error" for finding in findings)
    say(
        tr(
            "{errors}, {warnings}",
            errors=trn("{count} error", "{count} errors", errors),
            warnings=trn("{count} warning", "{count} warnings", len(findings) - errors),
        )
    )
    return int(ExitCode.REFUSED if errors else ExitCode.DONE)


@command(
    "schema",
    help=tr(
        "An editor that knows the schema completes and checks your files. KIND is tests (the "
        "default), suite, gate, report (evaluation_report.json) or selection "
        "(best_checkpoint_selection.json)."
    ),
    examples=[
        "assay schema > tests.schema.json",
        "assay schema suite > suite.schema.json",
        "assay schema gate > gate.schema.json",
        "assay schema report > report.schema.json",
        "assay schema selection > selection.schema.json",
    ],
)
@click.argument("kind", metavar="[KIND]", type=click.Choice(get_args(SchemaKind)), default="tests")
@plugin_option
def schema(kind: SchemaKind, out: Path) -> int:
    from assay import api

    click.echo(json.dumps(api.schema(kind), indent=2, ensure_ascii=False))
    return 0
