"""The SHA-256 of files: once for each inode, size and times; by threads that begin before anybody
asks.
"""

import os
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue

from assay.plugins import file_digest

AT_ONCE = 4  # a core reads a gigabyte in a second

_State = tuple[int, int, int, int, int]
_digests: dict[_State, Future[str]] = {}
_lock = threading.Lock()


def digest_of(path: Path) -> str:
    """Ten adapters share their base, and a link is no other file. May raise OSError."""
    found, is_new = _future(path)
    if is_new:
        _read(path, found)
    return found.result()


def begin_digests(paths: Iterable[Path]) -> None:
    """While torch is imported. What cannot be read is told when it is asked for."""
    waiting: SimpleQueue[tuple[Path, Future[str]]] = SimpleQueue()
    for path in paths:
        with suppress(OSError):
            found, is_new = _future(path)
            if is_new:
                waiting.put((path, found))
    for _ in range(min(AT_ONCE, waiting.qsize())):
        # Nobody waits for them: a run that is refused ends at once.
        threading.Thread(target=_read_all, args=(waiting,), daemon=True).start()


def read_ahead(paths: Iterable[Path]) -> None:
    """The system reads them from disk while something else computes."""
    if not hasattr(os, "posix_fadvise"):
        return
    for path in paths:
        with suppress(OSError), path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)


def _future(path: Path) -> tuple[Future[str], bool]:
    """And whether the caller is to fill it."""
    about = path.stat()
    state = about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns
    with _lock:
        found = _digests.get(state)
        if found is not None and not (found.done() and found.exception()):
            return found, False
        found = _digests[state] = Future()
        return found, True


def _read_all(waiting: SimpleQueue[tuple[Path, Future[str]]]) -> None:
    with suppress(Empty):
        while True:
            _read(*waiting.get_nowait())


def _read(path: Path, found: Future[str]) -> None:
    try:
        found.set_result(file_digest(path))
    except OSError as error:
        found.set_exception(error)
