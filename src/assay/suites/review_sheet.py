"""The tests of a suite as a sheet that a speaker fills in, and what a filled-in sheet changes.

The sheet is a CSV file, and a page that saves the same CSV. A row is a test: what it asks and
accepts, then empty cells for a verdict, corrections, a remark, a name and a date. The version of a
row is a digest of its test, so that nobody's verdict reaches a test they have not seen.
"""

import csv
import hashlib
import io
import json
import os
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.files.file_text import refusal, shown_path
from assay.files.json_file import JsonFile, read_json, sound_id, with_values
from assay.files.notes import Notes, Place, invalid_files
from assay.files.notes import Path as ValuePath
from assay.files.wording import did_you_mean, shown
from assay.messages import tr
from assay.suites.load import catalogue, find, load_suite
from assay.suites.suite_file import language_code
from assay.suites.test_format.case import Shared, read_case
from assay.suites.test_format.fields import COMMON, check_validator, methods
from assay.suites.test_table import (
    ALTERNATIVES,
    ITEMS,
    SHEET_ERROR,
    Entry,
    cell_value,
    letter_of,
    read_rows,
)
from assay.text.safe_text import one_line, spreadsheet_cell
from assay.types import LETTERS, FileFinding, Suite
from assay.types.option_fields import several

PAGE = Path(__file__).resolve().parents[1] / "builtin" / "templates" / "review.html"
# What can be corrected, and the field of the test that it is: the first that the test has.
FIELDS = {
    "question": ("prompt",),
    "options": ("choices",),
    "answer": ("expected", "reference", "expected_any", "expected_commands"),
    "keywords": ("expected_keywords",),
    "forbidden": ("forbidden_keywords",),
    "rules": ("expected_format",),
}
# The first word of a head is read; the rest is for people.
HEADS = (
    "suite", "id", "version", "question", "options choix", "answer réponse", "keywords mots-clés",
    "forbidden interdits", "rules règles", "also aussi",
    "ok (yes/no, oui/non)", "new_question nouvelle question", "new_options nouveaux choix",
    "new_answer nouvelle réponse", "new_keywords nouveaux mots-clés",
    "new_forbidden nouveaux interdits", "new_rules nouvelles règles", "comment remarque",
    "reviewer relu par", "date",
)  # fmt: skip
# Shown in a column of their own, or said about the test: nothing of it costs points.
NOT_SCORED = ("id", "prompt", "messages", "reviewed", "description", "tags")
NEEDED = ("suite", "id", "version", "ok", "reviewer")
FILLED_IN = ("ok", *(f"new_{kind}" for kind in FIELDS), "comment")
YES = frozenset({"yes", "y", "oui", "o", "ok", "x", "1", "true", "vrai", "✓", "✔"})
NO = frozenset({"no", "n", "non", "0", "false", "faux", "✗"})
LONGEST_NAME = 80
MOST_GUESSES = 50  # at what an unknown id was meant to be: each takes 40 ms in 100,000 tests


@dataclass(slots=True)
class SheetResult:
    """`reviewed`: by test who and when. `corrected`: (test, field, before, after). `remarks`:
    (test, text) that people have to read. `texts`: the files as they would be.
    """

    reviewed: dict[str, str] = field(default_factory=dict)
    corrected: list[tuple[str, str, str, str]] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)
    refused: list[FileFinding] = field(default_factory=list)
    texts: dict[Path, str] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """All of it in words."""
        yield from map(str, self.refused)
        for test, name, before, after in self.corrected:
            gaps = {"test": test, "field": name, "before": before, "after": after}
            yield tr("{test}: {field} “{before}” becomes “{after}”", **gaps)
        for test, who in self.reviewed.items():
            yield tr("{test}: reviewed by {who}", test=test, who=who)
        for test, remark in self.remarks:
            yield tr("{test}: remark: {remark}", test=test, remark=remark)


def review_sheet(name: str, folder: str | Path) -> tuple[Path, Path]:
    """Write the tests of a suite as a sheet to review, a CSV file and a page, into a folder.

    Example: `assay.review_sheet("ewe", "sheets")`.
    """
    suite = load_suite(find(name))
    files = category_files(suite).values()
    rows = [[suite.name, *_shown_cells(entry)] for file in files for entry in _entries(file)]
    if not rows:
        raise UsageError(
            tr("all tests of {name} are folders with a checker, which no sheet shows", name=name),
            hint=tr("`assay suites {name}` shows them", name=name),
        )
    table = io.StringIO(newline="")
    csv.writer(table).writerows([HEADS, *([*map(spreadsheet_cell, row)] for row in rows)])
    # The page has the rows in a script, which no text of a test may end.
    data = json.dumps({"heads": HEADS, "rows": rows}, ensure_ascii=False).replace("<", "\\u003c")
    sheet, page = (Path(folder, f"{suite.name}-review.{kind}") for kind in ("csv", "html"))
    _write(sheet, "\ufeff" + table.getvalue())  # without the mark Excel guesses
    _write(page, PAGE.read_text("utf-8").replace("{{data}}", data))
    return sheet, page


def import_reviews(
    sheets: str | Path | Sequence[str | Path], *, suite: str | Path | None = None
) -> tuple[SheetResult, ...]:
    """What filled-in review sheets change, sheet by sheet. With `suite`, the folder of the tests,
    it is written there; without, the shipped suite that a sheet names is only compared with it.
    Example: `assay.import_reviews(["ewe-review.csv"], suite="my-tests")`.
    """
    results = []
    for path in map(Path, several(sheets)):
        rows = read_sheet(path)
        name = rows[0][1].get("suite", "")
        if suite is None and name not in catalogue():  # a name, never a path
            raise UsageError(
                tr("the sheet is of the suite {name!r}, which does not ship", name=name[:80]),
                hint=tr("name the folder of its tests with --suite"),
            )
        found = find(name if suite is None else os.path.join(".", suite))
        results.append(_SheetReader(path, load_suite(found)).read(rows))
        for file, text in results[-1].texts.items() if suite is not None else ():
            _write(file, text)
    return tuple(results)


def _write(file: Path, text: str) -> None:
    """Beside its place first: half a file is never there."""
    beside = file.with_name(f".{file.name}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, "utf-8", newline="")
        os.replace(beside, file)
    except OSError as error:
        raise UsageError(
            tr("{file} cannot be written: {why}", file=file, why=error.strerror or str(error)),
            hint=tr("name a folder that you may write into"),
        ) from error


def category_files(suite: Suite) -> dict[Path, JsonFile]:
    """Not the test folders: a checker decides there, which nobody corrects in a cell."""
    path = Path(suite.path)
    names = [
        suite.elsewhere.get(each.name, path / f"{each.name}.json") for each in suite.categories
    ]
    files = [path] if path.is_file() else [*map(Path, names)]
    return {file: read_json(file) for file in files if file.is_file()}


def _entries(file: JsonFile) -> list[Entry]:
    return file.value if isinstance(file.value, list) else []


def _shown_cells(entry: Entry) -> list[str]:
    turns = (f"{turn['role']}: {turn['content']}" for turn in entry.get("messages", ()))
    question = entry.get("prompt") or "\n".join(turns)
    fields = [_field(entry, kind) for kind in FIELDS if kind != "question"]
    cells = [_cell(entry[name]) if name else "" for name in fields]
    if cells[0] and cells[1] in LETTERS:  # a letter alone says nothing to a reader
        cells[1] += f" ({entry['choices'][LETTERS.index(cells[1])]})"
    return [entry["id"], version_of(entry), question, *cells, _also(entry, fields)]


def _also(entry: Entry, shown_already: list[str | None]) -> str:
    """Every other field by which the test is asked or scored, to be read, not corrected."""
    known = check_validator(methods()[entry["eval_method"]]).known
    names = [name for name in entry if name in known or name == "system"]
    others = [name for name in names if name not in (*shown_already, *NOT_SCORED)]
    return "; ".join(f"{name}: {_cell(entry[name])}" for name in others)


def _field(entry: Entry, kind: str) -> str | None:
    known = check_validator(methods()[entry["eval_method"]]).known
    return next((name for name in FIELDS[kind] if name in entry and name in known), None)


def _cell(value: Any) -> str:
    """As a table of tests has it: items between "|", alternatives between " / "."""
    if not isinstance(value, list):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f" {ITEMS} ".join(
        ALTERNATIVES.join(each) if isinstance(each, list) else str(each) for each in value
    )


def _fits_a_cell(entry: Entry, name: str | None) -> bool:
    """A list with a "|" in one of its texts, a pipe say, could not be told from a longer list."""
    value = entry.get(name or "")
    return isinstance(value, str | dict) or (
        isinstance(value, list) and ITEMS not in "".join(map(str, value))
    )


def version_of(entry: Entry) -> str:
    body = {name: value for name, value in entry.items() if name != "reviewed"}
    whole = json.dumps(body, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def read_sheet(path: Path) -> list[tuple[int, dict[str, str]]]:
    """The rows that somebody has filled in, by line; a name counts for the rows below it too."""
    (line, heads), *others = read_rows(path) or [(1, [""])]
    columns = [(head.split() or [""])[0].casefold() for head in heads]
    missing = [name for name in NEEDED if name not in columns]
    if missing:
        message = tr("this is no review sheet: the columns {names} are missing",
                     names=", ".join(missing))  # fmt: skip
        hint = tr("`assay suites NAME --review-sheet DIR` writes one; keep its first line")
        raise invalid_files(
            shown_path(path), [refusal(shown_path(path), message, Place(line, 1))], hint=hint
        )
    rows, name = [], ""
    for line, cells in others:
        row = dict(zip(columns, map(_plain, cells), strict=False))
        row["reviewer"] = name = row.get("reviewer") or name
        if any(row.get(column) for column in FILLED_IN):
            rows.append((line, row))
    if not rows:
        raise UsageError(
            tr("no row of {file} is filled in", file=shown_path(path)),
            hint=tr("write yes or no under ok, a correction, or a comment"),
        )
    return rows


def _plain(cell: str) -> str:
    text = unicodedata.normalize("NFC", cell.strip())
    return text[1:] if text[:1] == "'" and spreadsheet_cell(text[1:]) == text else text


class _SheetReader:
    """Reads filled-in rows against the tests of a suite; a row that cannot be taken is refused with
    its reason, and the others go on.
    """

    def __init__(self, path: Path, suite: Suite) -> None:
        self.result = SheetResult()
        self._name, self._suite = shown_path(path), suite
        self._files = category_files(suite)
        self._places = {
            str(entry["id"]): (file, row, entry)
            for file, opened in self._files.items()
            for row, entry in enumerate(_entries(opened))
        }
        self._changes: dict[Path, dict[ValuePath, object]] = {}
        self._lines: dict[str, int] = {}  # where each test is

    def read(self, rows: list[tuple[int, dict[str, str]]]) -> SheetResult:
        for line, row in rows:
            problem = self._problem(line, row) or self._take(row)
            if problem:
                found = refusal(self._name, problem, Place(line, 1))
                self.result.refused.append(replace(found, test_id=sound_id(row)))
        for file, values in self._changes.items():
            self.result.texts[file] = with_values(self._files[file].text, values)
        return self.result

    def _problem(self, line: int, row: dict[str, str]) -> str:
        """Why a row is not about a test of this suite as it is now; empty: it is."""
        name, verdict = row.get("id", ""), row.get("ok", "").casefold()
        if row.get("suite") != self._suite.name:
            gaps = {"suite": shown(row.get("suite", "")), "name": self._suite.name}
            return tr("this row is of the suite '{suite}', not of '{name}'", **gaps)
        if name not in self._places:
            problem = tr("there is no test '{name}'", name=shown(name))
            if len(self.result.refused) > MOST_GUESSES:
                return problem
            return did_you_mean(problem, name, tuple(self._places))
        first = self._lines.setdefault(name, line)
        if first != line:
            return tr("'{name}' is in the sheet twice, first on line {line}", name=name, line=first)
        if row.get("version") != version_of(self._places[name][2]):
            return tr("'{name}' has changed since this sheet was made; make a new sheet, and look "
                      "at it again", name=name)  # fmt: skip
        if error := next((cell for cell in row.values() if SHEET_ERROR.fullmatch(cell)), ""):
            return tr("a cell is an error of the spreadsheet, {cell}", cell=error)
        if verdict and verdict not in YES | NO:
            return tr("'{verdict}' under ok is neither yes nor no", verdict=shown(verdict))
        return ""

    def _take(self, row: dict[str, str]) -> str:
        """Take a row over, or say why not."""
        file, number, entry = self._places[row["id"]]
        corrections = {kind: cell for kind in FIELDS if (cell := row.get(f"new_{kind}", ""))}
        accepts = row.get("ok", "").casefold() in YES
        if (corrections or accepts) and not row["reviewer"]:
            return tr("the reviewer's name is missing, here and in the rows above")
        fields = {kind: _field(entry, kind) for kind in corrections}
        for kind in (kind for kind, name in fields.items() if not _fits_a_cell(entry, name)):
            return tr("'{id}' has no {kind} that a cell could correct; write it as a comment",
                      id=row["id"], kind=kind)  # fmt: skip
        check = check_validator(methods()[entry["eval_method"]])
        schemas = {**COMMON.schema()["properties"], **check.schema()["properties"]}
        values = {str(fields[kind]): cell_value(schemas[str(fields[kind])], cell)
                  for kind, cell in corrections.items()}  # fmt: skip
        options = values.get("choices") or entry.get("choices")
        if isinstance(answer := values.get("expected"), str) and isinstance(options, list):
            values["expected"] = letter_of(answer, options)
        reviewed = self._who(row, entry) if corrections or accepts else None
        remarks = {"reviewed": reviewed} if reviewed else {}
        if problem := self._faults(file, {**entry, **values, **remarks}):
            return problem
        for name, value in values.items():
            self.result.corrected.append((row["id"], name, _cell(entry[name]), _cell(value)))
        if comment := row.get("comment", ""):
            self.result.remarks.append((row["id"], one_line(comment, longest=1000)))
        elif not accepts and not corrections:
            self.result.remarks.append((row["id"], tr("said to be wrong, without a correction")))
        if reviewed:
            values["reviewed"] = reviewed
            self.result.reviewed[row["id"]] = reviewed
        changes = self._changes.setdefault(file, {}) if values else {}
        changes.update({(number, name): value for name, value in values.items()})
        return ""

    def _faults(self, file: Path, entry: Entry) -> str:
        """What would be wrong with the corrected test."""
        notes = Notes()
        shared = Shared(
            suite=self._suite.name,
            category=file.stem,
            language=language_code(self._suite.language),
            folder=file.parent,
            shown={},
        )
        read_case(entry, (), shared, notes)
        return "; ".join(note.message for note in notes.all)

    def _who(self, row: dict[str, str], entry: Entry) -> str:
        """Who and when, behind those who reviewed the test before."""
        when = row.get("date") or datetime.now(UTC).date().isoformat()
        said = ", ".join(one_line(text, longest=LONGEST_NAME) for text in (row["reviewer"], when))
        before = entry.get("reviewed")
        known = before.split("; ") if before else []
        return "; ".join(dict.fromkeys([*known, said]))
