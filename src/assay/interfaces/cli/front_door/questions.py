"""Asks a user: with arrow keys where the terminal can, with numbers where it cannot.

Ctrl-C and the end of input end the program through the exceptions that `main` turns into exit
code 130.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click

from assay.errors import AssayError, InvalidFiles, Refusals
from assay.interfaces.cli.front_door.lines import (
    columns,
    cut,
    is_plain,
    shortened,
    width_of,
    wrapped,
)
from assay.messages import tr
from assay.text.safe_text import one_line

BESIDE_A_TITLE = 8  # columns of pointer, mark and margin; a longer line would be cut
LEAST_TITLE = 12
SHOWN_FINDINGS = 10
_TYPED = "\0typed"


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


def _several(words: Sequence[str]) -> list[str]:
    """What is wrong with more than one, where one is asked for."""
    return [] if len(words) == 1 else [tr("name exactly one")]


def split_words(text: str) -> list[str]:
    """Words, with quotes for those that hold spaces; a lone quote is only a character."""
    try:
        return shlex.split(text) if os.name != "nt" else text.split()
    except ValueError:
        return text.split()


class Numbers:
    """Lists with numbers, and a line to type: for plain terminals, screen readers and logs."""

    def several(self, question: str, options: Sequence[Option], typed: Typed) -> list[str]:
        """One or more of the options, or what was typed; never nothing."""
        can = _listed(question, options)
        _echo_lines([_row("…", typed.offer, typed.example)])
        usual = ",".join(str(n) for n, option in enumerate(can, 1) if option.checked)
        while True:
            text = str(click.prompt(tr("numbers or names"), default=usual or None))
            words, wrong = _with_numbers_read(split_words(text), can, options)
            if not wrong:
                words, wrong = understood(words, options, typed)
            if words and not wrong:
                return list(dict.fromkeys(words))
            _echo_lines(wrong or [tr("choose at least one")])

    def one(self, question: str, options: Sequence[Option], typed: Typed | None = None) -> str:
        """Exactly one; the first if only enter is pressed."""
        can = _listed(question, options)
        if typed:
            _echo_lines([_row("…", typed.offer, typed.example)])
        while True:
            asked = tr("number or name") if typed else tr("number")
            text = str(click.prompt(asked, default="1")).strip()
            if text.isdecimal() and 1 <= int(text) <= len(can):
                return can[int(text) - 1].value
            wrong = [tr("type a number from 1 to {last}, or press Ctrl-C", last=len(can))]
            if typed and text and not text.isdecimal():
                words, wrong = understood(split_words(text), options, typed)
                wrong = wrong or _several(words)
                if not wrong:
                    return words[0]
            _echo_lines(wrong)

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
            _echo_lines([tr("type y for yes or n for no")])


def _listed(question: str, options: Sequence[Option]) -> list[Option]:
    """Show them all; those that can be chosen come back, in the order of their numbers."""
    click.echo(tr("{question} (Ctrl-C ends)", question=question))
    can: list[Option] = []
    for option in options:
        if option.closed:
            _echo_lines([_row("-", option.title, option.closed)])
        else:
            can.append(option)
            _echo_lines([_row(str(len(can)), option.title)])
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


class Arrows:
    """Arrow keys, space and enter, by questionary. What was chosen stays as one line."""

    def several(self, question: str, options: Sequence[Option], typed: Typed) -> list[str]:
        import questionary

        if all(option.closed for option in options):
            words = self._words(options, typed)
            _leave_line(question, words)
            return words
        choices = _choices(options)
        choices.append(questionary.Choice(typed.offer, value=_TYPED))
        picked: list[str] = questionary.checkbox(
            question,
            choices=choices,
            instruction=tr("(arrows move, space selects, enter continues, Ctrl-C ends)"),
            validate=lambda values: bool(values) or tr("select at least one with the space bar"),
            style=_style(),
            erase_when_done=True,
        ).unsafe_ask()
        chosen = [value for value in picked if value != _TYPED]
        if _TYPED in picked:
            chosen = list(dict.fromkeys([*chosen, *self._words(options, typed)]))
        _leave_line(question, chosen)
        return chosen

    def _words(
        self, options: Sequence[Option], typed: Typed, *, only_one: bool = False
    ) -> list[str]:
        import questionary

        answer = ""
        while True:
            answer = questionary.text(
                typed.offer,
                default=answer,
                instruction=tr("\n  ({example}; Ctrl-C ends)\n ", example=typed.example),
                validate=lambda text: bool(text.strip()) or tr("type something, or press Ctrl-C"),
                style=_style(),
                erase_when_done=True,
            ).unsafe_ask()
            words, wrong = understood(split_words(answer), options, typed)
            wrong = wrong or (_several(words) if only_one else [])
            if not wrong:
                return words
            _echo_lines(wrong, fg="red")

    def one(self, question: str, options: Sequence[Option], typed: Typed | None = None) -> str:
        import questionary

        choices = _choices(options)
        if typed:
            choices.append(questionary.Choice(typed.offer, value=_TYPED))
        picked: str = questionary.select(
            question,
            choices=choices,
            instruction=tr("(arrows move, enter takes, Ctrl-C ends)"),
            style=_style(),
            erase_when_done=True,
        ).unsafe_ask()
        if typed and picked == _TYPED:
            (picked,) = self._words(options, typed, only_one=True)
        titles = [option.title for option in options if option.value == picked]
        _leave_line(question, titles or [picked])
        return picked

    def yes(self, question: str, *, usual: bool = True) -> bool:
        import questionary

        keys = tr("({keys}, Ctrl-C ends) ", keys="Y/n" if usual else "y/N")
        asked = questionary.confirm(question, default=usual, instruction=keys, style=_style())
        return bool(asked.unsafe_ask())


Questions = Numbers | Arrows


def questions() -> Questions:
    """The way this terminal can be asked."""
    return Numbers() if is_plain() else Arrows()


def _choices(options: Sequence[Option]) -> list[Any]:
    import questionary

    return [
        questionary.Choice(
            _fitted(option),
            value=option.value,
            checked=option.checked,
            disabled=option.closed or None,
        )
        for option in options
    ]


def _fitted(option: Option) -> str:
    """Why something cannot be chosen is shown whole; its name makes room for it."""
    room = columns() - BESIDE_A_TITLE
    if option.closed:
        return shortened(option.title, max(LEAST_TITLE, room - width_of([option.closed]) - 3))
    return cut(option.title, max(LEAST_TITLE, room))


def _echo_lines(texts: Sequence[str], **style: Any) -> None:
    for text in texts:
        for line in wrapped(text):
            click.echo(click.style(line, **style) if style else line)


def _leave_line(question: str, chosen: Sequence[str]) -> None:
    lines = wrapped(f"{question}  {one_line(', '.join(chosen))}", columns() - len("✓ "))
    click.echo("\n  ".join([click.style("✓", fg="green") + " " + lines[0], *lines[1:]]))


def _style() -> Any:
    import questionary

    return questionary.Style([
        ("qmark", "fg:ansicyan bold"), ("question", "bold"), ("instruction", "fg:ansibrightblack"),
        ("pointer", "fg:ansicyan bold"), ("highlighted", "bold"), ("selected", "noreverse"),
        ("disabled", "fg:ansibrightblack"),
    ])  # fmt: skip
