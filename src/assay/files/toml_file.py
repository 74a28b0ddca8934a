"""One TOML file to its document, and the place of anything in it, found by tree-sitter.

A path is made of keys and of indexes, as in the parsed document: the `min` of the second [[suite]]
is ("suite", 1, "min").
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from assay.files.file_text import Refused, decode, read_bytes, refusal, shown_path
from assay.files.notes import Notes, findings_of
from assay.files.places import Path, Place, Spot, place_of
from assay.files.wording import shown
from assay.messages import tr
from assay.types import FileFinding

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_BYTES = 1_000_000  # a file of test results or weights is named by mistake

_PLACE = re.compile(r"(?P<reason>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|.*)\)")
_LONGEST_REASON = 120
_KEYS = frozenset({"bare_key", "quoted_key", "dotted_key"})
_NO_VALUE = _KEYS | {"comment"}


@dataclass(frozen=True)
class TomlFile:
    shown: str
    text: str
    document: dict[str, Any]

    @cached_property
    def _spots(self) -> dict[Path, Spot]:
        return TomlTree(self.text).spots

    def place(self, path: Path, *, about_key: bool = False) -> Place:
        """Where a value is, or the table it belongs in."""
        spot = self._nearest(path)
        return place_of(self.text, spot.key if about_key else spot.value)

    def findings(self, notes: Notes) -> tuple[FileFinding, ...]:
        """Every note with its place, from top to bottom."""
        placed = [
            (note, spot.key if note.about_key else spot.value)
            for note in notes.all
            for spot in [self._nearest(note.path)]
        ]
        found = set(findings_of(self.shown, self.text, placed))
        return tuple(sorted(found, key=lambda f: (f.line, f.column, f.message)))

    def _nearest(self, path: Path) -> Spot:
        while path not in self._spots:
            path = path[:-1]
        return self._spots[path]


def read_toml(path: FilePath, *, kind: str) -> TomlFile:
    """Read a file, or raise Refused with the reason and the place.

    Args:
        path: the file.
        kind: what it is meant to be, as a sentence without its end ("a gate is a TOML file").
    """
    name = shown_path(path)
    return parse_toml(name, decode(name, read_bytes(path, MAX_BYTES, kind=kind)))


def parse_toml(name: str, text: str) -> TomlFile:
    """Parse a text, or raise Refused; `name` is the file as findings show it."""
    try:
        return TomlFile(name, text, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise Refused(_syntax_mistake(name, text, str(error))) from error
    except (RecursionError, ValueError) as error:  # Python reads no number of some thousand digits
        message = tr("it is nested too deeply, or a number is too long")
        raise Refused(refusal(name, message)) from error


def _syntax_mistake(name: str, text: str, complaint: str) -> FileFinding:
    found = _PLACE.fullmatch(complaint)
    reason = found["reason"] if found else complaint
    at_end = not (found and found["line"])
    if found and found["line"]:
        place = Place(int(found["line"]), int(found["column"]))
    else:
        place = place_of(text, len(text))
    if reason == "Cannot overwrite a value" or reason.startswith("Cannot declare "):
        said = tr("this appears twice, or as a value and as a table; keep one of them")
    elif reason == "Invalid statement":
        said = tr("a [table] or a key with its value is expected here")
    elif reason == "Invalid value" and at_end:
        said = tr("the file ends where {wanted} is expected", wanted=tr("a value"))
    elif reason == "Invalid value":
        said = tr("a value is expected here; texts are in quotes")
    else:
        said = reason[:1].lower() + reason[1:]
        if not said.isprintable() or len(said) > _LONGEST_REASON:
            said = shown(said)
    return refusal(name, tr("not valid TOML: {reason}", reason=said), place)


class TomlTree:
    """Offsets of every table, key and value of a text that the parser reads, by path. A table's
    value is its header, its key the name in it.
    """

    def __init__(self, text: str) -> None:
        self.spots: dict[Path, Spot] = {(): Spot(0, 0)}
        self._bytes = text.encode()
        self._last_of: dict[Path, int] = {}  # of every list made by [[headers]] its last index
        for node in _parser().parse(self._bytes).root_node.named_children:
            if node.type == "pair":
                self._pair((), node)
            elif node.type in ("table", "table_array_element"):
                self._table(node)

    def _table(self, node: Node) -> None:
        is_list = node.type == "table_array_element"
        path: Path = ()
        parts = self._key_parts(node)
        for offset, name in parts[:-1]:
            path = (*path, name)
            self.spots.setdefault(path, Spot(offset, offset))
            if path in self._last_of:
                path = (*path, self._last_of[path])
        offset, name = parts[-1]
        path = (*path, name)
        spot = Spot(offset, self._offset(node))
        if is_list:
            self.spots.setdefault(path, spot)
            self._last_of[path] = self._last_of.get(path, -1) + 1
            path = (*path, self._last_of[path])
        self.spots[path] = spot  # also where a header further up has implied it
        for child in node.named_children:
            if child.type == "pair":
                self._pair(path, child)

    def _pair(self, table: Path, node: Node) -> None:
        """`key = value`, and all that the value contains."""
        parts = self._key_parts(node)
        path = table
        for offset, name in parts[:-1]:
            path = (*path, name)
            self.spots.setdefault(path, Spot(offset, offset))
        value = next(each for each in node.named_children if each.type not in _NO_VALUE)
        self._value((*path, parts[-1][1]), value, parts[-1][0])

    def _value(self, path: Path, node: Node, key: int | None = None) -> None:
        at = self._offset(node)
        self.spots.setdefault(path, Spot(at if key is None else key, at))
        inner = [each for each in node.named_children if each.type != "comment"]
        if node.type == "array":
            for index, each in enumerate(inner):
                self._value((*path, index), each)
        elif node.type == "inline_table":
            for each in inner:
                self._pair(path, each)

    def _key_parts(self, node: Node) -> list[tuple[int, str]]:
        """The parts of a dotted key with their offsets."""
        parts: list[tuple[int, str]] = []
        for each in node.named_children:
            if each.type == "dotted_key":
                parts += self._key_parts(each)
            elif each.type in _KEYS:
                parts.append((self._offset(each), _name(each)))
        return parts

    def _offset(self, node: Node) -> int:
        return len(self._bytes[: node.start_byte].decode())


def _name(key: Node) -> str:
    """A part of a key as the parser reads it."""
    written = (key.text or b"").decode()
    if key.type == "bare_key":
        return written
    return str(tomllib.loads(f"name = {written}")["name"])


@cache
def _parser() -> Parser:
    import tree_sitter_toml
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_toml.language()))
