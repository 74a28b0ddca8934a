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
from assay.interfaces.cli.options import as_json, common
from assay.interfaces.cli.output import reader_may_leave, say
from assay.messages import tr

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
    for option in (common, as_json, *reversed(_options())):
        function = option(function)
    make = click.command(
        SCRIPT,
        context_settings={"help_option_names": ["-h", "--help"]},
        help=tr(
            "Run a benchmark on a model: ask it every test of a folder, mark the answers, report. "
            "Answers are kept: the same command continues, and asks nothing twice.\n\n"
            "\b\n"
            "Examples:\n"
            "  python run_benchmark.py --model llama3.2:3b\n"
            "  python run_benchmark.py --tests my-tests --category greetings -v\n"
            "  python run_benchmark.py --endpoint groq --model llama-3.1-8b-instant\n"
            "  python run_benchmark.py --compare llama3.2:3b qwen3:4b\n"
            "  python run_benchmark.py --leaderboard\n"
        ),
    )
    return make(function)


def _options() -> tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...]:
    return (
        click.option(
            "--tests",
            metavar="DIR",
            help=tr("A folder of category files. Default: ./tests if it has any, else `ewe`."),
        ),
        click.option(
            "--category",
            "categories",
            metavar="NAME",
            multiple=True,
            is_flag=False,
            flag_value="",  # `--category -v`: the name was left out, and -v is none
            help=tr("Only this category; may be given several times. Without a name: all."),
        ),
        click.option(
            "--endpoint",
            metavar="PRESET_OR_URL",
            help=tr("Where the model is served. Default: local. A URL with /v1 is openai."),
        ),
        click.option(
            "--model",
            metavar="NAME_OR_SPEC",
            help=tr("A model of the endpoint, or a whole spec such as scripted:answers.json."),
        ),
        click.option(
            "--compare",
            nargs=2,
            metavar="A B",
            help=tr("Two runs of the store, or two models, which are run first."),
        ),
        click.option("--leaderboard", is_flag=True, help=tr("Show every model, best first.")),
        click.option(
            "--limit",
            type=click.IntRange(min=1),
            metavar="N",
            help=tr("At most so many tests: a seeded sample, spread over the categories."),
        ),
        click.option("--fresh", is_flag=True, help=tr("Ask everything again.")),
        click.option(
            "-v",
            "--verbose",
            is_flag=True,
            help=tr("Show every test with its answer, its score and why."),
        ),
        click.option("--list-presets", is_flag=True, help=tr("Show the endpoints with a name.")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
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
        told = {
            "--tests": self.tests is not None,
            "--category": bool(self.categories),
            "--endpoint": self.endpoint is not None,
            "--limit": self.limit is not None,
            "--fresh": self.fresh,
        }
        return tuple(option for option, is_given in told.items() if is_given)


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
    benchmark = Benchmark(categories=tuple(filter(None, categories)), **asked)
    _say_what_is_not_used(benchmark, model, compare, leaderboard)
    code, last = 0, None
    for document in _documents(benchmark, model, compare, leaderboard):
        code, last = max(code, document.exit_code), document
        if not as_json:
            _show(document, verbose=verbose)
    if as_json and last is not None:
        _show(replace(last, exit_code=code), form="json")
    return code


def _say_what_is_not_used(
    benchmark: Benchmark, model: str | None, compare: tuple[str, str] | None, leaderboard: bool
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
    benchmark: Benchmark, model: str | None, compare: tuple[str, str] | None, leaderboard: bool
) -> bool:
    from assay.api.benchmark_choices import names_a_run

    if compare:
        return any(names_a_run(name, benchmark.out) for name in compare)
    return leaderboard and model is None


def _documents(
    benchmark: Benchmark, model: str | None, compare: tuple[str, str] | None, leaderboard: bool
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


def _ask(benchmark: Benchmark, names: Sequence[str]) -> Report:
    """One run. Nothing is asked before tests and models are all known to be sound."""
    from assay import api
    from assay.api import benchmark_choices as choices
    from assay.reports.progress import progress_for

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


def _show(
    document: Report | Comparison | Leaderboard, *, form: str = "text", verbose: bool = False
) -> None:
    from assay.interfaces.cli.showing import show_comparison, show_leaderboard, show_report
    from assay.types.results import Comparison, Report

    if isinstance(document, Report):
        show_report(document, form, verbose=verbose)
    elif isinstance(document, Comparison):
        show_comparison(document, form)
    else:
        show_leaderboard(document, form)


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
