"""`assay judge`: has answers judged that are there already."""

from __future__ import annotations

import sys
from typing import Any

import click

from assay.interfaces.cli.options import all_options, as_json, verbose
from assay.interfaces.cli.options import command as make_command
from assay.messages import tr
from assay.types.options import StoredAnswerOptions


@make_command(
    "judge",
    summary=tr("Judge the answers of a run, or answers made elsewhere."),
    help=tr(
        "RUN_OR_DIR is a run (its id, the beginning of one, or latest) or a folder with "
        "outputs/MODEL/TEST-ID.txt. The tested model is not asked anything, and a judge is asked "
        "nothing twice."
    ),
    examples=[
        "assay judge latest --judge ollama:qwen3:8b",
        "assay judge latest --judge ollama:qwen3:8b --judge ollama:gemma3:12b --judge-repeats 3",
        "assay judge my-results/ -s coding --judge openai:big@http://127.0.0.1:8000/v1",
        "assay judge latest --judge checkpoints/judge/ --allow-code-execution",
        "assay judge latest --import evaluations.txt",
    ],
)
@click.argument("run_or_dir", metavar="RUN_OR_DIR")
@all_options(StoredAnswerOptions)
@verbose
@as_json
def command(verbose: bool, as_json: bool, **options: Any) -> int:
    """Judge, then show."""
    from assay import api
    from assay.interfaces.cli.showing import show_report
    from assay.reports.progress import progress_for

    with progress_for(sys.stderr) as observer:
        report = api.judge(**options, observer=observer)
    show_report(report, "json" if as_json else "text", verbose=verbose)
    return report.exit_code
