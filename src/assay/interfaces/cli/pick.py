"""The questions of `assay ask --pick`, on a terminal: which of two answers is better?"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.errors import UsageError
from assay.interfaces.cli.output import show
from assay.messages import tr, trn
from assay.text.safe_text import visible

if TYPE_CHECKING:
    from assay.api.picking import Pick

STOP = "q"
KEYS: "dict[str, Pick]" = {"a": "a", "b": "b", "t": "tie", "tie": "tie", "=": "tie"}


def refuse_picking(models: tuple[str, ...], *, as_json: bool) -> None:
    """Before any model is asked: picking takes a person, and two answers."""
    if as_json or not (sys.stdin and sys.stdin.isatty()):
        raise UsageError(
            tr("--pick asks on a terminal, and there is none"),
            hint=tr("run it in a terminal, without --json"),
        )
    if len(models) < 2:
        raise UsageError(
            tr("--pick compares two models or more"), hint=tr("name another model after the first")
        )


def pick_answers(run: str, out: Path) -> None:
    """Every pick is stored at once; who stops goes on with the same command."""
    from assay.api.picking import pairs_to_pick, preferences, store_pick

    pairs = pairs_to_pick(run, out=out)
    click.echo(trn("{count} pair to pick from; q stops", "{count} pairs to pick from; q stops",
                   len(pairs)))  # fmt: skip
    for number, pair in enumerate(pairs, start=1):
        click.echo(
            f"\n{click.style(f'{number}/{len(pairs)}', bold=True)}  {visible(pair.question)}"
        )
        for name, text in (("a", pair.a), ("b", pair.b)):
            click.echo(f"\n{click.style(name, bold=True)}\n{visible(text)}")
        pick = _ask()
        if pick is None:
            break
        store_pick(pair, pick, out=out)
        click.echo(tr("a: {first}   b: {second}", first=pair.first.spec, second=pair.second.spec))
    click.echo("")
    show(preferences(out=out), "text")


def _ask() -> "Pick | None":
    question = tr("Which is better: a, b or tie?")
    while True:
        try:
            said = click.prompt(f"\n{question}", prompt_suffix=" ")
        except click.Abort:  # Ctrl-C, Ctrl-D
            return None
        key = str(said).strip().lower()
        if key == STOP:
            return None
        if key in KEYS:
            return KEYS[key]
        click.echo(tr("type a, b, or t for a tie; q stops"))
