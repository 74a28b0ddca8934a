"""`assay schema`: the JSON Schema of the files that users write, and of those that Assay does."""

from __future__ import annotations

import json
from pathlib import Path

import click

from assay.interfaces.cli.options import common
from assay.messages import tr


@click.command(
    "schema",
    short_help=tr("JSON Schema of test, suite and gate files, and of reports."),
    help=tr(
        "Print a JSON Schema, so that an editor completes and checks your files, and a program "
        "knows what stands in evaluation_report.json and best_checkpoint_selection.json.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay schema > tests.schema.json\n"
        "  assay schema suite > suite.schema.json\n"
        "  assay schema gate > gate.schema.json\n"
        "  assay schema report > report.schema.json\n"
        "  assay schema selection > selection.schema.json\n"
    ),
)
@click.argument(
    "kind",
    type=click.Choice(["tests", "suite", "gate", "report", "selection"]),
    default="tests",
)
@common
def command(kind: str, out: Path) -> int:
    """One document on stdout."""
    from assay.reports.checkpoints.report_shapes import report_schema, selection_schema
    from assay.suites.gate_format import gate_schema
    from assay.suites.schema import tests_schema
    from assay.suites.suite_file import suite_schema

    schema_of = {
        "tests": tests_schema,
        "suite": suite_schema,
        "gate": gate_schema,
        "report": report_schema,
        "selection": selection_schema,
    }
    click.echo(json.dumps(schema_of[kind](), indent=2, ensure_ascii=False))
    return 0
