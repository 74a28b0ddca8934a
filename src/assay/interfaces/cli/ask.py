"""`assay ask`: own prompts, answers side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from assay.interfaces.cli.options import all_options, as_json, models_argument
from assay.interfaces.cli.options import command as make_command
from assay.messages import tr
from assay.types.options import PromptOptions


@make_command(
    "ask",
    summary=tr("Ask models your own prompts and show the answers side by side."),
    help=tr(
        "FILE has one prompt per line, or prompts of several lines separated by ---. Answers are "
        "stored: the same command reuses them, --fresh asks again."
    ),
    examples=[
        "assay ask prompts.txt ollama:llama3.2:3b",
        "assay ask prompts.txt ollama:qwen3:4b ollama:gemma3:4b --max-tokens 200",
    ],
)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@models_argument
@all_options(PromptOptions)
@as_json
def command(as_json: bool, **options: Any) -> int:
    """Ask, then show."""
    from assay import api
    from assay.interfaces.cli.showing import show_answers, show_report
    from assay.reports.progress import progress_for

    with progress_for(sys.stderr) as observer:
        report = api.ask(**options, observer=observer)
    if as_json:
        show_report(report, "json")
    else:
        show_answers(report)
    return report.exit_code
