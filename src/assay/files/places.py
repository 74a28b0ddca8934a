"""Where things stand in a JSON text: a slow, exact twin of the standard library's parser.

In: a text, and the paths whose places are wanted. Out: their places (1-based line and column, in
code points), what standard JSON forbids but Python's parser lets pass, or one syntax mistake.

Only used once something is wrong, so a good file never pays for it. Test objects without a finding
are skipped with the C scanner: one mistake in 50 MB costs a second parse, not a slow one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.files.wording import shown
from assay.messages import tr

Path = tuple[str | int, ...]

MAX_DEPTH = 64  # a test needs 5; Python's own parser gives up somewhere near 1,000
MAX_DIGITS = 640  # the lowest limit that Python lets anyone set for reading a whole number
ENDLESS = float("inf")  # stands for a longer one: no field allows it, so nothing reckons with it

_BLANK = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(
    r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?|(true|false|null)|(NaN|-?Infinity)"
)
_TEXT = re.compile(r'(?:[^"\\\x00-\x1f]+|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*')
_PYTHON_WORD = re.compile(r"(?:True|False|None)\b")
_AS_JSON = {"True": "true", "False": "false", "None": "null"}
_LITERALS: Mapping[str, object] = {"true": True, "false": False, "null": None}


class Place(NamedTuple):
    """Line and column, both from 1; the column counts code points."""

    line: int
    column: int


class Spot(NamedTuple):
    """Offsets of a value and of the key it stands under (its own where it has none)."""

    key: int
    value: int


@dataclass(frozen=True, slots=True)
class Flaw:
    """What JSON forbids although the text can be read: a key twice, NaN, an endless number.

    `path` is that of the test it stands in.
    """

    path: Path
    offset: int
    message: str


class JsonSyntaxError(ValueError):
    """The text is no JSON from `offset` on."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message


@dataclass(slots=True)
class _Open:
    """An array or object whose end is not reached yet."""

    held: Any
    closer: str
    path: Path | None
    key: str = ""

    def put(self, value: object) -> None:
        if self.closer == "]":
            self.held.append(value)
        else:
            self.held[self.key] = value


class Walk:
    """Reads values one token at a time, without recursion, and notes where they stand.

    Args:
        text: the whole text.
        wanted: the paths to note in `spots`.
        max_depth: refuse deeper nesting; None where the text is known to be readable.
    """

    def __init__(
        self, text: str, wanted: Collection[Path] = (), max_depth: int | None = None
    ) -> None:
        self.text = text
        self.spots: dict[Path, Spot] = {}
        self.flaws: list[Flaw] = []
        self._wanted = frozenset(wanted)
        # Paths grow with depth, so beyond the deepest wanted one they are not made at all.
        self._deepest = max((len(path) for path in self._wanted), default=0) + 1
        self._max_depth = max_depth
        self._root: Path = ()

    def document(self) -> object:
        """The value that the whole text is."""
        value, end = self.value(0, ())
        end = self.blank(end)
        if end < len(self.text):
            raise JsonSyntaxError(end, tr("the JSON ends before this; remove what follows"))
        return value

    def value(self, at: int, root: Path) -> tuple[object, int]:
        """The value that starts at or after an offset, and the offset behind it."""
        self._root = root
        path: Path | None = root
        outer: list[_Open] = []
        key_at: int | None = None
        while True:
            at = self.blank(at)
            self._note(path, at if key_at is None else key_at, at)
            if self.text[at : at + 1] in ("{", "["):
                inner = self._opened(at, path, depth=len(outer) + 1)
                at = self.blank(at + 1)
                if self.text[at : at + 1] != inner.closer:
                    outer.append(inner)
                    key_at, path, at = self._member(inner, at)
                    continue
                value, at = inner.held, at + 1
            else:
                value, at = self._scalar(at)
            while outer:  # the value is whole: its holder takes it, and may be whole by that too
                holder = outer[-1]
                holder.put(value)
                at = self.blank(at)
                if self.text[at : at + 1] == ",":
                    key_at, path, at = self._member(holder, self.blank(at + 1))
                    break
                if self.text[at : at + 1] != holder.closer:
                    raise JsonSyntaxError(at, self._missing_comma(holder.closer, at))
                value, at = outer.pop().held, at + 1
            else:
                return value, at

    def blank(self, at: int) -> int:
        """The next offset that is not white space."""
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def _note(self, path: Path | None, key: int, value: int) -> None:
        if path is not None and path in self._wanted:
            self.spots[path] = Spot(key, value)

    def _flaw(self, at: int, message: str) -> None:
        self.flaws.append(Flaw(self._root, at, message))

    def _opened(self, at: int, path: Path | None, depth: int) -> _Open:
        if self._max_depth is not None and depth > self._max_depth:
            raise JsonSyntaxError(
                at, tr("nested more than {limit} levels deep", limit=self._max_depth)
            )
        if self.text[at] == "{":
            return _Open({}, "}", path)
        return _Open([], "]", path)

    def _member(self, holder: _Open, at: int) -> tuple[int | None, Path | None, int]:
        """Where the next member's key stands, its path, and where its value starts."""
        if self.text[at : at + 1] == holder.closer:
            raise JsonSyntaxError(
                at,
                tr("remove the comma before this '{closer}'", closer=holder.closer),
            )
        path = holder.path
        if path is not None and len(path) >= self._deepest:
            path = None
        if holder.closer == "]":
            return None, None if path is None else (*path, len(holder.held)), at
        holder.key, end = self._key(at)
        if holder.key in holder.held:
            self._flaw(
                at, tr("the key '{key}' stands twice; keep one of them", key=shown(holder.key))
            )
        colon = self.blank(end)
        if self.text[colon : colon + 1] != ":":
            raise JsonSyntaxError(
                colon, tr("a ':' is missing after the key '{key}'", key=shown(holder.key))
            )
        return at, None if path is None else (*path, holder.key), colon + 1

    def _key(self, at: int) -> tuple[str, int]:
        if self.text[at : at + 1] != '"':
            raise JsonSyntaxError(at, self._unexpected(at, tr("a key in double quotes")))
        return self._text(at)

    def _text(self, at: int) -> tuple[str, int]:
        body = _TEXT.match(self.text, at + 1)
        end = body.end() if body else at + 1
        stopper = self.text[end : end + 1]
        if stopper == '"':
            raw = self.text[at + 1 : end]
            return (json.loads(self.text[at : end + 1]) if "\\" in raw else raw), end + 1
        if not stopper:
            raise JsonSyntaxError(at, tr("this text is never closed; its '\"' is missing"))
        if stopper == "\\":
            raise JsonSyntaxError(
                end,
                tr(
                    "'{escape}' is no JSON escape; write \\\\ for a backslash",
                    escape=shown(self.text[end : end + 2]),
                ),
            )
        raise JsonSyntaxError(
            end,
            tr(
                "a text holds the control character {character}; write it as an escape such as "
                "\\n or \\t, and close every text on the line where it starts",
                character=f"U+{ord(stopper):04X}",
            ),
        )

    def _scalar(self, at: int) -> tuple[object, int]:
        if self.text[at : at + 1] == '"':
            return self._text(at)
        found = _SCALAR.match(self.text, at)
        if found is None:
            raise JsonSyntaxError(at, self._unexpected(at, tr("a value")))
        whole, fraction, exponent, literal, constant = found.groups()
        if literal:
            return _LITERALS[literal], found.end()
        if constant:
            self._flaw(at, tr("{word} is not JSON", word=constant))
            return float(constant), found.end()
        if fraction or exponent:
            return float(found.group()), found.end()
        if len(whole) > MAX_DIGITS:
            self._flaw(at, tr("a number of {digits} digits is too long", digits=len(whole)))
            return ENDLESS, found.end()
        return int(whole), found.end()

    def _missing_comma(self, closer: str, at: int) -> str:
        if at >= len(self.text):
            return tr("the file ends here, but a '{closer}' is missing", closer=closer)
        if self.text[at].isdigit() and self.text[at - 1] == "0":
            return tr("a number cannot start with 0; remove the 0, or put it in quotes")
        return tr("a ',' or '{closer}' is missing before this", closer=closer)

    def _unexpected(self, at: int, wanted: str) -> str:
        if at >= len(self.text):
            return tr("the file ends where {wanted} is expected", wanted=wanted)
        if self.text[at] == "'":
            return tr("JSON texts stand in double quotes (\"), not in single ones (')")
        if self.text[at] in "/#":
            return tr("JSON has no comments; remove this one")
        if word := _PYTHON_WORD.match(self.text, at):
            return tr(
                "JSON writes {right}, not {wrong}",
                right=_AS_JSON[word.group()],
                wrong=word.group(),
            )
        return tr(
            "{wanted} is expected here, not '{found}'", wanted=wanted, found=shown(self.text[at])
        )


class QuickDecoder:
    """The C scanner, with an alarm for what it lets pass and the slow twin must look at."""

    def __init__(self) -> None:
        self.alarms = 0
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_int=self._whole,
        )

    def decode(self, text: str) -> object:
        """The value that the whole text is."""
        value: object = self._decoder.decode(text)
        return value

    def end_of(self, text: str, at: int) -> int:
        """The offset behind the value that starts at an offset."""
        return self._decoder.raw_decode(text, at)[1]

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) != len(pairs):
            self.alarms += 1
        return made

    def _constant(self, word: str) -> float:
        self.alarms += 1
        return float(word)

    def _whole(self, digits: str) -> float:
        if len(digits) > MAX_DIGITS:
            self.alarms += 1
            return ENDLESS
        return int(digits)


def survey(text: str, wanted: Collection[Path]) -> Walk:
    """Walk a readable text, but only those elements of its array that are wanted or flawed."""
    walk = Walk(text, wanted)
    start = walk.blank(0)
    if text[start : start + 1] != "[":
        walk.value(start, ())
        return walk
    if () in wanted:
        walk.spots[()] = Spot(start, start)
    rows = {path[0] for path in wanted if path}
    quick = QuickDecoder()
    at, index = walk.blank(start + 1), 0
    while text[at] != "]":
        quick.alarms = 0
        try:
            end = quick.end_of(text, at)
        except RecursionError:
            end = walk.value(at, (index,))[1]
        else:
            if index in rows or quick.alarms:
                walk.value(at, (index,))
        at, index = walk.blank(end), index + 1
        if text[at] == ",":
            at = walk.blank(at + 1)
    return walk


def place_of(text: str, offset: int) -> Place:
    """Line and column of one offset."""
    return Place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def places_of(text: str, offsets: Iterable[int]) -> dict[int, Place]:
    """Line and column of many offsets, in one pass over the text."""
    places: dict[int, Place] = {}
    line, line_break, counted = 1, -1, 0
    for offset in sorted(set(offsets)):
        # Only what lies behind the last offset: a file may be one line of 50 MB.
        line += text.count("\n", counted, offset)
        line_break = max(line_break, text.rfind("\n", counted, offset))
        counted = offset
        places[offset] = Place(line, offset - line_break)
    return places
