"""The function calls that an answer has as text, read as a server's parser could have read them.

In: the text, and the parameters of each function that was offered. Out: the calls in order; none
where nothing can be read for certain. No frame is known by its marks: a call is the name of a
function that was offered, together with arguments, wherever a reader sees that they belong to it.

in an object      {"name": "f", "arguments": {"a": 1}}   {"f": {"a": 1}}   {"tool": "f", "a": 1}
in brackets       f(a=1)   f(1)   f({"a": 1})   f(a: 1)
an object behind  f {"a": 1}   Action: f ⏎ Action Input: {"a": 1}   <function=f>{"a": 1}</function>
without quotes    f{a:1,b:<q>text<q>,c:[x,y]}   marks on both sides of a value are its quotes
in marks          <f><a>1</a></f>   <call name="f"><arg name="a">1</arg></call>   <f a="1"/>
on lines          f ⏎ a: 1 ⏎ b: 2
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from assay.text.json_in_prose import decode_all, decode_inside
from assay.types import ToolCall

Parameters = Mapping[str, Mapping[str, str]]  # of each function, in order, with the type of each

_MARK = re.compile(r"<(/?)([^<>]{1,300})>")
_ATTRIBUTE = re.compile(r"([^\W\d][\w.-]{0,60})\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'/>]+)")
_WORD = re.compile(r"[^\W\d_]+")
_NAMED = re.compile(r"\s*[\"']?([^\W\d][\w.-]{0,100})[\"']?\s*[:=](?!=)\s*(.*)", re.DOTALL)
# A known parameter with a sign before it, or between it and its value; no sign of a sentence.
_SIGNED = (
    r"(?<![\w-])([^\w\s\"'`*,.;?!)\]}}]{{0,2}}\s?)(?<![\w])({})(?![\w-])[\"'*`]{{0,3}}"
    r"(\s*[^\w\s\"'`*,.;?!()\[\]{{}}–—-]{{1,3}}[*`]{{0,2}}[ \t]*|[ \t]+)"
)
_SIGN_ALONE = re.compile(r"(?<!\s)\s+[^\w\s\"'.,;:!?&()/+-]+(?=\s|$)")
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
# A value between two marks: in angle brackets, in square ones that have a name, or other quotes.
_FRAMED = re.compile(
    r"<[^<>\s]{1,40}>(?P<said>[^<>]*)<[^<>\s]{1,40}>"
    r"|\[(?P<mark>[^\W\d][\w|-]{0,40})\](?P<inside>[^\[\]]*)\[/?(?P=mark)\]"
    r"|[“„«‹`](?P<quoted>[^“”„«»‹›`]*)[”“»›`]"
)
_KEY = re.compile(
    r"(?:<[^<>\s]{1,40}>|[\"'])?(?P<key>[^\W\d][\w.-]{0,100})(?:<[^<>\s]{1,40}>|[\"'])?\s*[:=]"
)
_BARE = re.compile(r"[^,{}\[\]<>\"\n]+")
_IDENTIFIER = re.compile(r"[^\W\d][\w.]*")
_BEGINS_BODY = re.compile(r"[ \t]*(?:->[^\n:]{0,80})?(?::[ \t]*(?:\n|\Z)|\{)")
_OPENING = re.compile(r"[ \t`\"'*]{0,3}(?:\.\w{1,20})?\(")
_OPENS, _CLOSES = "([{", ")]}"
_MOST_BETWEEN, _WORDS_BETWEEN = 120, 4  # from a name to its object, "Action Input:"
_LONGEST, _LONGEST_ARGUMENTS = 100_000, 4000  # characters
_MOST_CALLS = 50


def offered_functions(tools: str | None) -> Parameters:
    """Of a JSON list of tools as requests carry it: the parameters of each function."""
    found = {}
    for tool in json.loads(tools or "[]"):
        function = tool.get("function", tool)
        properties = (function.get("parameters") or {}).get("properties")
        known = properties if isinstance(properties, dict) else {}
        found[function["name"]] = {
            name: str(schema.get("type", "")) if isinstance(schema, dict) else ""
            for name, schema in known.items()
        }
    return found


def read_written_calls(text: str, offered: Parameters) -> tuple[ToolCall, ...]:
    text = text[:_LONGEST]
    if not any(name in text for name in offered):
        return ()
    for read in (_in_objects, _beside_names):
        if calls := tuple(islice(read(text, offered), _MOST_CALLS)):
            return calls
    return ()


def _call(name: str, arguments: Mapping[str, Any]) -> ToolCall | None:
    try:
        return ToolCall(name, json.dumps(arguments, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):  # a literal that JSON has not
        return None


# ------------------------------------------------------------------------------------- in an object


def _in_objects(text: str, offered: Parameters) -> Iterator[ToolCall]:
    whole = decode_all(text.strip(), set())
    for value in decode_inside(text, set()) if whole is None else (whole,):
        yield from _calls_in(value, offered)


def _calls_in(value: object, offered: Parameters) -> Iterator[ToolCall]:
    waiting = [value]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, list):
            waiting = [*value, *waiting]
        elif isinstance(value, dict) and not _is_definition(value):
            named = [(key, each) for key, each in value.items() if _known(each, offered)]
            if named:
                key, name = named[0]
                rest = {other: each for other, each in value.items() if other != key}
                name = _known(name, offered) or ""
                if call := _call(name, _arguments_of(rest, offered[name])):
                    yield call
                continue
            for key, inner in value.items():
                given = _as_object(inner)
                if key in offered and given is not None:
                    if call := _call(key, given):
                        yield call
                else:
                    waiting.append(inner)


def _known(value: object, offered: Parameters) -> str | None:
    """The function that a text names, `functions.f` too."""
    if not isinstance(value, str):
        return None
    return next((name for name in (value, value.rpartition(".")[2]) if name in offered), None)


def _is_definition(value: Mapping[str, Any]) -> bool:
    """A tool as it is offered, repeated."""
    schema = value.get("parameters")
    return isinstance(schema, dict) and "properties" in schema


def _arguments_of(rest: Mapping[str, Any], parameters: Mapping[str, str]) -> Mapping[str, Any]:
    """What stands beside the name: the parameters themselves, or an object of them."""
    own = {key: value for key, value in rest.items() if key in parameters}
    inner = (_as_object(each) for key, each in rest.items() if key not in parameters)
    return own or next((given for given in inner if given is not None), {})


def _as_object(value: object) -> dict[str, Any] | None:
    """An object, the text of one, or nothing at all."""
    if isinstance(value, str):
        value = decode_all(value.strip(), set())
    if value is None or value == []:
        return {}
    return value if isinstance(value, dict) else None


# ------------------------------------------------------------------------------------ beside a name


def _beside_names(text: str, offered: Parameters) -> Iterator[ToolCall]:
    """Each name with what follows it, up to the next one."""
    any_name = "|".join(map(re.escape, sorted(offered, key=len, reverse=True)))
    places = [*islice(re.finditer(rf"(?<![\w/-])(?:{any_name})(?![\w-])", text), 4 * _MOST_CALLS)]
    end = 0
    for place, following in zip(places, [*places[1:], None], strict=True):
        if place.start() < end:
            continue  # inside the arguments of the one before
        parameters = offered[place[0]]
        behind = text[place.end() : place.end() + _LONGEST_ARGUMENTS]
        until = min(len(behind), following.start() - place.end()) if following else len(behind)
        given, taken = _bracketed(behind, parameters)
        if given is None and not taken:
            given, taken = _object_behind(behind, parameters)
        if given is None and not taken:
            taken = until
            given = _marked(behind[:until], parameters) or _on_lines(behind[:until], parameters)
        if given is None and not parameters and _is_alone(text, place):
            given = {}
        if given is not None and (call := _call(place[0], given)):
            end = place.end() + taken
            yield call


def _bracketed(behind: str, parameters: Mapping[str, str]) -> tuple[dict[str, Any] | None, int]:
    """f(…) or f.call(…). None with an end: brackets that name parameters and give none."""
    opening = _OPENING.match(behind)
    inside = _balanced(behind[opening.end() - 1 :]) if opening else ""
    if opening is None or not inside:
        return None, 0
    end = opening.end() - 1 + len(inside)
    if _BEGINS_BODY.match(behind, end):
        return None, end
    return _listed_arguments(inside[1:-1].strip(), parameters), end


def _listed_arguments(inner: str, parameters: Mapping[str, str]) -> dict[str, Any] | None:
    if inner.startswith("{") and (whole := _read_object(inner, parameters)):
        return whole[0]
    given: dict[str, Any] = {}
    free = iter(parameters)
    for piece in _pieces(inner):
        named = _NAMED.fullmatch(piece)
        if named:
            given[named[1]] = _value(named[2], parameters.get(named[1], ""))
            continue
        name, value = next(free, None), _literal(piece)
        if name is None or (value is None and _IDENTIFIER.fullmatch(piece)):
            return None  # "f(city)" says what it takes
        given[name] = piece if value is None and piece not in ("None", "null") else value
    return given


def _object_behind(behind: str, parameters: Mapping[str, str]) -> tuple[dict[str, Any] | None, int]:
    start = behind.find("{", 0, _MOST_BETWEEN)
    if start < 0 or not _belongs(behind[:start]):
        return None, 0
    found = _read_object(behind[start:], parameters)
    if found is None:
        return None, 0
    value, end = found
    return None if value.keys() >= {"type", "properties"} else value, start + end


def _read_object(code: str, parameters: Mapping[str, str]) -> tuple[dict[str, Any], int] | None:
    """The object that a text begins with, and its end: as JSON or Python has it, or without quotes
    where its keys are parameters.
    """
    inside = _balanced(code)
    value = _literal(inside)
    if isinstance(value, dict):
        return value, len(inside)
    try:
        value, end = _unquoted(code, 0)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not value.keys() <= parameters.keys():
        return None
    return {
        key: each.as_type(parameters[key]) if isinstance(each, _Bare) else _by_form(each)
        for key, each in value.items()
    }, end


def _belongs(between: str) -> bool:
    """Whether what stands between a name and arguments leaves them together: a few words, and no
    end of a sentence.
    """
    few = len(between) <= _MOST_BETWEEN and len(_WORD.findall(between)) <= _WORDS_BETWEEN
    return few and not re.search(r"[.!?]\s", between)


def _marked(behind: str, parameters: Mapping[str, str]) -> dict[str, Any] | None:
    """A parameter is named by a mark, by an attribute of one, or by all that is between two."""
    given: dict[str, Any] = {}
    opened = behind.partition(">")[0]
    if "<" not in opened:  # attributes of the mark that has the name
        for key, value in _ATTRIBUTE.findall(opened):
            if key in parameters:
                given[key] = _value(value.strip("\"'"), parameters[key])
    marks = [*_MARK.finditer(behind)]
    said = [(at.start(), at[0], at[1], at[2]) for at in marks]
    waiting = ""
    for place, (start, mark, closes, name) in enumerate(said):
        following = said[place + 1][0] if place + 1 < len(said) else len(behind)
        between = behind[start + len(mark) : following].strip()
        if waiting and between and not closes:
            given[waiting], waiting = _value(between, parameters[waiting]), ""
            continue
        if closes:
            continue
        words = re.findall(r"[\w.-]+", name)
        named = next((word for word in words if word in parameters), None)
        if named is not None and named not in given:
            given[named] = _value(between, parameters[named])
        elif between in parameters:
            waiting = between
    return given or None


def _on_lines(behind: str, parameters: Mapping[str, str]) -> dict[str, Any] | None:
    """`city: Lomé`, `city → Lomé`, `--city Lomé`: a parameter and its value with a sign between
    them or before it, each up to the next one, to a sign that stands alone, or to the line's end.
    """
    if not parameters:
        return None
    known = "|".join(map(re.escape, sorted(parameters, key=len, reverse=True)))
    found = [
        each for each in re.finditer(_SIGNED.format(known), behind) if each[1] or each[3].strip()
    ]
    if not found or not _belongs(behind[: found[0].start()]):
        return None
    given = {}
    for place, following in zip(found, [*found[1:], None], strict=True):
        rest = behind[place.end() : following.start() if following else len(behind)]
        said = _balanced(rest) if rest[:1] in _OPENS else _said_on(rest.partition("\n")[0])
        given[place[2]] = _value(said, parameters[place[2]])
    return given


def _said_on(line: str) -> str:
    """Up to a sign that stands alone, without a bracket that closes none of its own."""
    quoted = _QUOTED.match(line)
    said = quoted[0] if quoted else _SIGN_ALONE.split(line, maxsplit=1)[0]
    said = said.strip().strip("`").rstrip(" ,;")
    for opens, closes in zip(_OPENS, _CLOSES, strict=True):
        if said.endswith(closes) and said.count(closes) > said.count(opens):
            said = said[:-1].rstrip()
    return said


def _is_alone(text: str, place: re.Match[str]) -> bool:
    """Whether a function that takes nothing is all that is said, marks aside."""
    rest = _MARK.sub(" ", text[: place.start()] + " " + text[place.end() :])
    return len(_WORD.findall(rest)) <= 1 and "?" not in rest


# --------------------------------------------------------------------------------------- the values


def _value(text: str, kind: str) -> Any:
    """A text where the schema says so or marks frame it, else as JSON or Python reads it."""
    text = text.strip()
    if framed := _FRAMED.fullmatch(text):
        return _inside(framed)
    value = _literal(text)
    if value is None and text in ("null", "None"):
        return None
    if value is None or (kind == "string" and not isinstance(value, str)):
        return text
    return value


class _Bare(str):
    """A value in no quotes: what it is, its form says, or the schema that wants a text."""

    __slots__ = ()

    def as_type(self, kind: str) -> Any:
        return _value(self, kind)


def _unquoted(code: str, at: int) -> tuple[Any, int]:
    """The value that begins here, and its end. ValueError: there is none."""
    at = _past_space(code, at)
    if framed := _FRAMED.match(code, at):
        return _inside(framed), framed.end()
    sign = code[at : at + 1]
    if sign in ("{", "["):
        return _unquoted_items(code, at, sign)
    if quoted := _QUOTED.match(code, at):
        return _literal(quoted[0]) or quoted[0][1:-1], quoted.end()
    bare = _BARE.match(code, at)
    if bare is None:
        raise ValueError(at)
    return _Bare(bare[0].strip()), bare.end()


def _inside(framed: re.Match[str]) -> str:
    return next(filter(None, framed.group("said", "inside", "quoted")), "").strip()


def _unquoted_items(code: str, at: int, opening: str) -> tuple[Any, int]:
    closing = _CLOSES[_OPENS.index(opening)]
    items: list[Any] = []
    pairs: dict[str, Any] = {}
    at = _past_space(code, at + 1)
    while code[at : at + 1] != closing:
        key = _KEY.match(code, at) if opening == "{" else None
        if opening == "{" and key is None:
            raise ValueError(at)
        value, at = _unquoted(code, key.end() if key else at)
        if key:
            pairs[key["key"]] = value
        else:
            items.append(value)
        at = _past_space(code, at)
        if code[at : at + 1] == ",":
            at = _past_space(code, at + 1)
        elif code[at : at + 1] != closing:
            raise ValueError(at)
    return pairs if opening == "{" else items, at + 1


def _past_space(code: str, at: int) -> int:
    while code[at : at + 1].isspace():
        at += 1
    return at


def _by_form(value: Any) -> Any:
    if isinstance(value, _Bare):
        return value.as_type("")
    if isinstance(value, list):
        return [_by_form(each) for each in value]
    if isinstance(value, dict):
        return {key: _by_form(each) for key, each in value.items()}
    return value


def _literal(text: str) -> Any:
    """None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in a text is the model's affair
            return ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def _outside_quotes(code: str) -> Iterator[tuple[int, str, int]]:
    """Each sign in no quotes: its place, itself, and how many brackets are open behind it."""
    depth, quote = 0, ""
    for place, sign in enumerate(code):
        if quote:
            quote = "" if sign == quote and code[place - 1] != "\\" else quote
        elif sign in "'\"":
            quote = sign
        else:
            depth += (sign in _OPENS) - (sign in _CLOSES)
            yield place, sign, depth


def _pieces(inner: str) -> Iterator[str]:
    """What stands between the commas that are in no brackets and no quotes."""
    start = 0
    for place, sign, depth in _outside_quotes(inner):
        if sign == "," and not depth:
            yield inner[start:place].strip()
            start = place + 1
    if last := inner[start:].strip():
        yield last


def _balanced(code: str) -> str:
    """Up to the bracket that closes the first one."""
    signs = _outside_quotes(code)
    end = next((at for at, sign, depth in signs if sign in _CLOSES and not depth), None)
    return "" if end is None else code[: end + 1]
