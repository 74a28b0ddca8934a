"""How many facts of a suite come from each source: sources.tsv beside its tests.

A row a fact: test, fact, source, where in it. The file is for people and optional.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from assay.errors import InvalidFiles
from assay.files.file_text import refusal, shown_path
from assay.files.notes import invalid_files
from assay.messages import tr
from assay.types import FileFinding

SOURCES_FILE = "sources.tsv"
COLUMNS = ["test", "fact", "source", "where"]


def facts_by_source(suite: Path, tests: Collection[str]) -> Mapping[str, int]:
    """Facts of each source about some tests, most first; empty without a sources.tsv.

    Raises:
        InvalidFiles: the file is no such table.
    """
    path = suite / SOURCES_FILE
    if not path.is_file():
        return {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [*csv.reader(file, delimiter="\t", strict=True)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _invalid(path, [refusal(shown_path(path), str(error))]) from error
    if wrong := _wrong(path, rows):
        raise _invalid(path, wrong)
    counts = Counter(row[2] for row in rows[1:] if row[0] in tests)
    return {name: counts[name] for name in sorted(counts, key=lambda name: (-counts[name], name))}


def _wrong(path: Path, rows: list[list[str]]) -> list[FileFinding]:
    if not rows or rows[0] != COLUMNS:
        message = tr("the first line must name the columns {columns}", columns=", ".join(COLUMNS))
        return [refusal(shown_path(path), message)]
    return [
        FileFinding(
            file=shown_path(path),
            line=number,
            column=1,
            message=tr("a fact has {wanted} cells, not {count}", wanted=4, count=len(row)),
        )
        for number, row in enumerate(rows[1:], 2)
        if len(row) != len(COLUMNS)
    ]


def _invalid(path: Path, findings: list[FileFinding]) -> InvalidFiles:
    hint = tr("Fix the file, or remove it: it is for readers, and changes no score.")
    return invalid_files(shown_path(path), findings, hint=hint)
