"""One TOML file of a rubric to its document, and what is wrong with it as findings.

In: a path. Out: a RubricFile, on which mistakes are noted by key; all of them become Findings.
Nothing here hangs or raises on a file that is odd: pipes are not opened, and large files are not
read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz, process

from assay.messages import tr
from assay.types import Finding

MAX_BYTES = 1_000_000
_NEAR_ENOUGH = 70  # of 100, for "did you mean"
_SYNTAX_PLACE = re.compile(r"(?P<reason>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)")


@dataclass(slots=True)
class RubricFile:
    """A file that was read, and what is wrong with it. `raw` is empty where it cannot be read."""

    path: Path
    raw: bytes = b""
    text: str = ""
    document: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def wrong(self, message: str, *, key: str = "", table: str = "", number: int = 1) -> None:
        """Note a mistake.

        Args:
            message: what is wrong.
            key: the key it is wrong with.
            table: the [table] or [[table]] that holds the key; "" for the top of the file.
            number: which of several [[table]]s, from 1.
        """
        where = ".".join(part for part in (table, key) if part)
        self.findings.append(
            Finding(
                file=_shown(self.path),
                line=_line_of(self.text, table, number, key),
                column=1,
                message=f"{where}: {message}" if where else message,
            )
        )

    def unknown_keys(
        self, given: Mapping[str, Any], known: Iterable[str], *, table: str = "", number: int = 1
    ) -> None:
        """Note every key that means nothing, with the one that was likely meant."""
        names = list(known)
        for key in given:
            if key in names:
                continue
            meant = process.extractOne(key, names, scorer=fuzz.ratio, score_cutoff=_NEAR_ENOUGH)
            if meant:
                said = tr("unknown key; did you mean '{meant}'?", meant=meant[0])
            else:
                said = tr("unknown key; known are {names}", names=", ".join(names))
            self.wrong(said, key=key, table=table, number=number)


def read_rubric_file(path: Path) -> RubricFile:
    """Read a file; what cannot be read has an empty document and a finding."""
    file = RubricFile(path)
    try:
        if not path.is_file():
            file.wrong(tr("there is no such file"))
            return file
        with path.open("rb") as opened:
            file.raw = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a zero character in the path
        file.wrong(tr("cannot be read: {why}", why=getattr(error, "strerror", None) or error))
        return file
    if len(file.raw) > MAX_BYTES:
        file.wrong(tr("the file has more than {limit} kB", limit=MAX_BYTES // 1000))
        return file
    _parse(file)
    return file


def _parse(file: RubricFile) -> None:
    try:
        file.text = file.raw.decode("utf-8").replace("\r\n", "\n")
        file.document = tomllib.loads(file.text)
    except UnicodeDecodeError as error:
        file.wrong(tr("not UTF-8: byte {offset} is no text", offset=error.start))
    except tomllib.TOMLDecodeError as error:
        found = _SYNTAX_PLACE.fullmatch(str(error))
        reason = found["reason"] if found else str(error)
        line, column = (int(found["line"]), int(found["column"])) if found else (1, 1)
        message = tr("not valid TOML: {reason}", reason=reason[:200])
        file.findings.append(
            Finding(file=_shown(file.path), line=line, column=column, message=message)
        )
    except (ValueError, RecursionError):  # a number of thousands of digits; lists in lists in lists
        file.wrong(tr("not a rubric: nested too deep, or a number too long"))


def _line_of(text: str, table: str, number: int, key: str) -> int:
    """The line of a key, else of its table, else 1. Good enough to find it with the eye."""
    line = 1
    start = 0
    if table:
        opening = re.compile(rf"^[ \t]*\[{{1,2}}[ \t\"']*{re.escape(table)}[ \t\"']*\]", re.M)
        spots = [found.start() for found in opening.finditer(text)]
        if len(spots) < number:
            return line
        start = spots[number - 1]
        line = text.count("\n", 0, start) + 1
    if key:
        prefix = rf"(?:{re.escape(table)}\.)?" if table else ""
        written = rf"^[ \t\[\"']*{prefix}{re.escape(key)}\b"
        after = re.compile(written, re.M).search(text, start)
        if after:
            line = text.count("\n", 0, after.start()) + 1
    return line


def _shown(path: Path) -> str:
    text = str(path)
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
