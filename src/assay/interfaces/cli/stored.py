"""Commands on results in the store: report, compare, leaderboard, select, rescore, export."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from assay import api
from assay.errors import UsageError
from assay.interfaces.cli.options import (
    NumberRange,
    all_options,
    as_json,
    command,
    failed,
    format_of,
    named_options,
    plugin_option,
    verbose,
)
from assay.interfaces.cli.output import perform, say, show, watched, write_exactly
from assay.messages import tr
from assay.types.options import CompareOptions

RUN_IS = tr("RUN is an id, the beginning of one, or latest (the default).")


@command(
    "report",
    help=RUN_IS,
    examples=[
        "assay report",
        "assay report latest -v",
        "assay report latest --failed",
        "assay report 20261115T1015 --format html > report.html",
        "assay report latest --format pr-comment --against 20261114",
    ],
)
@click.argument("run", default="latest")
@format_of("text", "md", "json", "html", "pr-comment", or_plugin=True)
@click.option("--against", metavar="RUN", help=tr("Show what changed since this earlier run."))
@failed
@verbose
@as_json
@plugin_option
def report(
    run: str,
    output_format: str,
    against: str | None,
    verbose: bool,
    failed: bool,
    as_json: bool,
    out: Path,
) -> int:
    # The document states how this command ends; failed requests of the run are in its figures.
    shown = replace(api.report(run, against=against, out=out), exit_code=0)
    form = "json" if as_json else output_format
    show(shown, form, verbose=verbose, failed=failed)
    return 0


@command(
    "runs",
    help=tr(
        "Shows when each run began, its models and suites, its state (finished, unfinished or "
        "running) and its headline; then unreferenced data. --prune deletes only that: no run, "
        "no answer, and no data of a run in progress. A hidden run stays "
        "in the store, and is in no leaderboard."
    ),
    examples=["assay runs", "assay runs --prune", "assay runs --hide 20261115T1015"],
)
@click.option("--prune", is_flag=True, help=tr("Free what nothing refers to."))
@click.option(
    "--hide", multiple=True, metavar="RUN", help=tr("Leave RUN out of leaderboards; repeatable.")
)
@click.option(
    "--unhide", multiple=True, metavar="RUN", help=tr("Show a hidden RUN again; repeatable.")
)
@verbose
@as_json
def runs(verbose: bool, as_json: bool, **options: Any) -> int:
    show(api.runs(**options), "json" if as_json else "text", verbose=verbose)
    return 0


@command(
    "compare",
    help=tr(
        "Shows differences with intervals, significance, and the tests that flipped. Each name is "
        "a run (with all its models), RUN/MODEL (one of them) or a model in the store; the first "
        "is compared with each of the others. With --loss, it shows where the loss on a text "
        "that both read moved. With --max-drop and --decide, the last "
        "argument is a model, which is asked the tests of the first run until the drop is decided."
    ),
    examples=[
        "assay compare latest",
        "assay compare 20261114 20261115",
        "assay compare scripted:a.json scripted:b.json",
        "assay compare runs/base runs/tuned --loss",
        "assay compare latest ollama:qwen3:4b-q4 --max-drop 0.02 --decide",
    ],
)
@click.argument("run_a", metavar="A B...", nargs=-1, required=True)
@all_options(CompareOptions)
@format_of("text", "md", "json", "html")
@verbose
@as_json
def compare(output_format: str, verbose: bool, as_json: bool, **options: Any) -> int:
    return perform("compare", "json" if as_json else output_format, verbose=verbose, **options)


@command(
    "leaderboard",
    help=tr(
        "Prints one table per suite; the newest finished run of a model counts. With limits, "
        "only models measured to be within them are ranked; unmeasured models are listed with "
        "the command that measures them."
    ),
    examples=[
        "assay leaderboard",
        "assay leaderboard -s example --json",
        "assay leaderboard --max-memory 8GB --min-speed 15 --context 16k",
        "assay leaderboard --by preference",
    ],
)
@click.option(
    "--by",
    type=click.Choice(("score", "preference")),
    default="score",
    show_default=True,
    help=tr("Rank by scores, or by the picks of `assay ask --pick`."),
)
@click.option("-s", "--suite", metavar="NAME", help=tr("Show only this suite. Default: all."))
@click.option("--max-memory", metavar="SIZE", help=tr("Maximum memory of a model, such as 8GB."))
@click.option(
    "--min-speed",
    type=NumberRange(0),
    metavar="N",
    help=tr("Minimum decoding speed in tokens/s, by the client's clock."),
)
@click.option(
    "--context", metavar="N", help=tr("Context depth in tokens, such as 16k. Default: any.")
)
@format_of("text", "md", "json", "html")
@as_json
def leaderboard(by: str, output_format: str, as_json: bool, **limits: Any) -> int:
    form = "json" if as_json else output_format
    if by == "preference":
        from assay.api.picking import preferences

        given = [name for name, value in limits.items() if name != "out" and value is not None]
        if given:
            raise UsageError(
                tr("--by preference takes no suite and no limits"),
                hint=tr("leave --{option} out", option=given[0].replace("_", "-")),
            )
        show(preferences(out=limits["out"]), form)
        return 0
    show(api.leaderboard(**limits), form)
    return 0


@command(
    "select",
    help=tr(
        "Applies a gate to the stored reports of checkpoints and selects the one to ship, without "
        "loading a model. DIR is a checkpoint, a folder of them, a folder of such folders, or the "
        "--out folder of a run. Exit code 0: one is selected; 1: none passes; 2: nothing was "
        "evaluated, or a report is invalid."
    ),
    examples=[
        "assay select runs/my-model/",
        "assay select runs/my-model/ runs/other/ --gate strict.toml",
        "assay select assay-out/ --json",
    ],
)
@click.argument("folders", metavar="DIR...", nargs=-1, required=True)
@named_options("gate", "write_back")
@verbose
@as_json
@plugin_option
def select(folders: tuple[str, ...], verbose: bool, as_json: bool, **options: Any) -> int:
    selected = api.select(folders, **options)
    show(selected, "json" if as_json else "text", verbose=verbose)
    return int(selected.exit_code)


@command(
    "rescore",
    help=tr("Reads the test files again and asks no model, so a corrected test counts.")
    + " "
    + RUN_IS,
    examples=[
        "assay rescore latest",
        "assay rescore 20261115T1015",
        "assay rescore latest --allow-code-execution",
    ],
)
@click.argument("run", default="latest")
@named_options("allow_code_execution", "sandbox")
@verbose
@as_json
@plugin_option
def rescore(run: str, verbose: bool, as_json: bool, **options: Any) -> int:
    done = watched("rescore", run=run, **options)
    for note in done.notes:
        say(note)
    say(
        tr(
            "Answers scored again: {count}, of which {changed} changed",
            count=done.scored,
            changed=done.changed,
        )
    )
    show(replace(done.report, exit_code=0), "json" if as_json else "text", verbose=verbose)
    return 0


@command(
    "export",
    help=tr("Prints one line for each answer: test, answer, score and times.") + " " + RUN_IS,
    examples=[
        "assay export latest --format jsonl > records.jsonl",
        "assay export latest --format csv > records.csv",
    ],
)
@click.argument("run", default="latest")
@format_of("jsonl", "csv")
def export(run: str, output_format: Literal["jsonl", "csv"], out: Path) -> int:
    write_exactly(api.export(run, form=output_format, out=out))
    return 0
