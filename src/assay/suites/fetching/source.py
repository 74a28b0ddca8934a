"""A file of a source, a place in it, an item, and what is wrong with a source."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.errors import InvalidFiles
from assay.files.file_text import shown_path
from assay.messages import tr
from assay.types import LETTERS, FileFinding


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of a source. `name` is how it is cited: from the source's own folder on."""

    name: str
    path: Path

    @property
    def shown(self) -> str:
        return shown_path(self.path)

    @property
    def start(self) -> RowPlace:
        """The place of what is wrong with the file as a whole."""
        return RowPlace(name=self.name, shown=self.shown, row=1, line=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPlace:
    """Where an item is: the row counts from 1, and a row of a CSV file may have many lines."""

    name: str
    shown: str
    row: int
    line: int

    def __str__(self) -> str:
        return f"{self.name}, row {self.row}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkItem:
    """One question with its options, as they are to be shown. `answer` is the index of the right
    one; `subject` is MMLU's subject or HellaSwag's activity label.
    """

    place: RowPlace
    subject: str
    question: str
    options: tuple[str, ...]
    answer: int
    tags: tuple[str, ...] = ()

    @property
    def letter(self) -> str:
        return LETTERS[self.answer]


def broken_source(place: RowPlace, message: str) -> InvalidFiles:
    finding = FileFinding(file=place.shown, line=place.line, column=1, message=message)
    return invalid_source(finding)


def invalid_source(finding: FileFinding) -> InvalidFiles:
    return InvalidFiles(
        tr("there is a mistake in the source"),
        [finding],
        hint=tr("Nothing was written. Fix the file, or use another copy."),
    )
