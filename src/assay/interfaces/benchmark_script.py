"""What `run_benchmark.py` does: one model on one folder of tests, in the fewest words.

It shows what `assay run` shows, by the same code.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from assay.errors import AssayError, raise_all
from assay.interfaces.cli import end_with, invoked
from assay.interfaces.cli.options import as_json, click_option, named_options, verbose
from assay.interfaces.cli.options import command as make_command
from assay.interfaces.cli.output import reader_may_leave, say, show
from assay.messages import tr
from assay.types.option_fields import WHAT, CommandOptions, option, options_of

if TYPE_CHECKING:
    from assay.types.results import Report

SCRIPT = "run_benchmark.py"


@dataclass(frozen=True, kw_only=True)
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
    program = f"python {SCRIPT}"
    end_with(program, lambda words: invoked(command(), program, words), arguments)


def command() -> click.Command:
    """The script as click sees it, in the language chosen."""
    function: Callable[..., Any] = _benchmark
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
        ],
    )(function)


def _options() -> Iterator[Callable[[Callable[..., Any]], Callable[..., Any]]]:
    for each in options_of(BenchmarkOptions).values():
        # `--category -v`: the name was left out, and -v is none
        may_be_bare = {"is_flag": False, "flag_value": ""} if each.name == "categories" else {}
        yield click_option(each, **may_be_bare)
    yield click.option("--list-presets", is_flag=True, help=tr("List the named endpoints."))


def _benchmark(list_presets: bool, as_json: bool, verbose: bool, **asked: Any) -> int:
    if list_presets:
        return _list_presets(as_json=as_json)
    if "" in asked["categories"]:
        say(tr("--category without a name leaves nothing out"))
    report = _ask(**asked)
    show(report, "json" if as_json else "text", verbose=verbose)
    return report.exit_code


def _ask(
    *,
    model: str | None,
    tests: str | None,
    categories: Sequence[str],
    endpoint: str | None,
    **options: Any,
) -> Report:
    """One run. Nothing is asked before tests and model are known to be sound."""
    from assay import api
    from assay.api import benchmark_choices as choices
    from assay.api.rendering import progress_for

    suite = choices.suite_argument(tests, say)
    try:
        chosen = choices.choose(model, endpoint, say)
    except AssayError as error:
        raise_all([error, *choices.wrong_with(suite)])
        raise
    with progress_for(sys.stderr) as observer:
        return api.run(
            [chosen.spec],
            suites=[suite],
            categories=tuple(filter(None, categories)),
            observer=observer,
            system=choices.system_for(suite),
            api_key_env=chosen.key_env,
            **options,
        )


@reader_may_leave()
def _list_presets(*, as_json: bool) -> int:
    from assay.api.benchmark_choices import presets

    if as_json:
        rows = [
            {**asdict(each), "url": each.shown_url, "key_is_set": each.key_is_set}
            for each in presets().values()
        ]
        click.echo(json.dumps({"presets": rows, "exit_code": 0}, indent=2))
        return 0
    for each in presets().values():
        key = tr("key in {variable}", variable=each.key_env) if each.key_env else ""
        unset = tr(" (not set)") if key and not each.key_is_set else ""
        click.echo(f"{each.name:<12} {each.kind:<7} {each.shown_url:<34} {key}{unset}".rstrip())
    return 0
