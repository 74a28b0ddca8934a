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
from assay.files.places import Place
from assay.messages import tr

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
            rows = [*csv.reader(file, delimiter="\t", strict=True)] or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _invalid(path, 1, str(error)) from error
    if rows[0] != COLUMNS:
        names = ", ".join(COLUMNS)
        raise _invalid(path, 1, tr("the first line must name the columns {columns}", columns=names))
    for line, row in enumerate(rows, 1):
        if len(row) != len(COLUMNS):
            raise _invalid(path, line, tr("a fact has 4 cells, not {count}", count=len(row)))
    counts = Counter(row[2] for row in rows[1:] if row[0] in tests)
    return {name: counts[name] for name in sorted(counts, key=lambda name: (-counts[name], name))}


def _invalid(path: Path, line: int, message: str) -> InvalidFiles:
    hint = tr("Fix the file, or remove it: it is for readers, and changes no score.")
    name = shown_path(path)
    return invalid_files(name, [refusal(name, message, Place(line, 1))], hint=hint)
