"""What was found while looking at one file: paths first, lines and columns only at the end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assay.errors import InvalidFiles
from assay.messages import tr, trn
from assay.types import FileFinding, Severity

Path = tuple[str | int, ...]

MAX_DIGITS = 640  # the lowest limit that Python lets anyone set for reading a whole number


class Place(NamedTuple):
    line: int
    column: int


class Spot(NamedTuple):
    """Offsets of a value and of its key (the value's own where it has none)."""

    key: int
    value: int


@dataclass(frozen=True, slots=True)
class FileNote:
    """One mistake or warning about the value at `path`, or about its key."""

    path: Path
    message: str
    severity: Severity
    test_id: str | None
    about_key: bool


class Notes:
    """A file's mistakes and warnings. `test_id` is put on every note made while it is set."""

    def __init__(self, *, warnings: bool = False) -> None:
        self.wants_warnings = warnings
        self.errors = 0
        self.test_id: str | None = None
        self.all: list[FileNote] = []

    def error(self, path: Path, message: str, *, about_key: bool = False) -> None:
        self.errors += 1
        self.all.append(FileNote(path, message, "error", self.test_id, about_key))

    def warning(self, path: Path, message: str, *, about_key: bool = False) -> None:
        """Something that is allowed but likely a slip; dropped where warnings are off."""
        if self.wants_warnings:
            self.all.append(FileNote(path, message, "warning", self.test_id, about_key))


def findings_of(file: str, text: str, placed: Sequence[tuple[FileNote, int]]) -> list[FileFinding]:
    at = places_of(text, (offset for _, offset in placed))
    return [
        FileFinding(
            file=file,
            line=at[offset].line,
            column=at[offset].column,
            message=note.message,
            test_id=note.test_id,
            severity=note.severity,
        )
        for note, offset in placed
    ]


def invalid_files(where: str, findings: Sequence[FileFinding], *, hint: str = "") -> InvalidFiles:
    """The error that shows findings before anything was asked of a model."""
    mistakes = sum(finding.severity == "error" for finding in findings)
    return InvalidFiles(
        trn("{count} mistake in {where}", "{count} mistakes in {where}", mistakes, where=where),
        findings,
        hint=hint or tr("Nothing was asked of any model. Fix the files, then try again."),
    )


def place_of(text: str, offset: int) -> Place:
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
