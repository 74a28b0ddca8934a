"""The folder beside a suite's in which a fetch writes: gone afterwards, also if it was killed.

In: the folder of a suite. Out: an empty folder beside it, for as long as it is used; and the
clearing up after fetches that could not do it themselves.

    .NAME.xxxxxxxx/      the workplace
        .assay-fetch     a mark that is locked while the fetch lives, and by the system no longer
        NAME/            the suite as it is being written
        before/          the suite that was there, for the moment of the exchange
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.workflow.fetch.record import strange_in

try:
    import fcntl
except ImportError:  # without locks nobody can tell a dead fetch from a living one
    fcntl = None  # type: ignore[assignment]

BEFORE = "before"
MARK = ".assay-fetch"
MARK_SAYS = b"A fetch works here. If it was killed, the next one of the same suite clears up.\n"


@contextmanager
def workplace(folder: Path) -> Iterator[Path]:
    """A folder of our own beside a suite's. It stays only if it holds what was there before."""
    place = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    with open(place / f"{MARK}.new", "w+b") as mark:
        mark.write(MARK_SAYS)
        mark.flush()
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks: then nobody clears up
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rename(mark.name, place / MARK)  # locked before anybody can see it
        try:
            yield place
        finally:
            if not os.path.lexists(place / BEFORE):
                shutil.rmtree(place, ignore_errors=True)


def clear_up(folder: Path) -> None:
    """Take away the workplaces of fetches that were killed; if one had just moved the suite aside,
    put it back.
    """
    with suppress(OSError):  # what cannot be cleared up is no reason to fetch nothing
        for place in _workplaces(folder):
            with open(place / MARK, "rb") as mark:
                if mark.read(len(MARK_SAYS) + 1) == MARK_SAYS and _is_left(mark.fileno()):
                    _clear(place, folder)


def _workplaces(folder: Path) -> list[Path]:
    name = re.compile(rf"\.{re.escape(folder.name)}\.[a-z0-9_]{{8}}")
    with os.scandir(folder.parent) as entries:
        return [
            Path(entry.path)
            for entry in entries
            if name.fullmatch(entry.name)
            and entry.is_dir(follow_symlinks=False)
            and _is_regular(Path(entry.path) / MARK)
        ]


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _is_left(mark: int) -> bool:
    """Whether nobody works there any more; the lock is ours until the file is closed."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _clear(place: Path, folder: Path) -> None:
    if {*os.listdir(place)} - {MARK, BEFORE, folder.name}:
        return  # somebody else put something here
    before = place / BEFORE
    if os.path.lexists(before) and not os.path.lexists(folder):
        os.rename(before, folder)
    if not os.path.lexists(before) or not strange_in(before):
        shutil.rmtree(place)
