"""Paths to Suites, or every mistake in every one of their files at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import SuiteNotFound, UsageError
from assay.files.file_text import refusal, shown_path
from assay.files.notes import invalid_files
from assay.messages import tr
from assay.pause_gc import pause_gc
from assay.suites.gate_file import examine_gate, is_gate_file
from assay.suites.suite_reader import CheckRubric, SuiteReader
from assay.suites.test_folder import GetSandbox
from assay.types import FileFinding, Suite


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


def load_all(
    paths: Sequence[Path | SuiteFiles],
    *,
    data_seed: int = 0,
    get_sandbox: GetSandbox | None = None,
    check_rubric: CheckRubric | None = None,
) -> tuple[Suite, ...]:
    """Load suites; the mistakes of all of them come in one InvalidFiles.

    A suite that is named twice, however its path is written, is loaded once.

    Args:
        paths: folders, category files, or a suite.json (which means its folder); or such paths
            with files that take the place of some categories.
        data_seed: what files are made from that tests show and a generator makes.
        get_sandbox: opens what the make.py of a test folder that does not ship runs in. None: it
            is not run, and the prompt keeps the names of its files.
        check_rubric: raises what is wrong with a rubric.

    Raises:
        SuiteNotFound: there is nothing at a path.
        InvalidFiles: with every mistake of every file.
        SandboxUnavailable: a make.py has to be run, and nothing here can confine it.
        UsageError: two different suites have the same name.
    """
    wanted = _once_each(paths)
    for path in (path for files in wanted for path in (files.path, *files.instead)):
        if not os.path.lexists(path):
            raise SuiteNotFound(
                tr("there is no suite at '{path}'", path=shown_path(path)),
                hint=tr("Give a folder of test files or one test file; `assay suites` lists "
                        "those that ship."),
            )  # fmt: skip
    readers = [
        SuiteReader(
            files.path,
            instead=files.instead,
            data_seed=data_seed,
            get_sandbox=get_sandbox,
            check_rubric=check_rubric,
        )
        for files in wanted
    ]
    with pause_gc():
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


def examine(
    paths: Sequence[Path],
    *,
    get_sandbox: GetSandbox | None = None,
    check_rubric: CheckRubric | None = None,
) -> tuple[FileFinding, ...]:
    """Every error and warning under some paths, by file, line and column.

    A file whose name ends in .toml is a gate; those in a folder of tests are left alone.
    """
    found: list[FileFinding] = []
    for files in _once_each(paths):
        path = files.path
        if is_gate_file(path):
            found += examine_gate(path)
        elif os.path.lexists(path):
            reader = SuiteReader(
                path, warnings=True, get_sandbox=get_sandbox, check_rubric=check_rubric
            )
            with pause_gc():
                reader.suite()
            found += reader.findings
        else:
            found.append(refusal(shown_path(path), tr("there is no such file or folder")))
    return _in_order(found)


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
