"""A test folder: test.json, its prompt, and the checker that comes with it, to one Case.

The code of a folder that does not ship is parsed here, never run: its make.py runs in the sandbox.
"""

import ast
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NotRequired

from typing_extensions import TypedDict

from assay.checking.code import takes
from assay.errors import SandboxUnavailable
from assay.files.fields import Doc, Texts, form
from assay.files.file_text import TOP, Refused, decode, read_bytes, refusal, shown_path
from assay.files.json_file import sound_id
from assay.files.notes import Notes, Place
from assay.files.validation import Validator
from assay.files.wording import described, shown
from assay.messages import tr
from assay.suites.test_format.case import Shared, read_beside, read_case, with_files
from assay.types import Case, FileFinding, JudgeFields
from assay.types.tests import SHIPPED_SUITES

if TYPE_CHECKING:  # most suites have no test folder, and need neither
    from assay.checkers import Made
    from assay.sandbox import Sandbox

TEST_FILE = "test.json"
PROMPT_FILE = "prompt.md"
MAKE_FILE = "make.py"
CHECK_FILE = "check.py"
REFERENCE_FILE = "reference.md"
WRONG_FOLDER = "wrong"
MAX_BYTES = 1_000_000  # of one file

_FUNCTIONS = {MAKE_FILE: ("make", ("seed",)), CHECK_FILE: ("check", ("answer", "truth", "files"))}
_HOLE = re.compile(r"\{\{([\w./-]+\.\w+)\}\}")

GetSandbox = Callable[[], "Sandbox"]


# Never "..", which would be another folder.
NAME_FORM = form(r"[\w-][\w.-]{0,99}", lambda: tr("a name of letters, digits, '_' and '-'"))


class FolderFields(TypedDict):
    """What test.json has beside the fields of an entry."""

    category: Annotated[
        str,
        NAME_FORM,
        Doc("The category that the test belongs to."),
    ]
    runs_code: NotRequired[
        Annotated[bool, Doc("Whether the checker runs code that a model wrote.")]
    ]
    packages: NotRequired[
        Annotated[
            Texts,
            Doc("Packages that an answer may import beside the standard library. Default: none."),
        ]
    ]


FOLDER = Validator(FolderFields, ignores_others=True)


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """An answer that must fail the named checks."""

    file: Path
    fails: tuple[str, ...]
    answer: str


def is_test_folder(folder: str | os.PathLike[str]) -> bool:
    return os.path.lexists(os.path.join(folder, TEST_FILE))


def category_of(raw: object) -> str | None:
    """The category that a sound test.json names."""
    fields = FOLDER.check(raw, Notes()) if isinstance(raw, dict) else None
    return None if fields is None else fields["category"]


def read_folder(
    folder: Path,
    raw: object,
    shared: Shared,
    notes: Notes,
    get_sandbox: GetSandbox | None,
    findings: list[FileFinding],
) -> Case | None:
    """Check one test folder in full; build the test if it is sound. `raw`: the content of its
    test.json; `notes` takes what is wrong with that, `findings` what is wrong with other files;
    `get_sandbox`: as `load_all` has it.
    """
    if not isinstance(raw, dict):
        got = described(raw)
        notes.error((), tr("test.json contains one test in braces, not {got}", got=got))
        return None
    notes.test_id = sound_id(raw)
    own = FOLDER.check(raw, notes)
    entry = {name: raw[name] for name in raw if name not in FolderFields.__annotations__}
    reader = _FolderFiles(folder, notes, findings)
    reader.add_prompt(entry)
    here = replace(shared, folder=folder, also=tuple(FolderFields.__annotations__))
    case = read_case(entry, (), here, notes)
    errors = len(findings)
    reader.check_files()
    if case is None or own is None or len(findings) > errors:
        return None
    if case.check.judged is None:
        notes.error(
            ("eval_method",),
            tr('a test folder has "eval_method": "judge", not "{method}"', method=case.method),
        )
        return None
    if missing := _packages_not_installed(own.get("packages", ())):
        message = tr("packages that are not installed here: {packages}; install them, or take "
                     "them out", packages=", ".join(missing))  # fmt: skip
        notes.error(("packages",), message)
        return None
    digest, whole = folder_digest(folder), folder.resolve()
    ships = whole.is_relative_to(SHIPPED_SUITES)
    check = replace(  # type: ignore[type-var]
        case.check.judged,
        checker=whole.relative_to(SHIPPED_SUITES).as_posix() if ships else str(whole),
        checker_digest=digest,
        runs_code=own.get("runs_code", False),
        data_seed=shared.data_seed,
    )
    assert isinstance(check, JudgeFields)
    case = replace(case, check=check)
    shared.shown[case.id] = digest
    if (folder / MAKE_FILE).exists():
        shared.shown[case.id] = f"{digest}@{shared.data_seed}"
        if check.checker_ships or get_sandbox is not None:
            return _with_made_files(case, check, get_sandbox, notes, findings)
    return case


def _packages_not_installed(names: Iterable[str]) -> list[str]:
    from assay.checkers import find_package

    return [shown(name) for name in names if not find_package(name)]


def made_for(check: JudgeFields, sandbox: "Sandbox | None") -> "Made":
    """What the checker of a test compares answers with, and the files that were shown. `sandbox` is
    what the make.py of a folder that does not ship runs in. An answer to other files than make.py
    gives today cannot be checked: then there is a problem.
    """
    from assay.checkers import make_files

    folder = check.checker_folder
    assert folder is not None
    (made,) = make_files(folder, [check.data_seed], None if check.checker_ships else sandbox)
    if check.files_digest and not made.problem and _digest_of(made) != check.files_digest:
        return replace(made, problem=tr("it gives other files than the prompt shows"))
    beside = {name: read_beside(name, folder) for name in check.fixtures if name not in made.files}
    return replace(made, files={**beside, **made.files})


def folder_digest(folder: Path) -> str:
    """Equal for equal files."""
    whole = hashlib.sha256()
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and name != "__pycache__")
        for name in sorted(names):
            path = Path(root, name)
            if name[0] != "." and path.is_file():
                whole.update(os.fsencode(path.relative_to(folder)) + b"\0")
                with suppress(OSError), path.open("rb") as file:
                    whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:32]


def read_reference(folder: Path) -> str:
    return _text(folder / REFERENCE_FILE)


def read_wrong(folder: Path) -> Iterator[WrongAnswer]:
    for file in sorted((folder / WRONG_FOLDER).glob("*.md")):
        first, _, answer = _text(file).partition("\n")
        yield WrongAnswer(file, tuple(first.split()), answer)


def _text(path: Path) -> str:
    kind = tr("a test folder has Python and Markdown files")
    return decode(shown_path(path), read_bytes(path, MAX_BYTES, kind=kind)).replace("\r\n", "\n")


@dataclass(frozen=True, slots=True)
class _FolderFiles:
    folder: Path
    notes: Notes
    findings: list[FileFinding]

    def add_prompt(self, entry: dict[str, object]) -> None:
        path = self.folder / PROMPT_FILE
        if not os.path.lexists(path):
            return
        key = next((name for name in ("prompt", "messages") if name in entry), None)
        if key is not None:
            message = tr("the prompt is here and in prompt.md; keep one of them")
            self.notes.error((key,), message, about_key=True)
            return
        text = self._read(path)
        entry["prompt"] = "-" if text is None else text.rstrip("\n")

    def check_files(self) -> None:
        for name, (function, arguments) in _FUNCTIONS.items():
            path = self.folder / name
            if os.path.lexists(path):
                self._check_code(path, function, arguments)
            elif name == CHECK_FILE:
                self.notes.error(
                    (), tr("check.py is missing; it contains check(answer, truth, files)")
                )
        if not os.path.lexists(self.folder / REFERENCE_FILE):
            message = tr("reference.md is missing: an answer that passes every check")
            self.notes.error((), message)
        else:
            self._read(self.folder / REFERENCE_FILE, needs_text=True)
        wrong = sorted((self.folder / WRONG_FOLDER).glob("*.md"))
        for path in wrong:
            text = self._read(path)
            if text is not None and not text.partition("\n")[0].split():
                self._refuse(
                    path,
                    tr("the first line must name the checks that this answer fails, with spaces"),
                )
        if not wrong:
            message = tr("wrong/ has no answers, so nothing shows that the checks can fail")
            self.notes.warning((), message)

    def _check_code(self, path: Path, function: str, arguments: tuple[str, ...]) -> None:
        text = self._read(path)
        if text is None:
            return
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line, column = getattr(error, "lineno", 1) or 1, getattr(error, "offset", 1) or 1
            why = getattr(error, "msg", "") or str(error)
            self._refuse(path, tr("not valid Python: {why}", why=why), Place(line, max(1, column)))
            return
        signature = f"{function}({', '.join(arguments)})"
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == function:
                if not takes(node, len(arguments)):
                    message = tr("the function must be {signature}", signature=signature)
                    self._refuse(path, message, Place(node.lineno, node.col_offset + 1))
                return
        self._refuse(path, tr("there is no function {signature}", signature=signature))

    def _read(self, path: Path, *, needs_text: bool = False) -> str | None:
        try:
            text = _text(path)
        except Refused as refused:
            self.findings.append(replace(refused.finding, test_id=self.notes.test_id))
            return None
        if needs_text and not text.strip():
            self._refuse(path, tr("the file is empty"))
        return text

    def _refuse(self, path: Path, message: str, place: Place = TOP) -> None:
        found = refusal(shown_path(path), message, place)
        self.findings.append(replace(found, test_id=self.notes.test_id))


def _with_made_files(
    case: Case,
    check: JudgeFields,
    get_sandbox: GetSandbox | None,
    notes: Notes,
    findings: list[FileFinding],
) -> Case | None:
    folder = check.checker_folder
    assert folder is not None
    try:
        made = made_for(check, get_sandbox() if get_sandbox and not check.checker_ships else None)
    except SandboxUnavailable as error:
        why = tr("make.py of {test} cannot be run: {why}", test=case.id, why=error.message)
        raise SandboxUnavailable(why, hint=error.hint) from error
    if made.problem:
        found = refusal(shown_path(folder / MAKE_FILE), made.problem)
        findings.append(replace(found, test_id=case.id))
        return None
    files = {name: made.files[name] for name in made.files if name not in check.fixtures}
    _check_holes(case, files, notes)
    return replace(
        case,
        messages=with_files(case.messages, files),
        check=replace(  # type: ignore[type-var]
            check,
            fixtures=(*check.fixtures, *files),
            files_digest=_digest_of(replace(made, files=files)),
        ),
    )


def _digest_of(made: "Made") -> str:
    return hashlib.sha256(repr(sorted(made.files.items())).encode()).hexdigest()[:32]


def _check_holes(case: Case, files: Mapping[str, str], notes: Notes) -> None:
    asked = "\n".join(turn.content for turn in case.messages)
    for name in files:
        hole = f"{{{{{name}}}}}"
        if hole not in asked:
            message = tr(
                "make.py makes '{name}', and the prompt never shows it; write {hole} there",
                name=shown(name),
                hole=shown(hole),
            )
            notes.error((), message)
    for name in _HOLE.findall(asked):
        if name not in files:
            message = tr("no file is called '{name}', so the model sees the braces", name=name)
            notes.warning((), message)
