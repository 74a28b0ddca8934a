"""Finds function calls in an answer, in the shapes that models write:

tool_calls   {"tool_calls": [{"function": {"name": "f", "arguments": "{…}"}}]} and its kin
tagged       <tool_call>{"name": "f", "arguments": {…}}</tool_call>, <function_call>…
object       {"name": "f", "arguments": {…}}, bare or in a fence; also "parameters"
python       [f(a=1)] as the whole answer, or a call in a tool_code fence
"""

import ast
import json
import re
import warnings
from itertools import islice
from typing import Literal

from assay.text.json_in_prose import FENCE, decode_all, decode_inside
from assay.types import ToolCall

CallShape = Literal["tool_calls", "tagged", "object", "python"]

_CALL_NAME = re.compile(r"[A-Za-z_][\w.:/-]{0,100}")
_NAME_KEYS = ("name", "function", "tool", "tool_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
_TAG = re.compile(
    r"<(tool_call|function_call|functioncall|tool_use)>"
    r"|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call\|>|<function=[\w.:-]{1,100}>",
    re.IGNORECASE,
)
_MOST_TAGS, _LONGEST_CALL = 50, 20_000
_CALLFENCES = frozenset({"tool_code", "tool_call", "function_call"})
_LONGEST_PYTHON = 4000  # characters given to Python's parser


def find_function_call(text: str) -> CallShape | None:
    """The shape of the first function call found, or None."""
    tags = islice(_TAG.finditer(text), _MOST_TAGS) if "<" in text or "[TOOL" in text else ()
    if any(_is_tagged_call(text, tag) for tag in tags):
        return "tagged"
    notes: set[str] = set()
    values = [value for value in (decode_all(text.strip(), notes),) if value is not None]
    values = values or list(decode_inside(text, notes))
    for value in values:
        shape = _shape_of(value)
        if shape is not None:
            return shape
    return "python" if _has_python_call(text) else None


def read_calls(text: str) -> tuple[str, tuple[ToolCall, ...]]:
    """What was said and what is called by a text in the one form that a script may write,
    `{"tool_calls": [{"name": "f", "arguments": {…}}], "content": "…"}`; any other text calls
    nothing.
    """
    whole = decode_all(text.strip(), set())
    listed = whole.get("tool_calls") if isinstance(whole, dict) else None
    if not isinstance(whole, dict) or not isinstance(listed, list):
        return text, ()
    return str(whole.get("content") or ""), tuple(map(read_call, listed))


def read_call(call: object) -> ToolCall:
    """A call as a server or a script writes it, its arguments as an object or as a text."""
    function = call.get("function", call) if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return ToolCall("", "")
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(str(function.get("name") or ""), arguments)


def _is_tagged_call(text: str, tag: re.Match[str]) -> bool:
    """Whether a call follows a tag; the closing tag may be lost to a stop sequence."""
    if tag[0].casefold().startswith("<function="):
        return True
    content = text[tag.end() : tag.end() + _LONGEST_CALL]
    if tag[1]:
        content = re.split(f"</{tag[1]}>", content, maxsplit=1, flags=re.IGNORECASE)[0]
    if any(_shape_of(value) for value in decode_inside(content, set())):
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
        arguments = decode_all(arguments.strip(), set())
    is_definition = isinstance(arguments, dict) and {"type", "properties"} <= arguments.keys()
    return isinstance(arguments, dict) and not is_definition


def _has_python_call(text: str) -> bool:
    stripped = text.strip()
    if stripped.startswith("[") and stripped.endswith("]") and _is_python_call(stripped):
        return True
    if "```" not in text:
        return False
    fences = (fence for fence in FENCE.finditer(text) if fence[2].casefold() in _CALLFENCES)
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
