"""`assay schema`: the JSON Schema of test files and of suite.json."""

from __future__ import annotations

import json
from pathlib import Path

import click

from assay.interfaces.cli.options import common
from assay.messages import tr


@click.command(
    "schema",
    short_help=tr("JSON Schema of test files, for editors."),
    help=tr(
        "Print a JSON Schema, so that an editor completes and checks your files.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay schema > tests.schema.json\n"
        "  assay schema suite > suite.schema.json\n"
    ),
)
@click.argument("kind", type=click.Choice(["tests", "suite"]), default="tests")
@common
def command(kind: str, out: Path) -> int:
    """One document on stdout."""
    from assay.suites.schema import suite_schema, tests_schema

    schema = tests_schema() if kind == "tests" else suite_schema()
    click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
    return 0
