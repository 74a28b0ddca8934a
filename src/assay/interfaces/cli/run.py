"""`assay run`: the main job."""

from __future__ import annotations

import sys
from typing import Any

from assay.interfaces.cli.options import all_options, as_json, models_argument, verbose
from assay.interfaces.cli.options import command as make_command
from assay.messages import tr
from assay.types.options import RunOptions


@make_command(
    "run",
    summary=tr("Ask models the tests of suites, score the answers, and report."),
    help=tr(
        "MODEL is a checkpoint folder, a folder of checkpoints, or a spec such as "
        "ollama:llama3.2:3b. The same command continues an unfinished run and reuses stored "
        "answers; --fresh asks again."
    ),
    examples=[
        "assay run ollama:llama3.2:3b -s example",
        "assay run ollama:qwen3:4b ollama:gemma3:4b -s my-tests/ --repeats 3",
        "assay run openai:mistral@http://127.0.0.1:8000/v1 -s my-tests/ -c grammar --limit 20",
        "assay run scripted:answers.json -s my-tests/ --json",
        "assay run ollama:qwen3:4b --judge ollama:qwen3:14b --allow-code-execution",
        "assay run runs/my-model/                     # selects among its checkpoints",
        "assay run runs/my-model/ --gate my-gate.toml --text held-out.txt",
    ],
)
@models_argument
@all_options(RunOptions)
@verbose
@as_json
def command(verbose: bool, as_json: bool, **options: Any) -> int:
    """Run, then show."""
    from assay import api
    from assay.interfaces.cli.showing import show_report
    from assay.reports.progress import progress_for

    with progress_for(sys.stderr) as observer:
        report = api.run(**options, observer=observer)
    show_report(report, "json" if as_json else "text", verbose=verbose)
    return report.exit_code
