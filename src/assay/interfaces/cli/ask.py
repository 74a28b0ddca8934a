"""`assay ask`: own prompts, answers side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from assay.interfaces.cli.options import as_json, asking, common
from assay.messages import tr


@click.command(
    "ask",
    short_help=tr("Put your own prompts to models and read the answers side by side."),
    help=tr(
        "Put the prompts of FILE to MODEL... and show the answers side by side. A prompt is a "
        "line; where a line is just ---, it is all between two of those.\n\n"
        "Answers are kept like those of any run: the same command reuses them, --fresh asks "
        "again.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay ask prompts.txt ollama:llama3.2:3b\n"
        "  assay ask prompts.txt ollama:qwen3:4b ollama:gemma3:4b --max-tokens 200\n"
    ),
)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@asking
@as_json
@common
def command(
    file: Path,
    models: tuple[str, ...],
    as_json: bool,
    out: Path,
    **how: Any,
) -> int:
    """Ask, then show."""
    from assay import api
    from assay.interfaces.cli.showing import show_answers, show_report
    from assay.reports.progress import progress_for

    with progress_for(sys.stderr) as observer:
        report = api.ask(file, models, out=out, observer=observer, **how)
    if as_json:
        show_report(report, "json")
    else:
        show_answers(report)
    return report.exit_code
