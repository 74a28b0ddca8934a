"""One file on disk to a JSON value, whatever the file is.

In: a path. Out: its text and value, or the one Finding that says why it cannot be read.

Nothing here can hang, run out of memory or raise: pipes and devices are not opened, large files
are refused before they are read, and the encoding is checked before the JSON.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from assay.files.places import (
    MAX_DEPTH,
    JsonSyntaxError,
    Path,
    Place,
    QuickDecoder,
    Walk,
    place_of,
)
from assay.messages import tr
from assay.types import Finding

MAX_BYTES = 200_000_000
TOP = Place(1, 1)
ID_FORM = re.compile(r"[\w-]+")
MAX_ID_CHARACTERS = 120

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
# Longest first: the mark of UTF-32 LE begins with that of UTF-16 LE.
_OTHER_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


@dataclass(slots=True)
class JsonFile:
    """A file that holds JSON.

    `flawed`: the slow twin has more to say about it. `torn`: where a text holds half a character
    (a lone surrogate), which no model can be sent, and whether it is the key that does.
    """

    shown: str
    text: str
    value: object
    flawed: bool
    torn: list[tuple[Path, bool]] = field(default_factory=list)
    digest: str = ""  # of its bytes

    def test_id(self, path: Path) -> str | None:
        """The id of the test that a path leads into, where it has a sound one."""
        if isinstance(self.value, list) and path and isinstance(path[0], int):
            return sound_id(self.value[path[0]])
        return None


class Refused(Exception):
    """The file cannot be read as JSON; carries the finding."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def sound_id(test: object) -> str | None:
    """A test's id, if it can stand in a line of findings."""
    name = test.get("id") if isinstance(test, dict) else None
    if isinstance(name, str) and len(name) <= MAX_ID_CHARACTERS and ID_FORM.fullmatch(name):
        return name
    return None


def read_json(path: FilePath) -> JsonFile:
    """Read a file, or raise Refused with the reason and the place."""
    name = shown_path(path)
    data = _bytes_of(name, path)
    text = decoded(name, data)
    if not text.strip(" \t\r\n"):
        raise Refused(refusal(name, tr("the file is empty")))
    quick = QuickDecoder()
    try:
        value = quick.decode(text)
        flawed = quick.alarms > 0
    except (json.JSONDecodeError, RecursionError):
        value, flawed = _read_slowly(name, text), True
    torn = list(_torn_texts(value)) if _SURROGATE_ESCAPE.search(text) else []
    return JsonFile(name, text, value, flawed, torn, hashlib.sha256(data).hexdigest())


def shown_path(path: FilePath) -> str:
    """A path as findings show it: on one line, whatever its name holds."""
    text = str(path)
    if text.isprintable():
        return text
    return text.encode("unicode_escape").decode("ascii")


def refusal(name: str, message: str, place: Place = TOP) -> Finding:
    """A finding about a file as a whole."""
    return Finding(file=name, line=place.line, column=place.column, message=message)


def _bytes_of(name: str, path: FilePath) -> bytes:
    try:
        about = os.stat(path)
        if not stat.S_ISREG(about.st_mode):
            raise Refused(refusal(name, tr("this is not a file; a category is a JSON file")))
        if about.st_size > MAX_BYTES:
            raise Refused(refusal(name, _too_large(about.st_size)))
        with open(path, "rb") as opened:
            # Some files (in /proc, or being written) hold more than they say.
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise Refused(refusal(name, why_unreadable(path, error))) from error
    if len(data) > MAX_BYTES:
        raise Refused(refusal(name, _too_large(len(data))))
    return data


def _too_large(size: int) -> str:
    return tr(
        "the file has {size} MB, and at most {limit} MB are read; split it into several categories",
        size=-(-size // 1_000_000),
        limit=MAX_BYTES // 1_000_000,
    )


def why_unreadable(path: FilePath, error: OSError) -> str:
    """What to tell of a file that cannot be opened or read."""
    if isinstance(error, FileNotFoundError):
        if os.path.islink(path):
            return tr("this link leads to nothing; mend or remove it")
        return tr("there is no such file")
    if isinstance(error, PermissionError):
        return tr("the file may not be read; give yourself the right to read it")
    return tr("the file cannot be read: {reason}", reason=error.strerror or str(error))


def decoded(name: str, data: bytes) -> str:
    """The text of a file, or Refused with the byte that is not UTF-8."""
    if data.startswith(codecs.BOM_UTF8):
        raise Refused(
            refusal(
                name,
                tr(
                    "the file starts with a byte order mark (BOM); "
                    "save it as 'UTF-8', not as 'UTF-8 with BOM'"
                ),
            )
        )
    for mark, encoding in _OTHER_ENCODINGS:
        if data.startswith(mark):
            raise Refused(refusal(name, _wrong_encoding(encoding)))
    if data[:2].count(0) == 1:  # UTF-16 without a mark: every other byte of "[ {" is zero
        raise Refused(refusal(name, _wrong_encoding("UTF-16")))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line_start = data.rfind(b"\n", 0, error.start) + 1
        column = len(data[line_start : error.start].decode("utf-8")) + 1
        place = Place(data.count(b"\n", 0, error.start) + 1, column)
        message = tr(
            "byte {byte} at offset {offset} is not UTF-8; save the file as UTF-8",
            byte=f"0x{data[error.start]:02X}",
            offset=error.start,
        )
        raise Refused(refusal(name, message, place)) from error


def _wrong_encoding(encoding: str) -> str:
    return tr("the file is {encoding}, not UTF-8; save it as UTF-8", encoding=encoding)


def _read_slowly(name: str, text: str) -> object:
    try:
        return Walk(text, max_depth=MAX_DEPTH).document()
    except JsonSyntaxError as error:
        place = place_of(text, error.offset)
        message = tr("not valid JSON: {reason}", reason=error.message)
        raise Refused(refusal(name, message, place)) from error


def _torn_texts(value: object) -> Iterator[tuple[Path, bool]]:
    """Paths of texts with half a surrogate pair, and whether it is the key that has it."""
    left: list[tuple[Path, object]] = [((), value)]
    while left:
        path, here = left.pop()
        if isinstance(here, str) and _is_torn(here):
            yield path, False
        elif isinstance(here, list):
            left.extend(((*path, index), item) for index, item in enumerate(here))
        elif isinstance(here, dict):
            for key, item in here.items():
                if _is_torn(key):
                    yield (*path, key), True
                left.append(((*path, key), item))


def _is_torn(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)
