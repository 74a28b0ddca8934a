"""One TOML file to its document, and the place of anything in it.

The standard library reads the document and gives no places: they are found by headers and keys, so
that a key written in a text or a comment may be taken for the real one.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from assay.files.file_text import Refused, decode, read_bytes, refusal, shown_path
from assay.files.notes import Notes, Path, Place, Spot, findings_of, place_of
from assay.files.wording import shown
from assay.messages import fill, message, tr
from assay.types import FileFinding

MAX_BYTES = 1_000_000  # a file of test results or weights is named by mistake

_PLACE = re.compile(r"(?P<reason>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|.*)\)")
_MISTAKES = {  # by the beginning of what Python's parser says
    "Cannot ": message("this appears twice, or as a value and as a table; keep one of them"),
    "Invalid statement": message("a [table] or a key with its value is expected here"),
    "Invalid value": message("a value is expected here; texts are in quotes"),
}
_HEADER = re.compile(r"^[ \t]*(?P<open>\[\[?) *(?P<name>[^\[\]\n]+)\]+[ \t]*(?:#.*)?\r?$", re.M)
_ITEM = re.compile(r"""#.*|\{[^}]*\}|"(?:[^"\\]|\\.)*"|'[^']*'|[\w.+-]+""")


@dataclass(frozen=True)
class TomlFile:
    shown: str
    text: str
    document: dict[str, Any]

    def findings(self, notes: Notes) -> tuple[FileFinding, ...]:
        placed = [
            (note, spot.key if note.about_key else spot.value)
            for note in notes.all
            for spot in [find_spot(self.text, note.path)]
        ]
        found = set(findings_of(self.shown, self.text, placed))
        return tuple(sorted(found, key=lambda f: (f.line, f.column, f.message)))


def read_toml(path: FilePath, *, kind: str) -> TomlFile:
    """Read a file, or raise Refused with the reason and the place; `kind` as in read_bytes."""
    name = shown_path(path)
    text = decode(name, read_bytes(path, MAX_BYTES, kind=kind))
    try:
        return TomlFile(name, text, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise Refused(_syntax_mistake(name, text, str(error))) from error
    except (RecursionError, ValueError) as error:  # Python reads no number of some thousand digits
        message = tr("it is nested too deeply, or a number is too long")
        raise Refused(refusal(name, message)) from error


def _syntax_mistake(name: str, text: str, complaint: str) -> FileFinding:
    found = _PLACE.fullmatch(complaint)
    place = place_of(text, len(text))
    if found and found["line"]:
        place = Place(int(found["line"]), int(found["column"]))
    reason = found["reason"] if found else complaint
    known = (fill(each, {}) for begin, each in _MISTAKES.items() if reason.startswith(begin))
    said = next(known, shown(reason[:1].lower() + reason[1:]))
    return refusal(name, tr("not valid TOML: {reason}", reason=said), place)


def find_spot(text: str, path: Path) -> Spot:
    """Where a path leads in a text that the parser reads, or the innermost table, key or list on
    the way that is there. A table's value is its header, its key the name in it.
    """
    tables = [*_tables(text)]
    ends = [*(header.start() for _, header in tables), len(text)]
    around = [n for n, (table, _) in enumerate(tables) if table == path[: len(table)]]
    below = [n for n, (table, _) in enumerate(tables) if path and table[: len(path)] == path]
    key, value, end, depth = 0, 0, ends[0], 0
    if around or below:
        number = max(around, key=lambda n: len(tables[n][0])) if around else below[0]
        table, header = tables[number]
        key, value, end = header.start("name"), header.start("open"), ends[number + 1]
        depth = len(table)
    for step in path[depth:]:
        if isinstance(step, int):
            items = [each for each in _ITEM.finditer(text, value + 1, end) if each[0][0] != "#"]
            key = value = items[step].start() if step < len(items) else value
            continue
        name = re.compile(rf"""(?<![\w-])["']?{re.escape(step)}["']?[ \t]*[=.][ \t]*""")
        found = name.search(text, value, end)
        if found is None:
            break
        key, value = found.span()
    return Spot(key, value)


def _tables(text: str) -> Iterator[tuple[Path, re.Match[str]]]:
    """The headers, each with its path: [[suite]] for the second time is ("suite", 1)."""
    last: dict[Path, int] = {}  # of every list made by [[headers]] its last index
    for header in _HEADER.finditer(text):
        path: Path = ()
        *above, name = (part.strip(" \t\"'") for part in header["name"].split("."))
        for part in above:
            path = (*path, part)
            path = (*path, last[path]) if path in last else path
        path = (*path, name)
        if header["open"] == "[[":
            last[path] = last.get(path, -1) + 1
            path = (*path, last[path])
        yield path, header
