"""`assay validate`: every mistake in test and gate files, one a line."""

from __future__ import annotations

from pathlib import Path

import click

from assay.errors import ExitCode, UsageError
from assay.interfaces.cli.options import common
from assay.interfaces.cli.output import reader_may_leave
from assay.messages import tr, trn


@click.command(
    "validate",
    short_help=tr("Check test and gate files; every mistake with its place."),
    help=tr(
        "Check test files, suites and gates; every finding on a line of its own:\n\n"
        "\b\n"
        "  file:line:col: test-id: error: message\n\n"
        "A file whose name ends in .toml is a gate; those in a folder of tests are not looked at. "
        "Ends with 0 if there are only warnings, with 2 if there is an error.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay validate my-tests/\n"
        "  assay validate my-tests/grammar.json other-tests/\n"
        "  assay validate my-gate.toml\n"
    ),
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@common
def command(paths: tuple[str, ...], out: Path) -> int:
    """Findings on stdout, the count on stderr."""
    from assay import api

    if "" in paths:  # a Path of nothing would be the folder one stands in
        raise UsageError(
            tr("one of the paths is empty"),
            hint=tr("Give a folder or a test file; `.` is the folder you are in."),
        )
    findings = api.validate([Path(path) for path in paths])
    with reader_may_leave():
        for finding in findings:
            click.echo(str(finding))
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = len(findings) - errors
    click.echo(
        tr(
            "{errors}, {warnings}",
            errors=trn("{count} error", "{count} errors", errors),
            warnings=trn("{count} warning", "{count} warnings", warnings),
        ),
        err=True,
    )
    return int(ExitCode.REFUSED if errors else ExitCode.DONE)
