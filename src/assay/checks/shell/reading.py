"""An answer to the shell in it: from code blocks, inline code, prompts and plain prose.

In code everything is shell; the rest goes to `prose`. `docs/reference/shell.md` has the rules.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from assay.checks.shell.programs import names
from assay.checks.shell.prose import clauses_in, command_begins, is_command_line
from assay.checks.shell.syntax import Command, parse
from assay.text.answer_words import is_unused, is_unused_at
from assay.text.folding import drop_invisible, fold_for_matching

READ_AT_MOST = 100_000  # characters; an honest answer has a few thousand
LINE_READ_AT_MOST = 2_000  # characters of a line that a top_k answer is read from
HEREDOC_LINES = 200  # how far the end of a here-document is looked for

_SHELL_LANGUAGES = names(
    "bash sh shell zsh ksh fish console terminal shell-session shellsession sh-session cmd text "
    "txt plaintext code command commands"
)
_FENCE = re.compile(r"\s{0,3}(?:>\s?)*(?:[-*+]\s+|\d+[.)]\s+)?\s*(`{3,}|~{3,})\s*([^\s`{]*)[^`]*$")
_MARKER = re.compile(
    r"^\s*(?:(?:[-=]>|[→⇒➔])\s*|>\s?|[-*+•]\s+|\(?\d{1,3}[.)]\s+|(?:step|étape)\s+\d+\s*[:.)]\s*)+",
    re.I,
)
_PROMPT = re.compile(r"^\s*(?:\[?[\w.-]+@[\w.-]+[^$#\n]{0,80}[$#]|~?[$%❯]|➜(?:\s+~)?)\s+(?=\S)")
_HARD_SPACE = re.compile("[\u00a0\u2007\u202f]")  # to a shell no space, to a reader one
_ROOT_PROMPT = re.compile(r"^\s*#\s+(?=\S)")
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`]+)\1(?!`)")
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)")


class Snippet(NamedTuple):
    """A piece of shell as it was in the answer, and its commands."""

    source: str
    commands: tuple[Command, ...]


class AnswerLine(NamedTuple):
    """A line of an answer, and whether it was in a block of shell."""

    text: str
    in_code: bool


def snippets_in(answer: str, programs: frozenset[str]) -> tuple[Snippet, ...]:
    """Every piece of shell of an answer, in order. Reads the first 100,000 characters."""
    found: list[Snippet] = []
    said = ""
    for language, lines in _blocks(_as_typed(answer)):
        if language is None:
            said = next((line for line in reversed(lines) if line.strip()), "")
            for line in _logical(lines):
                found.extend(_from_line(line, programs))
        elif is_unused(fold_for_matching(said).rstrip(": ") + " "):  # "Never run this:"
            said = ""
        elif language == "" or language in _SHELL_LANGUAGES:
            found.extend(_from_code(lines, programs))
    return tuple(found)


def answer_lines(prediction: str) -> Iterator[AnswerLine]:
    """The lines that say something, without fence, list marker or prompt."""
    for language, lines in _blocks(_as_typed(prediction)):
        in_code = language is not None and (language == "" or language in _SHELL_LANGUAGES)
        for line in lines:
            bare = without_prompt(_MARKER.sub("", line, count=1)).strip()
            quoted = len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "`\"'"
            if quoted and bare[0] not in bare[1:-1]:
                bare = bare[1:-1].strip()
            if bare and not _FENCE.match(line):
                yield AnswerLine(bare[:LINE_READ_AT_MOST], in_code)


def snippets_of_line(line: AnswerLine, programs: frozenset[str]) -> tuple[Snippet, ...]:
    """The shell of one line; all of it where it was in a block of shell."""
    return tuple(_snippet(line.text)) if line.in_code else snippets_in(line.text, programs)


def announces(line: str) -> bool:
    """Whether a line only leads to the next: "You can use:", a heading, a comment in a block."""
    return line.rstrip(" *_`").endswith((":", "：")) or re.match(r"#{1,6}\s", line) is not None


def _as_typed(text: str) -> str:
    return _HARD_SPACE.sub(" ", drop_invisible(text[:READ_AT_MOST]))


def without_prompt(line: str) -> str:
    """A line as it is typed, without `$ ` or `user@host:~$ ` before it."""
    return _PROMPT.sub("", line, count=1)


def _blocks(text: str) -> Iterator[tuple[str | None, list[str]]]:
    """Runs of lines with the language of their fence, None outside of fences."""
    language: str | None = None
    closing, lines = "", list[str]()
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if language is None and fence:
            yield None, lines
            closing, language, lines = fence[1], fence[2].lower(), []
        elif language is not None and line.strip().lstrip("> ").startswith(closing):
            yield language, lines
            language, lines = None, []
        else:
            lines.append(line)
    yield language, lines


def _snippet(source: str) -> Iterator[Snippet]:
    commands = tuple(
        command for command in parse(source).commands if command.words not in (("sudo",), ("doas",))
    )
    if commands:
        yield Snippet(source.strip(), commands)


def _from_code(lines: list[str], programs: frozenset[str]) -> Iterator[Snippet]:
    logical = _logical(lines)
    if any(_PROMPT.match(line) for line in logical):
        typed = [without_prompt(line) for line in logical if _PROMPT.match(line)]
    elif all(_ROOT_PROMPT.match(line) for line in logical if line.strip()):
        typed = [_ROOT_PROMPT.sub("", line, count=1) for line in logical]
        typed = [line for line in typed if command_begins(line.split(), 0, programs)]
    else:
        whole = "\n".join(lines)
        if parse(whole).clean:
            yield from _snippet(whole)
            return
        typed = logical
    for line in typed:
        yield from _snippet(line)


def _logical(lines: list[str]) -> list[str]:
    """Lines joined where a backslash or a here-document carries them on."""
    joined: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        while line.endswith("\\") and at < len(lines):
            line = f"{line}\n{lines[at]}"
            at += 1
        heredoc = _HEREDOC.search(line)
        end = heredoc and next(
            (
                i
                for i in range(at, min(at + HEREDOC_LINES, len(lines)))
                if lines[i].strip() == heredoc[1]
            ),
            None,
        )
        if end is not None:
            line = "\n".join([line, *lines[at : end + 1]])
            at = end + 1
        joined.append(line)
    return joined


def _from_line(line: str, programs: frozenset[str]) -> Iterator[Snippet]:
    line = _BOLD.sub(r"\1", _MARKER.sub("", line, count=1))
    if _PROMPT.match(line):
        yield from _snippet(without_prompt(line))
        return
    line = _ROOT_PROMPT.sub("", line, count=1)
    if is_command_line(line, programs):
        yield from _snippet(re.sub(r"(?<=[\w\"'])\.$", "", line.strip()))
        return
    at = 0
    for code in _INLINE.finditer(line):
        yield from _from_sentence(line[at : code.start()], programs)
        if not is_unused_at(line, code.start()):
            yield from _from_span(code[2], programs)
        at = code.end()
    yield from _from_sentence(line[at:], programs)


def _from_sentence(text: str, programs: frozenset[str]) -> Iterator[Snippet]:
    for clause in clauses_in(text, programs):
        yield from _snippet(clause)


def _from_span(code: str, programs: frozenset[str]) -> Iterator[Snippet]:
    """Inline code is a command if it starts with a program, or looks like one with arguments."""
    code = without_prompt(_ROOT_PROMPT.sub("", code, count=1)).strip()
    parsed = parse(code)
    if not parsed.commands or not (parsed.clean or parsed.commands[0].program in programs):
        return
    first = parsed.commands[0]
    if first.program in programs or (
        len(first.words) > 1 and re.fullmatch(r"[a-z][\w.+-]*", first.words[0])
    ):
        yield from _snippet(code)
