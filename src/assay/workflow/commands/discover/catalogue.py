"""The shipped and fetched suites, and what each consists of."""

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
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
from assay.summary.baselines import suite_card
from assay.types import Suite
from assay.types.results import SuiteCard
from assay.types.tests import SHIPPED_SUITES
from assay.workflow.commands.benchmarks import LICENCES
from assay.workflow.running.baselines import baselines_of

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
