"""What `run_benchmark.py` does: one model on one folder of tests, in the fewest words.

It shows what `assay run`, `compare` and `leaderboard` show, by the same code.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from assay import api
from assay.errors import AssayError, UsageError, raise_all
from assay.interfaces.cli import end_with, invoked, run_to_exit_code
from assay.interfaces.cli.options import as_json, click_option, named_options, verbose
from assay.interfaces.cli.options import command as make_command
from assay.interfaces.cli.output import say, show
from assay.messages import tr
from assay.types.model_spec import without_secrets
from assay.types.option_fields import WHAT, CommandOptions, option, options_of
from assay.types.options_class import options_class

if TYPE_CHECKING:
    from assay.types.results import Comparison, Leaderboard, Report

SCRIPT = "run_benchmark.py"
PROGRAM = f"python {SCRIPT}"


@options_class(kw_only=True)
class BenchmarkOptions(CommandOptions):
    """Which tests are asked of which model."""

    group = WHAT
    tests: str | None = option(
        None,
        metavar="DIR",
        help=tr("Folder of category files. Default: ./tests if it has any, else `ewe`."),
    )
    categories: Sequence[str] = option(
        (),
        "--category",
        help=tr("Ask only this category. Repeatable. Default: all."),
    )
    endpoint: str | None = option(
        None,
        metavar="PRESET_OR_URL",
        help=tr("Server of the model; a URL with /v1 is openai. Default: local."),
    )
    model: str | None = option(
        None,
        metavar="NAME_OR_SPEC",
        help=tr("Model at the endpoint, or a whole spec such as scripted:answers.json."),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the script's command and end the process, in the words of the command line."""
    end_with(PROGRAM, _run_words, arguments)


def run_words(arguments: Sequence[str]) -> int:
    """Run the script's command and return its exit code; the process goes on."""
    return run_to_exit_code(PROGRAM, _run_words, list(arguments))


def _run_words(words: list[str]) -> int | None:
    return invoked(command(words), PROGRAM, words)


def command(words: Sequence[str] = ()) -> click.Command:
    """Return the script as click sees it, in the language chosen; `words`: as it was called."""
    shown = shlex.join(["python", SCRIPT, *map(without_secrets, words)])

    def function(**options: Any) -> int:
        return _benchmark(called=shown, **options)

    for add in (as_json, verbose, named_options("limit", "fresh"), *reversed(list(_options()))):
        function = add(function)
    return make_command(
        SCRIPT,
        summary=tr("Run a benchmark on a model: ask it every test of a folder, and score them."),
        help=tr("Answers are stored: the same command continues and asks nothing twice."),
        examples=[
            "python run_benchmark.py --model llama3.2:3b",
            "python run_benchmark.py --tests my-tests --category greetings -v",
            "python run_benchmark.py --endpoint groq --model llama-3.1-8b-instant",
            "python run_benchmark.py --compare llama3.2:3b qwen3:4b",
            "python run_benchmark.py --leaderboard",
        ],
    )(function)


def _options() -> Iterator[Callable[[Callable[..., Any]], Callable[..., Any]]]:
    for each in options_of(BenchmarkOptions).values():
        # `--category -v`: the name was left out, and -v is none
        may_be_bare = {"is_flag": False, "flag_value": ""} if each.name == "categories" else {}
        yield click_option(each, **may_be_bare)
    yield click.option(
        "--compare",
        nargs=2,
        metavar="A B",
        help=tr("Compare two runs in the store, or two models, which are run first."),
    )
    yield click.option("--leaderboard", is_flag=True, help=tr("Rank all models, best first."))


def _benchmark(
    called: str,
    model: str | None,
    compare: tuple[str, str] | None,
    leaderboard: bool,
    verbose: bool,
    as_json: bool,
    **asked: Any,
) -> int:
    if compare and model is not None:
        raise UsageError(
            tr("--compare and --model cannot be used together"),
            hint=tr("leave --model out"),
        )
    if "" in asked["categories"]:
        say(tr("--category without a name leaves nothing out"))
    code, last = 0, None
    for document in _documents(called, model, compare, leaderboard, asked):
        code, last = max(code, document.exit_code), document
        if not as_json:
            show(document, "text", verbose=verbose)
    if as_json and last is not None:
        show(replace(last, exit_code=code), "json")
    return code


def _documents(
    called: str,
    model: str | None,
    compare: tuple[str, str] | None,
    leaderboard: bool,
    asked: dict[str, Any],
) -> Iterator[Report | Comparison | Leaderboard]:
    """What there is to show, in order; with --json the last of them is all of it."""
    from assay.api.benchmark_choices import names_a_run

    out = asked["out"]
    compared = list(compare or ())
    stored = any(names_a_run(name, out) for name in compared)
    if not stored and (compare or model is not None or not leaderboard):
        report = _ask(called, compare or (() if model is None else (model,)), **asked)
        yield report
        compared = [report.run] if compare else []
    if compared:
        yield cast("Comparison", api.compare(compared, out=out))
    if leaderboard:
        yield api.leaderboard(out=out)


def _ask(
    called: str,
    names: Sequence[str],
    *,
    tests: str | None,
    categories: Sequence[str],
    endpoint: str | None,
    out: Path,
    **options: Any,
) -> Report:
    """One run. Nothing is asked before tests and models are all known to be sound."""
    from assay.api import benchmark_choices as choices
    from assay.api.rendering import progress_for

    suite = choices.suite_argument(tests, say)
    try:
        models = choices.choose(names, endpoint, say)
        key_env = choices.one_key(models)
    except AssayError as error:
        raise_all([error, *choices.wrong_with(suite)])
        raise
    with progress_for(sys.stderr) as observer:
        return choices.run_tests(
            called,
            choices.language_for(suite, say),
            models=[model.spec for model in models],
            suites=[suite],
            categories=tuple(filter(None, categories)),
            out=out,
            api_key_env=key_env,
            observer=observer,
            **options,
        )
