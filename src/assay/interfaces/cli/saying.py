"""Lines of the front door that ask nothing: sentences, and commands to be copied.

In: text. Out: the terminal.
"""

from __future__ import annotations

from typing import Any

import click

from assay.interfaces.cli.fitting import wrapped
from assay.interfaces.cli.questions import is_plain


def say(text: str, **style: Any) -> None:
    """Lines that break between words, in bold or colour where that is wanted."""
    for line in wrapped(text):
        click.echo(line if is_plain() else click.style(line, **style))


def show_command(text: str) -> None:
    """Never wrapped: it is there to be copied."""
    click.echo(f"  {text}" if is_plain() else click.style(f"  {text}", fg="cyan"))
