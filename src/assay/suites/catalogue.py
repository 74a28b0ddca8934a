"""The suites that ship, those that were fetched, and what a name on the command line means.

In: the argument of `--suite` and the folder of `--benchmarks`. Out: files to load. Refuses to know:
what the files say.

    BENCHMARKS/mmlu/             the suite mmlu, which `assay fetch` writes
    BENCHMARKS/hellaswag/        the suite hellaswag, likewise
    BENCHMARKS/custom_os_eval/   each category file takes the place of the shipped one of `os`
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from assay.errors import SuiteNotFound, UsageError
from assay.messages import tr
from assay.suites.files import SuiteFiles
from assay.suites.json_file import shown_path
from assay.suites.suite_file import SUITE_FILE
from assay.suites.wording import nearest, shown

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "suites"
FETCHED = ("mmlu", "hellaswag")
USUAL_BENCHMARKS = Path("SLM", "datasets", "benchmarks")
OWN_CATEGORIES: Mapping[str, str] = {"os": "custom_os_eval"}


def benchmarks_folder(given: Path | None = None) -> Path:
    """The folder of fetched benchmarks: the one given, else the usual one if it is there, else the
    user's data folder. Only one that was given must exist.
    """
    if given is not None:
        if not given.is_dir():
            raise UsageError(
                tr("there is no folder of benchmarks at '{path}'", path=shown_path(given)),
                hint=tr("`assay fetch` makes one; without --benchmarks the usual one is taken"),
            )
        return given
    return USUAL_BENCHMARKS if USUAL_BENCHMARKS.is_dir() else users_benchmarks()


def users_benchmarks() -> Path:
    """Where benchmarks lie that belong to no project."""
    import platformdirs

    return platformdirs.user_data_path("assay", appauthor=False) / "benchmarks"


def shipped(folder: Path = SHIPPED) -> tuple[Path, ...]:
    """The folders of the suites that ship, by name."""
    if not folder.is_dir():
        return ()
    return tuple(sorted(path for path in folder.iterdir() if any(path.glob("*.json"))))


def fetched(benchmarks: Path) -> tuple[Path, ...]:
    """The folders of the suites that were fetched."""
    folders = (benchmarks / name for name in FETCHED)
    return tuple(folder for folder in folders if _categories_in(folder))


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
    """The suite that a name or path means: a name wins, unless it is written as a path."""
    named = catalogue(benchmarks, ships=ships)
    is_path = any(mark in argument for mark in (os.sep, os.altsep) if mark)
    if not is_path and argument in named:
        return named[argument]
    if argument and os.path.lexists(argument):
        return SuiteFiles(Path(argument))
    if argument in FETCHED:
        raise _not_fetched(argument, benchmarks)
    raise _not_found(argument, list(named), is_path=is_path)


def _own_categories(shipped_suite: Path, benchmarks: Path) -> tuple[Path, ...]:
    """Files of the user's that are named like categories of a shipped suite."""
    folder = OWN_CATEGORIES.get(shipped_suite.name)
    if folder is None:
        return ()
    names = {path.name for path in _categories_in(shipped_suite)}
    return tuple(path for path in _categories_in(benchmarks / folder) if path.name in names)


def _categories_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.glob("[!.]*.json") if path.name != SUITE_FILE)
    except OSError:
        return []


def _not_fetched(name: str, benchmarks: Path | None) -> SuiteNotFound:
    folder = benchmarks_folder(benchmarks)
    return SuiteNotFound(
        tr(
            "the suite '{name}' was not fetched: there are no tests in {folder}",
            name=name,
            folder=shown_path(folder / name),
        ),
        hint=tr(
            "Fetch it with `assay fetch {name}`, or from a copy of yours with "
            "`assay fetch {name} --from DIR`.",
            name=name,
        ),
    )


def _not_found(argument: str, names: list[str], *, is_path: bool) -> SuiteNotFound:
    meant = nearest(argument.rstrip(os.sep), [*names, *FETCHED])
    if is_path:
        meant = _nearest_path(Path(argument)) or meant
    message = tr("there is no suite '{name}'", name=shown(argument))
    if meant is not None:
        message = tr("{problem}; did you mean '{meant}'?", problem=message, meant=shown(meant))
    return SuiteNotFound(
        message,
        hint=tr(
            "Suites with a name: {names}. Or give the path of a folder of test files, or of one.",
            names=", ".join(names) or tr("none"),
        ),
    )


def _nearest_path(path: Path) -> str | None:
    try:
        beside = os.listdir(path.parent)
    except (OSError, ValueError):
        return None
    meant = nearest(path.name, beside)
    return None if meant is None else shown_path(path.parent / meant)
