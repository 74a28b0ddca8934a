"""One JSON file to its value, and the place of anything in it.

The standard library reads the value. Only when something is to be reported, the grammar of
tree-sitter finds the place, and in a list only the rows concerned are parsed again: one mistake in
50 MB costs a second quick parse, not a slow one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from assay.files.file_text import MAX_BYTES, Refused, decode, read_bytes, refusal, shown_path
from assay.files.notes import FileNote, Notes, findings_of
from assay.files.places import MAX_DIGITS, Path, Place, Spot, place_of, places_of
from assay.files.wording import shown
from assay.messages import fill, message, tr
from assay.types import FileFinding

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

ID_FORM = re.compile(r"[\w-]+")
MAX_ID_CHARACTERS = 120

_ENDLESS = float("inf")  # for a number that is too long: no field allows it
# The first group is half a character; the rest are whole ones and other escapes.
_ESCAPE = re.compile(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(\\u[dD][89a-fA-F]\w\w)|\\.")
_UNKNOWN_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN|-?[0-9.]+[eE][-+]?[0-9]+)')
_ODD_NUMBER = re.compile(
    rf'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)|(-?[0-9]{{{MAX_DIGITS},}}(?![0-9.eE]))'
)
_BLANK = re.compile(r"[ \t\n\r]*")
# By the beginning of what Python's parser says.
_MISTAKES = {
    "Extra data": message("the JSON ends before this; remove what follows"),
    "Unterminated string": message("this text is never closed; its '\"' is missing"),
    "Invalid control": message(
        "a text contains a control character; write it as an escape such as \\n or \\t, and close "
        "every text on the line where it starts"
    ),
    "Invalid \\": message("this is no JSON escape; write \\\\ for a backslash"),
    "Expecting ':'": message("a ':' is missing after a key"),
    "Expecting ','": message("a ',' or a closing bracket is missing before this"),
    "Expecting property name": message("a key in double quotes is expected here, not '{found}'"),
    "Expecting value": message(
        "a value is expected here, not '{found}'; JSON writes true, false and null"
    ),
}


@dataclass(slots=True)
class JsonFile:
    """A file that contains JSON.

    `flawed`: it also contains what JSON forbids though Python reads it (a key twice, NaN, an
    endless number, half a character).
    """

    shown: str
    text: str
    value: object
    flawed: bool
    digest: str = ""  # of its bytes

    def test_id(self, path: Path) -> str | None:
        """The id of the test that a path leads into, where it has a sound one."""
        if isinstance(self.value, list) and path and isinstance(path[0], int):
            return sound_id(self.value[path[0]])
        return sound_id(self.value)

    def places(self, paths: Collection[Path]) -> dict[Path, Place]:
        spots, _ = _survey(self.text, paths)
        at = places_of(self.text, (spot.value for spot in spots.values()))
        return {path: at[spot.value] for path, spot in spots.items()}

    def findings(self, notes: Notes) -> list[FileFinding]:
        """Every note, and every flaw of the text, with its place.

        Whatever was noted about a value that is no JSON (NaN) follows from that and is left out.
        """
        if not notes.all and not self.flawed:
            return []
        spots, flaws = _survey(self.text, {note.path for note in notes.all}, self.flawed)
        flawed = {offset for _, offset, _ in flaws}
        placed = [
            (note, spots[note.path].key if note.about_key else spots[note.path].value)
            for note in notes.all
        ]
        placed = [each for each in placed if each[0].about_key or each[1] not in flawed]
        placed += [
            (FileNote(path, message, "error", self.test_id(path), about_key=False), offset)
            for path, offset, message in flaws
        ]
        return findings_of(self.shown, self.text, placed)


def sound_id(test: object) -> str | None:
    """A test's id, if it can appear in a line of findings."""
    name = test.get("id") if isinstance(test, dict) else None
    if isinstance(name, str) and len(name) <= MAX_ID_CHARACTERS and ID_FORM.fullmatch(name):
        return name
    return None


def read_json(path: FilePath) -> JsonFile:
    """Read a file, or raise Refused with the reason and the place."""
    name = shown_path(path)
    data = read_bytes(path, MAX_BYTES, kind=tr("a category is a JSON file"))
    text = decode(name, data)
    if not text.strip(" \t\r\n"):
        raise Refused(refusal(name, tr("the file is empty")))
    decoder = _StrictDecoder()
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        offset, reason = _syntax_mistake(text, error)
        raise Refused(_not_json(name, text, offset, reason)) from error
    except RecursionError as error:
        raise Refused(_not_json(name, text, 0, tr("it is nested too deeply"))) from error
    flawed = decoder.flaws > 0 or any(_half_characters(text))
    return JsonFile(name, text, value, flawed, hashlib.sha256(data).hexdigest())


def _half_characters(text: str) -> Iterator[int]:
    """Offsets of lone surrogates, which no model can be sent."""
    if "\\u" in text:
        yield from (escape.start() for escape in _ESCAPE.finditer(text) if escape[1])


def _not_json(name: str, text: str, offset: int, reason: str) -> FileFinding:
    return refusal(name, tr("not valid JSON: {reason}", reason=reason), place_of(text, offset))


class _StrictDecoder(json.JSONDecoder):
    """The standard library's parser, which counts what it should not have let pass."""

    def __init__(self) -> None:
        self.flaws = 0
        super().__init__(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_int=self._whole,
        )

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) != len(pairs):
            self.flaws += 1
        return made

    def _constant(self, word: str) -> float:
        self.flaws += 1
        return float(word)

    def _whole(self, digits: str) -> float:
        if len(digits) > MAX_DIGITS:
            self.flaws += 1
            return _ENDLESS
        return int(digits)


def _syntax_mistake(text: str, error: json.JSONDecodeError) -> tuple[int, str]:
    """Where the parser stopped, and what to do about it."""
    at = error.pos
    if error.msg.startswith("Illegal trailing comma"):  # since Python 3.13, at the comma
        at = _after_blank(text, at + 1)
    found = text[at : at + 1]
    if found in ("]", "}") and text[:at].rstrip(" \t\n\r").endswith(","):
        return at, tr("remove the comma before this '{closer}'", closer=found)
    if not found:
        return at, tr("the file ends here, but something is missing")
    if found == "'":
        return at, tr("JSON texts are in double quotes (\"), not in single ones (')")
    if found in "/#":
        return at, tr("JSON has no comments; remove this one")
    known = (each for begin, each in _MISTAKES.items() if error.msg.startswith(begin))
    sentence = next(known, error.msg)
    return at, fill(sentence, {"found": shown(found)})


_Flaw = tuple[Path, int, str]  # the path of the row, the offset, the sentence


def _survey(
    text: str, wanted: Collection[Path], look_for_flaws: bool = False
) -> tuple[dict[Path, Spot], list[_Flaw]]:
    """Where paths are in a readable text, and what JSON forbids in it."""
    spots: dict[Path, Spot] = {}
    flaws: list[_Flaw] = []
    by_row: dict[Path, list[Path]] = {}
    start = _after_blank(text, 0)
    is_list = text[start : start + 1] == "["
    for path in wanted:
        by_row.setdefault(path[:1] if is_list else (), []).append(path)
    if is_list and () in by_row:
        spots[()] = Spot(start, start)
    for row, begin, end, is_flawed in (
        _rows(text, start) if is_list else [((), start, len(text), look_for_flaws)]
    ):
        if row not in by_row and not is_flawed:
            continue
        tree = _Tree(text[begin:end])
        for path in by_row.get(row, ()):
            spot = tree.spot(path[len(row) :])
            spots[path] = Spot(begin + spot.key, begin + spot.value)
        if is_flawed:
            flaws += [(row, begin + offset, message) for offset, message in tree.flaws()]
    return spots, flaws


def _rows(text: str, start: int) -> Iterator[tuple[Path, int, int, bool]]:
    """The path, start, end and flawedness of every item of the list that a text is."""
    decoder = _StrictDecoder()
    at, index = _after_blank(text, start + 1), 0
    while text[at] != "]":
        decoder.flaws = 0
        end = decoder.raw_decode(text, at)[1]
        is_flawed = decoder.flaws > 0 or any(_half_characters(text[at:end]))
        yield (index,), at, end, is_flawed
        at, index = _after_blank(text, end), index + 1
        if text[at] == ",":
            at = _after_blank(text, at + 1)


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


class _Tree:
    """The syntax tree of one JSON value."""

    def __init__(self, text: str) -> None:
        self._text = text
        # The grammar knows neither NaN nor 1e+5: a number of the same length takes their place.
        standard = _UNKNOWN_NUMBER.sub(
            lambda found: "1" * len(found[1]) if found[1] else found[0], text
        )
        self._bytes = standard.encode()
        self._root = _parser().parse(self._bytes).root_node.named_child(0)

    def spot(self, path: Path) -> Spot:
        """Where a path leads, or the innermost thing on the way that is there."""
        node = self._root
        key = value = 0
        for step in path:
            found = _child(node, step) if node is not None else None
            if found is None:
                break
            name, node = found
            value = self._offset(node)
            key = value if name is None else self._offset(name)
        return Spot(key, value)

    def flaws(self) -> Iterable[tuple[int, str]]:
        """Offset and sentence of whatever JSON forbids, from top to bottom."""
        found = [
            (self._offset(key), tr("the key '{key}' appears twice; keep one", key=shown(name)))
            for key, name in self._repeated_keys()
        ]
        half = tr("half a character (a lone surrogate such as \\ud800); write a whole one")
        found += [(offset, half) for offset in _half_characters(self._text)]
        for number in _ODD_NUMBER.finditer(self._text):
            if number[1]:
                found.append((number.start(), tr("{word} is not JSON", word=number[1])))
            elif number[2] and len(number[2]) > MAX_DIGITS:
                message = tr("a number of {digits} digits is too long", digits=len(number[2]))
                found.append((number.start(), message))
        return sorted(found)

    def _repeated_keys(self) -> Iterator[tuple[Node, str]]:
        left = [self._root]
        while left:
            node = left.pop()
            if node is None:
                continue
            names: set[str] = set()
            for key, name in _keys(node):
                if name in names:
                    yield key, name
                names.add(name)
            left += node.named_children

    def _offset(self, node: Node) -> int:
        return len(self._bytes[: node.start_byte].decode())


def _child(node: Node, step: str | int) -> tuple[Node | None, Node] | None:
    """A member's key and value; of a key that appears twice the last, as in Python."""
    if isinstance(step, int):
        item = node.named_child(step) if node.type == "array" else None
        return None if item is None else (None, item)
    for key, name in reversed(list(_keys(node))):
        value = key.parent.child_by_field_name("value") if key.parent else None
        if name == step and value is not None:
            return key, value
    return None


def _keys(node: Node) -> Iterator[tuple[Node, str]]:
    if node.type != "object":
        return
    for pair in node.named_children:
        key = pair.child_by_field_name("key")
        if key is not None and key.text:
            yield key, json.loads(key.text)


@cache
def _parser() -> Parser:
    import tree_sitter_json
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_json.language()))
