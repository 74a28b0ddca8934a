"""One suite, file by file and folder by folder, to a Suite and the findings of all of them."""

import filecmp
import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from assay.errors import AssayError, InvalidFiles
from assay.files.file_text import MAX_BYTES, Refused, read_bytes, refusal, shown_path
from assay.files.json_file import JsonFile, read_json
from assay.files.notes import Notes
from assay.files.notes import Path as Place
from assay.files.wording import described
from assay.messages import tr
from assay.suites.suite_file import (
    SUITE_FILE,
    SuiteSettings,
    example_file,
    language_code,
    read_settings,
)
from assay.suites.test_folder import TEST_FILE, GetSandbox, category_of, is_test_folder, read_folder
from assay.suites.test_format.case import Shared, read_case
from assay.types import Case, Category, FileFinding, Suite
from assay.types.tests import NO_WORDS, SuiteWords

_Ids = dict[str, tuple[str, JsonFile, Place]]  # by the id without capitals: the id, and where it is
CheckRubric = Callable[[str, Path], object]


class SuiteReader:
    """Reads one suite, a folder or one category file; `findings` is whole once `suite` has
    returned. `warnings`: they are looked for too. `instead`: files elsewhere that take the place of
    those with the same name. `get_sandbox` opens what the make.py of a test folder that does not
    ship runs in; None: it is not run, and the prompt keeps the names of its files. `check_rubric`
    raises what is wrong with a rubric. `categories`: only these are read, so that a mistake in
    another stops nothing; all, if none are named.
    """

    def __init__(
        self,
        path: Path,
        *,
        warnings: bool = False,
        instead: Sequence[Path] = (),
        data_seed: int = 0,
        get_sandbox: GetSandbox | None = None,
        check_rubric: CheckRubric | None = None,
        categories: Collection[str] = (),
    ) -> None:
        self.findings: list[FileFinding] = []
        self._get_sandbox = get_sandbox
        self._check_rubric = check_rubric
        self._rubrics: dict[str, str] = {}  # name -> what is wrong with it
        self._categories = categories
        self._data_seed = data_seed
        self._shown: dict[str, str] = {}  # test id -> digest of the files that it shows
        self._warnings = warnings
        self._instead = {file.name: file for file in instead}
        stands_for_folder = path.name == SUITE_FILE and not os.path.isdir(path)
        self._path = path.parent if stands_for_folder else path
        self._is_folder = os.path.isdir(self._path)
        self._folder = self._path if self._is_folder else self._path.parent
        self._name = suite_name(self._path)
        self._opened: list[JsonFile] = []
        self.category_files: list[JsonFile] = []
        self._suite_file: JsonFile | None = None

    def suite(self) -> Suite | None:
        """The suite, or None where a file has a mistake."""
        files, folders = self._contents()
        names = {file.stem for file in files} | {name for _, _, name in folders}
        settings = self._settings(sorted(names))
        ids: _Ids = {}
        cases: dict[str, list[Case]] = {name: [] for name in sorted(names)}
        wanted = self._categories or names
        for file in (each for each in files if each.stem in wanted):
            cases[file.stem] += self._category(file, settings, ids)
        for folder, opened, name in (each for each in folders if each[2] in wanted):
            cases[name] += self._folder_test(folder, opened, self._shared(name, settings), ids)
        categories = [Category(name=name, cases=tuple(of)) for name, of in cases.items() if name]
        few_shot = self._few_shot(settings, categories)
        for opened in self._opened:
            self.findings += opened.findings(opened.notes)
        if any(finding.severity == "error" for finding in self.findings):
            return None
        return Suite(
            name=self._name,
            path=os.path.abspath(self._path),
            categories=tuple(categories),
            # Once a suite is loaded, its words are in its tests.
            **{key: value for key, value in asdict(settings).items() if key != "words"}
            | {"system": settings.system or None, "few_shot": few_shot},
            source=self._source(),
            elsewhere={
                file.stem: os.path.abspath(file)
                for file in files
                if self._instead.get(file.name) is file and not self._is_copy(file)
            },
        )

    def _is_copy(self, file: Path) -> bool:
        """Whether a file is byte for byte the one whose place it takes."""
        shipped = self._path / file.name
        return shipped.is_file() and filecmp.cmp(shipped, file, shallow=False)

    def _source(self) -> str:
        """Equal for equal files, wherever they lie."""
        files = sorted((Path(each.shown).name, each.digest) for each in self._opened)
        files += sorted(self._shown.items())
        return hashlib.sha256(repr(files).encode()).hexdigest()[:32]

    def _contents(self) -> tuple[list[Path], list[tuple[Path, JsonFile, str]]]:
        """The category files, and the test folders, each with its test.json and its category."""
        if not self._is_folder:
            return [self._path], []
        try:
            with os.scandir(self._path) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            reason = error.strerror or str(error)
            self._refuse(self._path, tr("the folder cannot be read: {reason}", reason=reason))
            return [], []
        names = [entry.name for entry in found if _is_category(entry)]
        named = _named_by_tests(self._path, names)
        names = [name for name in names if name not in named]
        shown = (entry for entry in found if not entry.name.startswith("."))
        folders = [Path(each.path) for each in shown if is_test_folder(each)]
        if not names and not folders:
            message = tr(
                "the folder contains no tests; each category is a .json file directly in it, or "
                "each test a folder with a test.json"
            )
            self._refuse(self._path, message)
        opened = [(folder, self._open(folder / TEST_FILE)) for folder in folders]
        return [self._instead.get(name, self._path / name) for name in names], [
            (folder, file, category_of(file.value) or "") for folder, file in opened if file
        ]

    def _open(self, path: Path) -> JsonFile | None:
        try:
            file = read_json(path)
        except Refused as refused:
            self.findings.append(refused.finding)
            return None
        file.notes = Notes(warnings=self._warnings)
        self._opened.append(file)
        return file

    def _refuse(self, path: Path, message: str) -> None:
        self.findings.append(refusal(shown_path(path), message))

    def _settings(self, categories: list[str]) -> SuiteSettings:
        path = self._folder / SUITE_FILE
        if not os.path.lexists(path):
            return SuiteSettings()
        self._suite_file = self._open(path)
        if self._suite_file is None:
            return SuiteSettings()
        only = None if self._is_folder else self._path.stem
        raw, notes = self._suite_file.value, self._suite_file.notes
        return read_settings(raw, categories, only=only, notes=notes)

    def _category(self, path: Path, settings: SuiteSettings, ids: _Ids) -> list[Case]:
        if path.suffix != ".json":
            self._refuse(path, tr("a category is a file whose name ends in .json"))
        elif not path.name.isprintable():
            self._refuse(path, tr("the file's name contains characters that cannot be shown"))
        elif (opened := self._open(path)) is not None:
            self.category_files.append(opened)
            shared = self._shared(path.stem, settings)
            return [case for _, case in self._cases(opened, shared, ids)]
        return []

    def _shared(self, category: str, settings: SuiteSettings) -> Shared:
        words = SuiteWords(**asdict(settings.words))
        return Shared(
            suite=self._name,
            category=category,
            system=settings.system,
            language=language_code(settings.language),
            scoring=settings.scoring,
            words=words if words != NO_WORDS else None,
            folder=self._folder,
            data_seed=self._data_seed,
            shown=self._shown,
        )

    def _cases(self, opened: JsonFile, shared: Shared, ids: _Ids) -> Iterator[tuple[int, Case]]:
        """The sound tests of a file by row; whatever is wrong with the others is noted."""
        rows, notes = opened.value, opened.notes
        if not isinstance(rows, list):
            got = described(rows)
            message = tr("a test file contains a list of tests in [ ], not {got}", got=got)
            if Path(opened.shown).name == TEST_FILE:
                message = tr("this is a test folder; name the suite's folder, which contains it")
            notes.error((), message)
            return
        if not rows:
            notes.error((), tr("the list is empty; a test file needs at least one test"))
        for row, raw in enumerate(rows):
            path = (row,)
            case = read_case(raw, path, shared, notes)
            self._note_id(opened, path, ids)
            if case is not None:
                if case.check.judged:
                    self._note_rubric(case, path, notes)
                yield row, case
        notes.test_id = None
        if not opened.flawed:  # flaws still have to find the ids of their tests
            opened.value = None

    def _folder_test(
        self, folder: Path, opened: JsonFile, shared: Shared, ids: _Ids
    ) -> Iterator[Case]:
        notes = opened.notes
        case = read_folder(folder, opened.value, shared, notes, self._get_sandbox, self.findings)
        self._note_id(opened, (), ids)
        if case is not None:
            self._note_rubric(case, (), notes)
            yield case
        notes.test_id = None

    def _note_id(self, opened: JsonFile, path: Place, ids: _Ids) -> None:
        name = opened.notes.test_id
        if name is None:
            return
        other, first, place = ids.setdefault(name.casefold(), (name, opened, path))
        if other != name:
            message = tr(
                "this id differs from '{other}' only in capitals, and file names may not",
                other=other,
            )
            opened.notes.warning((*path, "id"), message)
        elif first is not opened or place != path:
            message = tr("duplicate id, already used in {file}", file=first.shown)
            opened.notes.error((*path, "id"), message)

    def _note_rubric(self, case: Case, path: Place, notes: Notes) -> None:
        """A rubric is a folder: its own mistakes are shown once, with their places."""
        judged = case.check.judged
        if judged is None or self._check_rubric is None:
            return
        if judged.rubric not in self._rubrics:
            self._rubrics[judged.rubric] = ""
            try:
                self._check_rubric(judged.rubric, self._folder)
            except InvalidFiles as error:
                self.findings += error.findings
            except AssayError as error:
                self._rubrics[judged.rubric] = f"{error.message}. {error.hint}"
        if self._rubrics[judged.rubric]:
            notes.error((*path, "rubric"), self._rubrics[judged.rubric])

    def _few_shot(
        self, settings: SuiteSettings, categories: list[Category]
    ) -> Mapping[str, tuple[Case, ...]]:
        read: dict[str, tuple[Case, ...] | None] = {}
        made: dict[str, tuple[Case, ...]] = {}
        for category in categories:
            written = settings.few_shot.get(category.name)
            if written is None or self._suite_file is None:
                continue
            if written not in read:
                read[written] = self._examples(written, category, settings, self._suite_file.notes)
            examples = read[written]
            if examples is not None and len(examples) < settings.shots:
                message = tr(
                    "'shots' is {shots}, but '{file}' has only {count} examples",
                    shots=settings.shots,
                    file=written,
                    count=len(examples),
                )
                self._suite_file.notes.error(("shots",), message)
            of = (replace(case, category=category.name) for case in examples or ())
            made[category.name] = tuple(of)
        return made

    def _examples(
        self, written: str, category: Category, settings: SuiteSettings, notes: Notes
    ) -> tuple[Case, ...] | None:
        """The examples of a file, or None where it has a mistake; `notes`: of suite.json."""
        path = example_file(self._folder, written)
        if isinstance(path, str):
            notes.error(("few_shot", category.name), path)
            return None
        opened = self._open(path)
        if opened is None:
            return None
        cases = list(self._cases(opened, self._shared(category.name, settings), {}))
        asked = {case.messages: case.id for case in category.cases} if self._warnings else {}
        for row, case in cases:
            opened.notes.test_id = case.id
            if case.check.gold() is None:
                message = tr(
                    "an example shows its right answer, and this '{method}' test has none",
                    method=case.method,
                )
                opened.notes.error((row, "eval_method"), message)
            if case.messages in asked:
                message = tr(
                    "this example is also the test '{test}', whose answer it gives away",
                    test=asked[case.messages],
                )
                opened.notes.warning((row,), message)
        opened.notes.test_id = None
        return None if opened.notes.errors else tuple(case for _, case in cases)


def _named_by_tests(folder: Path, names: Sequence[str]) -> set[str]:
    """Files beside the tests that a test of another file names as its schema or shows."""
    found: set[str] = set()
    for name in names if len(names) > 1 else ():
        try:
            text = read_bytes(folder / name, MAX_BYTES, kind="")
            if b'"json_schema"' not in text and b'"fixtures"' not in text:
                continue  # nearly all: nothing is parsed twice
            tests = json.loads(text)
        except (Refused, ValueError, RecursionError):
            continue  # its own mistake is shown with its place
        for test in tests if isinstance(tests, list) else ():
            rules = test.get("expected_format") if isinstance(test, dict) else None
            schema = rules.get("json_schema") if isinstance(rules, dict) else None
            shown = test.get("fixtures") if isinstance(test, dict) else None
            written = [schema, *(shown if isinstance(shown, list) else ())]
            found |= {os.path.normpath(each) for each in written if isinstance(each, str)} - {name}
    return found


def suite_name(path: Path) -> str:
    whole = Path(os.path.abspath(path))
    return (whole.name if os.path.isdir(whole) else whole.stem) or "suite"


def _is_category(entry: os.DirEntry[str]) -> bool:
    if not entry.name.endswith(".json") or entry.name.startswith("."):
        return False
    # A link to nothing or to itself, a pipe or a device is a mistake to show, a folder is none.
    return entry.name != SUITE_FILE and not os.path.isdir(entry.path)
