"""The JSON objects and arrays in what a model wrote, where they are and what is odd about them.

Nothing is repaired: broken JSON is no JSON. Nothing raises, and the number of attempts is bounded.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

LONGEST = 400_000  # characters of a judge's text
_MOST_ATTEMPTS = 1_000  # each failure costs the decoder a count of lines; no answer has more
_MOST_DIGITS = 4_000  # Python refuses to read longer integers
_A_NEST = 500  # characters that are passed over where objects are nested without end

# A fence opens and closes at the start of a line; its label is its first word.
FENCE = re.compile(
    r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([\w+-]{0,20})[^\n]{0,100}\n(.*?)(?:^[ \t]{0,3}\1|\Z)",
    re.MULTILINE | re.DOTALL,
)
# A bracket that can begin JSON at all; "{name}" and "[see" need no decoder.
_BRACKET = re.compile(r"\{(?=\s{0,200}[\"}])|\[(?=\s{0,200}[\"\[{\]\d\-tfnNI])")


class JsonObject(dict[str, Any]):
    """`twice`: keys that appear again with unlike values; `written`: its text, if it is whole."""

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
    """Every complete object that is not part of another, in order, also inside broken ones.

    Never from the first brace to the last: an answer that a judge repeats may contain an object of
    its own.
    """
    text = text[:LONGEST]
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    found: list[JsonObject] = []
    at = text.find("{")
    for _ in range(_MOST_ATTEMPTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except RecursionError:
            end = at + _A_NEST
        except ValueError:  # also: a number of thousands of digits
            end = at + 1
        else:
            value.written = text[at:end]
            found.append(value)
        at = text.find("{", end)
    return found


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
        made = _object(pairs)
        if len(made) != len(pairs):
            self.oddities.add("repeated_key")
        return made


def _object(pairs: Sequence[tuple[str, Any]]) -> JsonObject:
    made = JsonObject(pairs)
    if len(made) < len(pairs):
        made.twice = tuple(key for key, value in pairs if made[key] != value)
    return made


def _is_meant(value: JsonValue) -> bool:
    """Inside prose "[ ]" is a box to tick and "[3]" a footnote."""
    is_footnote = isinstance(value, list) and len(value) == 1 and isinstance(value[0], int)
    return bool(value) and not is_footnote
