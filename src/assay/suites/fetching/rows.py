"""The rows of one file of a source, with their places; an item; and what is wrong with a source.

Of the Hugging Face hub rows are read by the library `datasets` (the extra `fetch`). It sends
nothing but the requests for the files: no counts, no telemetry; and runs no code that comes with a
data set.
"""

import csv
import importlib
import io
import json
import logging
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.errors import InvalidFiles, UsageError
from assay.files.file_text import MAX_BYTES, Refused, decode, read_bytes, shown_path
from assay.files.notes import Notes
from assay.files.validation import Validator
from assay.files.wording import described
from assay.messages import tr
from assay.types import LETTERS, FileFinding
from assay.types.model_spec import without_secrets

Row = Mapping[str, Any]
CELLS = 6  # of a CSV row
MOST_OF_AN_ERROR = 300  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of a source. `name` is how it is cited: from the source's own folder on."""

    name: str
    path: Path

    @property
    def shown(self) -> str:
        return shown_path(self.path)

    def place(self, row: int = 1, line: int = 1) -> "RowPlace":
        """The first is that of what is wrong with the file as a whole."""
        return RowPlace(name=self.name, shown=self.shown, row=row, line=line)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPlace:
    """Where an item is: the row counts from 1, and a row of a CSV file may have many lines."""

    name: str
    shown: str
    row: int = 1
    line: int = 1

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
    return InvalidFiles(
        tr("there is a mistake in the source"),
        [finding],
        hint=tr("Nothing was written. Fix the file, or use another copy."),
    )


def read_rows(file: SourceFile) -> Iterator[tuple[RowPlace, Row]]:
    """By the end of its name: CSV, JSON lines or Parquet."""
    read = {".csv": _csv_rows, ".jsonl": _json_rows, ".parquet": _parquet_rows}
    is_empty = True
    for row in read[file.path.suffix](file):
        is_empty = False
        yield row
    if is_empty:
        raise broken_source(file.place(), tr("there are no rows"))


def _csv_rows(file: SourceFile) -> Iterator[tuple[RowPlace, Row]]:
    """Of a file without a header: question, four options, letter. A cell may have line breaks."""
    # Lines as they end: the reader itself has to see the breaks inside a cell.
    reader = csv.reader(io.StringIO(_text(file), newline=""))
    row, line = 0, 1
    try:
        for cells in reader:
            row += 1
            place = file.place(row, line)
            line = reader.line_num + 1
            if cells and len(cells) != CELLS:
                problem = tr(
                    "row {row} has {count} cells, not 6: a question, four options, a letter",
                    row=row,
                    count=len(cells),
                )
                raise broken_source(place, problem)
            if cells:
                question, *options, letter = cells
                yield place, {"question": question, "choices": options, "answer": letter.strip()}
    except csv.Error as error:
        problem = tr("row {row} is no CSV: {why}", row=row + 1, why=readable(error))
        raise broken_source(file.place(row + 1, line), problem) from error


def _json_rows(file: SourceFile) -> Iterator[tuple[RowPlace, Row]]:
    # Not splitlines: it would also cut at U+2028 and its kin, which a JSON text may contain.
    for number, line in enumerate(_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        place = file.place(number, number)
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            problem = tr("row {row} is no JSON: {why}", row=number, why=readable(error))
            raise broken_source(place, problem) from error
        if not isinstance(value, dict):
            got = described(value)
            problem = tr("row {row} must be an object, not {got}", row=number, got=got)
            raise broken_source(place, problem)
        yield place, value


def _parquet_rows(file: SourceFile) -> Iterator[tuple[RowPlace, Row]]:
    try:
        pyarrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as missing:
        raise needs_extra(tr("Parquet files are read with pyarrow, which is not here")) from missing
    try:
        rows = parquet.read_table(io.BytesIO(_bytes(file))).to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        problem = tr("this is no Parquet file: {why}", why=readable(error))
        raise broken_source(file.place(), problem) from error
    yield from numbered(rows, file.name, file.shown)


def numbered(rows: Iterable[Row], name: str, shown: str) -> Iterator[tuple[RowPlace, Row]]:
    """Rows of a table that has no lines: the row's number is its line too."""
    for number, row in enumerate(rows, start=1):
        yield RowPlace(name=name, shown=shown, row=number, line=number), row


def needs_extra(message: str) -> UsageError:
    return UsageError(message, hint=tr("install it with: pip install 'slm-assay[fetch]'"))


def readable(error: Exception) -> str:
    """What a library says, on one line and not endless."""
    said = " ".join(str(error).split())[:MOST_OF_AN_ERROR] or type(error).__name__
    return "".join(letter if letter.isprintable() else "?" for letter in said)


def check_row(row_type: Validator, place: RowPlace, row: Row) -> Any:
    """The row as an object of a type, or the first mistake in it; null is taken for left out."""
    notes = Notes()
    made = row_type.check({key: row[key] for key in row if row[key] is not None}, notes)
    if made is None:
        why = notes.all[0].message if notes.all else tr("a text contains half a character")
        raise broken_source(place, tr("row {row}: {why}", row=place.row, why=why))
    return made


def _text(file: SourceFile) -> str:
    try:
        return decode(file.shown, _bytes(file))
    except Refused as refused:
        line = refused.finding.line
        raise broken_source(file.place(line, line), refused.finding.message) from refused


def _bytes(file: SourceFile) -> bytes:
    try:
        return read_bytes(file.path, MAX_BYTES, kind=tr("a benchmark is read from files"))
    except Refused as refused:
        raise broken_source(file.place(), refused.finding.message) from refused


MMLU = "cais/mmlu"
HELLASWAG = "Rowan/hellaswag"
USUAL_HUB = "https://huggingface.co"
_QUIET = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_UPDATE_DOWNLOAD_COUNTS": "0",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
}


def hub_address() -> str:
    """Where the library will look, as it may be shown: without a name and password in it."""
    return without_secrets(os.environ.get("HF_ENDPOINT") or USUAL_HUB)


def rows_of(data_set: str, part: str | None, splits: Sequence[str]) -> dict[str, list[Row]]:
    """The rows of some splits; one that is not there is left out."""
    datasets = _library()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a library's inner life; errors are shown
            loaded = datasets.load_dataset(data_set, part, token=False)  # both are public
            return {split: list(loaded[split]) for split in splits if split in loaded}
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        raise UsageError(
            tr(
                "{what} cannot be loaded from {hub}: {why}",
                what=data_set if part is None else f"{data_set} ({part})",
                hub=hub_address(),
                why=without_secrets(readable(error)),
            ),
            hint=tr(
                "check the network, or get a copy in another way and name its folder with --from"
            ),
        ) from error


def _library() -> ModuleType:
    for variable, value in _QUIET.items():
        os.environ.setdefault(variable, value)
    try:
        datasets = importlib.import_module("datasets")
    except ImportError as missing:
        raise needs_extra(
            tr("the hub is read with the library datasets, which is not installed")
        ) from missing
    for name in ("datasets", "huggingface_hub"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return datasets
