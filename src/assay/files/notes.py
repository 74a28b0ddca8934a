"""What was found while looking at one file: paths first, places only at the end.

In: mistakes by path. Out: findings with line and column.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.files.json_file import JsonFile
from assay.files.places import Path, Place, places_of, survey
from assay.types import Finding, Severity


@dataclass(frozen=True, slots=True)
class Note:
    """One mistake or warning about what stands at `path`, or about the key it stands under."""

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
        self.all: list[Note] = []

    def error(self, path: Path, message: str, *, about_key: bool = False) -> None:
        """Something that has to be mended."""
        self.errors += 1
        self.all.append(Note(path, message, "error", self.test_id, about_key))

    def warning(self, path: Path, message: str, *, about_key: bool = False) -> None:
        """Something that is allowed but likely a slip; dropped where nobody asked for warnings."""
        if self.wants_warnings:
            self.all.append(Note(path, message, "warning", self.test_id, about_key))

    def findings(self, file: JsonFile) -> list[Finding]:
        """Every note and every flaw of the text with its place.

        Whatever was noted about a value that is no JSON (NaN) follows from that and is left out.
        """
        if not self.all and not file.flawed:
            return []
        seen = survey(file.text, {note.path for note in self.all})
        offsets = [
            seen.spots[note.path].key if note.about_key else seen.spots[note.path].value
            for note in self.all
        ]
        flawed = {flaw.offset for flaw in seen.flaws}
        at = places_of(file.text, [*offsets, *flawed])
        found = [
            _finding(file, at[offset], note.message, note.test_id, note.severity)
            for note, offset in zip(self.all, offsets, strict=True)
            if note.about_key or offset not in flawed
        ]
        found += [
            _finding(file, at[flaw.offset], flaw.message, file.test_id(flaw.path), "error")
            for flaw in seen.flaws
        ]
        return found


def places(file: JsonFile, paths: Iterable[Path]) -> dict[Path, Place]:
    """Where some values of a file stand."""
    spots = survey(file.text, set(paths)).spots
    at = places_of(file.text, (spot.value for spot in spots.values()))
    return {path: at[spot.value] for path, spot in spots.items()}


def _finding(
    file: JsonFile, place: Place, message: str, test_id: str | None, severity: Severity
) -> Finding:
    return Finding(
        file=file.shown,
        line=place.line,
        column=place.column,
        message=message,
        test_id=test_id,
        severity=severity,
    )
