"""Suites that ship, were fetched, or lie in a folder, and what each consists of."""

import csv
import os
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from assay.errors import AssayError, tried
from assay.files.file_text import shown_path
from assay.messages import tr
from assay.suites.load import (
    FETCHED,
    SuiteFiles,
    benchmarks_folder,
    catalogue,
    fetch_command,
    find,
    load_suite,
)
from assay.suites.test_folder import is_test_folder
from assay.summary.baselines import suite_card
from assay.types import Suite
from assay.types.results import SuiteCard
from assay.types.tests import SHIPPED_SUITES
from assay.workflow.checkpoints.places import subfolders
from assay.workflow.commands.benchmarks import LICENCES
from assay.workflow.running.baselines import baselines_of

MOST_FILES = 200  # files or folders of one folder; a home directory must not cost seconds
MOST_SUITES = 50  # that are found in one folder
MOST_OF_A_TEST = 100_000  # bytes that are looked into
BEGINS_LIKE_TESTS = re.compile(rb'\s*\[\s*\{[^{}]*"(?:prompt|messages)"\s*:')
SOURCES_FILE, CREDITS_FILE = "sources.tsv", "SOURCES.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteList:
    """`mistakes`: of suites that cannot be used. `about_benchmarks`: where fetched suites are."""

    suites: tuple[Suite, ...]
    mistakes: tuple[AssayError, ...]
    about_benchmarks: tuple[str, ...]


def known_suites(benchmarks: Path | None = None) -> SuiteList:
    """The shipped and fetched suites, with the mistakes in those that cannot be used."""
    named = catalogue(benchmarks)
    suites: list[Suite] = []
    mistakes: list[AssayError] = []
    for name in named:
        for files in tried(mistakes, find, name, benchmarks):
            suites += tried(mistakes, load_suite, files)
    return SuiteList(
        suites=tuple(suites),
        mistakes=tuple(mistakes),
        about_benchmarks=tuple(_about_benchmarks(benchmarks, named)),
    )


def describe_suite(name: str, *, benchmarks: str | Path | None = None) -> SuiteCard:
    """One suite by its name or path, and what it consists of: `assay.describe_suite("os")`."""
    folder = None if benchmarks is None else Path(benchmarks)
    return describe(load_suite(find(name, folder)))


def describe(suite: Suite) -> SuiteCard:
    """Facts are counted of the shipped tests alone: a file in a category's place brought others."""
    here = (each for each in suite.categories if each.name not in suite.elsewhere)
    tests = {case.id for category in here for case in category.cases}
    tests |= {case.id for examples in suite.few_shot.values() for case in examples}
    folder = Path(suite.path)
    sources = facts_by_source(folder if folder.is_dir() else folder.parent, tests)
    ships = folder.resolve().parent == SHIPPED_SUITES
    licence = suite.licence or LICENCES.get(suite.name, "")
    if ships and not suite.licence:
        licence = tr("Apache-2.0, as Assay")
    if ships and (folder / CREDITS_FILE).is_file():
        licence = tr("Apache-2.0, as Assay; quoted texts as {file} says", file=CREDITS_FILE)
    return replace(suite_card(suite, baselines_of(suite), sources), licence=licence)


def _about_benchmarks(given: Path | None, named: Mapping[str, SuiteFiles]) -> Iterator[str]:
    yield tr("benchmarks: {folder}", folder=shown_path(benchmarks_folder(given)))
    for name, files in named.items():
        for file in files.instead:
            yield tr("{suite}: {category} is {file}", suite=name, category=file.stem,
                     file=shown_path(file))  # fmt: skip
    for name in FETCHED:
        if name not in named:
            yield tr("{name} is missing; get it with `{command}`", name=name,
                     command=fetch_command([name], given))  # fmt: skip


def facts_by_source(suite: Path, tests: Collection[str]) -> Mapping[str, int]:
    """Most first; empty without a sources.tsv, which has a row a fact and is for people."""
    try:
        with (suite / SOURCES_FILE).open(encoding="utf-8-sig", newline="") as file:
            rows = [*csv.DictReader(file, delimiter="\t")]
    except (OSError, UnicodeDecodeError, csv.Error):
        return {}
    named = (row.get("source") for row in rows if row.get("test") in tests)
    counts = Counter(filter(None, named))
    return {name: counts[name] for name in sorted(counts, key=lambda name: (-counts[name], name))}


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFound:
    """A suite as `-s` names it."""

    argument: str
    title: str = ""
    tests: int = 0
    ships: bool = False
    why_not: str = ""
    """That its files have mistakes, and how to see them."""


def find_suites(folder: Path) -> tuple[SuiteFound, ...]:
    """Return the suites of a folder, then those that ship."""
    shipped = (  # `assay suites` says what is wrong with others
        SuiteFound(
            argument=suite.name,
            title=suite.title,
            tests=sum(1 for _ in suite.cases),
            ships=True,
        )
        for suite in known_suites().suites
    )
    return (*islice(_suites_in(folder), MOST_SUITES), *shipped)


def _suites_in(folder: Path) -> Iterator[SuiteFound]:
    for path in (folder, *subfolders(folder)[:MOST_FILES]):
        if not holds_tests(path) and not any(map(is_test_folder, subfolders(path))):
            continue
        # Written as a path: a bare name would mean the suite of that name that ships.
        shown = os.path.relpath(path, folder)
        argument = os.path.join("." if shown == "." else shown, "")
        try:
            suite = load_suite(path)
        except AssayError:
            why_not = tr("has mistakes: assay validate {path}", path=shlex.quote(argument))
            yield SuiteFound(argument=argument, why_not=why_not)
        else:
            tests = sum(1 for _ in suite.cases)
            yield SuiteFound(argument=argument, title=suite.title, tests=tests)


def holds_tests(folder: Path) -> bool:
    """Whether a file directly in it begins like a list of tests; other JSON may be there too."""
    files = islice(folder.glob("[!.]*.json"), MOST_FILES)
    return any(BEGINS_LIKE_TESTS.match(_head(file)) for file in files if file.is_file())


def _head(file: Path) -> bytes:
    with suppress(OSError), file.open("rb") as opened:
        return opened.read(MOST_OF_A_TEST)
    return b""
