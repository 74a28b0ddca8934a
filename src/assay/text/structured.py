"""Finds JSON values and function calls in an answer.

In: text. Out: the JSON objects and arrays in it with where they stand and what is odd about them;
the shape of the first function call. Nothing is repaired: broken JSON is no JSON.

The four shapes of a function call that models emit:

    tool_calls   {"tool_calls": [{"function": {"name": "f", "arguments": "{…}"}}]} and its kin
    tagged       <tool_call>{"name": "f", "arguments": {…}}</tool_call>, <function_call>…
    object       {"name": "f", "arguments": {…}}, bare or in a fence; also "parameters"
    python       [f(a=1)] as the whole answer, or a call in a tool_code fence
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal, cast

JsonValue = dict[str, object] | list[object]
CallShape = Literal["tool_calls", "tagged", "object", "python"]


@dataclass(frozen=True, slots=True)
class JsonFound:
    """Every object or array found. `oddities` are codes: `nan`, `repeated_key`, `too_deep`."""

    values: tuple[JsonValue, ...]
    where: Literal["whole", "fence", "inside", "nowhere"]
    oddities: frozenset[str] = frozenset()


# ------------------------------------------------------------------------------------------ JSON

# A fence opens and closes at the start of a line; its label is its first word.
_FENCE = re.compile(
    r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([\w+-]{0,20})[^\n]{0,100}\n(.*?)(?:^[ \t]{0,3}\1|\Z)",
    re.MULTILINE | re.DOTALL,
)
# A bracket that can begin JSON at all; "{name}" and "[see" need no decoder to be told apart.
_BRACKET = re.compile(r"\{(?=\s{0,200}[\"}])|\[(?=\s{0,200}[\"\[{\]\d\-tfnNI])")
_MOST_ATTEMPTS = 1000  # each failure costs the decoder a count of lines; no answer has so many
_MOST_DIGITS = 4000  # Python refuses to read longer integers


class _Notes(set[str]):
    """Collects what is odd while the decoder works."""

    def pairs(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        read = dict(pairs)
        if len(read) != len(pairs):
            self.add("repeated_key")
        return read

    def constant(self, _name: str) -> None:
        self.add("nan")

    def integer(self, digits: str) -> int | str:
        return int(digits) if len(digits) <= _MOST_DIGITS else digits


def find_json(text: str) -> JsonFound:
    """The whole answer, else its fenced blocks, else what stands inside the text."""
    notes: set[str] = set()
    whole = _decode_all(text.strip(), notes)
    if whole is not None:
        return JsonFound((whole,), "whole", frozenset(notes))
    fences = list(_FENCE.finditer(text)) if "```" in text or "~~~" in text else []
    values = [_decode_all(fence[3].strip(), notes) for fence in fences]
    fenced = tuple(value for value in values if value is not None)
    if fenced:
        return JsonFound(fenced, "fence", frozenset(notes))
    if any(fence[2].casefold() == "json" for fence in fences):
        # Its parts may parse, but what it was meant to be does not.
        return JsonFound((), "nowhere", frozenset(notes))
    inside = tuple(value for value in _decode_inside(text, notes) if _is_meant(value))
    return JsonFound(inside, "inside" if inside else "nowhere", frozenset(notes))


def _decoder(notes: _Notes) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=notes.pairs, parse_constant=notes.constant, parse_int=notes.integer
    )


def _decode_all(text: str, oddities: set[str]) -> JsonValue | None:
    """The text as one object or array, with nothing before or after it."""
    if text[:1] not in ("{", "["):
        return None
    notes = _Notes()
    try:
        value = _decoder(notes).decode(text)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        oddities.add("too_deep")
        return None
    oddities |= notes
    return None if "nan" in notes else cast(JsonValue, value)


def _decode_inside(text: str, oddities: set[str]) -> Iterator[JsonValue]:
    """Every object or array, left to right, none inside another.

    After a failure the search goes on where the decoder gave up: it costs one pass, and no part of
    a broken object is taken for a whole one.
    """
    position = 0
    for _ in range(_MOST_ATTEMPTS):
        bracket = _BRACKET.search(text, position)
        if bracket is None:
            return
        notes = _Notes()
        try:
            value, position = _decoder(notes).raw_decode(text, bracket.start())
        except json.JSONDecodeError as error:
            position = max(error.pos, bracket.start() + 1)
            continue
        except RecursionError:
            oddities.add("too_deep")
            return
        oddities |= notes
        if "nan" not in notes:
            yield cast(JsonValue, value)


def _is_meant(value: JsonValue) -> bool:
    """Inside prose "[ ]" is a box to tick and "[3]" a footnote."""
    is_footnote = isinstance(value, list) and len(value) == 1 and isinstance(value[0], int)
    return bool(value) and not is_footnote


# -------------------------------------------------------------------------------- function calls

_CALL_NAME = re.compile(r"[A-Za-z_][\w.:/-]{0,100}")
_NAME_KEYS = ("name", "function", "tool", "tool_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
_TAG = re.compile(
    r"<(tool_call|function_call|functioncall|tool_use)>"
    r"|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call\|>|<function=[\w.:-]{1,100}>",
    re.IGNORECASE,
)
_MOST_TAGS, _LONGEST_CALL = 50, 20_000
_CALL_FENCES = frozenset({"tool_code", "tool_call", "function_call"})
_LONGEST_PYTHON = 4000  # characters given to Python's parser


def find_function_call(text: str) -> CallShape | None:
    """The shape of the first function call found, or None."""
    tags = islice(_TAG.finditer(text), _MOST_TAGS) if "<" in text or "[TOOL" in text else ()
    if any(_is_tagged_call(text, tag) for tag in tags):
        return "tagged"
    notes: set[str] = set()
    values = [value for value in (_decode_all(text.strip(), notes),) if value is not None]
    values = values or list(_decode_inside(text, notes))
    for value in values:
        shape = _shape_of(value)
        if shape is not None:
            return shape
    return "python" if _has_python_call(text) else None


def _is_tagged_call(text: str, tag: re.Match[str]) -> bool:
    """What stands behind a tag is a call; the closing tag may be lost to a stop sequence."""
    if tag[0].casefold().startswith("<function="):
        return True
    content = text[tag.end() : tag.end() + _LONGEST_CALL]
    if tag[1]:
        content = re.split(f"</{tag[1]}>", content, maxsplit=1, flags=re.IGNORECASE)[0]
    if any(_shape_of(value) for value in _decode_inside(content, set())):
        return True
    return _is_python_call(content.strip())


def _shape_of(value: object) -> CallShape | None:
    if isinstance(value, list):
        shapes = [_shape_of(item) for item in value]
        return shapes[0] if shapes and all(shapes) else None
    if not isinstance(value, dict):
        return None
    for key in ("tool_calls", "function_call", "function"):
        inner = value.get(key)
        items = inner if isinstance(inner, list) else [inner]
        if items and all(_is_call(item) or _is_wrapped_call(item) for item in items):
            return "tool_calls"
    return "object" if _is_call(value) else None


def _is_wrapped_call(value: object) -> bool:
    return isinstance(value, dict) and _is_call(value.get("function"))


def _is_call(value: object) -> bool:
    """A name and its arguments, as an object or as a JSON text of one; no tool's definition."""
    if not isinstance(value, dict):
        return False
    name = next((value[key] for key in _NAME_KEYS if key in value), None)
    arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if not isinstance(name, str) or not _CALL_NAME.fullmatch(name):
        return False
    if isinstance(arguments, str):
        arguments = _decode_all(arguments.strip(), set())
    is_definition = isinstance(arguments, dict) and {"type", "properties"} <= arguments.keys()
    return isinstance(arguments, dict) and not is_definition


def _has_python_call(text: str) -> bool:
    stripped = text.strip()
    if stripped.startswith("[") and stripped.endswith("]") and _is_python_call(stripped):
        return True
    if "```" not in text:
        return False
    fences = (fence for fence in _FENCE.finditer(text) if fence[2].casefold() in _CALL_FENCES)
    return any(_is_python_call(fence[3].strip()) for fence in fences)


def _is_python_call(code: str) -> bool:
    """`f(a=1)`, `print(f(a=1))` or `[f(a=1), g(b=2)]`, and nothing else."""
    if not code or len(code) > _LONGEST_PYTHON or "(" not in code:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in a text is the model's affair
            body = ast.parse(code, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    calls = body.elts if isinstance(body, ast.List) else [body]
    return bool(calls) and all(
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name | ast.Attribute)
        for call in calls
    )
