"""One file on disk to a TOML document, whatever the file is.

In: a path. Out: its text and document, or the one Finding that says why it cannot be read; and
notes about the document as findings with their places.

As with JSON, nothing here can hang or raise: pipes and devices are not opened, and large files are
refused before they are read.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any

from assay.files.json_file import Refused, decoded, refusal, shown_path, why_unreadable
from assay.files.notes import Notes
from assay.files.places import MAX_DEPTH, MAX_DIGITS, Path, Place, place_of, places_of
from assay.files.toml_places import TomlWalk
from assay.files.wording import shown
from assay.messages import tr
from assay.types import Finding

MAX_BYTES = 100_000  # a gate has one; a file of test results or weights is named by mistake
MAX_LINE = (
    10_000  # the parser takes half a second for a key of 5,000 parts, and a minute for 50,000
)

_PLACE = re.compile(r"(?P<reason>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|.*)\)")
_LONG_LINE = re.compile(rf"^.{{{MAX_LINE + 1},}}", re.MULTILINE)
_LONG_NUMBER = re.compile(rf"[0-9][0-9_]{{{MAX_DIGITS},}}")
_LONGEST_REASON = 120


@dataclass(frozen=True)
class TomlFile:
    """A file that holds TOML."""

    shown: str
    text: str
    document: dict[str, Any]

    @cached_property
    def _walk(self) -> TomlWalk:
        return TomlWalk(self.text)

    def place(self, path: Path) -> Place:
        """Where a value stands, or the table it would stand in."""
        return place_of(self.text, self._walk.nearest(path).value)

    def findings(self, notes: Notes) -> tuple[Finding, ...]:
        """Every note with its place, from top to bottom."""
        if not notes.all:
            return ()
        spots = [self._walk.nearest(note.path) for note in notes.all]
        offsets = [
            spot.key if note.about_key else spot.value
            for spot, note in zip(spots, notes.all, strict=True)
        ]
        at = places_of(self.text, offsets)
        found = {
            Finding(
                file=self.shown,
                line=at[offset].line,
                column=at[offset].column,
                message=note.message,
                severity=note.severity,
            )
            for offset, note in zip(offsets, notes.all, strict=True)
        }
        return tuple(sorted(found, key=lambda f: (f.line, f.column, f.message)))


def read_toml(path: FilePath) -> TomlFile:
    """Read a file, or raise Refused with the reason and the place."""
    name = shown_path(path)
    text = decoded(name, _bytes_of(name, path))
    if long := _LONG_LINE.search(text):
        message = tr("a line of {length} characters is too long; at most {limit} are read",
                     length=len(long.group()), limit=MAX_LINE)  # fmt: skip
        raise Refused(refusal(name, message, place_of(text, long.start())))
    try:
        return TomlFile(name, text, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise Refused(_syntax_mistake(name, text, str(error))) from error
    except RecursionError as error:
        message = tr("nested more than {limit} levels deep", limit=MAX_DEPTH)
        offset = TomlWalk(text).too_deep or 0
        raise Refused(refusal(name, message, place_of(text, offset))) from error
    except ValueError as error:  # Python reads no number of more than some thousand digits
        long = _LONG_NUMBER.search(text)
        digits = len(long.group().replace("_", "")) if long else MAX_DIGITS
        message = tr("a number of {digits} digits is too long", digits=digits)
        raise Refused(
            refusal(name, message, place_of(text, long.start() if long else 0))
        ) from error


def _bytes_of(name: str, path: FilePath) -> bytes:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Refused(refusal(name, tr("this is not a file; a gate is a TOML file")))
        with open(path, "rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise Refused(refusal(name, why_unreadable(path, error))) from error
    except ValueError as error:  # a zero character in the path
        raise Refused(refusal(name, tr("there is no such file"))) from error
    if len(data) > MAX_BYTES:
        message = tr("the file has more than {limit} kB; is it a gate?", limit=MAX_BYTES // 1000)
        raise Refused(refusal(name, message))
    return data


def _syntax_mistake(name: str, text: str, complaint: str) -> Finding:
    """The parser's complaint, where it makes one; of a thing that stands twice, where that is."""
    found = _PLACE.fullmatch(complaint)
    reason = found["reason"] if found else complaint
    if found and found["line"]:
        place = Place(int(found["line"]), int(found["column"]))
        at_end = False
    else:
        place = place_of(text, len(text))
        at_end = True
    if reason == "Cannot overwrite a value" or reason.startswith("Cannot declare "):
        place = place_of(text, TomlWalk(_before(text, place)).last_key)
        said = tr("this stands twice, or as a value and as a table; keep one of them")
    elif reason == "Invalid statement":
        said = tr("a [table] or a key with its value is expected here")
    elif reason == "Invalid value" and at_end:
        said = tr("the file ends where {wanted} is expected", wanted=tr("a value"))
    elif reason == "Invalid value":
        said = tr("a value is expected here; texts stand in quotes")
    else:
        said = reason[:1].lower() + reason[1:]
        if not said.isprintable() or len(said) > _LONGEST_REASON:
            said = shown(said)
    return refusal(name, tr("not valid TOML: {reason}", reason=said), place)


def _before(text: str, place: Place) -> str:
    """A text up to a place. The parser counts a line's end as one character, and so do we."""
    lines = text.split("\n")
    return "\n".join([*lines[: place.line - 1], lines[place.line - 1][: place.column - 1]])
