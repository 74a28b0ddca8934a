"""Tests out of a folder of test plans that a run left; each judged one ends in the test as JSON."""

import json
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from assay.errors import UsageError
from assay.files.file_text import refusal
from assay.files.notes import Notes, invalid_files
from assay.files.validation import Validator
from assay.messages import tr
from assay.suites.test_folder import NAME_FORM, folder_digest, is_test_folder
from assay.suites.test_format.case import Shared, read_case
from assay.types import Case, Category, FileFinding, Suite
from assay.types.tests import SHIPPED_SUITES


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
    """Every judged test of a folder of plans. UsageError: no page contains one; InvalidFiles: some
    contain something else, or tests with mistakes.
    """
    suites: dict[str, list[Case]] = defaultdict(list)
    findings: list[FileFinding] = []
    for page in sorted(folder.glob("*.md")):
        case, mistakes = _read_plan(page)
        findings += [refusal(str(page), why) for why in mistakes]
        if case is not None:
            suites[case.suite].append(case)
    if findings:
        hint = tr("fix them, or name the suite with -s")
        raise invalid_files(str(folder), findings, hint=hint)
    if not suites:
        raise UsageError(
            tr("no page in {folder} contains a judged test", folder=folder),
            hint=tr("name the suite with -s; a run of Assay writes such pages into test-plans/"),
        )
    return tuple(_suite(name, cases, folder) for name, cases in suites.items())


def _read_plan(page: Path) -> tuple[Case | None, list[str]]:
    """The test at a page's end, or what is wrong with it. Neither: the plan of another kind of
    test has none. A prompt contains its files already.
    """
    notes = Notes()
    try:
        text = page.read_bytes()[:MAX_BYTES].decode("utf-8", "replace").replace("\r\n", "\n")
        blocks = _BLOCK.findall(text)
        found: PlannedTest | None = (
            _PLAN.check(json.loads(blocks[-1][1]), notes) if blocks else None
        )
    except (OSError, ValueError, RecursionError) as error:
        return None, [str(error)]
    case = None
    if found is not None:
        shared = Shared(suite=found.suite, category=found.category, shown={})
        case = read_case(found.test, (), shared, notes)
    if found is None or case is None or found.checker is None or case.check.judged is None:
        return case, [note.message for note in notes.all]
    planned = found.checker
    folder = SHIPPED_SUITES / planned.folder
    if not is_test_folder(folder) or folder_digest(folder) != planned.digest:
        return None, [tr("its checker in {folder} has changed since", folder=folder)]
    check = replace(  # type: ignore[type-var]
        case.check.judged,
        checker=planned.folder,
        checker_digest=planned.digest,
        runs_code=planned.runs_code,
        data_seed=planned.data_seed,
    )
    return replace(case, check=check), []


def _suite(name: str, cases: list[Case], folder: Path) -> Suite:
    categories = tuple(
        Category(name=each, cases=tuple(case for case in cases if case.category == each))
        for each in sorted({case.category for case in cases})
    )
    source = sha256(repr(categories).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return Suite(name=name, path=str(folder), categories=categories, source=source)
