"""The rows of one file of a source, with their places; what cannot be read becomes a flaw."""

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
CELLS = 6  # of a CSV row
MOST_OF_AN_ERROR = 300  # characters


def read_rows(file: SourceFile, flaws: Flaws) -> Iterator[tuple[RowPlace, Row]]:
    """By the end of its name: CSV, JSON lines or Parquet."""
    read = {".csv": _csv_rows, ".jsonl": _json_rows, ".parquet": _parquet_rows}
    is_empty = True
    for row in read[file.path.suffix](file, flaws):
        is_empty = False
        yield row
    if is_empty and not any(finding.file == file.shown for finding in flaws.findings):
        flaws.note(file.start, no_rows())


def _csv_rows(file: SourceFile, flaws: Flaws) -> Iterator[tuple[RowPlace, Row]]:
    """Of a file without a header: question, four options, letter. A cell may have line breaks."""
    text = _text(file, flaws)
    # Lines as they end: the reader itself has to see the breaks inside a cell.
    reader = csv.reader(io.StringIO(text, newline=""))
    row, line = 0, 1
    try:
        for cells in reader:
            row += 1
            place = _place(file, row, line)
            line = reader.line_num + 1
            if len(cells) == CELLS:
                question, *options, letter = cells
                yield place, {"question": question, "choices": options, "answer": letter.strip()}
            elif cells:
                flaws.note(
                    place,
                    tr("row {row} has {count} cells, not 6: a question, four options, a letter",
                       row=row, count=len(cells)),
                )  # fmt: skip
    except csv.Error as error:
        problem = tr("row {row} is no CSV: {why}", row=row + 1, why=readable(error))
        flaws.note(_place(file, row + 1, line), problem)


def _json_rows(file: SourceFile, flaws: Flaws) -> Iterator[tuple[RowPlace, Row]]:
    # Not splitlines: it would also cut at U+2028 and its kin, which a JSON text may contain.
    for number, line in enumerate(_text(file, flaws).split("\n"), start=1):
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


def _parquet_rows(file: SourceFile, flaws: Flaws) -> Iterator[tuple[RowPlace, Row]]:
    try:
        pyarrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as missing:
        raise needs_extra(tr("Parquet files are read with pyarrow, which is not here")) from missing
    try:
        rows = parquet.read_table(io.BytesIO(_bytes(file, flaws))).to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        flaws.note(file.start, tr("this is no Parquet file: {why}", why=readable(error)))
        return
    yield from numbered(rows, file.name, file.shown)


def numbered(rows: Iterable[Row], name: str, shown: str) -> Iterator[tuple[RowPlace, Row]]:
    """Rows of a table that has no lines: the row's number is its line too."""
    for number, row in enumerate(rows, start=1):
        yield RowPlace(name=name, shown=shown, row=number, line=number), row


def no_rows() -> str:
    """A part of a benchmark that is there and empty is a broken copy, and no part left out."""
    return tr("there are no rows")


def needs_extra(message: str) -> UsageError:
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


def _text(file: SourceFile, flaws: Flaws) -> str:
    data = _bytes(file, flaws)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        flaws.note(_place(file, line, line), tr("the file is not UTF-8 from here on"))
        return ""


def _bytes(file: SourceFile, flaws: Flaws) -> bytes:
    try:
        return read_bytes(file.path, MAX_BYTES, kind=tr("a benchmark is read from files"))
    except Refused as refused:
        flaws.findings.append(refused.finding)
        return b""
