"""Locks on files, let go when their process ends, however it ends."""

from typing import IO

try:
    import fcntl
except ImportError:  # Windows: two processes may then share a store, which costs time, not answers
    fcntl = None  # type: ignore[assignment]


def try_lock(file: IO[str], *, shared: bool = False) -> bool:
    """Whether nobody else has it: always so where the system or the file system has no locks."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True
