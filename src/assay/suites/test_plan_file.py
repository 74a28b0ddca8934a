"""Tests out of a folder of test plans that a run left; each judged one ends in the test as JSON."""

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from assay.errors import InvalidFiles, UsageError
from assay.files.file_text import refusal
from assay.files.notes import Notes
from assay.files.validation import Validator
from assay.messages import tr
from assay.suites.load import load_suite
from assay.suites.test_folder import NAME_FORM, folder_digest, is_test_folder
from assay.types import Case, Suite
from assay.types.checks import SHIPPED_SUITES


@dataclass(frozen=True, slots=True)
class PlannedChecker:
    folder: str
    digest: str
    data_seed: int
    runs_code: bool


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """The block at the end of a plan."""

    suite: Annotated[str, NAME_FORM]
    category: Annotated[str, NAME_FORM]
    test: dict[str, Any]
    checker: PlannedChecker | None = None


_PLAN = Validator(PlannedTest, ignores_others=True)
MAX_BYTES = 5_000_000  # of one page
_BLOCK = re.compile(r"^(```+)json\n(.*?)\n\1\s*$", re.DOTALL | re.MULTILINE)


def load_test_plans(folder: Path) -> tuple[Suite, ...]:
    """Every judged test of a folder of plans. UsageError: no page contains one; InvalidFiles: one
    contains something else, or the tests have mistakes.
    """
    suites: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    checkers: dict[tuple[str, str], PlannedChecker] = {}
    for page in sorted(folder.glob("*.md")):
        found = _test_of(page)
        if found is not None:
            suites[found.suite][found.category].append(found.test)
            if found.checker is not None:
                checkers[found.suite, str(found.test.get("id"))] = found.checker
    if not suites:
        raise UsageError(
            tr("no page in {folder} contains a judged test", folder=folder),
            hint=tr("name the suite with -s; a run of Assay writes such pages into test-plans/"),
        )
    return tuple(
        _with_checkers(_loaded(name, categories, folder), checkers)
        for name, categories in suites.items()
    )


def _test_of(page: Path) -> PlannedTest | None:
    """The block at a page's end, if its checker is what it was; None: it has none, as the plan of
    another kind of test.
    """
    try:
        text = page.read_bytes()[:MAX_BYTES].decode("utf-8", "replace").replace("\r\n", "\n")
        blocks = _BLOCK.findall(text)
        value = json.loads(blocks[-1][1]) if blocks else None
    except (OSError, ValueError, RecursionError) as error:
        raise _no_test(page, str(error)) from error
    if not blocks:
        return None
    notes = Notes()
    found: PlannedTest | None = _PLAN.check(value, notes)
    if found is None:
        raise _no_test(page, notes.all[0].message)
    if found.checker is not None:
        folder = SHIPPED_SUITES / found.checker.folder
        if not is_test_folder(folder) or folder_digest(folder) != found.checker.digest:
            raise _no_test(page, tr("its checker in {folder} has changed since", folder=folder))
    return found


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

    return suite.with_cases(map(completed, suite.cases))


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
                replace(each, file=f"{folder}/{each.test_id}.md", line=1, column=1)
                for each in error.findings
            ]
            raise InvalidFiles(
                tr("the test plans in {folder} have mistakes", folder=folder),
                findings,
                hint=tr("fix them, or name the suite with -s"),
            ) from error
    return replace(suite, path=str(folder))


def _no_test(page: Path, why: str) -> InvalidFiles:
    return InvalidFiles(
        tr("{page} contains no test that can be read", page=page),
        [refusal(str(page), why)],
        hint=tr("fix it, or name the suite with -s"),
    )
