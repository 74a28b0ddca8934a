"""The suites that ship, those that were fetched, and what a name on the command line means.

In the folder of benchmarks, each file of `custom_os_eval/` that is named like a category of `os`
takes its place; `assay suites` names those that took effect.
"""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from assay.errors import SuiteNotFound, UsageError
from assay.files.file_text import shown_path
from assay.files.wording import did_you_mean, nearest, shown
from assay.messages import tr
from assay.suites.load import SuiteFiles
from assay.suites.suite_file import SUITE_FILE
from assay.types.checks import SHIPPED_SUITES

SHIPPED = SHIPPED_SUITES
FETCHED = ("mmlu", "hellaswag")
USUAL_BENCHMARKS = Path("SLM", "datasets", "benchmarks")
OWN_CATEGORIES: Mapping[str, str] = {"os": "custom_os_eval"}


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


def fetch_command(name: str, benchmarks: Path | None) -> str:
    """What a user types to get a suite into the folder that was looked into."""
    where = () if benchmarks is None else ("--benchmarks", str(benchmarks))
    return shlex.join(["assay", "fetch", name, *where])


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
            command=fetch_command(name, benchmarks),
        ),
    )


def _not_found(argument: str, names: list[str]) -> SuiteNotFound:
    meant = nearest(argument.rstrip(os.sep), [*names, *FETCHED])
    problem = tr("there is no suite '{name}'", name=shown(argument))
    return SuiteNotFound(
        did_you_mean(problem, meant, [meant]) if meant else problem,
        hint=tr(
            "Suites with a name: {names}. Or give the path of a folder of test files, or of one.",
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
