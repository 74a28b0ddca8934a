"""What was found while looking at one file: paths first, lines and columns only at the end."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import InvalidFiles
from assay.files.places import Path, places_of
from assay.messages import tr, trn
from assay.types import FileFinding, Severity


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
    """Notes with their offsets in a text as findings."""
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
