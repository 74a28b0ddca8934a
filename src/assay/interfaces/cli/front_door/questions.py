"""Asks a user, by lists with numbers and a line to type: on every terminal, for screen readers too.

Ctrl-C and the end of input end the program through the exceptions that `main` turns into exit
code 130.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import click

from assay.errors import AssayError
from assay.messages import joined, tr
from assay.text.safe_text import one_line

SHOWN_FINDINGS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One line of a list. `closed`: why it cannot be chosen; empty: it can. `names`: what a user
    may type for it beside its value. `unchecked`: it is checked when it is chosen.
    """

    value: str
    title: str
    checked: bool = False
    closed: str = ""
    names: tuple[str, ...] = ()
    unchecked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What may be typed instead: the line that offers it, an example, and a check that raises."""

    offer: str
    example: str
    check: Callable[[str], object]


class _Wrong(Exception):
    """What was typed cannot be used; carries the lines that say why."""


class Questions:
    def several(self, question: str, options: Sequence[Option], typed: Typed) -> list[str]:
        """One or more of the options, or what was typed; never nothing."""
        can = _listed(question, options, typed)
        usual = ",".join(str(n) for n, option in enumerate(can, 1) if option.checked)
        while True:
            values = _read_line(tr("numbers or names"), usual, can, options, typed)
            if values:
                return values
            say(tr("choose at least one"))

    def one(self, question: str, options: Sequence[Option], typed: Typed | None = None) -> str:
        """Exactly one; the first if only enter is pressed."""
        can = _listed(question, options, typed)
        asked = tr("number or name") if typed else tr("number")
        while True:
            values = _read_line(asked, "1", can, options, typed)
            if len(values) == 1:
                return values[0]
            say(tr("name exactly one"))

    def yes(self, question: str, *, usual: bool = True) -> bool:
        """Yes or no; `usual` if only enter is pressed."""
        return click.confirm(tr("{question} (Ctrl-C ends)", question=question), default=usual)


def say(text: str, style: str = "") -> None:
    """Lines that break between words."""
    from rich.text import Text

    from assay.api.rendering import console_for

    console_for().print(Text(text, style=style, overflow="fold"))


def _read_line(
    asked: str, usual: str, can: Sequence[Option], options: Sequence[Option], typed: Typed | None
) -> list[str]:
    """What a typed line means; asked again as long as a word of it is wrong."""
    while True:
        text = str(click.prompt(asked, default=usual or None))
        try:
            words = shlex.split(text)
        except ValueError:  # a lone quote is only a character
            words = text.split()
        try:
            found = [value for word in words for value in _values(word, can, options, typed)]
            return list(dict.fromkeys(found))
        except _Wrong as wrong:
            for sentence in wrong.args:
                say(sentence)


def _listed(question: str, options: Sequence[Option], typed: Typed | None) -> list[Option]:
    """Show them all; those that can be chosen come back, in the order of their numbers."""
    click.echo(tr("{question} (Ctrl-C ends)", question=question))
    can: list[Option] = []
    for option in options:
        if option.closed:
            say(f"   -  {option.title} ({option.closed})")
        else:
            can.append(option)
            say(f"  {len(can):>2}  {option.title}")
    if typed:
        say(f"   …  {typed.offer} ({typed.example})")
    return can


def _values(
    word: str, can: Sequence[Option], options: Sequence[Option], typed: Typed | None
) -> Iterator[str]:
    """What a word means: a number or a name of the list, `1,4` two of them; else itself, if it
    is sound. What the list cannot offer is checked, too: a file may have been fixed since.
    """
    listed = {name: option for option in options for name in (option.value, *option.names) if name}
    parts = [part for part in word.split(",") if part]
    apart = all(part.isdecimal() or part in listed for part in parts)
    for part in parts if apart else [word]:
        option = listed.get(part)
        if part.isdecimal():
            if not 1 <= int(part) <= len(can):
                raise _Wrong(tr("there is no number {number} in the list", number=part))
            option = can[int(part) - 1]
        if option and not option.closed and not (typed and option.unchecked):
            yield option.value
        elif typed:
            _check(option.value if option else part, typed)
            yield option.value if option else part
        else:
            raise _Wrong(tr("type a number from 1 to {last}, or press Ctrl-C", last=len(can)))


def _check(word: str, typed: Typed) -> None:
    """Raise what is wrong with a word: the first mistakes in files, and how to see them all."""
    try:
        typed.check(word)
    except AssayError as error:
        findings = [one_line(str(finding)) for finding in error.findings]
        shown = findings[:SHOWN_FINDINGS]
        if more := len(findings) - len(shown):
            path = shlex.quote(word)
            shown.append(tr("… and {count} more: assay validate {path}", count=more, path=path))
        sentence = joined(filter(None, (error.message, error.hint)))
        raise _Wrong(*shown, sentence) from error
