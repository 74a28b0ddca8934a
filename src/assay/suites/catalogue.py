"""The suites that ship, and what a name on the command line means.

In: the argument of `--suite`. Out: a path to load. Refuses to know: what the files say.
"""

from __future__ import annotations

import os
from pathlib import Path

from assay.errors import SuiteNotFound
from assay.messages import tr
from assay.suites.json_file import shown_path
from assay.suites.wording import nearest, shown

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "suites"


def shipped(folder: Path = SHIPPED) -> tuple[Path, ...]:
    """The folders of the suites that ship, by name."""
    if not folder.is_dir():
        return ()
    return tuple(sorted(path for path in folder.iterdir() if any(path.glob("*.json"))))


def find(argument: str, folder: Path = SHIPPED) -> Path:
    """The suite that a name or path means: a shipped one first, unless it is written as a path."""
    names = {path.name: path for path in shipped(folder)}
    is_path = any(mark in argument for mark in (os.sep, os.altsep) if mark)
    if not is_path and argument in names:
        return names[argument]
    if argument and os.path.lexists(argument):
        return Path(argument)
    raise _not_found(argument, list(names), is_path=is_path)


def _not_found(argument: str, names: list[str], *, is_path: bool) -> SuiteNotFound:
    meant = nearest(argument.rstrip(os.sep), names)
    if is_path:
        meant = _nearest_path(Path(argument)) or meant
    message = tr("there is no suite '{name}'", name=shown(argument))
    if meant is not None:
        message = tr("{problem}; did you mean '{meant}'?", problem=message, meant=shown(meant))
    return SuiteNotFound(
        message,
        hint=tr(
            "Suites that ship: {names}. Or give the path of a folder of test files, or of one.",
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
