"""The rows of one file of a source, whatever its form.

In: a SourceFile. Out: rows with their places; what cannot be read becomes a flaw.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assay.errors import UsageError
from assay.files.file_text import MAX_BYTES, Refused, read_bytes
from assay.files.wording import described
from assay.messages import tr
from assay.suites.fetching.source import Flaws, RowPlace, SourceFile

Row = Mapping[str, Any]
MOST_OF_AN_ERROR = 300  # characters


def csv_rows(file: SourceFile, flaws: Flaws) -> Iterator[tuple[RowPlace, list[str]]]:
    """The rows of a CSV file without a header; a cell may contain line breaks."""
    text = _text(file, flaws)
    if text is None:
        return
    # Lines as they end: the reader itself has to see the breaks inside a cell.
    reader = csv.reader(io.StringIO(text, newline=""))
    row, line, is_empty = 0, 1, True
    try:
        for cells in reader:
            row += 1
            if cells:
                is_empty = False
                yield _place(file, row, line), cells
            line = reader.line_num + 1
    except csv.Error as error:
        problem = tr("row {row} is no CSV: {why}", row=row + 1, why=readable(error))
        flaws.note(_place(file, row + 1, line), problem)
    else:
        if is_empty:
            flaws.note_file(file, no_rows())


def json_rows(file: SourceFile, flaws: Flaws) -> Iterator[tuple[RowPlace, Row]]:
    """The objects of a file with one on each line."""
    text = _text(file, flaws)
    if text is None:
        return
    if not text.strip():
        flaws.note_file(file, no_rows())
    # Not splitlines: it would also cut at U+2028 and its kin, which a JSON text may contain.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = _place(file, number, number)
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            flaws.note(place, tr("row {row} is no JSON: {why}", row=number, why=readable(error)))
            continue
        if isinstance(value, dict):
            yield place, value
        else:
            got = described(value)
            flaws.note(place, tr("row {row} must be an object, not {got}", row=number, got=got))


def parquet_rows(file: SourceFile, flaws: Flaws) -> Iterator[tuple[RowPlace, Row]]:
    """The rows of a Parquet file."""
    data = _bytes(file, flaws)
    if data is None:
        return
    try:
        pyarrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as missing:
        raise needs_extra(tr("Parquet files are read with pyarrow, which is not here")) from missing
    try:
        rows = parquet.read_table(io.BytesIO(data)).to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        flaws.note_file(file, tr("this is no Parquet file: {why}", why=readable(error)))
        return
    if not rows:
        flaws.note_file(file, no_rows())
    yield from numbered(rows, file.name, file.shown)


def numbered(rows: Iterable[Row], name: str, shown: str) -> Iterator[tuple[RowPlace, Row]]:
    """Rows of a table that has no lines: the row's number is its line too."""
    for number, row in enumerate(rows, start=1):
        yield RowPlace(name=name, shown=shown, row=number, line=number), row


def no_rows() -> str:
    """A part of a benchmark that is there and empty is a broken copy, and no part left out."""
    return tr("there are no rows")


def needs_extra(message: str) -> UsageError:
    """The error for a user without the extra `fetch`."""
    return UsageError(message, hint=tr("install it with: pip install 'slm-assay[fetch]'"))


def readable(error: Exception) -> str:
    """What a library says, on one line and not endless."""
    said = " ".join(str(error).split())[:MOST_OF_AN_ERROR] or type(error).__name__
    return "".join(letter if letter.isprintable() else "?" for letter in said)


def sound_text(value: object) -> str | None:
    """A text that says something and can be written as UTF-8; else None."""
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return None
    return value


def _place(file: SourceFile, row: int, line: int) -> RowPlace:
    return RowPlace(name=file.name, shown=file.shown, row=row, line=line)


def _text(file: SourceFile, flaws: Flaws) -> str | None:
    data = _bytes(file, flaws)
    if data is None:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        flaws.note(_place(file, line, line), tr("the file is not UTF-8 from here on"))
        return None


def _bytes(file: SourceFile, flaws: Flaws) -> bytes | None:
    try:
        return read_bytes(file.path, MAX_BYTES, kind=tr("a benchmark is read from files"))
    except Refused as refused:
        flaws.findings.append(refused.finding)
        return None
