"""The words that readers of benchmarks share.

In: nothing. Out: a file of a source, a place in it, an item, and all that is wrong with a
source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from assay.files.file_text import shown_path
from assay.types import FileFinding

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of a source. `name` is how it is cited: from the source's own folder on."""

    name: str
    path: Path

    @property
    def shown(self) -> str:
        """The file as messages name it."""
        return shown_path(self.path)


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
        """The letter of the right option."""
        return LETTERS[self.answer]


@dataclass(slots=True)
class Flaws:
    """All that is wrong with a source; with one of these nothing is made of it."""

    findings: list[FileFinding] = field(default_factory=list)

    def note(self, place: RowPlace, message: str) -> None:
        """Something about a row."""
        self.findings.append(
            FileFinding(file=place.shown, line=place.line, column=1, message=message)
        )

    def note_file(self, file: SourceFile, message: str) -> None:
        """Something about a file as a whole."""
        self.findings.append(FileFinding(file=file.shown, line=1, column=1, message=message))
