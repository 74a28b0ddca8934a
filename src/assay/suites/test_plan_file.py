"""Tests out of a folder of test plans that a run left; each judged one ends in the test as JSON."""

from __future__ import annotations

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.errors import InvalidFiles, UsageError
from assay.files.file_text import refusal
from assay.files.notes import Notes
from assay.files.validation import Validator
from assay.messages import tr
from assay.suites.load import load_suite
from assay.suites.test_folder import folder_digest, is_test_folder
from assay.types import Case, Suite
from assay.types.checks import SHIPPED_SUITES


@dataclass(frozen=True, slots=True)
class PlannedChecker:
    """What a plan says of the checker of its test."""

    folder: str
    digest: str
    data_seed: int
    runs_code: bool


_CHECKER = Validator(PlannedChecker)
MAX_BYTES = 5_000_000  # of one page
_BLOCK = re.compile(r"^(```+)json\n(.*?)\n\1\s*$", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"[\w-][\w.-]{0,99}")  # never "..", which would be another folder


def load_test_plans(folder: Path) -> tuple[Suite, ...]:
    """Every judged test of a folder of plans.

    Raises:
        UsageError: no page contains one.
        InvalidFiles: one contains something else, or the tests have mistakes.
    """
    suites: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    checkers: dict[tuple[str, str], PlannedChecker] = {}
    for page in sorted(folder.glob("*.md")):
        found = _test_of(page)
        if found is not None:
            suites[found["suite"]][found["category"]].append(found["test"])
            if "checker" in found:
                checkers[found["suite"], str(found["test"].get("id"))] = _checker_of(found, page)
    if not suites:
        raise UsageError(
            tr("no page in {folder} contains a judged test", folder=folder),
            hint=tr("name the suite with -s; a run of Assay writes such pages into test-plans/"),
        )
    return tuple(
        _with_checkers(_loaded(name, categories, folder), checkers)
        for name, categories in suites.items()
    )


def _test_of(page: Path) -> Mapping[str, Any] | None:
    """The block at a page's end; None: it has none, as the plan of another kind of test."""
    try:
        text = page.read_bytes()[:MAX_BYTES].decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError as error:
        raise _no_test(page, error.strerror or str(error)) from error
    blocks = _BLOCK.findall(text)
    if not blocks:
        return None
    try:
        found = json.loads(blocks[-1][1])
    except (ValueError, RecursionError) as error:
        raise _no_test(page, str(error)) from error
    names = [found.get("suite"), found.get("category")] if isinstance(found, dict) else [None]
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names):
        raise _no_test(page, tr("it needs 'suite', 'category' and 'test'"))
    if not isinstance(found.get("test"), dict):
        raise _no_test(page, tr("'test' must be an object"))
    return dict(found)


def _checker_of(found: Mapping[str, Any], page: Path) -> PlannedChecker:
    """The checker that a plan names, if it is what it was."""
    notes = Notes()
    checker: PlannedChecker | None = _CHECKER.check(found["checker"], notes)
    if checker is None:
        raise _no_test(page, notes.all[0].message)
    folder = SHIPPED_SUITES / checker.folder
    if not is_test_folder(folder) or folder_digest(folder) != checker.digest:
        raise _no_test(page, tr("its checker in {folder} has changed since", folder=folder))
    return checker


def _with_checkers(suite: Suite, checkers: Mapping[tuple[str, str], PlannedChecker]) -> Suite:
    """Its tests with the checkers that their plans name. The prompts contain the files already."""

    def completed(case: Case) -> Case:
        planned, judged = checkers.get((suite.name, case.id)), case.check.judged
        if planned is None or judged is None:
            return case
        check = replace(  # type: ignore[type-var]
            judged,
            checker=planned.folder,
            checker_digest=planned.digest,
            runs_code=planned.runs_code,
            data_seed=planned.data_seed,
        )
        return replace(case, check=check)

    categories = (
        replace(each, cases=tuple(map(completed, each.cases))) for each in suite.categories
    )
    return replace(suite, categories=tuple(categories))


def _loaded(name: str, categories: Mapping[str, list[Any]], folder: Path) -> Suite:
    with tempfile.TemporaryDirectory(prefix="assay-plans-") as place:
        home = Path(place) / name
        home.mkdir()
        for category, tests in categories.items():
            (home / f"{category}.json").write_text(json.dumps(tests), "utf-8")
        try:
            suite = load_suite(home)
        except InvalidFiles as error:
            findings = [
                replace(each, file=str(_page(folder, each.test_id)), line=1, column=1)
                for each in error.findings
            ]
            raise InvalidFiles(
                tr("the test plans in {folder} have mistakes", folder=folder),
                findings,
                hint=tr("fix them, or name the suite with -s"),
            ) from error
    return replace(suite, path=str(folder))


def _page(folder: Path, test_id: str | None) -> Path:
    return folder / f"{test_id}.md" if test_id else folder


def _no_test(page: Path, why: str) -> InvalidFiles:
    return InvalidFiles(
        tr("{page} contains no test that can be read", page=page),
        [refusal(str(page), why)],
        hint=tr("fix it, or name the suite with -s"),
    )
