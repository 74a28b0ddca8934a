"""Commands that ask models: run, ask, judge, judge-check, speed, drift, watch and loop."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from assay import api
from assay.errors import Interrupted
from assay.interfaces.cli.options import (
    all_options,
    as_json,
    command,
    failed,
    format_of,
    models_argument,
    verbose,
)
from assay.interfaces.cli.output import perform, say, show, show_stopped, watched, write
from assay.messages import tr
from assay.types.options import (
    DriftOptions,
    JudgeCheckOptions,
    LoopOptions,
    PromptOptions,
    QuantsOptions,
    RunOptions,
    SpeedOptions,
    StoredAnswerOptions,
    WatchOptions,
)


@command(
    "run",
    help=tr(
        "MODEL is a checkpoint folder, a folder of checkpoints, or a spec such as "
        "ollama:llama3.2:3b. The same command continues an unfinished run and reuses stored "
        "answers; --fresh asks again."
    ),
    examples=[
        "assay run ollama:llama3.2:3b -s example",
        "assay run ollama:qwen3:4b ollama:gemma3:4b -s my-tests/ --repeats 3",
        "assay run scripted:answers.json -s my-tests/ --json",
        "assay run ollama:qwen3:4b --judge ollama:qwen3:14b --allow-code-execution",
        "assay run runs/my-model/",
        "assay run runs/my-model/ --gate my-gate.toml --text held-out.txt",
    ],
)
@models_argument
@all_options(RunOptions)
@failed
@verbose
@as_json
def run(verbose: bool, failed: bool, as_json: bool, **options: Any) -> int:
    for name in options["models"]:  # said before anything large is imported: that takes seconds
        if name.startswith(("hf:", "gguf:")) or os.path.isdir(name):
            say(tr("{name}: loading", name=name))
    form = "json" if as_json else "text"
    try:
        return perform("run", form, verbose=verbose, failed=failed, **options)
    except Interrupted as stopped:
        if not (as_json and stopped.run):
            raise
        show_stopped(stopped, options["out"])
        return int(stopped.exit_code)


@command(
    "ask",
    help=tr(
        "FILE has one prompt per line, or prompts of several lines separated by ---. Answers are "
        "stored: the same command reuses them, --fresh asks again."
    ),
    examples=[
        "assay ask prompts.txt ollama:llama3.2:3b",
        "assay ask prompts.txt ollama:qwen3:4b ollama:gemma3:4b --max-tokens 200",
        "assay ask prompts.txt ollama:qwen3:4b ollama:gemma3:4b --pick",
    ],
)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@models_argument
@all_options(PromptOptions)
@click.option(
    "--pick",
    is_flag=True,
    help=tr("Ask which of two answers is better, names hidden, and store the picks."),
)
@as_json
def ask(pick: bool, as_json: bool, **options: Any) -> int:
    from assay.api.rendering import render_answers
    from assay.interfaces.cli.pick import pick_answers, refuse_picking

    if pick:
        refuse_picking(options["models"], as_json=as_json)
    report = watched("ask", **options)
    if pick:
        pick_answers(report.run, Path(report.out))
    elif as_json:
        show(report, "json")
    else:
        write(render_answers(report))
        click.echo(tr("every answer:    {path}", path=Path(report.out) / "runs" / report.run))
        click.echo(tr("again:           {command}", command=report.command))
    return int(report.exit_code)


@command(
    "judge",
    help=tr(
        "RUN_OR_DIR is a run (its id, the beginning of one, or latest) or a folder with "
        "outputs/MODEL/TEST-ID.txt. The tested model is not asked anything, and a judge is asked "
        "nothing twice."
    ),
    examples=[
        "assay judge latest --judge ollama:qwen3:8b",
        "assay judge my-results/ -s coding --judge openai:big@http://127.0.0.1:8000/v1",
        "assay judge latest --import evaluations.txt",
    ],
)
@click.argument("run_or_dir", metavar="RUN_OR_DIR")
@all_options(StoredAnswerOptions)
@verbose
@as_json
def judge(verbose: bool, as_json: bool, **options: Any) -> int:
    return perform("judge", "json" if as_json else "text", verbose=verbose, **options)


@command(
    "judge-check",
    help=tr(
        "Asks MODEL about shipped answers whose faults and scores are known, in each form, and "
        "keeps the best. Its card says how it did: order, level, stability, injection. "
        "The card is kept in your user data folder for all projects. The same command continues a "
        "check that was stopped. Exit 0: qualified; 1: not qualified; 3: requests failed."
    ),
    examples=[
        "assay judge-check ollama:qwen3:8b",
        "assay judge-check openai:big@http://127.0.0.1:8000/v1 --judge-form reasoned",
        "assay judge-check ollama:qwen3:8b --budget 600",
    ],
)
@click.argument("model", metavar="MODEL")
@all_options(JudgeCheckOptions)
@verbose
@as_json
def judge_check(verbose: bool, as_json: bool, **options: Any) -> int:
    return perform("check_judge", "json" if as_json else "text", verbose=verbose, **options)


@command(
    "speed",
    help=tr(
        "Shows prefill and decode tokens/s, seconds to the first token (new and cached prompts "
        "apart), memory and its share on the GPU at each depth, and at which length a model spills "
        "to the CPU or no longer fits. Measurements are stored: reports and `assay leaderboard "
        "--max-memory --min-speed` use them, the same command continues and reuses them."
    ),
    examples=[
        "assay speed ollama:qwen3:4b",
        "assay speed ollama:qwen3:4b ollama:gemma3:4b --context 0,8k,32k",
        "assay speed openai:mistral@http://127.0.0.1:8080/v1 --repeats 5",
        "assay speed runs/my-model/step_900 --json",
    ],
)
@models_argument
@all_options(SpeedOptions)
@verbose
@as_json
def speed(verbose: bool, as_json: bool, **options: Any) -> int:
    return perform("speed", "json" if as_json else "text", verbose=verbose, **options)


@command(
    "drift",
    help=tr(
        "All models read the same text in lockstep: how far the predictions of each OTHER are from "
        "those of BASE (KL divergence, same likeliest token, perplexity), with intervals, and "
        "where it says something else. Exit 1 beyond --max-kl or below --min-same-top."
    ),
    examples=[
        "assay drift gguf:model-F16.gguf gguf:model-Q4_K_M.gguf gguf:model-Q2_K.gguf",
        "assay drift runs/base runs/pruned --text held-out.txt --max-kl 0.05",
        "assay drift hf:ORG/NAME gguf:ollama/llama3.2:1b --gate drift.toml --json",
        "assay drift runs/base adapters/math --min-same-top 0.9",
    ],
)
@click.argument("models", metavar="BASE OTHER...", nargs=-1, required=True)
@all_options(DriftOptions)
@format_of("text", "md", "json", "html")
@verbose
@as_json
def drift(output_format: str, verbose: bool, as_json: bool, **options: Any) -> int:
    return perform("drift", "json" if as_json else output_format, verbose=verbose, **options)


@command(
    "quants",
    help=tr(
        "Which quantisation do I keep? Shows what is really in each file, its size, speed and "
        "memory as served, its drift from the least quantised file, and paired scores read by "
        "likelihood, and recommends the smallest file without a significant loss beyond "
        "--max-drop and --max-kl. FILE_OR_TAG is a GGUF file or the tag of a local Ollama model."
    ),
    examples=[
        "assay quants model-F16.gguf model-Q8_0.gguf model-Q4_K_M.gguf model-Q2_K.gguf",
        "assay quants llama3.2:1b-instruct-fp16 llama3.2:1b-instruct-q4_K_M -s mmlu",
        "assay quants model-*.gguf -s my-suite/ --text my-text.jsonl --max-drop 0.01",
        "assay quants model-Q8_0.gguf model-Q4_0.gguf --base model-F16.gguf --format html",
    ],
)
@click.argument("models", metavar="FILE_OR_TAG...", nargs=-1, required=True)
@all_options(QuantsOptions)
@format_of("text", "md", "json", "html")
@verbose
@as_json
def quants(output_format: str, verbose: bool, as_json: bool, **options: Any) -> int:
    return perform("quants", "json" if as_json else output_format, verbose=verbose, **options)


@command(
    "watch",
    help=tr(
        "Prints one line for each checkpoint in DIR and keeps the selection up to date. A "
        "checkpoint is evaluated when all its files are written; results in the store are reused. "
        "Ctrl-C ends it, and the same command continues."
    ),
    examples=[
        "assay watch runs/my-model/",
        "assay watch runs/my-model/ --until-accepted && echo ship it",
        "assay watch runs/my-model/ --gate my-gate.toml --text held-out.txt --limit 50",
    ],
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@all_options(WatchOptions)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help=tr("Print one JSON document per line on stdout and nothing else."),
)
def watch(as_json: bool, **options: Any) -> int:
    from assay.api.rendering import progress_for, render_document

    with progress_for(sys.stderr) as observer:
        watching = api.watch(**options, observer=observer)
        try:
            for seen in watching:
                _show(seen.line, seen.document, seen.note, as_json=as_json)
        except KeyboardInterrupt as stop:
            raise watching.interrupted() from stop
    end = watching.end()
    if end.ending is not None and not as_json:
        write(render_document(end.ending))
    else:
        _show(end.line, end.document, end.note, as_json=as_json)
    return watching.exit_code


def _show(line: str, document: object, note: str, *, as_json: bool) -> None:
    """Results on stdout, notes on stderr; at once, because a reader of the pipe may wait for it."""
    if as_json and document is not None:
        click.echo(json.dumps(document))
    elif line:
        click.echo(line)
    sys.stdout.flush()
    if note:
        say(note)


@command(
    "loop",
    help=tr(
        "CMD is split into words as a shell would do it, but no shell reads it. Its placeholders: "
        "{out}, the folder to write checkpoints into; {changes}, the round_NN.json of the round "
        "before; {steps}; {resume}, the best checkpoint so far, empty at first. Each round ends in "
        "round_NN.json under --out. The same command continues where it stopped. Exit 0: accepted; "
        "1: out of budget; 3: a training failed."
    ),
    examples=[
        "assay loop --train 'python train.py --out {out} --steps {steps}' --steps 1000",
        "assay loop --train 'python train.py {changes} {resume} {out}' --rounds 8 --minutes 600",
        "assay loop --train './train.sh {out} {changes}' --judge ollama:qwen3:14b",
        "assay loop --train './train.sh {out}' --on-accept './ship.sh {checkpoint}'",
    ],
)
@click.option(
    "--train",
    required=True,
    metavar="CMD",
    help=tr("Training command; see above."),
)
@all_options(LoopOptions)
@format_of("text", "md", "json", "html")
@verbose
@as_json
def loop(output_format: str, verbose: bool, as_json: bool, **options: Any) -> int:
    return perform("loop", "json" if as_json else output_format, verbose=verbose, **options)
