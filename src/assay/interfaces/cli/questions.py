"""Asks a user: with arrow keys where the terminal can, with numbers where it cannot.

In: a question and options. Out: the values chosen. Refuses to know: what is chosen among. Ctrl-C
and the end of input end the program through the exceptions that `main` turns into exit code 130.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import click

from assay.errors import AssayError
from assay.messages import tr
from assay.reports.safe_text import one_line

BESIDE_A_TITLE = 8  # columns of pointer, mark and margin; a longer line would wrap
_TYPED = "\0typed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One line of a list. `closed`: why it cannot be chosen; empty: it can."""

    value: str
    title: str
    checked: bool = False
    closed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What may be typed instead: the line that offers it, an example, and a check that raises
    AssayError for what is none.
    """

    offer: str
    example: str
    check: Callable[[str], None]


class Questions(Protocol):
    """A way of asking."""

    def several(self, question: str, options: Sequence[Option], typed: Typed) -> list[str]:
        """One or more of the options, or what was typed; never nothing."""
        ...

    def one(self, question: str, options: Sequence[Option]) -> str:
        """Exactly one."""
        ...

    def yes(self, question: str) -> bool:
        """Yes or no; yes if only enter is pressed."""
        ...


def questions() -> Questions:
    """The way this terminal can be asked."""
    return Numbers() if is_plain() else Arrows()


def is_plain() -> bool:
    """Whether keys and colours would come out as rubbish, or are not wanted."""
    if os.environ.get("ASSAY_PLAIN") or os.environ.get("NO_COLOR"):
        return True
    unset = "" if sys.platform == "win32" else "dumb"  # Windows sets no TERM and can do it
    return os.environ.get("TERM", unset) == "dumb"


def problem_with(words: Sequence[str], typed: Typed) -> str:
    """What is wrong with what was typed, and what to do; empty: nothing."""
    for word in words:
        try:
            typed.check(word)
        except AssayError as error:
            return f"{error.message}; {error.hint}" if error.hint else error.message
    return ""


def split_words(text: str) -> list[str]:
    """Words, with quotes for those that hold spaces; a lone quote is only a character."""
    try:
        return shlex.split(text) if os.name != "nt" else text.split()
    except ValueError:
        return text.split()


class Numbers:
    """Lists with numbers, and a line to type: for plain terminals, screen readers and logs."""

    def several(self, question: str, options: Sequence[Option], typed: Typed) -> list[str]:
        """Numbers with commas or spaces between, or words of the user's own."""
        can = _listed(question, options)
        click.echo(_row("…", typed.offer, typed.example))
        usual = ",".join(str(n) for n, option in enumerate(can, 1) if option.checked)
        while True:
            text = str(click.prompt(tr("numbers or names"), default=usual or None))
            chosen, words, wrong = _read(text, can)
            wrong = wrong or problem_with(words, typed)
            if not wrong and (chosen or words):
                return list(dict.fromkeys([*chosen, *words]))
            click.echo(wrong or tr("choose at least one"))

    def one(self, question: str, options: Sequence[Option]) -> str:
        """The number of one."""
        can = _listed(question, options)
        number = click.prompt(tr("number"), type=click.IntRange(1, len(can)), default=1)
        return can[number - 1].value

    def yes(self, question: str) -> bool:
        """With y or n."""
        return click.confirm(question, default=True)


def _listed(question: str, options: Sequence[Option]) -> list[Option]:
    """Show them all; those that can be chosen come back, in the order of their numbers."""
    click.echo(question)
    can: list[Option] = []
    for option in options:
        if option.closed:
            click.echo(_row("-", option.title, option.closed))
        else:
            can.append(option)
            click.echo(_row(str(len(can)), option.title))
    return can


def _row(mark: str, title: str, beside: str = "") -> str:
    return f"  {mark:>2}  {title} ({beside})" if beside else f"  {mark:>2}  {title}"


def _read(text: str, can: Sequence[Option]) -> tuple[list[str], list[str], str]:
    """What the numbers mean, the words beside them, and what is wrong with the numbers."""
    only_numbers = re.fullmatch(r"[\d,\s]+", text)
    chosen, words = [], []
    for word in re.findall(r"\d+", text) if only_numbers else split_words(text):
        if not word.isdecimal():
            words.append(word)
        elif 1 <= int(word) <= len(can):
            chosen.append(can[int(word) - 1].value)
        else:
            return [], [], tr("there is no number {number} in the list", number=word)
    return chosen, words, ""


class Arrows:
    """Arrow keys, space and enter, by questionary. What was chosen stays as one line."""

    def several(self, question: str, options: Sequence[Option], typed: Typed) -> list[str]:
        """A list with marks, its last line to type something else."""
        import questionary

        if all(option.closed for option in options):
            words = self._words(typed)
            _leave_line(question, words)
            return words
        choices = _choices(options)
        choices.append(questionary.Choice(typed.offer, value=_TYPED))
        picked: list[str] = questionary.checkbox(
            question,
            choices=choices,
            instruction=tr("(arrows move, space marks, enter goes on)"),
            validate=lambda values: bool(values) or tr("mark at least one with the space bar"),
            style=_style(),
            erase_when_done=True,
        ).unsafe_ask()
        chosen = [value for value in picked if value != _TYPED]
        if _TYPED in picked:
            chosen = list(dict.fromkeys([*chosen, *self._words(typed)]))
        _leave_line(question, chosen)
        return chosen

    def _words(self, typed: Typed) -> list[str]:
        import questionary

        answer = ""
        while True:
            answer = questionary.text(
                typed.offer,
                default=answer,
                instruction=f"({typed.example}) ",
                validate=lambda text: bool(text.strip()) or tr("type something, or press Ctrl-C"),
                style=_style(),
                erase_when_done=True,
            ).unsafe_ask()
            words = split_words(answer)
            wrong = problem_with(words, typed)
            if not wrong:
                return words
            click.secho(wrong, fg="red")

    def one(self, question: str, options: Sequence[Option]) -> str:
        """A list with a pointer."""
        import questionary

        picked: str = questionary.select(
            question,
            choices=_choices(options),
            instruction=tr("(arrows move, enter takes)"),
            style=_style(),
            erase_when_done=True,
        ).unsafe_ask()
        titles = [option.title for option in options if option.value == picked]
        _leave_line(question, titles)
        return picked

    def yes(self, question: str) -> bool:
        """With y, n or enter."""
        import questionary

        return bool(questionary.confirm(question, default=True, style=_style()).unsafe_ask())


def _choices(options: Sequence[Option]) -> list[Any]:
    import questionary

    room = max(30, shutil.get_terminal_size().columns - BESIDE_A_TITLE)
    return [
        questionary.Choice(
            _cut(option.title, room - len(option.closed) - 3 if option.closed else room),
            value=option.value,
            checked=option.checked,
            disabled=option.closed or None,
        )
        for option in options
    ]


def _cut(text: str, room: int) -> str:
    room = max(12, room)
    return text if len(text) <= room else text[: room - 1].rstrip() + "…"


def _leave_line(question: str, chosen: Sequence[str]) -> None:
    done = click.style("✓", fg="green")
    click.echo(" ".join((done, question, "", one_line(", ".join(chosen)))))


def _style() -> Any:
    import questionary

    return questionary.Style(
        [
            ("qmark", "fg:ansicyan bold"),
            ("question", "bold"),
            ("instruction", "fg:ansibrightblack"),
            ("pointer", "fg:ansicyan bold"),
            ("highlighted", "bold"),
            ("selected", "noreverse"),
            ("disabled", "fg:ansibrightblack"),
        ]
    )
