"""Fenced blocks of an answer: code, and JSON. Every step is linear in the answer's length."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import Any

LONGEST_ANSWER = 400_000
# Why a block cannot be read; what is wrong with an invalid one follows.
NO_BLOCK, CUT_BLOCK = "the answer has no JSON block", "the JSON block is not closed"
INVALID_BLOCK = "the JSON block is invalid"
_MOST_TRIED = 40
_DEEPEST = 20
_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^`\n]*)")
_OPENS = re.compile(r"\{\s*+\"")
_WORDS = re.compile(r"[\w+#-]+")
PYTHON = {"", "python", "py", "python3", "py3"}
# Texts stay as they are, without an end too; comments, and commas before a closing bracket, go.
_LOOSE_JSON = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|(//[^\n]*)|,(?=\s*+[}\]])')


def code_blocks(answer: str, language: str = "python") -> list[str]:
    """The fenced blocks of a language, in order. One that names no language is taken for Python."""
    spellings = PYTHON if language == "python" else {language}
    return [text for found, text in fenced(answer) if found in spellings]


def json_block(answer: str, *, comments: bool = True) -> dict[str, Any] | None:
    """The last fenced block that is a JSON object, else one without a fence; None where it holds
    NaN, huge numbers or deep nesting, or comments where none may be. A key given twice has the list
    of its values.
    """
    answer = answer[:LONGEST_ANSWER]
    for _, text in reversed([*fenced(answer)][-_MOST_TRIED:]):
        if (found := object_in(text, comments=comments)) is not None:
            return found
    return next(reversed(list(loose_objects(answer, are_whole=True))), None)


def fenced(answer: str) -> Iterator[tuple[str, str]]:
    """(language, text) of every fenced block; the last one may lack its closing fence."""
    for opened, lines in parts_of(answer):
        if opened is not None:
            word = _WORDS.search(opened[3])  # `python` also of `python:tools.py` and `{.python}`
            yield (word.group().lower() if word else ""), dedent("\n".join(lines)) + "\n"


def parts_of(answer: str) -> Iterator[tuple[re.Match[str] | None, Sequence[str]]]:
    """The fence that opens a block, and the block's lines; None with the lines between blocks."""
    opened: re.Match[str] | None = None
    lines: list[str] = []
    quotes = 0
    # Not splitlines: a text in the code may hold a form feed or a Unicode line separator.
    for line in answer[:LONGEST_ANSWER].replace("\r\n", "\n").split("\n"):
        mark = _FENCE.match(line)
        if mark and (opened is None or _closes(opened, mark, in_text=quotes % 2 == 1)):
            yield opened, lines
            opened, lines, quotes = (mark if opened is None else None), [], 0
        else:
            lines.append(line)
            quotes += line.count('"""')
    yield opened, lines


def _closes(opened: re.Match[str], mark: re.Match[str], *, in_text: bool) -> bool:
    """Whether a fence ends a block. A docstring may hold fences of its own, further in."""
    if in_text and len(mark[1]) > len(opened[1]):
        return False
    return mark[2].startswith(opened[2]) and not mark[3].strip()


def object_in(text: str, *, comments: bool = True) -> dict[str, Any] | None:
    """The JSON object that a text is; commas before a closing bracket are no mistake."""
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None

    def mend(found: re.Match[str]) -> str:
        return found[1] or (found[2] if found[2] and not comments else "")

    for one in (text, _LOOSE_JSON.sub(mend, text)):
        try:
            found = _DECODER.decode(one)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) and _is_sane(found, 0) else None
    return None


def loose_objects(answer: str, *, are_whole: bool = False) -> Iterator[dict[str, Any]]:
    """JSON objects that begin on lines of their own, in a fence or not. With `are_whole` none that
    are inside of one that is cut.
    """
    at = 0
    for start in [one.start() for one in re.finditer(r"^[ \t]*+\{", answer, re.M)][:_MOST_TRIED]:
        if start < at:
            continue
        try:
            value, end = _DECODER.raw_decode(answer, answer.index("{", start))
        except json.JSONDecodeError as error:
            if are_whole and _OPENS.match(answer[start:].lstrip()) and _is_cut(error):
                return
            continue
        except (ValueError, RecursionError):
            continue
        at = end
        if isinstance(value, dict) and _is_sane(value, 0):
            yield value


def missing_block(answer: str) -> str:
    """Why an answer has no JSON block that can be read: there is none, or the last is cut or
    invalid, and where.
    """
    answer = answer[:LONGEST_ANSWER]
    texts = [text.strip() for language, text in fenced(answer)
             if language == "json" or _OPENS.match(text.lstrip())]  # fmt: skip
    _, line, rest = answer.rpartition("\n{")
    if not texts and (line or rest.startswith("{")):
        loose = f"{{{rest}" if line else rest
        texts = [loose] if _OPENS.match(loose) else []
    return _why_unread(texts[-1]) if texts and texts[-1] else NO_BLOCK


def _why_unread(text: str) -> str:
    text = _LOOSE_JSON.sub(lambda found: found[1] or "", text)
    try:
        found, _ = _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        if _is_cut(error):
            return CUT_BLOCK
        return f"{INVALID_BLOCK}: {error.msg[0].lower()}{error.msg[1:]} in line {error.lineno}"
    except (ValueError, RecursionError):
        return f"{INVALID_BLOCK}: it holds what is no JSON, or is too deep"
    if not isinstance(found, dict):
        return f"{INVALID_BLOCK}: it is no object"
    return f"{INVALID_BLOCK}: what it holds cannot be taken"


def _is_cut(error: json.JSONDecodeError) -> bool:
    """Whether the text ends before the object does: nothing is wrong with what is there."""
    return error.pos >= len(error.doc.rstrip("` \n")) or error.msg.startswith("Unterminated")


def objects_of(answer: str) -> list[Any]:
    """All objects of an answer, in fences or not, and lists of them in fences."""
    found: list[Any] = [*loose_objects(answer)]
    for _, text in [*fenced(answer)][-_MOST_TRIED:]:
        one: Any = object_in(text)
        if one is None and text.lstrip().startswith("["):
            try:
                one = _DECODER.decode(text.strip())
            except (ValueError, RecursionError):
                continue
            one = one if _is_sane(one, 0) else None
        if one is not None:
            found.append(one)
    return found


def objects_with(answer: str, key: str) -> list[list[Any]]:
    """All lists in objects of an answer whose members have this key."""

    def look(value: Any) -> Iterator[list[Any]]:
        if isinstance(value, list):
            if any(isinstance(one, dict) and key in one for one in value):
                yield value
            for one in value:
                yield from look(one)
        elif isinstance(value, dict):
            for one in value.values():
                yield from look(one)

    return [found for one in objects_of(answer) for found in look(one)]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        found[key] = [found[key], value] if key in found else value
    return found


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _is_sane(value: Any, deep: int) -> bool:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return deep < _DEEPEST and all(_is_sane(one, deep + 1) for one in inner)
    if isinstance(value, int):
        return value.bit_length() < 1000
    return not isinstance(value, float) or math.isfinite(value)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_refuse)
