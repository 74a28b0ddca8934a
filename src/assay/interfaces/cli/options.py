"""Options that several commands share.

In: a command's function. Out: the same with `out` (and `as_json`) filled. Every command takes --out
and --lang; the language is set in `main`, before any sentence is made.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from assay.messages import LANGUAGES_OFFERED, tr

Command = TypeVar("Command", bound=Callable[..., Any])


def common(function: Command) -> Command:
    """--out and --lang."""
    language = click.option(
        "--lang",
        type=click.Choice(LANGUAGES_OFFERED),
        default="en",
        show_default=True,
        expose_value=False,
        help=tr("Language of messages and reports."),
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
