"""A folder on a real disk for hostile code, and its end, without following anything in it."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def own_folder(user: int | None) -> Iterator[str]:
    path = tempfile.mkdtemp(prefix="assay-sandbox-", dir=None if user is None else _open_to_all())
    try:
        if user is not None:
            os.chown(path, user, user)
        yield path
    finally:
        remove(path)


def _open_to_all() -> str | None:
    """Where another user gets to, too: root's TMPDIR may be a folder for root alone."""
    for place in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        try:
            if all(os.stat(one).st_mode & stat.S_IXOTH for one in _with_parents(place)):
                return place
        except OSError:
            continue
    return None


def _with_parents(path: str) -> Iterator[str]:
    path = os.path.abspath(path)
    while path != os.path.dirname(path):
        yield path
        path = os.path.dirname(path)


def remove(path: str) -> None:
    """No link is followed. Both the starter and who asked for the run clear up, as the other may
    have been killed. What resists is left there: something that got away may still write.
    """
    with suppress(OSError, RecursionError):
        for _, inner, _, folder in os.fwalk(path):
            for name in inner:  # one that is shut could not be looked into
                if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    os.chmod(name, 0o700, dir_fd=folder)
        shutil.rmtree(path)
