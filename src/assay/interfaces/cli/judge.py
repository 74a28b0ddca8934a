"""`assay judge`: has answers judged that are there already."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from assay.interfaces.cli.judge_options import data_seed, judging
from assay.interfaces.cli.options import NamedPath, as_json, asking_a_judge, common
from assay.messages import tr


@click.command(
    "judge",
    short_help=tr("Have the answers of a run, or answers made elsewhere, judged."),
    help=tr(
        "Judge the answers of RUN_OR_DIR; the tested model is asked nothing.\n\n"
        "RUN_OR_DIR is a run (its id, the beginning of one, or latest) or a folder with "
        "outputs/MODEL/TEST-ID.txt, made by anybody. The tests of a folder come from -s, else from "
        "its test-plans/. What a judge has answered already is not asked again.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay judge latest --judge ollama:qwen3:8b\n"
        "  assay judge latest --judge ollama:qwen3:8b --judge ollama:gemma3:12b --judge-repeats 3\n"
        "  assay judge my-results/ -s coding --judge openai:big@http://127.0.0.1:8000/v1\n"
        "  assay judge latest --judge checkpoints/judge/ --allow-code-execution\n"
        "  assay judge latest --import evaluations.txt\n"
    ),
)
@click.argument("run_or_dir", metavar="RUN_OR_DIR")
@judging
@click.option(
    "--import",
    "imports",
    type=NamedPath(path_type=Path, exists=True),
    multiple=True,
    metavar="PATH",
    help=tr(
        "Evaluations in the standard format, written by hand or by another model: a file or a "
        "folder. Their arithmetic is checked, and they count like a judge."
    ),
)
@click.option(
    "-s",
    "--suite",
    "suites",
    multiple=True,
    help=tr("For a folder: where its tests come from. Default: its test-plans/."),
)
@data_seed
@asking_a_judge
@click.option("-v", "--verbose", is_flag=True, help=tr("Show every test with its answer."))
@as_json
@common
def command(
    run_or_dir: str,
    verbose: bool,
    as_json: bool,
    out: Path,
    **how: Any,
) -> int:
    """Judge, then show."""
    from assay import api
    from assay.interfaces.cli.showing import show_report
    from assay.reports.progress import progress_for

    with progress_for(sys.stderr) as observer:
        report = api.judge(run_or_dir, out=out, observer=observer, **how)
    show_report(report, "json" if as_json else "text", verbose=verbose)
    return report.exit_code
