"""The function calls that an answer has as text, read as a server's parser would have read them.

In: the text, and the parameters of each function that was offered. Out: the calls in order, in the
shapes that `json_in_prose` lists; none where nothing can be read for certain.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from assay.text.json_in_prose import decode_all, decode_inside
from assay.types import ToolCall

Parameters = Mapping[str, Sequence[str]]  # of each function, in order

_NAME_KEYS = ("name", "function", "tool", "tool_name", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input")
_FUNCTION_TAG = re.compile(r"<function=([\w.:-]{1,100})>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER_TAG = re.compile(r"<parameter=([\w.-]{1,100})>\n?(.*?)\n?</parameter>", re.DOTALL)
_REACT = re.compile(
    r"^[ \t*]*Action[ \t*]*:[ \t*`]*([^\W\d][\w.-]{0,100})[ \t*`]*"
    r"(?:\n+[ \t*]*Action Input[ \t*]*:[ \t*]*(.*?))?"
    r"(?=\n[ \t*]*(?:Observation|Action|Thought)|\Z)",
    re.MULTILINE | re.DOTALL,
)
_CALL = re.compile(r"(?<![\w.])([^\W\d]\w{0,100})\(")
_LONGEST_PYTHON = 4000  # characters given to Python's parser
_MOST_CALLS = 50


def offered_functions(tools: str | None) -> Parameters:
    """Of a JSON list of tools as requests carry it: the parameters of each function."""
    found = {}
    for tool in json.loads(tools or "[]"):
        function = tool.get("function", tool)
        properties = (function.get("parameters") or {}).get("properties")
        found[function["name"]] = list(properties) if isinstance(properties, dict) else []
    return found


def read_written_calls(text: str, offered: Parameters) -> tuple[ToolCall, ...]:
    for read in (_tagged, _json, _react, _python):
        if calls := tuple(islice(read(text, offered), _MOST_CALLS)):
            return calls
    return ()


def _call(name: str, arguments: Mapping[str, Any]) -> ToolCall:
    return ToolCall(name, json.dumps(arguments, ensure_ascii=False))


def _tagged(text: str, offered: Parameters) -> Iterator[ToolCall]:
    """<function=f>{…}</function>, or its arguments in <parameter=…> tags."""
    for tag in _FUNCTION_TAG.finditer(text):
        whole = decode_all(tag[2].strip(), set())
        given = {key: _value(value) for key, value in _PARAMETER_TAG.findall(tag[2])}
        yield _call(tag[1], whole if isinstance(whole, dict) else given)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _json(text: str, offered: Parameters) -> Iterator[ToolCall]:
    whole = decode_all(text.strip(), set())
    for value in decode_inside(text, set()) if whole is None else (whole,):
        yield from _calls_in(value, offered)


def _calls_in(value: object, offered: Parameters) -> Iterator[ToolCall]:
    if isinstance(value, list):
        for each in value:
            yield from _calls_in(each, offered)
    if not isinstance(value, dict):
        return
    for key in ("tool_calls", "function_call", "function", "tool_call"):
        if isinstance(value.get(key), dict | list):
            yield from _calls_in(value[key], offered)
            return
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name is not None:
        given: object = next((value[key] for key in _ARGUMENT_KEYS if key in value), {})
        given = decode_all(given.strip(), set()) if isinstance(given, str) else given
        if isinstance(given, dict):
            yield _call(name, given)
    else:
        for key, inner in value.items():
            if key in offered and isinstance(inner, dict):
                yield _call(key, inner)


def _react(text: str, offered: Parameters) -> Iterator[ToolCall]:
    for found in _REACT.finditer(text):
        given = decode_all((found[2] or "{}").strip().strip("`").strip(), set())
        if isinstance(given, dict):
            yield _call(found[1], given)


def _python(text: str, offered: Parameters) -> Iterator[ToolCall]:
    """f(a=1) of a function that was offered; an argument without a name has its place's."""
    for found in _CALL.finditer(text):
        if found[1] in offered:
            code = _balanced(text[found.start() : found.start() + _LONGEST_PYTHON])
            arguments = _python_arguments(code, offered[found[1]])
            if arguments is not None:
                yield ToolCall(found[1], arguments)


def _balanced(code: str) -> str:
    """Up to the bracket that closes the first one; brackets in quotes do not count."""
    depth, quote = 0, ""
    for place, sign in enumerate(code):
        if quote:
            quote = "" if sign == quote and code[place - 1] != "\\" else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if not depth:
                return code[: place + 1]
    return ""


def _python_arguments(code: str, names: Sequence[str]) -> str | None:
    """As JSON; None where one is no literal, or none that JSON has."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in a text is the model's affair
            call = ast.parse(code, mode="eval").body
        if not isinstance(call, ast.Call) or len(call.args) > len(names):
            return None
        given = dict(zip(names, map(ast.literal_eval, call.args), strict=False))
        given |= {each.arg or "": ast.literal_eval(each.value) for each in call.keywords}
        return json.dumps(given, ensure_ascii=False)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
