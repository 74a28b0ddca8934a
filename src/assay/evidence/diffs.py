"""Changes in the form of a diff, applied to the text that they are about.

In: a text, and an answer with fenced diffs, hostile. Out: the text with those changes that fit it.

Models count lines badly: where a change goes is found by the lines it takes away and those around
them, whatever numbers stand above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.evidence.code_answers import fenced

_LANGUAGES = {"diff", "patch", "udiff"}
_MOST_CHANGES = 100
_HEADS = ("@@", "---", "+++", "diff ", "index ")
Line = tuple[str, str]  # " ", "-" or "+", and the rest


def patched(text: str, answer: str) -> str:
    """The text with the answer's diffs applied, as far as they fit."""
    lines = text.splitlines()
    diffs = [diff for language, diff in fenced(answer) if language in _LANGUAGES]
    hunks = [hunk for diff in diffs for hunk in _hunks(diff)]
    for hunk in hunks[:_MOST_CHANGES]:
        # With the lines around it; without them, as those may be abridged.
        if not _apply(lines, hunk):
            for change in _changes(hunk):
                _apply(lines, change)
    return "\n".join(lines) + "\n"


def _hunks(diff: str) -> Iterator[list[Line]]:
    hunk: list[Line] = []
    for line in diff.splitlines():
        if line.startswith(_HEADS):
            yield hunk
            hunk = []
        else:
            hunk.append((line[:1], line[1:]) if line[:1] in ("-", "+", " ") else (" ", line))
    yield hunk


def _changes(hunk: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines taken away with those that take their place."""
    change: list[Line] = []
    for before, line in zip([(" ", ""), *hunk], hunk, strict=False):
        if line[0] == " " or (line[0] == "-" and before[0] == "+"):
            yield change
            change = []
        if line[0] != " ":
            change.append(line)
    yield change


def _apply(lines: list[str], hunk: Sequence[Line]) -> bool:
    """Whether there is a place for it; white space around a line does not matter."""
    old = [text.strip() for mark, text in hunk if mark != "+"]
    if not any(old) or not any(mark != " " for mark, _ in hunk):
        return False
    bare = [line.strip() for line in lines]
    for at in range(len(lines) - len(old) + 1):
        if bare[at : at + len(old)] == old:
            lines[at : at + len(old)] = _replaced(lines[at : at + len(old)], hunk)
            return True
    return False


def _replaced(found: Sequence[str], hunk: Sequence[Line]) -> list[str]:
    """Lines that stay, as they were; new ones, moved as far as the old ones were."""
    result, at, moved = [], 0, 0
    for mark, text in hunk:
        if mark == "+":
            indent = max(0, _indent(text) + moved)
            result.append(" " * indent + text.strip() if text.strip() else "")
            continue
        if text.strip():
            moved = _indent(found[at]) - _indent(text)
        if mark == " ":
            result.append(found[at])
        at += 1
    return result


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
