"""Lines that fit a terminal: wrapped between words, padded; and printed.

A column is a cell: a Chinese character takes two.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any

import click

LEAST_COLUMNS = 20


def wrapped(text: str) -> list[str]:
    """Lines that break between words; only a word that is wider than a line is broken itself."""
    from rich.text import Text

    from assay.api.rendering import console_for

    width = max(LEAST_COLUMNS, shutil.get_terminal_size().columns)
    return [
        part.plain.rstrip()
        for line in text.splitlines() or [""]
        for part in Text(line).wrap(console_for(width=width), width, overflow="fold") or [Text()]
    ]


def padded(column: Sequence[str], *, right: bool = False) -> list[str]:
    """All of one width; `right`: with the spaces before them."""
    from rich.cells import cell_len

    widths = [cell_len(cell) for cell in column]
    most = max(widths, default=0)
    gaps = [" " * (most - width) for width in widths]
    return [gap + cell if right else cell + gap for cell, gap in zip(column, gaps, strict=True)]


def is_plain() -> bool:
    """Whether keys and colours would come out as rubbish, or are not wanted."""
    if os.environ.get("ASSAY_PLAIN") or os.environ.get("NO_COLOR"):
        return True
    unset = "" if sys.platform == "win32" else "dumb"  # Windows sets no TERM and can do it
    return os.environ.get("TERM", unset) == "dumb"


def say(text: str, **style: Any) -> None:
    """Lines that break between words, in bold or colour where that is wanted."""
    for line in wrapped(text):
        click.echo(line if is_plain() else click.style(line, **style))


def show_command(text: str) -> None:
    """Never wrapped: it is there to be copied."""
    click.echo(f"  {text}" if is_plain() else click.style(f"  {text}", fg="cyan"))
