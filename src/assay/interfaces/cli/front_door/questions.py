"""Questions with numbered answers and a line to type: for every terminal, and screen readers.

Ctrl-C and the end of input leave through the exceptions that `main` turns into exit code 130.
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
class Choice:
    """One line of a list."""

    value: str
    title: str
    name: str = ""
    """What a user may type for it beside its value."""

    why_not: str = ""
    """Why it has no number; empty if it can be chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """A list to choose from, and what may be typed instead."""

    text: str
    choices: Sequence[Choice]
    usual: str
    """The numbers that enter takes."""

    other: str
    """The line that offers to type something else, with an example."""

    check: Callable[[str], object]
    """Raises what is wrong with a chosen value, whether listed or typed."""

    @property
    def numbered(self) -> list[Choice]:
        return [choice for choice in self.choices if not choice.why_not]


class _Refused(Exception):
    """A typed word cannot be used; its arguments are the lines that say why."""


def ask(menu: Menu, *, only_one: bool = False) -> list[str]:
    """Return at least one value, each of them checked."""
    click.echo(tr("{question} (Ctrl-C ends)", question=menu.text))
    number = 0
    for choice in menu.choices:
        if choice.why_not:
            say(f"   -  {choice.title} ({choice.why_not})")
        else:
            number += 1
            say(f"  {number:>2}  {choice.title}")
    say(f"   …  {menu.other}")
    prompt = tr("number or name") if only_one else tr("numbers or names")
    while True:
        line = str(click.prompt(prompt, default=menu.usual or None))
        try:
            values = list(dict.fromkeys(_read_line(line, menu)))
        except _Refused as refused:
            for sentence in refused.args:
                say(sentence)
            continue
        if only_one and len(values) != 1:
            say(tr("name exactly one"))
        elif not values:
            say(tr("choose at least one"))
        else:
            return values


def confirm(question: str) -> bool:
    """Return yes or no; enter means yes."""
    return click.confirm(tr("{question} (Ctrl-C ends)", question=question), default=True)


def say(text: str, style: str = "", *, to_copy: bool = False) -> None:
    """Write lines that break between words; what is there to be copied is never wrapped."""
    from rich.text import Text

    from assay.api.rendering import console_for

    console_for().print(Text(text, style=style, overflow="fold"), soft_wrap=to_copy)


def _read_line(line: str, menu: Menu) -> Iterator[str]:
    try:
        words = shlex.split(line)
    except ValueError:  # a lone quote is only a character
        words = line.split()
    names = {choice.name: choice.value for choice in menu.choices if choice.name}
    for word in words:
        parts = [part for part in word.split(",") if part]
        # `1,4` are two numbers; a path may have a comma in it.
        are_apart = all(part.isdecimal() or part in names for part in parts)
        for part in parts if are_apart else [word]:
            value = _numbered_value(part, menu) if part.isdecimal() else names.get(part, part)
            _check(value, menu)
            yield value


def _numbered_value(number: str, menu: Menu) -> str:
    choices = menu.numbered
    if not 1 <= int(number) <= len(choices):
        raise _Refused(tr("there is no number {number} in the list", number=number))
    return choices[int(number) - 1].value


def _check(value: str, menu: Menu) -> None:
    """Raise the first mistakes in files, and how to see them all."""
    try:
        menu.check(value)
    except AssayError as error:
        findings = [one_line(str(finding)) for finding in error.findings]
        lines = findings[:SHOWN_FINDINGS]
        if more := len(findings) - len(lines):
            path = shlex.quote(value)
            lines.append(tr("… and {count} more: assay validate {path}", count=more, path=path))
        lines.append(joined(filter(None, (error.message, error.hint))))
        raise _Refused(*lines) from error
