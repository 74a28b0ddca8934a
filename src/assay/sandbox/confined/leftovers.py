"""A folder on a real disk for hostile code, and its end, without following anything in it."""

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple


@contextmanager
def own_folder(user: int | None) -> Iterator[str]:
    """It is held open meanwhile: what lies under its name at the end may be something else."""
    path = tempfile.mkdtemp(prefix="assay-sandbox-", dir=None if user is None else _open_to_all())
    held = open_folder(path)
    try:
        if user is not None:
            os.chown(held, user, user)
        yield path
    finally:
        remove(held, path)
        os.close(held)


def _open_to_all() -> str | None:
    """Where another user gets to, too: root's TMPDIR may be a folder for root alone."""
    from pathlib import PurePath  # slow to load, and the starter does not need it

    for place in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        path = PurePath(os.path.abspath(place))
        with suppress(OSError):
            if all(os.stat(one).st_mode & stat.S_IXOTH for one in (path, *path.parents)):
                return place
    return None


def remove(folder: int, path: str) -> None:
    """The open folder with its contents, wherever it was moved to, and what is under its name
    now. Either may be gone: both the starter and who asked clear up. What resists is left there.
    """
    with suppress(OSError):
        empty(folder)
    with suppress(OSError):
        moved_to = os.readlink(f"/proc/self/fd/{folder}")
        if os.path.samestat(os.lstat(moved_to), os.fstat(folder)):
            os.rmdir(moved_to)
    with suppress(OSError):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            os.rmdir(path)
        else:
            os.unlink(path)


def empty(folder: int) -> None:
    """Down and up again one step at a time, any depth: two open folders at most, and no recursion.

    `shutil.rmtree` ends in a RecursionError at a thousand, and at the first closed folder.
    """
    os.fchmod(folder, 0o700)
    here = os.dup(folder)
    way: list[_Step] = [_Step("", os.fstat(here), os.listdir(here))]
    try:
        while True:
            step = way[-1]
            if step.left:
                name = step.left.pop()
                about = os.stat(name, dir_fd=here, follow_symlinks=False)
                if not stat.S_ISDIR(about.st_mode):
                    os.unlink(name, dir_fd=here)
                else:
                    os.chmod(name, 0o700, dir_fd=here)
                    here, above = open_folder(name, within=here), here
                    os.close(above)
                    way.append(_Step(name, os.fstat(here), os.listdir(here)))
            elif len(way) == 1:
                return
            else:
                here, below = open_folder("..", within=here), here
                os.close(below)
                if not os.path.samestat(os.fstat(here), way[-2].about):
                    raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), step.name)
                os.rmdir(way.pop().name, dir_fd=here)
    finally:
        os.close(here)


class _Step(NamedTuple):
    """A folder on the way down, and what is still in it."""

    name: str
    about: os.stat_result
    left: list[str]


def open_folder(folder: str, within: int | None = None) -> int:
    """To look into; no link is followed."""
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=within)
