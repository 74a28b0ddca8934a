"""What `assay suites` shows: the suites that are here, and what one consists of."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError, InvalidFiles
from assay.files.file_text import refusal, shown_path
from assay.files.notes import invalid_files
from assay.files.places import Place
from assay.messages import tr
from assay.suites.catalogue import (
    FETCHED,
    benchmarks_folder,
    catalogue,
    fetch_command,
    find,
)
from assay.suites.load import SuiteFiles, load_suite
from assay.summary.card import suite_card
from assay.types import Suite
from assay.types.results import SuiteCard
from assay.workflow.evaluate.background_work import baselines_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteList:
    """`mistakes`: of suites that cannot be used. `about_benchmarks`: where fetched suites are, and
    how to get those that are missing.
    """

    suites: tuple[Suite, ...]
    mistakes: tuple[AssayError, ...]
    about_benchmarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteDescription:
    suite: Suite
    card: SuiteCard


def list_suites(*, benchmarks: Path | None = None) -> SuiteList:
    """The shipped and fetched suites, with the mistakes in those that cannot be used."""
    named = catalogue(benchmarks)
    suites: list[Suite] = []
    mistakes: list[AssayError] = []
    for name in named:
        try:
            suites.append(load_suite(find(name, benchmarks)))
        except AssayError as error:
            mistakes.append(error)
    return SuiteList(
        suites=tuple(suites),
        mistakes=tuple(mistakes),
        about_benchmarks=tuple(_about_benchmarks(benchmarks, named)),
    )


def describe_suite(name: str, *, benchmarks: Path | None = None) -> SuiteDescription:
    """One suite by its name or path, and what it consists of."""
    suite = load_suite(find(name, benchmarks))
    return SuiteDescription(suite=suite, card=describe(suite))


def describe(suite: Suite) -> SuiteCard:
    """The suite's balance, sources, and trivial baselines. Facts are counted of the tests that a
    sources.tsv can speak of: a file that took the place of a category brought other tests,
    whatever their ids.
    """
    here = (each for each in suite.categories if each.name not in suite.elsewhere)
    tests = {case.id for category in here for case in category.cases}
    tests |= {case.id for examples in suite.few_shot.values() for case in examples}
    folder = Path(suite.path)
    sources = facts_by_source(folder if folder.is_dir() else folder.parent, tests)
    return suite_card(suite, baselines_of(suite), sources)


def _about_benchmarks(given: Path | None, named: Mapping[str, SuiteFiles]) -> Iterator[str]:
    yield tr("benchmarks: {folder}", folder=shown_path(benchmarks_folder(given)))
    for name, files in named.items():
        for file in files.instead:
            yield tr("{suite}: {category} is {file}", suite=name, category=file.stem,
                     file=shown_path(file))  # fmt: skip
    for name in FETCHED:
        if name not in named:
            yield tr("{name} is missing; get it with `{command}`", name=name,
                     command=fetch_command(name, given))  # fmt: skip


SOURCES_FILE = "sources.tsv"
COLUMNS = ["test", "fact", "source", "where"]


def facts_by_source(suite: Path, tests: Collection[str]) -> Mapping[str, int]:
    """Facts of each source about some tests, most first; empty without a sources.tsv, which has a
    row a fact (test, fact, source, where in it) and is for people.
    """
    path = suite / SOURCES_FILE
    if not path.is_file():
        return {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [*csv.reader(file, delimiter="\t", strict=True)] or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _invalid(path, 1, str(error)) from error
    if rows[0] != COLUMNS:
        names = ", ".join(COLUMNS)
        raise _invalid(path, 1, tr("the first line must name the columns {columns}", columns=names))
    for line, row in enumerate(rows, 1):
        if len(row) != len(COLUMNS):
            raise _invalid(path, line, tr("a fact has 4 cells, not {count}", count=len(row)))
    counts = Counter(row[2] for row in rows[1:] if row[0] in tests)
    return {name: counts[name] for name in sorted(counts, key=lambda name: (-counts[name], name))}


def _invalid(path: Path, line: int, message: str) -> InvalidFiles:
    hint = tr("Fix the file, or remove it: it is for readers, and changes no score.")
    name = shown_path(path)
    return invalid_files(name, [refusal(name, message, Place(line, 1))], hint=hint)
