"""A table of tests, as a spreadsheet saves it (CSV), to the entries of category files.

The first line names the columns. Each other line is a test, and every mistake is shown with its
line before anything is written. docs/how-to/make-a-benchmark.md lists what a cell may contain.
"""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.files.file_text import MAX_BYTES, Refused, decode, read_bytes, refusal, shown_path
from assay.files.json_file import ID_FORM
from assay.files.notes import Notes, Place, invalid_files
from assay.files.wording import did_you_mean, did_you_mean_path, shown
from assay.messages import tr, trn
from assay.suites.test_format.case import Shared, read_case
from assay.suites.test_format.fields import COMMON, all_fields, check_validator, methods
from assay.types import Case, FileFinding
from assay.types.tests import LETTERS

Entry = dict[str, Any]
Row = tuple[int, list[str]]  # the line it begins on, and its cells

CATEGORY, CHOICES = "category", "choices"
OTHER_NAMES = {
    "question": "prompt", "answer": "expected", "keywords": "expected_keywords",
    "method": "eval_method", "options": CHOICES,
    "réponse": "expected", "catégorie": CATEGORY, "méthode": "eval_method", "choix": CHOICES,
    "mots-clés": "expected_keywords", "mots clés": "expected_keywords",
    "mots cles": "expected_keywords", "mot-clé": "expected_keywords",
    "keyword": "expected_keywords",
    "key words": "expected_keywords", "correct": "expected", "correct answer": "expected",
    "right answer": "expected", "right": "expected", "solution": "expected",
    "bonne réponse": "expected", "réponse correcte": "expected", "reponse": "expected",
    "categorie": CATEGORY, "methode": "eval_method", "format": "expected_format",
    "forbidden": "forbidden_keywords", "mots interdits": "forbidden_keywords",
    "interdits": "forbidden_keywords",
}  # fmt: skip
SEPARATORS = ",;\t"
ITEMS, ALTERNATIVES = "|", " / "
# The method of a line that names none, by the first of these fields that it has.
USUAL_METHODS = {
    CHOICES: "multiple_choice", "expected_keywords": "keywords",
    "forbidden_keywords": "keywords", "expected": "exact_match", "expected_format": "format",
}  # fmt: skip
_BOOLEANS = {"true": True, "false": False, "vrai": True, "faux": False}
SHEET_ERROR = re.compile(r"#(REF!|NAME\?|VALUE!|N/A|DIV/0!|NUM!|NULL!|NOM\?|VALEUR!)")
_LETTERED = re.compile(r"([A-Za-z])(?:[.):]?\s*\(?(.+?)\)?)?")  # B, B (text), B. text
_SLASHED = re.compile(r"[^\W\d_]{3,}(?:/[^\W\d_]{3,})+")  # nguvu/imara, but not TCP/IP or km/h
_OPTION = re.compile(r"(?:option|choice|choix|réponse|reponse|answer|jibu)[ _-]?([a-z])")
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")


def read_table(
    path: Path, language: str | None = None, *, tell: Callable[[str], None] = lambda _: None
) -> dict[str, list[tuple[Entry, Case]]]:
    """By category its entries, each with the test that it makes. InvalidFiles: all mistakes.
    `tell` is given what was decided for the author.
    """
    name = shown_path(path)
    (line, heads), *others = read_rows(path) or [(1, [""])]
    columns, found = _columns(name, line, heads)
    if not found and not others:
        found = [refusal(name, tr("the table has no tests below its first line"))]
    reader = _TableReader(name, columns, re.sub(r"[^\w-]+", "_", path.stem), language)
    for row in () if found else others:
        reader.read(row)
    found += reader.findings
    if found:
        raise _invalid(name, found)
    if reader.composites:
        tell(trn("{count} test has keywords and a format, and is scored as composite: {ids}",
                 "{count} tests have keywords and a format, and are scored as composite: {ids}",
                 len(reader.composites), ids=", ".join(reader.composites)))  # fmt: skip
    return reader.categories


def read_rows(path: Path) -> list[Row]:
    """Every line of a CSV file that is not blank. InvalidFiles: it cannot be read."""
    name = shown_path(path)
    try:
        data = read_bytes(path, MAX_BYTES, kind=tr("name a CSV file"))
        return [*_rows(name, decode(name, data))]
    except Refused as refused:
        if path.exists():
            raise _invalid(name, [refused.finding]) from refused
        nearest = did_you_mean_path(refused.finding.message, path)
        missing = replace(refused.finding, message=nearest)
        hint = tr("Nothing was written. Check the path.")
        raise invalid_files(name, [missing], hint=hint) from refused


class _TableReader:
    def __init__(
        self, name: str, columns: Sequence[str], category: str, language: str | None
    ) -> None:
        self.findings: list[FileFinding] = []
        self.composites: list[str] = []  # tests of keywords and rules, which became composite
        self.categories: dict[str, list[tuple[Entry, Case]]] = {}
        self._name, self._columns, self._category = name, columns, category
        self._language = language
        self._ids: dict[str, int] = {}  # the line of each
        self._spelled: dict[str, str] = {}  # a category by its name without capitals
        self._schemas: dict[str, dict[str, Any]] = {}  # of the fields, by method

    def read(self, row: Row) -> None:
        line, cells = row
        if len(cells) > len(self._columns) and any(cells[len(self._columns) :]):
            self._refuse(line, tr("{count} cells, but the first line names {columns} columns",
                                  count=len(cells), columns=len(self._columns)))  # fmt: skip
            return
        written: dict[str, list[str]] = {}
        for column, cell in zip(self._columns, (cell.strip() for cell in cells), strict=False):
            if SHEET_ERROR.fullmatch(cell):
                self._refuse(line, tr("'{column}' is an error of the spreadsheet, {cell}",
                                      column=column, cell=cell))  # fmt: skip
            elif cell or column == CHOICES:
                written.setdefault(column, []).append(cell)
        if self._refuses_options(line, written):
            return
        category = " ".join(written.pop(CATEGORY, [self._category]))
        if self._refuses(line, category):
            return
        entry = self._entry(written, category)
        notes = Notes()
        shared = Shared(suite=self._name, category=category, language=self._language, shown={})
        case = read_case(entry, (), shared, notes)
        for note in notes.all:
            self._refuse(line, note.message)
        first = self._ids.setdefault(str(entry["id"]).casefold(), line)
        if first != line:
            message = tr("duplicate id '{id}', already used in line {line}",
                         id=shown(str(entry["id"])), line=first)  # fmt: skip
            self._refuse(line, message)
        elif case is not None:
            self.categories.setdefault(category, []).append((entry, case))

    def _refuses_options(self, line: int, written: dict[str, list[str]]) -> bool:
        """Options are counted: one that is left empty before another would move their letters."""
        options = written.pop(CHOICES, [])
        while options and not options[-1]:
            options.pop()
        if options:
            written[CHOICES] = options
        if all(options):
            return False
        self._refuse(line, tr("an option is empty, but one after it is not"))
        return True

    def _refuses(self, line: int, category: str) -> bool:
        """Whether it cannot be the name of a category file."""
        other = self._spelled.setdefault(category.casefold(), category)
        if ID_FORM.fullmatch(category) and category != "suite" and other == category:
            return False
        message = tr("'{category}' cannot name a category: use letters, digits, '_' and '-'",
                     category=shown(category))  # fmt: skip
        if other != category:
            message = tr("the categories '{one}' and '{two}' differ only in capitals",
                         one=shown(other), two=shown(category))  # fmt: skip
        self._refuse(line, message)
        return True

    def _entry(self, written: dict[str, list[str]], category: str) -> Entry:
        usual = (method for field, method in USUAL_METHODS.items() if field in written)
        method = " ".join(written.get("eval_method", ())) or next(usual, "exact_match")
        is_composite = method == "keywords" and "expected_format" in written
        if is_composite:
            method = "composite"  # `keywords` has no rules of form, which would not count
            written["eval_method"] = [method]
        number = len(self.categories.get(category, ())) + 1
        entry: Entry = {"id": f"{category}_{number:03}"}
        while "id" not in written and entry["id"].casefold() in self._ids:
            number += 1
            entry["id"] = f"{category}_{number:03}"
        if method not in self._schemas:
            own = check_validator(methods()[method]).schema() if method in methods() else {}
            self._schemas[method] = COMMON.schema()["properties"] | own.get("properties", {})
        schemas = self._schemas[method]
        for field, cells in ({"eval_method": [method]} | written).items():
            entry[field] = cells if len(cells) > 1 else cell_value(schemas.get(field, {}), cells[0])
        if is_composite:
            self.composites.append(str(entry["id"]))
        options = entry.get(CHOICES)
        if isinstance(options, list) and isinstance(entry.get("expected"), str):
            entry["expected"] = letter_of(entry["expected"], options)
        return entry

    def _refuse(self, line: int, message: str) -> None:
        self.findings.append(refusal(self._name, message, Place(line, 1)))


def cell_value(schema: Mapping[str, Any], cell: str) -> Any:
    """The cell as the field wants it; left as text where it does not fit, for the test's own check
    to say so.
    """
    types = [*_types(schema)]
    kinds = {each.get("type") for each in types}
    items = [each.get("items") or {} for each in types if each.get("type") == "array"]
    item_kinds = {inner.get("type") for each in items for inner in _types(each)}
    if "boolean" in kinds and cell.casefold() in _BOOLEANS:
        return _BOOLEANS[cell.casefold()]
    if items and "string" in item_kinds and (ITEMS in cell or "string" not in kinds):
        parts = [part.strip() for part in cell.split(ITEMS) if part.strip()]
        if "array" not in item_kinds:
            return parts
        return [_alternatives(part) for part in parts]
    if "string" in kinds:
        return cell
    try:
        return json.loads(cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell)
    except (ValueError, RecursionError):
        return cell


def _alternatives(part: str) -> str | list[str]:
    """Alternatives between " / ", or words of letters with a bare "/" between them."""
    if ALTERNATIVES in part:
        return part.split(ALTERNATIVES)
    return part.split("/") if _SLASHED.fullmatch(part) else part


def letter_of(answer: str, options: Sequence[Any]) -> str:
    """The letter of an option, said as itself, as "B (the option)", or by the option's text; else
    the answer as it is, for the test's own check to say what is wrong.
    """
    said = [_folded(str(each)) for each in options]
    lettered = _LETTERED.fullmatch(answer.strip())
    if lettered:
        letter, text = lettered[1].upper(), lettered[2] or ""
        place = LETTERS.find(letter)
        if place < len(said) and (not text or _folded(text) == said[place]):
            return letter
    if said.count(_folded(answer)) == 1:
        return LETTERS[said.index(_folded(answer))]
    return answer


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFC", " ".join(text.split())).casefold()
    return plain.strip(" .")


def _types(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    inside = schema.get("anyOf") or schema.get("oneOf")
    for each in inside or ():
        yield from _types(each)
    if not inside:
        yield {"type": "string", **schema} if "enum" in schema or "const" in schema else schema


def _columns(name: str, line: int, heads: Sequence[str]) -> tuple[list[str], list[FileFinding]]:
    known = (CATEGORY, *all_fields(), *OTHER_NAMES)
    columns, found, letters = [], [], iter(LETTERS)
    for head in (each.strip() for each in heads):
        said = " ".join(unicodedata.normalize("NFC", head).casefold().split())
        field = OTHER_NAMES.get(said, OTHER_NAMES.get(said.replace("_", " "), said))
        if option := _OPTION.fullmatch(said):
            head = option[1]  # "option a" is the column A
        if len(head) == 1 and head.upper() == next(letters, ""):  # the options
            field = CHOICES
        elif head and field not in known:
            problem = tr("unknown column '{column}'", column=shown(head))
            found.append(refusal(name, did_you_mean(problem, head, known), Place(line, 1)))
        elif head and field in columns:
            message = tr("two columns are '{column}'", column=field)
            found.append(refusal(name, message, Place(line, 1)))
        columns.append(field)
    if "prompt" not in columns and "messages" not in columns and not found:
        message = tr("no column is called 'prompt' (or 'question'); the first line names the "
                     "columns")  # fmt: skip
        found.append(refusal(name, message, Place(line, 1)))
    return columns, found


def _rows(name: str, text: str) -> Iterator[Row]:
    """Every line that is not blank."""
    by = max(SEPARATORS, key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=by, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            message = tr("the table cannot be read from here on: {why}", why=error)
            raise Refused(refusal(name, message, Place(line, 1))) from error
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield line, cells


def _invalid(name: str, findings: Sequence[FileFinding]) -> Exception:
    return invalid_files(name, findings, hint=tr("Nothing was written. Fix the table first."))
