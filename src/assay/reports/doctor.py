"""What a machine can do, on a terminal and as a document.

In: lines, each a name, a state, what there is to say and what to do; and what stands behind them.
Out: text on a console, or one JSON document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.messages import tr
from assay.text.safe_text import one_line

STYLES = {"good": "green", "note": "yellow", "missing": "bold red"}


class Examined(Protocol):
    """One line."""

    @property
    def name(self) -> str:
        """What was looked at."""
        ...

    @property
    def state(self) -> str:
        """How it is: good, note or missing."""
        ...

    @property
    def says(self) -> str:
        """What was found."""
        ...

    @property
    def todo(self) -> str:
        """What to do about it."""
        ...


def examination(lines: Iterable[Examined], console: Console) -> None:
    """One row a line; what to do stands under what was found."""
    words = {"good": tr("good"), "note": tr("note"), "missing": tr("missing")}
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", max_width=max(16, console.width // 3))
    table.add_column(overflow="fold")
    for line in lines:
        indent = " " * (len(line.name) - len(line.name.lstrip()))
        says = Text(one_line(line.says))
        if line.todo:
            says.append(f"\n→ {one_line(line.todo)}", style="cyan")
        table.add_row(
            Text(words[line.state], style=STYLES[line.state]),
            Text(indent + one_line(line.name), style="dim" if indent else "bold"),
            says,
        )
    console.print(table)


def document(lines: Iterable[Examined], **behind: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a program, with what stands behind the lines."""
    return {
        "lines": [
            {"name": line.name.strip(), "state": line.state, "says": line.says, "next": line.todo}
            for line in lines
        ],
        **behind,
        "exit_code": 0,
    }
