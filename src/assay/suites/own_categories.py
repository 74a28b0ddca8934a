"""The user's own categories of a shipped suite: which files take the place of its own.

In: the folder of a shipped suite, and the folder of benchmarks. Out: the files that take effect,
and findings about those that do not.

    BENCHMARKS/custom_os_eval/   each file named like a category of `os` takes its place

A name that is nearly one, while that category has no file there, is an error: a run would measure
something else than its owner thinks. Any other file is a warning, which `assay suites` shows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path

from assay.files.file_text import refusal, shown_path
from assay.files.wording import nearest
from assay.messages import tr
from assay.suites.suite_file import SUITE_FILE
from assay.types import Finding

OWN_CATEGORIES: Mapping[str, str] = {"os": "custom_os_eval"}
JSON = ".json"
NEARLY = (
    0.85  # "hardwareid" and "Hardware_IDs" are nearly "hardware_id", "more_hardware_ids" is not
)


def own_categories(suite: Path, benchmarks: Path) -> tuple[tuple[Path, ...], tuple[Finding, ...]]:
    """Files of the user's that are named like categories of a shipped suite, and findings about
    the others.
    """
    name = OWN_CATEGORIES.get(suite.name)
    if name is None or not os.path.isdir(benchmarks):
        return (), ()
    folder = benchmarks / name
    try:
        found = sorted(entry for entry in os.listdir(folder) if not entry.startswith("."))
    except FileNotFoundError:
        return (), _dangling(folder)
    except NotADirectoryError:
        return (), (refusal(shown_path(folder), tr("this must be a folder of category files")),)
    except OSError as error:
        why = tr("the folder cannot be read: {reason}", reason=error.strerror or str(error))
        return (), (refusal(shown_path(folder), why),)
    categories = {each for each in os.listdir(suite) if each.endswith(JSON) and each != SUITE_FILE}
    taken = tuple(folder / each for each in found if each in categories)
    return taken, tuple(_without_effect(folder, found, categories))


def _dangling(folder: Path) -> tuple[Finding, ...]:
    if os.path.lexists(folder):
        return (refusal(shown_path(folder), tr("this link leads to nothing; fix or remove it")),)
    return ()


def _without_effect(folder: Path, found: list[str], categories: set[str]) -> Iterator[Finding]:
    missing = {name.removesuffix(JSON): name for name in categories - {*found}}
    for name in found:
        stem, suffix = os.path.splitext(name)
        if name in categories or not (suffix.lower() == JSON or stem.lower() in missing):
            continue
        meant = None if name == SUITE_FILE else nearest(stem, missing)
        message = tr("this file takes no effect: no category of the suite has its name")
        if meant is not None:
            message = tr(
                "{problem}; did you mean '{meant}'?", problem=message, meant=missing[meant]
            )
        yield Finding(
            file=shown_path(folder / name),
            line=1,
            column=1,
            message=message,
            severity="error" if meant is not None and _is_nearly(stem, meant) else "warning",
        )


def _is_nearly(stem: str, meant: str) -> bool:
    plain = stem.casefold().replace("-", "_").replace(" ", "_")
    return SequenceMatcher(None, plain, meant, autojunk=False).ratio() >= NEARLY
