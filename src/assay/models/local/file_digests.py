"""The SHA-256 of files: once for each inode, size and times; by threads that begin before anybody
asks. Those of large files are kept for later processes, in the user's folder of caches.
"""

import json
import os
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue

from assay.files.writing import replace_file
from assay.plugins import file_digest

AT_ONCE = 4  # a core reads a gigabyte in a second
LARGE = 100 * 2**20  # bytes; less takes a tenth of a second
MOST_KEPT = 500
# A file that was changed just before may be changed again without another time of change.
SETTLED_NS = 2_000_000_000

_State = tuple[int, int, int, int, int]
_digests: dict[_State, Future[str]] = {}
_lock, _keeping = threading.Lock(), threading.Lock()


def digest_of(path: Path) -> str:
    """Ten adapters share their base, and a link is no other file. May raise OSError."""
    found, is_new = _future(path)
    if is_new:
        _read(path, found)
    return found.result()


def known_digest(path: Path) -> str:
    """Empty where finding it would take long. May raise OSError."""
    state = _state(path)
    found = _digests.get(state)
    if found is not None and found.done() and not found.exception():
        return found.result()
    return _kept().get(_name(state), "") if state[2] >= LARGE else digest_of(path)


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


def _state(path: Path) -> _State:
    about = path.stat()
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def _future(path: Path) -> tuple[Future[str], bool]:
    """And whether the caller is to fill it."""
    state = _state(path)
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
        state = _state(path)
        large = state[2] >= LARGE
        digest = _kept().get(_name(state), "") if large else ""
        if not digest:
            began = time.time_ns()
            digest = file_digest(path)
            if large and max(state[3:]) + SETTLED_NS < began and _state(path) == state:
                _keep(_name(state), digest)
        found.set_result(digest)
    except OSError as error:
        found.set_exception(error)


def _name(state: _State) -> str:
    return "-".join(map(str, state))


def kept_file() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_path("assay", appauthor=False)) / "digests.json"


def _kept() -> dict[str, str]:
    """What is no digest is not taken for one."""
    try:
        told = json.loads(kept_file().read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    pairs = told.items() if isinstance(told, dict) else ()
    return {name: each for name, each in pairs if isinstance(each, str) and len(each) == 64}


def _keep(name: str, digest: str) -> None:
    """A home that cannot be written costs reading the file again."""
    with _keeping, suppress(OSError):
        kept = list({**_kept(), name: digest}.items())[-MOST_KEPT:]
        kept_file().parent.mkdir(parents=True, exist_ok=True)
        replace_file(kept_file(), json.dumps(dict(kept), indent=1))
