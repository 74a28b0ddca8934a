"""Lines that fit a terminal: wrapped between words, shortened in the middle, padded; and printed.

In: text, and how many columns there are for it. Out: text that fits. A column is a cell: a
Chinese character takes two.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any

import click

LEAST_COLUMNS = 20


def columns() -> int:
    """The width of the terminal."""
    return max(LEAST_COLUMNS, shutil.get_terminal_size().columns)


def wrapped(text: str, room: int | None = None) -> list[str]:
    """Lines that break between words; only a word that is wider than a line is broken itself."""
    from rich.text import Text

    from assay.api.rendering import console_for

    width = room or columns()
    return [
        part.plain.rstrip()
        for line in text.splitlines() or [""]
        for part in Text(line).wrap(console_for(width=width), width, overflow="fold") or [Text()]
    ]


def shortened(text: str, room: int) -> str:
    """With … in the middle: a name's end (its tag, its folder) says as much as its beginning."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= room:
        return text
    behind = (room - 1) // 2
    end = len(text)
    while end > 0 and cell_len(text[end - 1 :]) <= behind:
        end -= 1
    return set_cell_size(text, max(0, room - 1 - behind)).rstrip() + "…" + text[end:].lstrip()


def cut(text: str, room: int) -> str:
    """With … at the end, for sentences."""
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= room else set_cell_size(text, room - 1).rstrip() + "…"


def padded(column: Sequence[str], *, right: bool = False) -> list[str]:
    """All of one width; `right`: with the spaces before them."""
    from rich.cells import cell_len

    widths = [cell_len(cell) for cell in column]
    most = max(widths, default=0)
    gaps = [" " * (most - width) for width in widths]
    return [gap + cell if right else cell + gap for cell, gap in zip(column, gaps, strict=True)]


def width_of(column: Sequence[str]) -> int:
    """How many columns the widest of them takes."""
    from rich.cells import cell_len

    return max(map(cell_len, column), default=0)


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
