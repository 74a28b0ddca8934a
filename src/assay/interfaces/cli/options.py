"""Options that several commands share.

In: a command's function. Out: the same with `out` (and `as_json`, `benchmarks`, or how models are
asked) filled.
Every command takes --out and --lang; the language is set in `main`, before any sentence is made.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from assay.messages import LANGUAGES_OFFERED, tr
from assay.types import SamplingMode, Thinking

Command = TypeVar("Command", bound=Callable[..., Any])


class NamedPath(click.Path):
    """A path that must be named: an empty one would mean the folder one is in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse '', which an unset variable of a script becomes."""
        if value == "":
            self.fail(tr("an empty path; leave the option out, or name a path"), param, ctx)
        return super().convert(value, param, ctx)


def common(function: Command) -> Command:
    """--out and --lang."""
    language = click.option(
        "--lang",
        type=click.Choice(LANGUAGES_OFFERED),
        default="en",
        show_default=True,
        expose_value=False,
        help=tr("Language of messages and reports; French is still to be translated."),
    )
    out = click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("assay-out"),
        show_default=True,
        help=tr("Folder for the store and all reports."),
    )
    return out(language(function))


def as_json(function: Command) -> Command:
    """--json."""
    return click.option(
        "--json",
        "as_json",
        is_flag=True,
        help=tr("Print one JSON document on stdout and nothing else."),
    )(function)


def benchmarks(function: Command) -> Command:
    """--benchmarks."""
    return click.option(
        "--benchmarks",
        type=NamedPath(path_type=Path, file_okay=False),
        metavar="DIR",
        help=tr(
            "Folder of fetched benchmarks. Default: SLM/datasets/benchmarks if it is there, else "
            "the user's data folder."
        ),
    )(function)


def gate(function: Command) -> Command:
    """--gate and --no-write-back: by what is decided on checkpoints, and where that is left."""
    function = click.option(
        "--no-write-back",
        "write_back",
        is_flag=True,
        flag_value=False,
        default=True,
        help=tr("Write nothing beside the weights, only under --out."),
    )(function)
    return click.option(
        "--gate",
        type=NamedPath(path_type=Path),
        metavar="FILE",
        help=tr("What a checkpoint must reach, as a TOML file; `assay schema gate` describes it."),
    )(function)


def asking(function: Command) -> Command:
    """How models are asked; the names are those of `api.run`."""
    for option in reversed((*_OF_TESTS, *_OF_MODELS)):
        function = option(function)
    return function


def asking_a_judge(function: Command) -> Command:
    """How a judge is asked: what `asking` has that does not belong to the tests."""
    for option in reversed(_OF_MODELS):
        function = option(function)
    return function


_OF_TESTS = (
    click.option(
        "--repeats",
        type=click.IntRange(1, 1000),
        default=1,
        show_default=True,
        help=tr("Ask everything so often, each time with another seed."),
    ),
    click.option(
        "--seed",
        type=click.IntRange(0, 2_000_000_000),
        default=0,
        show_default=True,
        help=tr("For sampling, and for --limit where there is one."),
    ),
    click.option("--fresh", is_flag=True, help=tr("Ask everything again.")),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        help=tr("At most so many tokens in an answer. Default: what the test says, else 1024."),
    ),
    click.option(
        "--sampling",
        type=click.Choice(get_args(SamplingMode)),
        default="fixed",
        show_default=True,
        help=tr("fixed sends every sampling field; server leaves all but temperature and seed."),
    ),
    click.option(
        "--think",
        type=click.Choice(get_args(Thinking)),
        help=tr("For models that think. Default: as they do by themselves."),
    ),
    click.option(
        "--system",
        metavar="TEXT",
        help=tr("A system prompt for prompts and suites that bring none."),
    ),
)
_OF_MODELS = (
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True, max=86_400),
        default=120.0,
        show_default=True,
        metavar="S",
        help=tr("Seconds for one request; after that it has failed."),
    ),
    click.option(
        "--connections",
        type=click.IntRange(1, 256),
        metavar="N",
        help=tr("Requests at once. Default: 1 for ollama, 8 for openai."),
    ),
    click.option(
        "--num-ctx",
        type=click.IntRange(min=16),
        metavar="N",
        help=tr("Tokens of context (ollama). Default: enough for the longest test."),
    ),
    click.option(
        "--api-key-env",
        metavar="NAME",
        help=tr("The variable that holds the key ('': send none). Default: OPENAI_API_KEY."),
    ),
    click.option(
        "--api",
        "form",
        type=click.Choice(("auto", "chat", "completions")),
        default="auto",
        show_default=True,
        help=tr("Which endpoint of an OpenAI-compatible server to use."),
    ),
    click.option(
        "--device",
        metavar="NAME",
        help=tr("For checkpoints: auto, cpu, cuda, cuda:1, mps. Default: the fastest there is."),
    ),
    click.option(
        "--dtype",
        metavar="NAME",
        help=tr(
            "For checkpoints: auto, float32, bfloat16, float16. Default: float32 on a CPU, else "
            "the checkpoint's own."
        ),
    ),
    click.option(
        "--tokenizer",
        type=NamedPath(path_type=Path, file_okay=False, exists=True),
        metavar="DIR",
        help=tr("For checkpoints: its folder. Default: the checkpoint's or up to two above it."),
    ),
    click.option(
        "--trust-remote-code",
        is_flag=True,
        help=tr("Run the Python code that a checkpoint brings along: only if you have read it."),
    ),
    click.option(
        "--budget",
        type=click.FloatRange(min=0, min_open=True),
        metavar="S",
        help=tr("Ask nothing more after so many seconds; the same command continues."),
    ),
)
