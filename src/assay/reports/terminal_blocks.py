"""What every report on a terminal is made of: the console, lines, notes, a table of figures.

In: sentences and named figures, and a Console. Out: lines on that console. Every text goes in as
`Text`, never as markup.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.messages import tr
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Estimate

ROOM_FOR_BARS = 84  # columns from which the interval is drawn beside its figures
ROOM_FOR_TABLES = 60


def console_for(stream: TextIO | None = None, *, width: int | None = None) -> Console:
    """A console that takes no text for markup; characters a stream cannot write become ?."""
    target = stream if stream is not None else sys.stdout
    if isinstance(target, io.TextIOWrapper) and not _writes_unicode(target):
        target.reconfigure(errors="replace")
    return _Console(file=target, width=width, markup=False, highlight=False, emoji=False)


class _Console(Console):
    """rich ends the process with 1 when its reader goes away; here that is the caller's to say."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def line(console: Console, sentence: str, *, style: str = "") -> None:
    """One sentence."""
    console.print(Text(one_line(sentence), style=style))


def line_if_any(console: Console, sentence: str | None, *, style: str = "") -> None:
    """One sentence, or nothing."""
    if sentence is not None:
        line(console, sentence, style=style)


def notes_and_hints(console: Console, notes: Iterable[str], hints: Iterable[str] = ()) -> None:
    """Things to know, and things to do next."""
    for note in notes:
        line(console, tr("Note: {note}", note=note), style="yellow")
    for hint in hints:
        # A hint holds a command to copy: never broken over two lines.
        console.print(Text(f"→ {one_line(hint)}", style="cyan"), soft_wrap=True)


def _writes_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def figures(console: Console, rows: Iterable[tuple[str, Estimate]]) -> Table | Text:
    """Name, value, interval, n, unscored; the interval drawn where there is room, and plain lines
    where there is none for a table.
    """
    if console.width < ROOM_FOR_TABLES:
        lines = (f"{one_line(name)}: {numbers.figure(estimate)}" for name, estimate in rows)
        return Text("\n".join(lines))
    room = console.width >= ROOM_FOR_BARS
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("", overflow="fold", ratio=None)
    table.add_column(Text(tr("value")), justify="right", no_wrap=True)
    table.add_column(Text(tr("95 % interval")), no_wrap=True)
    table.add_column(Text("n"), justify="right", no_wrap=True)
    table.add_column(Text(tr("unscored")), justify="right", no_wrap=True)
    if room:
        table.add_column("", no_wrap=True)
    for name, estimate in rows:
        drawn = [Text(_bar(console, estimate), style="cyan")] if room else []
        shown = numbers.with_unit(estimate)
        unscored = numbers.count(estimate.unscored)
        table.add_row(
            Text(one_line(name)),
            Text(shown),
            Text(numbers.interval(estimate)),
            Text(numbers.count(estimate.n)),
            Text(tr("{count} incomplete", count=unscored) if estimate.incomplete else unscored),
            *drawn,
            style="yellow" if estimate.incomplete else None,
        )
    return table


def _bar(console: Console, estimate: Estimate) -> str:
    if estimate.unit not in ("share", "points"):
        return ""
    return numbers.bar(estimate, width=20, ascii_only=console.options.ascii_only)
