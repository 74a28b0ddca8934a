"""`assay suites`: what ships, and what is in one suite."""

from __future__ import annotations

from pathlib import Path

import click

from assay.interfaces.cli.options import common
from assay.messages import tr


@click.command(
    "suites",
    short_help=tr("List what ships, or show one suite."),
    help=tr(
        "List the suites that ship, or show one: its categories, weights and tests.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay suites\n"
        "  assay suites example\n"
        "  assay suites my-tests/\n"
    ),
)
@click.argument("name", required=False)
@common
def command(name: str | None, out: Path) -> int:
    """A table on stdout."""
    from assay.interfaces.cli.showing import show_suite, show_suites
    from assay.suites.catalogue import find, shipped
    from assay.suites.load import load_suite

    if name is None:
        show_suites([load_suite(path) for path in shipped()])
    else:
        show_suite(load_suite(find(name)))
    return 0
