"""`assay run`: the main job."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from assay.interfaces.cli.judge_options import data_seed, judging
from assay.interfaces.cli.options import NamedPath, as_json, asking, benchmarks, common, gate
from assay.messages import tr


@click.command(
    "run",
    short_help=tr("Ask models the questions of suites, mark the answers, report."),
    help=tr(
        "Ask MODEL... every question of the chosen suites, mark the answers, and report.\n\n"
        "The same command continues a run that was stopped, and reuses the answers of one that "
        "was not; --fresh asks again.\n\n"
        "\b\n"
        "Examples:\n"
        "  assay run ollama:llama3.2:3b -s example\n"
        "  assay run ollama:qwen3:4b ollama:gemma3:4b -s my-tests/ --repeats 3\n"
        "  assay run openai:mistral@http://127.0.0.1:8000/v1 -s my-tests/ -c grammar --limit 20\n"
        "  assay run scripted:answers.json -s my-tests/ --json\n"
        "  assay run ollama:qwen3:4b --judge ollama:qwen3:14b --allow-code-execution\n"
        "  assay run runs/my-model/            (every checkpoint in it: which one to ship?)\n"
        "  assay run runs/my-model/ --gate my-gate.toml --text held-out.txt\n"
    ),
)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.option(
    "-s",
    "--suite",
    "suites",
    multiple=True,
    help=tr("The name of a suite that ships or was fetched, a folder or a file."),
)
@click.option("-c", "--category", "categories", multiple=True, help=tr("Only these categories."))
@benchmarks
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help=tr("At most so many tests of each suite: a seeded sample, spread over its categories."),
)
@gate
@click.option(
    "--text",
    type=click.Path(path_type=Path),
    help=tr("The text for perplexity: plain, JSON lines, or token ids (.npy, .bin)."),
)
@click.option(
    "--train-text",
    type=click.Path(path_type=Path),
    help=tr("A sample of the training text, in the same forms: shows whether a model overfits."),
)
@click.option(
    "--tensorboard",
    type=NamedPath(path_type=Path, file_okay=False),
    metavar="DIR",
    help=tr("For checkpoints: write their curves into DIR, too, if TensorBoard is installed."),
)
@judging
@data_seed
@asking
@click.option("-v", "--verbose", is_flag=True, help=tr("Show every test with its answer."))
@as_json
@common
def command(
    models: tuple[str, ...],
    suites: tuple[str, ...],
    categories: tuple[str, ...],
    benchmarks: Path | None,
    limit: int | None,
    gate: Path | None,
    text: Path | None,
    train_text: Path | None,
    tensorboard: Path | None,
    write_back: bool,
    repeats: int,
    seed: int,
    fresh: bool,
    verbose: bool,
    as_json: bool,
    out: Path,
    **how: Any,
) -> int:
    """Run, then show."""
    from assay import api
    from assay.interfaces.cli.showing import show_report
    from assay.reports.progress import progress_for

    with progress_for(sys.stderr) as observer:
        report = api.run(
            models,
            suites=suites,
            categories=categories,
            benchmarks=benchmarks,
            limit=limit,
            gate=gate,
            text=text,
            train_text=train_text,
            tensorboard=tensorboard,
            write_back=write_back,
            repeats=repeats,
            seed=seed,
            fresh=fresh,
            out=out,
            observer=observer,
            **how,
        )
    show_report(report, "json" if as_json else "text", verbose=verbose)
    return report.exit_code
