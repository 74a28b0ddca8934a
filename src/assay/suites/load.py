"""Paths to Suites, or every mistake in every one of their files at once; and some of their tests.

A test's place in a sample depends on the seed and its id alone: a larger limit only adds tests.

In the folder of benchmarks, each file of `custom_os_eval/` that is named like a category of `os`
takes its place; `assay suites` names those that took effect.
"""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from assay.errors import AssayError, SuiteNotFound, UsageError, raise_all
from assay.files.file_text import refusal, shown_path
from assay.files.json_file import JsonFile
from assay.files.notes import invalid_files
from assay.files.wording import did_you_mean, nearest, shown
from assay.messages import tr
from assay.suites.gate_file import examine_gate, is_gate_file
from assay.suites.suite_file import SUITE_FILE
from assay.suites.suite_reader import SuiteReader
from assay.types import FileFinding, Suite
from assay.types.decisions import Gate
from assay.types.suites import OS_FILES, own_name
from assay.types.tests import SHIPPED_SUITES

CONFIRM = "-confirm"  # behind the name of a suite: the tests that take no part in a selection


@dataclass(frozen=True, slots=True)
class SuiteFiles:
    """A folder of category files or one of them, and files elsewhere that replace those with the
    same name.
    """

    path: Path
    instead: tuple[Path, ...] = ()


def load_suite(path: Path | SuiteFiles, **how: Any) -> Suite:
    """Load one suite, as load_all does."""
    return load_all([path], **how)[0]


def load_all(paths: Sequence[Path | SuiteFiles], **how: Any) -> tuple[Suite, ...]:
    """Load folders, category files, or a suite.json (which means its folder); the mistakes of all
    of them come in one InvalidFiles. A suite that is named twice, however its path is written, is
    loaded once; two different ones of one name are a UsageError. `how`: as SuiteReader has it.
    """
    wanted = _once_each(paths)
    for path in (path for files in wanted for path in (files.path, *files.instead)):
        if not os.path.lexists(path):
            raise SuiteNotFound(
                tr("there is no suite at '{path}'", path=shown_path(path)),
                hint=tr("Give a folder of test files or one test file; `assay suites` lists "
                        "those that ship."),
            )  # fmt: skip
    readers = [SuiteReader(files.path, instead=files.instead, **how) for files in wanted]
    suites = [suite for reader in readers if (suite := reader.suite()) is not None]
    if len(suites) < len(readers):
        findings = _in_order(finding for reader in readers for finding in reader.findings)
        raise invalid_files(", ".join(shown_path(files.path) for files in wanted), findings)
    first: dict[str, Suite] = {}
    for suite in suites:
        other = first.setdefault(suite.name, suite)
        if other is not suite:
            raise UsageError(
                tr("two suites are named '{name}': {one} and {two}",
                   name=suite.name, one=other.path, two=suite.path),
                hint=tr("Leave one of them out, or rename its folder."),
            )  # fmt: skip
    return tuple(suites)


@dataclass(frozen=True, slots=True)
class ExaminedSuites:
    """Every error and warning under some paths, by file, line and column; and each suite that has
    no error, with the files of its categories, for more to be noted.
    """

    findings: tuple[FileFinding, ...]
    suites: tuple[tuple[Suite, tuple[JsonFile, ...]], ...]


def examine(paths: Sequence[Path], **how: Any) -> tuple[FileFinding, ...]:
    """Every error and warning under some paths, as `examine_suites` finds them."""
    return examine_suites(paths, **how).findings


def examine_suites(paths: Sequence[Path], **how: Any) -> ExaminedSuites:
    """A file whose name ends in .toml is a gate; those in a folder of tests are left alone. `how`:
    as SuiteReader has it.
    """
    found: list[FileFinding] = []
    suites = []
    for path in (files.path for files in _once_each(paths)):
        if is_gate_file(path):
            found += examine_gate(path)
        elif os.path.lexists(path):
            reader = SuiteReader(path, warnings=True, **how)
            suite = reader.suite()
            if suite is not None:
                suites.append((suite, tuple(reader.category_files)))
            found += reader.findings
        else:
            found.append(refusal(shown_path(path), tr("there is no such file or folder")))
    return ExaminedSuites(_in_order(found), tuple(suites))


def _once_each(paths: Sequence[Path | SuiteFiles]) -> list[SuiteFiles]:
    """Every file or folder once, as it was first written."""
    first: dict[str, SuiteFiles] = {}
    for given in paths:
        files = given if isinstance(given, SuiteFiles) else SuiteFiles(given)
        first.setdefault(os.path.realpath(files.path), files)
    return list(first.values())


def _in_order(findings: Iterable[FileFinding]) -> tuple[FileFinding, ...]:
    return tuple(
        sorted(set(findings), key=lambda f: (f.file, f.line, f.column, f.severity, f.message))
    )


def pick_all(
    suites: Sequence[Suite],
    categories: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
) -> tuple[Suite, ...]:
    """Suites with only some categories (all, if none are named) and at most `limit` tests each;
    those without any of the categories are left out.
    """
    if limit is not None and limit < 1:
        raise UsageError(tr("the limit must be at least 1, not {limit}", limit=limit))
    known = list(dict.fromkeys(c.name for suite in suites for c in suite.categories))
    raise_all([_no_such_category(name, known) for name in categories if name not in known])
    wanted = set(categories) or set(known)
    kept = []
    for suite in suites:
        chosen = suite
        if not wanted.issuperset(category.name for category in suite.categories):
            chosen = suite.with_cases(case for case in suite.cases if case.category in wanted)
        if chosen.categories:
            kept.append(chosen if limit is None else _sample(chosen, limit, seed))
    return tuple(kept)


def _no_such_category(name: str, known: Sequence[str]) -> SuiteNotFound:
    problem = tr("there is no category '{name}'", name=shown(name))
    return SuiteNotFound(
        did_you_mean(problem, name, known),
        hint=tr("`assay suites NAME` lists the categories of a suite."),
    )


def _sample(suite: Suite, limit: int, seed: int) -> Suite:
    """The first of every category's ranking, then the second of each, and so on."""
    turns: list[tuple[int, bytes, str]] = []
    for category in suite.categories:
        keys = {case.id: f"{seed}\0{case.id}".encode() for case in category.cases}
        ranked = sorted((blake2b(key, digest_size=8).digest(), name) for name, key in keys.items())
        turns += [(turn, rank, name) for turn, (rank, name) in enumerate(ranked)]
    drawn = {name for _, _, name in sorted(turns)[:limit]}
    return suite.with_cases(case for case in suite.cases if case.id in drawn)


def hold_back(suites: Sequence[Suite], gate: Gate, seed: int) -> tuple[Suite, ...]:
    """Each suite that the gate asks for without a seeded share of the tests that count, which is
    a suite of its own behind it.
    """
    asked, share = {limit.name: limit for limit in gate.suites}, gate.accept.confirm
    if share is None:
        return tuple(suites)
    names = {suite.name for suite in suites}
    found: list[Suite] = []
    errors: list[AssayError] = []
    for suite in suites:
        limit = asked.get(suite.name)
        kept: set[str] = set()
        for category in suite.categories if limit else ():
            if limit and limit.categories and category.name not in limit.categories:
                continue
            if len(category.cases) < 2:
                problem = tr("{suite}: {category} has a single test, and 'confirm' needs two",
                             suite=suite.name, category=category.name)  # fmt: skip
                errors.append(UsageError(problem))
            ids = sorted((case.id for case in category.cases), key=partial(_rank, seed))
            count = min(len(ids) - 1, max(1, round(share * len(ids))))
            kept.update(ids[:count])
        if not kept:
            found.append(suite)
            continue
        name = suite.name + CONFIRM
        if name in names:
            errors.append(
                UsageError(tr("'confirm' names a suite {name}, and there is one", name=name))
            )
        of = [replace(case, suite=name) for case in suite.cases if case.id in kept]
        found.append(suite.with_cases(case for case in suite.cases if case.id not in kept))
        found.append(replace(suite.with_cases(of), name=name))
    raise_all(errors)
    return tuple(found)


def confirming_suites(suites: Iterable[Suite], gate: Gate | None) -> dict[str, str]:
    """By the names of the suites that were held back, those that they confirm."""
    if gate is None or gate.accept.confirm is None:
        return {}
    names = {limit.name + CONFIRM: limit.name for limit in gate.suites}
    return {suite.name: names[suite.name] for suite in suites if suite.name in names}


def _rank(seed: int, test: str) -> bytes:
    return blake2b(f"confirm {seed} {test}".encode(), digest_size=8).digest()


def only_tests(suites: Sequence[Suite], tests: frozenset[str]) -> Iterator[Suite]:
    """Suites with these tests alone, named by id or SUITE.ID; what is empty then is left out."""
    for suite in suites:
        named = [case for case in suite.cases if {case.id, f"{suite.name}.{case.id}"} & tests]
        if named:
            yield suite.with_cases(named)


SHIPPED = SHIPPED_SUITES
FETCHED = ("mmlu", "hellaswag")
USUAL_BENCHMARKS = Path("SLM", "datasets", "benchmarks")
OWN_CATEGORIES: Mapping[str, str] = {own_name(OS_FILES): OS_FILES}


def benchmarks_folder(given: Path | None = None) -> Path:
    """The folder of fetched benchmarks: the one given, else the usual one if it is there, else the
    user's data folder. Only one that was given must exist.
    """
    folder = given
    if folder is None:
        import platformdirs

        users = platformdirs.user_data_path("assay", appauthor=False) / "benchmarks"
        folder = USUAL_BENCHMARKS if os.path.isdir(USUAL_BENCHMARKS) else users
    elif not os.path.isdir(folder):
        raise UsageError(
            tr("there is no folder of benchmarks at '{path}'", path=shown_path(folder)),
            hint=tr("`assay fetch` makes one; without --benchmarks the usual one is taken"),
        )
    return folder


def shipped(folder: Path = SHIPPED) -> tuple[Path, ...]:
    if not folder.is_dir():
        return ()
    return tuple(sorted(path for path in folder.iterdir() if any(path.glob("*.json"))))


def fetched(benchmarks: Path) -> tuple[Path, ...]:
    if not os.path.isdir(benchmarks):
        return ()
    return tuple(
        benchmarks / name
        for name in FETCHED
        if any(each.name != SUITE_FILE for each in (benchmarks / name).glob("[!.]*.json"))
    )


def fetch_command(names: Sequence[str], benchmarks: Path | None) -> str:
    """What a user types to get suites into the folder that was looked into."""
    where = () if benchmarks is None else ("--benchmarks", str(benchmarks))
    return shlex.join(["assay", "fetch", *names, *where])


def catalogue(benchmarks: Path | None = None, *, ships: Path = SHIPPED) -> Mapping[str, SuiteFiles]:
    """Every suite that has a name: what ships, with the user's own categories in it, then what was
    fetched.
    """
    folder = benchmarks_folder(benchmarks)
    named = {path.name: SuiteFiles(path, _own_categories(path, folder)) for path in shipped(ships)}
    for path in fetched(folder):
        named.setdefault(path.name, SuiteFiles(path))
    return named


def find(argument: str, benchmarks: Path | None = None, *, ships: Path = SHIPPED) -> SuiteFiles:
    """The suite that a name, another name of it, or a path means: a name wins, unless it is
    written as a path.
    """
    named = catalogue(benchmarks, ships=ships)
    is_path = any(mark in argument for mark in (os.sep, os.altsep) if mark)
    if not is_path and own_name(argument) in named:
        return named[own_name(argument)]
    if argument and os.path.lexists(argument):
        return SuiteFiles(Path(argument))
    if argument in FETCHED:
        raise _not_fetched(argument, benchmarks)
    raise _not_found(argument, list(named))


def _not_fetched(name: str, benchmarks: Path | None) -> SuiteNotFound:
    folder = benchmarks_folder(benchmarks)
    return SuiteNotFound(
        tr(
            "the suite '{name}' was not fetched: there are no tests in {folder}",
            name=name,
            folder=shown_path(folder / name),
        ),
        hint=tr(
            "Fetch it with `{command}`, or from a copy of yours with `{command} --from DIR`.",
            command=fetch_command([name], benchmarks),
        ),
    )


def _not_found(argument: str, names: list[str]) -> SuiteNotFound:
    meant = nearest(argument.rstrip(os.sep), [*names, *FETCHED])
    problem = tr("there is no suite '{name}'", name=shown(argument))
    return SuiteNotFound(
        did_you_mean(problem, meant, [meant]) if meant else problem,
        hint=tr(
            "choose one of: {names}; or give the path of a test file or of a folder of test files",
            names=", ".join(names) or tr("none"),
        ),
    )


def _own_categories(suite: Path, benchmarks: Path) -> tuple[Path, ...]:
    """Files of the user's that are named like categories of a shipped suite."""
    if suite.name not in OWN_CATEGORIES:
        return ()
    names = sorted(path.name for path in suite.glob("*.json") if path.name != SUITE_FILE)
    own = (benchmarks / OWN_CATEGORIES[suite.name] / name for name in names)
    return tuple(path for path in own if os.path.lexists(path))
