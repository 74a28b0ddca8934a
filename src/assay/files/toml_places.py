"""Where things stand in a TOML text, which the standard library's parser does not tell.

In: a text that the parser has read (for any other the answer is of little use, but it comes). Out:
the offsets of every table, key and value, by path.

A path is made of keys and of places in lists, as in the parsed document: the `min` of the second
[[suite]] is ("suite", 1, "min").
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from assay.files.places import MAX_DEPTH, Path, Spot

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BLANK_OR_COMMA = re.compile(r"(?:[ \t\r\n,]+|#[^\n]*)*")
_KEY_PART = re.compile(
    r"""[ \t]*( "(?:\\.|[^"\\\n])*" | '[^'\n]*' | [^\s.="'\[\]{},#]+ )[ \t]*""", re.VERBOSE
)
# Three quotes end a long text, and up to two before them are its own.
_SCALAR = re.compile(
    r'''
      """ (?:\\.|[^\\])*? """ "{0,2}
    | \'\'\' .*? \'\'\' '{0,2}
    | " (?:\\.|[^"\\\n])* "
    | ' [^'\n]* '
    | [^,\]}#\n]+
    ''',
    re.VERBOSE | re.DOTALL,
)
_CLOSER = {"[": "]", "{": "}"}

_KeyPart = tuple[int, str]


@dataclass(slots=True)
class _Open:
    """A list or an inline table whose end is not reached yet."""

    path: Path
    closer: str
    items: int = 0


class TomlWalk:
    """Reads a whole text without recursion.

    `spots`: of every path the offset of its key (a list's item has none, and a table's is the name
    in its header) and of its value (a table's is its header). `last_key`: the offset of the last
    key or header. `too_deep`: the offset of the first list or inline table that is nested deeper
    than MAX_DEPTH. Beyond that depth paths end.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.spots: dict[Path, Spot] = {(): Spot(0, 0)}
        self.last_key = 0
        self.too_deep: int | None = None
        self._at = 0
        self._last_of: dict[Path, int] = {}  # of every list made by [[headers]] its last place
        self._read()

    def nearest(self, path: Path) -> Spot:
        """Where a path stands, or else the innermost thing around it that stands anywhere."""
        while path not in self.spots:
            path = path[:-1]
        return self.spots[path]

    def _read(self) -> None:
        table: Path = ()
        self._skip(_BLANK)
        while self._at < len(self.text):
            start = self._at
            if self._here() == "[":
                table = self._header()
            else:
                self._pair(table)
            if self._at == start:  # no TOML: go on behind it
                self._at += 1
            self._skip(_BLANK)

    def _here(self) -> str:
        return self.text[self._at : self._at + 1]

    def _skip(self, blank: re.Pattern[str]) -> None:
        found = blank.match(self.text, self._at)
        self._at = found.end() if found else self._at

    # -------------------------------------------------------------------------------- statements

    def _header(self) -> Path:
        """Note a [table] or the next of [[several]]; its path is that of what follows."""
        opening = self._at
        is_list = self.text.startswith("[[", opening)
        self._at += 2 if is_list else 1
        parts = self._key()
        while self._here() == "]":
            self._at += 1
        if not parts:
            return ()
        path: Path = ()
        for part in parts[:-1]:
            path = self._implied(path, part)
            if path in self._last_of:
                path = _grown(path, self._last_of[path])
        offset, name = parts[-1]
        self.last_key = offset
        path = _grown(path, name)
        spot = Spot(offset, opening)
        if is_list:
            self.spots.setdefault(path, spot)
            self._last_of[path] = self._last_of.get(path, -1) + 1
            path = _grown(path, self._last_of[path])
        self.spots[path] = spot  # also where a header further up has implied it
        return path

    def _pair(self, table: Path) -> None:
        parts = self._key()
        if not parts or self._here() != "=":
            return
        self.last_key = parts[0][0]
        self._at += 1
        self._value(*self._under(table, parts))

    def _key(self) -> list[_KeyPart]:
        """The parts of a dotted key with their offsets."""
        parts: list[_KeyPart] = []
        while found := _KEY_PART.match(self.text, self._at):
            parts.append((found.start(1), _name(found[1])))
            self._at = found.end()
            if self._here() != ".":
                break
            self._at += 1
        return parts

    def _under(self, table: Path, parts: list[_KeyPart]) -> tuple[Path, int]:
        """The path of a dotted key, and the offset of its last part."""
        for part in parts[:-1]:
            table = self._implied(table, part)
        offset, name = parts[-1]
        return _grown(table, name), offset

    def _implied(self, path: Path, part: _KeyPart) -> Path:
        """A table that has, so far, no header of its own."""
        offset, name = part
        path = _grown(path, name)
        self.spots.setdefault(path, Spot(offset, offset))
        return path

    # ------------------------------------------------------------------------------------ values

    def _value(self, path: Path, key: int | None) -> None:
        """Note a value and all that it holds, and go behind it."""
        opened: list[_Open] = []
        while True:
            self._skip(_BLANK)
            self.spots.setdefault(path, Spot(self._at if key is None else key, self._at))
            if self._here() in ("[", "{"):
                opened.append(_Open(path, _CLOSER[self._here()]))
                if len(opened) > MAX_DEPTH and self.too_deep is None:
                    self.too_deep = self._at
                self._at += 1
            else:
                found = _SCALAR.match(self.text, self._at)
                self._at = found.end() if found else self._at + 1
            member = self._next_member(opened)
            if member is None:
                return
            path, key = member

    def _next_member(self, opened: list[_Open]) -> tuple[Path, int | None] | None:
        """The path and the key's offset of what comes next, or None where everything is closed."""
        while opened:
            self._skip(_BLANK_OR_COMMA)
            holder = opened[-1]
            if self._here() == holder.closer:
                self._at += 1
                opened.pop()
            elif not self._here():
                return None
            elif holder.closer == "]":
                holder.items += 1
                return _grown(holder.path, holder.items - 1), None
            else:
                parts = self._key()
                if not parts or self._here() != "=":
                    return None
                self._at += 1
                return self._under(holder.path, parts)
        return None


def _grown(path: Path, part: str | int) -> Path:
    """A longer path. At MAX_DEPTH it grows no more: 10,000 brackets would make 50 million parts."""
    return path if len(path) >= MAX_DEPTH else (*path, part)


def _name(written: str) -> str:
    """A part of a key as the parser reads it."""
    if written[0] == "'":
        return written[1:-1]
    if written[0] != '"':
        return written
    try:
        name: str = tomllib.loads(f"name = {written}")["name"]
    except tomllib.TOMLDecodeError:
        return written
    return name
