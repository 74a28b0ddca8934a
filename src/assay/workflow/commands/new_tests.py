"""Tests and suites to begin with: of every method, with a checker, or out of a table."""

import json
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.files.file_text import Refused
from assay.files.json_file import ID_FORM, read_json
from assay.files.notes import Notes, invalid_files
from assay.files.wording import did_you_mean
from assay.messages import tr
from assay.plugins import load_plugins
from assay.suites.proposed_words import propose_words
from assay.suites.suite_file import SUITE, SUITE_FILE, is_listed, language_code
from assay.suites.test_table import read_table

TEMPLATES = Path(__file__).resolve().parents[2] / "builtin" / "templates"
JUDGED = TEMPLATES / "judged"
SAMPLES, GENERATION = TEMPLATES / "samples", "generation"
METHODS = TEMPLATES / "methods.json"  # of each shipped method a test and an answer that passes
USUAL_SUITE = "my-tests"
# What the first suite shows: scored without a judge, and in no language but English.
SHOWN_FIRST = ("exact_match", "keywords", "multiple_choice", "format", "composite")
RIGHT_ANSWERS = "answers/right.json"
MAX_NAME = 100
_NUMBERED = re.compile(r".+_[0-9]{3,}")
_ID_HOLE = "{{id}}"

Entry = dict[str, Any]


def new_test(
    name: str,
    *,
    suite: str | Path = USUAL_SUITE,
    method: str = "exact_match",
    judged: bool = False,
) -> Path:
    """Write a test to begin with, and return where it is: one more entry in the category file
    `name`, scored by `method`, or with `judged` a test folder `name` with a checker of its own.
    Example: `assay.new_test("capitals", suite="my-tests", method="keywords")`.
    """
    if not ID_FORM.fullmatch(name) or len(name) > MAX_NAME:
        hint = tr("use letters, digits, '_' and '-', as in monthly_sales")
        folder, _, last = name.rpartition("/")
        if folder and last:
            command = shlex.join(
                ["assay", "new-suite", "--test", last.removesuffix(".json"), "--suite", folder]
            )
            hint = tr("name the suite apart: `{command}`", command=command)
        problem = tr("'{name}' cannot be the name of a test", name=name[:MAX_NAME])
        raise UsageError(problem, hint=hint)
    if judged:
        return _write_folder(name, Path(suite))
    return _write_entry(name, Path(suite), method)


def new_suite(
    folder: str | Path | None = None,
    *,
    table: str | Path | None = None,
    language: str | None = None,
    samples: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Path:
    """Write a suite that can be run at once, and return its folder: examples of five methods, or
    the tests of a `table` (CSV). `language`: of the answers, as a tag such as ee. `samples`: in
    its folder `generation` sample prompts, terms and a gate that names them, to edit. Nothing is
    overwritten; `tell` is given what was decided for you.

    Example: `assay.new_suite("quiz", table="questions.csv", language="fr")`.
    """
    load_plugins()
    target = Path(folder or (Path(table).stem if table else USUAL_SUITE))
    if os.path.lexists(target):
        raise _is_there(target)
    settings: dict[str, object] = {"title": target.resolve().name, "version": "0.1"}
    settings |= {"language": language} if language else {}
    notes = Notes()
    SUITE.check(settings, notes)
    for note in notes.all:
        raise UsageError(note.message, hint=tr("name another --language"))
    if table is None:
        entries = [_example(method, f"examples_{n:03}") for n, method in enumerate(SHOWN_FIRST, 1)]
        tests = {"examples": entries}
        known = _known_methods()
        right = {entry["id"]: known[entry["eval_method"]]["answer"] for entry in entries}
    else:
        read = read_table(Path(table), language_code(language), tell=tell)
        tests = {name: [entry for entry, _ in rows] for name, rows in read.items()}
        cases = [case for rows in read.values() for _, case in rows]
        right = {case.id: gold for case in cases if (gold := case.check.gold())}
    asked = [str(entry.get("prompt", "")) for entries in tests.values() for entry in entries]
    if language and not is_listed(language):
        settings["words"] = proposed = propose_words(asked)
        found = ", ".join(word for of in proposed.values() for word in of) or "–"
        tell(tr("'words' in suite.json lists how answers in {language} announce, deny, decline and "
                "join; proposed from the questions: {found}. Complete it",
                language=language, found=found))  # fmt: skip
    files: dict[str, object] = {SUITE_FILE: settings}
    files |= {f"{name}.json": entries for name, entries in tests.items()}
    # A test without a single right answer gets an empty one: it is no failed request.
    files |= {RIGHT_ANSWERS: {"answers": right, "default": ""}} if right else {}
    texts = {name: _json(value) for name, value in files.items()}
    if samples:
        own = (each for each in sorted(SAMPLES.iterdir()) if each.is_file())
        texts |= {f"{GENERATION}/{each.name}": each.read_text("utf-8") for each in own}
    _write_whole(target, texts)
    return target


def _write_whole(target: Path, files: Mapping[str, str]) -> None:
    """Beside its place first: half a suite is never there, and nobody's folder is overwritten."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-suite-") as beside:
            made = Path(beside, "suite")
            for name, text in files.items():
                _write(made / name, text)
            made.rename(target)
    except FileExistsError as error:
        raise _is_there(target) from error
    except OSError as error:
        raise _unwritable(target, error) from error


def _write_folder(name: str, suite: Path) -> Path:
    folder = suite / name
    if folder.exists():
        raise _is_there(folder)
    test_id = name if _NUMBERED.fullmatch(name) else f"{name}_001"
    if not (suite / SUITE_FILE).exists() and not any(suite.glob("*.json")):
        settings = {"title": suite.resolve().name, "version": "0.1", "language": "en"}
        _write(suite / SUITE_FILE, json.dumps(settings, indent=2) + "\n")
    for source in sorted(JUDGED.rglob("*")):
        if source.suffix in (".json", ".md", ".py"):
            text = source.read_text("utf-8").replace(_ID_HOLE, test_id)
            _write(folder / source.relative_to(JUDGED), text)
    return folder


def _write_entry(category: str, suite: Path, method: str) -> Path:
    file = suite / f"{category}.json"
    text, ids = _read_category(file)
    number = next(each for each in range(1, 1_000_000) if f"{category}_{each:03}" not in ids)
    lines = _json(_example(method, f"{category}_{number:03}")).splitlines()
    # Before the last bracket, so that what is there keeps its form.
    before = text.rstrip()[:-1].rstrip()
    comma = "," if ids or before != "[" else ""
    _write(file, f"{before}{comma}\n" + "\n".join(f"  {line}" for line in lines) + "\n]\n")
    return file


def _known_methods() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(METHODS.read_text("utf-8"))
    return known


def _example(method: str, test_id: str) -> Entry:
    known = _known_methods()
    if method not in known:
        problem = tr("there is no example of the eval_method '{name}'", name=method)
        raise UsageError(
            did_you_mean(problem, method, known),
            hint=tr("write the test by hand; `assay schema` has the fields"),
        )
    fields = known[method]["test"]
    return {"id": test_id, "prompt": fields["prompt"], "eval_method": method, **fields}


def _read_category(file: Path) -> tuple[str, set[str]]:
    if not file.exists():
        return "[]", set()
    try:
        opened = read_json(file)
    except Refused as refused:
        raise invalid_files(str(file), [refused.finding]) from refused
    if not isinstance(opened.value, list):
        raise UsageError(
            tr("{file} is no category file: it contains no list of tests", file=file),
            hint=tr("choose another name"),
        )
    return opened.text, {str(each.get("id")) for each in opened.value if isinstance(each, dict)}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    except OSError as error:
        raise _unwritable(file, error) from error


def _is_there(folder: Path) -> UsageError:
    return UsageError(
        tr("{folder} is there already", folder=folder),
        hint=tr("choose another name, or remove that folder"),
    )


def _unwritable(file: Path, error: OSError) -> UsageError:
    return UsageError(
        tr("{file} cannot be written: {why}", file=file, why=error.strerror or str(error)),
        hint=tr("name another folder"),
    )
