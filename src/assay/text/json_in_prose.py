"""The JSON objects and arrays in what a model wrote, where they are and what is odd about them.

Nothing is repaired: broken JSON is no JSON. Nothing raises, and the number of attempts is bounded.
And function calls in it, in the shapes that models write:

tool_calls   {"tool_calls": [{"function": {"name": "f", "arguments": "{…}"}}]} and its kin
tagged       <tool_call>{"name": "f", "arguments": {…}}</tool_call>, <function_call>…
object       {"name": "f", "arguments": {…}}, bare or in a fence; also "parameters"
python       [f(a=1)] as the whole answer, or a call in a tool_code fence
react        Action: f, and Action Input: … or Observation: … below it, or Action: get_f alone

get_f(a=1) as the whole answer is a call too.
A bare f(), "f(a=1)" on a line or in backticks, {"f": {…}}, {"name": "f"} without arguments, and
"Action: f" alone are calls where what was asked names f; elsewhere they are code, data or prose.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Literal, cast

from assay.types import ToolCall

LONGEST = 400_000  # characters of a judge's text
_MOST_ATTEMPTS = 1_000  # each failure costs the decoder a count of lines; no answer has more
_MOST_DIGITS = 4_000  # Python refuses to read longer integers

# A fence opens and closes at the start of a line; its label is its first word.
FENCE = re.compile(
    r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([\w+-]{0,20})[^\n]{0,100}\n(.*?)(?:^[ \t]{0,3}\1|\Z)",
    re.MULTILINE | re.DOTALL,
)
# A bracket that can begin JSON at all; "{name}" and "[see" need no decoder.
_BRACKET = re.compile(r"\{(?=\s{0,200}[\"}])|\[(?=\s{0,200}[\"\[{\]\d\-tfnNI])")


class JsonObject(dict[str, Any]):
    """`twice`: keys that appear again with unlike values; `written`: the text that it is in."""

    twice: tuple[str, ...] = ()
    written: str = ""


JsonValue = JsonObject | list[object]


def find_json(text: str) -> tuple[list[JsonValue], set[str]]:
    """The whole answer, else fenced blocks, else what is inside; and its oddities (`nan`, ...)."""
    oddities: set[str] = set()
    whole = decode_all(text.strip(), oddities)
    if whole is not None:
        return [whole], oddities
    fences = list(FENCE.finditer(text)) if "```" in text or "~~~" in text else []
    values = [decode_all(fence[3].strip(), oddities) for fence in fences]
    fenced = [value for value in values if value is not None]
    # The parts of what is called JSON may parse, but what it was meant to be does not.
    if fenced or any(fence[2].casefold() == "json" for fence in fences):
        return fenced, oddities
    return [value for value in decode_inside(text, oddities) if _is_meant(value)], oddities


def read_scalar(text: str) -> list[object]:
    """The whole answer, or the one fenced block in it, as a text, number, true, false or null."""
    fence = FENCE.fullmatch(text.strip())
    decoder = _LenientDecoder()
    try:
        value = decoder.decode((fence[3] if fence else text).strip())
    except (ValueError, RecursionError):
        return []
    return [] if "nan" in decoder.oddities else [value]


def objects_in(text: str) -> list[JsonObject]:
    """Every complete object that is not part of another, in order.

    Never from the first brace to the last: an answer that a judge repeats may contain an object of
    its own.
    """
    values = decode_inside(text[:LONGEST], set())
    return [one for value in values for one in _listed(value) if isinstance(one, JsonObject)]


def _listed(value: JsonValue) -> list[object]:
    return value if isinstance(value, list) else [value]


def is_one_object(text: str) -> bool:
    """Whether the text is one complete object and nothing else."""
    return [each.written for each in objects_in(text)] == [text.strip()]


def decode_all(text: str, oddities: set[str]) -> JsonValue | None:
    """The text as one object or array, with nothing before or after it."""
    if text[:1] not in ("{", "["):
        return None
    decoder = _LenientDecoder()
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        oddities.add("too_deep")
        return None
    oddities |= decoder.oddities
    return None if "nan" in decoder.oddities else cast(JsonValue, value)


def decode_inside(text: str, oddities: set[str]) -> Iterator[JsonValue]:
    """Every object or array, left to right, none inside another.

    After a failure the search goes on where the decoder gave up: it costs one pass, and no part of
    a broken object is taken for a whole one.
    """
    position = 0
    for _ in range(_MOST_ATTEMPTS):
        bracket = _BRACKET.search(text, position)
        if bracket is None:
            return
        decoder = _LenientDecoder()
        try:
            value, position = decoder.raw_decode(text, bracket.start())
        except json.JSONDecodeError as error:
            position = max(error.pos, bracket.start() + 1)
            continue
        except RecursionError:
            oddities.add("too_deep")
            return
        oddities |= decoder.oddities
        if "nan" not in decoder.oddities:
            for one in _listed(value):
                if isinstance(one, JsonObject):
                    one.written = text[bracket.start() : position]
            yield cast(JsonValue, value)


class _LenientDecoder(json.JSONDecoder):
    """Notes what is odd while it works."""

    def __init__(self) -> None:
        self.oddities: set[str] = set()
        super().__init__(
            object_pairs_hook=self._object,
            parse_constant=lambda _: self.oddities.add("nan"),
            parse_int=lambda digits: int(digits) if len(digits) <= _MOST_DIGITS else digits,
        )

    def _object(self, pairs: Sequence[tuple[str, Any]]) -> JsonObject:
        made = JsonObject(pairs)
        if len(made) < len(pairs):
            self.oddities.add("repeated_key")
            made.twice = tuple(key for key, value in pairs if made[key] != value)
        return made


def _is_meant(value: JsonValue) -> bool:
    """Inside prose "[ ]" is a box to tick and "[3]" a footnote."""
    is_footnote = isinstance(value, list) and len(value) == 1 and isinstance(value[0], int)
    return bool(value) and not is_footnote


CallShape = Literal["tool_calls", "tagged", "object", "python", "react"]

_CALL_NAME = re.compile(r"[^\W\d][\w.:/-]{0,100}")
_NO_PLAIN_WORD = re.compile(r"[_.]|[a-z][A-Z]")
_NAME_KEYS = ("name", "function", "tool", "tool_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
_TAG = re.compile(
    r"<(tool_call|function_call|functioncall|tool_use)>"
    r"|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call\|>|<function=[\w.:-]{1,100}>",
    re.IGNORECASE,
)
_REACT = re.compile(
    r"^[ \t*]*Action[ \t*]*:[ \t*`]*[^\W\d][\w.-]{0,100}[ \t*`]*"
    r"(?:[(\[].{0,2000}[)\]][ \t`]*$|\n+[ \t*]*(?:Action Input|Observation)[ \t*]*:)",
    re.MULTILINE,
)
_REACT_NAME = re.compile(
    r"^[ \t*]*Action[ \t*]*:[ \t*`]*([^\W\d][\w.-]{0,100})(?<![.-])[ \t*`]*$", re.MULTILINE
)
# f(…) on a line of its own, "print(" and "result =" aside, or in backticks.
_MAY_CALL = re.compile(
    r"(?:(?<=`)|^[ \t]*(?:\w{1,40} ?= ?|print\()?)"
    r"([^\W\d][\w.]{0,100})\([^\n`]{0,2000}\)(?=`|[ \t;)]*$)",
    re.MULTILINE,
)
_NAMED_ARGUMENTS = re.compile(r"[^\W\d]\w{0,60}_\w{1,60}\(\s*\w{1,60}\s*=(?!=)")
_MOST_TAGS, _LONGEST_CALL = 50, 20_000
_CALLFENCES = frozenset({"tool_code", "tool_call", "function_call"})
_LONGEST_PYTHON = 4000  # characters given to Python's parser


def find_function_call(text: str, asked: str = "") -> CallShape | None:
    """The shape of the first function call found, or None. `asked`: what names the functions."""
    tags = islice(_TAG.finditer(text), _MOST_TAGS) if "<" in text or "[TOOL" in text else ()
    if any(_is_tagged_call(text, tag) for tag in tags):
        return "tagged"
    notes: set[str] = set()
    values = [value for value in (decode_all(text.strip(), notes),) if value is not None]
    values = values or list(decode_inside(text, notes))
    for value in values:
        shape = _shape_of(value) or ("object" if _names_function(value, asked) else None)
        if shape is not None:
            return shape
    if _REACT.search(text) or _acts_without_arguments(text, asked):
        return "react"
    is_call = _has_python_call(text) or _calls_named(text, asked) or _is_whole_call(text)
    return "python" if is_call else None


def _names_function(value: object, asked: str) -> bool:
    """{"name": "f"} and nothing else, or with empty arguments, or {"f": {…}}, where f was named."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, inner),) = value.items()
        if isinstance(inner, dict) and _NO_PLAIN_WORD.search(key) and _is_named(key, asked):
            return True
    if not isinstance(value, dict) or not value.keys() <= {*_NAME_KEYS, *_ARGUMENT_KEYS}:
        return False
    name = next((value[key] for key in _NAME_KEYS if key in value), None)
    given = any(value[key] for key in _ARGUMENT_KEYS if key in value)
    return isinstance(name, str) and not given and _is_named(name, asked)


def _is_named(name: str, asked: str) -> bool:
    return (
        _CALL_NAME.fullmatch(name) is not None
        and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", asked) is not None
    )


def _acts_without_arguments(text: str, asked: str) -> bool:
    """Whether a line is "Action: f", where f was named or is no word of prose."""
    names = (found[1] for found in islice(_REACT_NAME.finditer(text), _MOST_TAGS))
    return any(_NO_PLAIN_WORD.search(name) or _is_named(name, asked) for name in names)


def _is_whole_call(text: str) -> bool:
    """Whether all there is is a call of a name of several words whose arguments have names, as
    get_weather(city="Lomé"): no code, for nothing is made of what it returns.
    """
    bare = text.strip().strip("`").strip()
    return _NAMED_ARGUMENTS.match(bare) is not None and _is_python_call(bare)


def _calls_named(text: str, asked: str) -> bool:
    pieces = islice(_MAY_CALL.finditer(text), _MOST_TAGS) if asked and "(" in text else ()
    return any(
        _is_named(piece[1], asked)
        and (
            _is_python_call(piece[0].strip()) or _is_python_call(text[piece.start(1) : piece.end()])
        )
        for piece in pieces
    )


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
    # Inside a tag a name alone is a call.
    if any(
        _shape_of(each) or _names_function(each, content) for each in decode_inside(content, set())
    ):
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
        if items and all(
            _is_call(item) or (isinstance(item, dict) and _is_call(item.get("function")))
            for item in items
        ):
            return "tool_calls"
    return "object" if _is_call(value) else None


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
