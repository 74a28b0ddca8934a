"""What `run_benchmark.py` does: one model on one folder of tests, in the fewest words.

In: the words after `python run_benchmark.py`. Out: what `assay run`, `compare` and `leaderboard`
show, by the same code, and an exit code.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.errors import AssayError, UsageError, raise_all
from assay.interfaces.cli import end_with, invoked
from assay.interfaces.cli.options import GroupedOption, as_json, named_options, verbose
from assay.interfaces.cli.options import command as make_command
from assay.interfaces.cli.output import reader_may_leave, say
from assay.interfaces.cli.showing import show
from assay.messages import tr
from assay.types.option_fields import WHAT

if TYPE_CHECKING:
    from assay.types.results import Comparison, Leaderboard, Report

SCRIPT = "run_benchmark.py"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the script's command and end the process, in the words of the command line."""
    program = f"python {SCRIPT}"
    end_with(program, lambda words: invoked(command(), program, words), arguments)


def command() -> click.Command:
    """The script as click sees it, in the language chosen."""
    function: Callable[..., Any] = _benchmark
    for option in (as_json, verbose, named_options("limit", "fresh"), *reversed(_options())):
        function = option(function)
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


def _options() -> tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...]:
    return (
        click.option(
            "--tests",
            cls=GroupedOption,
            group=WHAT,
            metavar="DIR",
            help=tr("Folder of category files. Default: ./tests if it has any, else `ewe`."),
        ),
        click.option(
            "--category",
            "categories",
            cls=GroupedOption,
            group=WHAT,
            metavar="NAME",
            multiple=True,
            is_flag=False,
            flag_value="",  # `--category -v`: the name was left out, and -v is none
            help=tr("Ask only this category. Repeatable. Default: all."),
        ),
        click.option(
            "--endpoint",
            cls=GroupedOption,
            group=WHAT,
            metavar="PRESET_OR_URL",
            help=tr("Server of the model; a URL with /v1 is openai. Default: local."),
        ),
        click.option(
            "--model",
            cls=GroupedOption,
            group=WHAT,
            metavar="NAME_OR_SPEC",
            help=tr("Model at the endpoint, or a whole spec such as scripted:answers.json."),
        ),
        click.option(
            "--compare",
            nargs=2,
            metavar="A B",
            help=tr("Compare two runs in the store, or two models, which are run first."),
        ),
        click.option("--leaderboard", is_flag=True, help=tr("Rank all models, best first.")),
        click.option("--list-presets", is_flag=True, help=tr("List the named endpoints.")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkOptions:
    """What is asked, of whatever model."""

    tests: str | None
    categories: tuple[str, ...]
    endpoint: str | None
    limit: int | None
    fresh: bool
    out: Path

    @property
    def given(self) -> tuple[str, ...]:
        """The options that a user gave to say what is asked."""
        options = {
            "--tests": self.tests is not None,
            "--category": bool(self.categories),
            "--endpoint": self.endpoint is not None,
            "--limit": self.limit is not None,
            "--fresh": self.fresh,
        }
        return tuple(option for option, is_given in options.items() if is_given)


def _benchmark(
    categories: tuple[str, ...],
    model: str | None,
    compare: tuple[str, str] | None,
    leaderboard: bool,
    verbose: bool,
    list_presets: bool,
    as_json: bool,
    **asked: Any,
) -> int:
    if list_presets:
        return _list_presets(as_json=as_json)
    if compare and model is not None:
        raise UsageError(
            tr("--compare names its two models itself; --model has no meaning beside it"),
            hint=tr("leave --model out"),
        )
    if "" in categories:
        say(tr("--category without a name leaves nothing out"))
    benchmark = BenchmarkOptions(categories=tuple(filter(None, categories)), **asked)
    _say_what_is_not_used(benchmark, model, compare, leaderboard)
    code, last = 0, None
    for document in _documents(benchmark, model, compare, leaderboard):
        code, last = max(code, document.exit_code), document
        if not as_json:
            show(document, "text", verbose=verbose)
    if as_json and last is not None:
        show(replace(last, exit_code=code), "json")
    return code


def _say_what_is_not_used(
    benchmark: BenchmarkOptions,
    model: str | None,
    compare: tuple[str, str] | None,
    leaderboard: bool,
) -> None:
    """Options that say what to ask, where nothing is asked."""
    if _asks_nothing(benchmark, model, compare, leaderboard) and (given := benchmark.given):
        say(
            tr(
                "not used: {options}; what is in the store is shown as it is",
                options=", ".join(given),
            )
        )


def _asks_nothing(
    benchmark: BenchmarkOptions,
    model: str | None,
    compare: tuple[str, str] | None,
    leaderboard: bool,
) -> bool:
    from assay.api.benchmark_choices import names_a_run

    if compare:
        return any(names_a_run(name, benchmark.out) for name in compare)
    return leaderboard and model is None


def _documents(
    benchmark: BenchmarkOptions,
    model: str | None,
    compare: tuple[str, str] | None,
    leaderboard: bool,
) -> Iterator[Report | Comparison | Leaderboard]:
    """What there is to show, in order; with --json the last of them is all of it."""
    from assay import api

    out = benchmark.out
    if not _asks_nothing(benchmark, model, compare, leaderboard):
        report = _ask(benchmark, compare or (() if model is None else (model,)))
        yield report
        if compare:
            yield api.compare([report.run], out=out)
    elif compare:
        yield api.compare(compare, out=out)
    if leaderboard:
        yield api.leaderboard(out=out)


def _ask(benchmark: BenchmarkOptions, names: Sequence[str]) -> Report:
    """One run. Nothing is asked before tests and models are all known to be sound."""
    from assay import api
    from assay.api import benchmark_choices as choices
    from assay.api.rendering import progress_for

    tests = choices.suite_argument(benchmark.tests, say)
    try:
        models = choices.choose(names, benchmark.endpoint, say)
        key_env = choices.one_key(models)
    except AssayError as error:
        raise_all([error, *choices.wrong_with(tests)])
        raise
    with progress_for(sys.stderr) as observer:
        return api.run(
            [model.spec for model in models],
            suites=[tests],
            categories=benchmark.categories,
            limit=benchmark.limit,
            fresh=benchmark.fresh,
            out=benchmark.out,
            observer=observer,
            system=choices.system_for(tests),
            api_key_env=key_env,
        )


# ------------------------------------------------------------------------------------- showing


@reader_may_leave()
def _list_presets(*, as_json: bool) -> int:
    from assay.api.benchmark_choices import list_presets

    presets = list_presets()
    if as_json:
        rows = [
            {
                "name": preset.name,
                "kind": preset.kind,
                "url": preset.shown_url,
                "key_env": preset.key_env,
                "key_is_set": preset.key_is_set,
                "model": preset.model,
                "source": preset.source or None,
            }
            for preset in presets
        ]
        click.echo(json.dumps({"presets": rows, "exit_code": 0}, indent=2))
        return 0
    for preset in presets:
        key = ""
        if preset.key_env:
            key = tr("key in {variable}", variable=preset.key_env)
            key += "" if preset.key_is_set else tr(" (not set)")
        parts = (preset.model or "", key, preset.source)
        line = f"{preset.name:<12} {preset.kind:<7} {preset.shown_url:<34} "
        click.echo((line + "  ".join(filter(None, parts))).rstrip())
    return 0
