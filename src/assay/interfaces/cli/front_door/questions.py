"""Asks a user, by lists with numbers and a line to type: on every terminal, for screen readers too.

Ctrl-C and the end of input end the program through the exceptions that `main` turns into exit
code 130.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import click

from assay.errors import AssayError, InvalidFiles, Refusals
from assay.interfaces.cli.front_door.lines import say
from assay.messages import tr
from assay.text.safe_text import one_line

SHOWN_FINDINGS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One line of a list. `closed`: why it cannot be chosen; empty: it can. `names`: what a user
    may type for it beside its value.
    """

    value: str
    title: str
    checked: bool = False
    closed: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What may be typed instead: the line that offers it, an example, and a check that raises
    AssayError for what is none.
    """

    offer: str
    example: str
    check: Callable[[str], object]


def understood(
    words: Sequence[str], options: Sequence[Option], typed: Typed
) -> tuple[list[str], list[str]]:
    """What typed words stand for: a value of the list where one has that name, else themselves.
    Then the lines that say what is wrong with them, and what to do; none: nothing is. What the
    list cannot offer is checked like any other word: a file may have been fixed since.
    """
    listed = {name: option for option in options for name in (option.value, *option.names) if name}
    values = []
    for word in words:
        option = listed.get(word)
        value = option.value if option else word
        offered = option is not None and not option.closed
        if not offered and (wrong := _problem_with(value, typed)):
            return [], wrong
        values.append(value)
    return values, []


def _problem_with(word: str, typed: Typed) -> list[str]:
    try:
        typed.check(word)
    except AssayError as error:
        sentence = f"{error.message}; {error.hint}" if error.hint else error.message
        return [*_findings(error, word), sentence]
    return []


def _findings(error: AssayError, word: str) -> Iterator[str]:
    """The first mistakes in files, each with its place, and how to see them all."""
    errors = error.errors if isinstance(error, Refusals) else (error,)
    invalid = [each for each in errors if isinstance(each, InvalidFiles)]
    findings = [one_line(str(finding)) for each in invalid for finding in each.findings]
    yield from findings[:SHOWN_FINDINGS]
    more = len(findings) - SHOWN_FINDINGS
    if more > 0:
        path = shlex.quote(word)
        yield tr("… and {count} more: assay validate {path}", count=more, path=path)


def split_words(text: str) -> list[str]:
    """Words, with quotes for those that hold spaces; a lone quote is only a character."""
    try:
        return shlex.split(text) if os.name != "nt" else text.split()
    except ValueError:
        return text.split()


class Questions:
    def several(self, question: str, options: Sequence[Option], typed: Typed) -> list[str]:
        """One or more of the options, or what was typed; never nothing."""
        can = _listed(question, options)
        say(_row("…", typed.offer, typed.example))
        usual = ",".join(str(n) for n, option in enumerate(can, 1) if option.checked)
        while True:
            text = str(click.prompt(tr("numbers or names"), default=usual or None))
            words, wrong = _with_numbers_read(split_words(text), can, options)
            if not wrong:
                words, wrong = understood(words, options, typed)
            if words and not wrong:
                return list(dict.fromkeys(words))
            for sentence in wrong or [tr("choose at least one")]:
                say(sentence)

    def one(self, question: str, options: Sequence[Option], typed: Typed | None = None) -> str:
        """Exactly one; the first if only enter is pressed."""
        can = _listed(question, options)
        if typed:
            say(_row("…", typed.offer, typed.example))
        while True:
            asked = tr("number or name") if typed else tr("number")
            text = str(click.prompt(asked, default="1")).strip()
            if text.isdecimal() and 1 <= int(text) <= len(can):
                return can[int(text) - 1].value
            wrong = [tr("type a number from 1 to {last}, or press Ctrl-C", last=len(can))]
            if typed and text and not text.isdecimal():
                words, wrong = understood(split_words(text), options, typed)
                if len(words) == 1:
                    return words[0]
                wrong = wrong or [tr("name exactly one")]
            for sentence in wrong:
                say(sentence)

    def yes(self, question: str, *, usual: bool = True) -> bool:
        """Yes or no; `usual` if only enter is pressed."""
        keys = "Y/n" if usual else "y/N"
        asked = tr("{question} [{keys}, Ctrl-C ends]", question=question, keys=keys)
        while True:
            text = str(click.prompt(asked, default="", show_default=False)).strip().lower()
            if not text:
                return usual
            if text in ("y", "yes", "n", "no"):
                return text[0] == "y"
            say(tr("type y for yes or n for no"))


def _listed(question: str, options: Sequence[Option]) -> list[Option]:
    """Show them all; those that can be chosen come back, in the order of their numbers."""
    click.echo(tr("{question} (Ctrl-C ends)", question=question))
    can: list[Option] = []
    for option in options:
        if option.closed:
            say(_row("-", option.title, option.closed))
        else:
            can.append(option)
            say(_row(str(len(can)), option.title))
    return can


def _row(mark: str, title: str, beside: str = "") -> str:
    return f"  {mark:>2}  {title} ({beside})" if beside else f"  {mark:>2}  {title}"


def _with_numbers_read(
    words: Sequence[str], can: Sequence[Option], options: Sequence[Option]
) -> tuple[list[str], list[str]]:
    """Numbers become the values they stand for, `1,4` two of them; then what is wrong with them."""
    names = {name for option in options for name in (option.value, *option.names)}
    read: list[str] = []
    for word in words:
        parts = [part for part in word.split(",") if part]
        apart = all(part.isdecimal() or part in names for part in parts)
        for part in parts if apart else [word]:
            if not part.isdecimal():
                read.append(part)
            elif 1 <= int(part) <= len(can):
                read.append(can[int(part) - 1].value)
            else:
                return [], [tr("there is no number {number} in the list", number=part)]
    return read, []
