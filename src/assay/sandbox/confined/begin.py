"""Starts one program in confinement, watches it, and says how it ended.

In: two inherited pipes, named as arguments. From the first come the length of the order, the order
and the contents of the program's files; it stays open as the lifeline. Out: on the second, a line
`{"started": true}`, then a line with how it ended. Standard library only: it runs where Assay
cannot be seen. The order is what `surroundings.write_order` writes.
"""

import json
import os
import signal
import struct
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

from . import call_filter, leftovers, new_root, processes
from . import system_calls as kernel

LENGTH = struct.Struct("!Q")
OPEN_FILES = 128


def main() -> NoReturn:
    """Ends with 0 whatever happened: the second pipe tells."""
    lifeline, told = (int(word) for word in sys.argv[1:3])
    os.set_inheritable(lifeline, False)
    os.set_inheritable(told, False)
    order = json.loads(_read_exactly(lifeline, LENGTH.unpack(_read_exactly(lifeline, 8))[0]))
    files = [(name, _read_exactly(lifeline, length)) for name, length in order["files"]]
    try:
        _confine(order, handed_on=(lifeline, told))
        folder = leftovers.open_folder(order["work"]) if order["isolation"] == "weak" else None
        program = _start(order, files)
    except (OSError, ValueError) as error:
        _tell(told, ended="not_started", why=str(error))
        os._exit(0)
    # The program alone holds the pipes now, so that their end is its end.
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    _tell(told, started=True)
    # A path that leads to the open folder also when it was moved, where the system has one.
    through = f"/proc/self/fd/{folder}"
    place = through if folder is not None and os.path.isdir(through) else order["work"]
    began = time.monotonic()
    ended, code = processes.until_it_ends(program, {**order, "work": place}, lifeline)
    seconds = time.monotonic() - began
    if order["isolation"] == "weak":
        processes.end_descendants(os.getpid())
    _tell(told, ended=ended, exit_code=code, seconds=seconds)
    if folder is not None:
        leftovers.remove(folder, order["work"])
    # As number 1 of the namespace we take all that is left with us.
    os._exit(0)


def _confine(order: dict[str, Any], handed_on: tuple[int, ...]) -> None:
    # Number 1 gets only signals it has a handler for, and Python has one for this.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if order["isolation"] == "namespaces":
        new_root.enter(order, handed_on)
    elif order["isolation"] == "weak":
        for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(ignored, signal.SIG_IGN)
        if sys.platform == "linux":
            kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    if sys.platform == "linux":
        # Else the program, where it is the same user, could read and change this one's memory.
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def _start(order: dict[str, Any], files: list[tuple[str, bytes]]) -> int:
    """The program's process. That it could not become the program comes back as an OSError."""
    why_not, tell_why_not = os.pipe()
    program = os.fork()
    if program == 0:
        try:
            _become(order, files)
        except (OSError, ValueError, MemoryError) as error:
            said = str(error) or type(error).__name__
            os.write(tell_why_not, said.encode("utf-8", "replace")[:4000])
        finally:
            os._exit(127)
    os.close(tell_why_not)
    with os.fdopen(why_not, "rb") as pipe:
        problem = pipe.read()
    if problem:
        os.waitpid(program, 0)
        raise OSError(problem.decode("utf-8", "replace"))
    return program


def _become(order: dict[str, Any], files: list[tuple[str, bytes]]) -> NoReturn:
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(each, signal.SIG_DFL)
    os.setsid()
    os.chdir(order["work"])
    os.umask(0o077)
    _limit(order)
    if order["user"] is not None:
        os.setgroups([])
        os.setgid(order["user"])
        os.setuid(order["user"])
    for name, content in files:
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "xb") as file:
            file.write(content)
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        call_filter.lay_on()
    os.execve(
        order["python"],
        [order["python"], "-I", "-S", *order["arguments"]],
        order["environment"],
    )


def _limit(order: dict[str, Any]) -> None:
    """The kernel's limits. CPU has a second more on the hard side: a signal, then the end."""
    import resource  # Windows has none, and must be able to import this module

    wanted = {
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_CPU": (order["cpu_s"], order["cpu_s"] + 1),
        "RLIMIT_AS": (order["memory_bytes"],) * 2,
        "RLIMIT_FSIZE": (order["file_bytes"],) * 2,
        "RLIMIT_NPROC": (order["processes"],) * 2,
        "RLIMIT_NOFILE": (OPEN_FILES, OPEN_FILES),
        "RLIMIT_MEMLOCK": (0, 0),
        "RLIMIT_MSGQUEUE": (0, 0),
    }
    for name, (soft, hard) in wanted.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        _, most = resource.getrlimit(kind)
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        try:
            resource.setrlimit(kind, (soft, hard))
        except (OSError, ValueError):
            # Elsewhere some have the name of a limit and refuse it.
            if sys.platform == "linux":
                raise


def _read_exactly(pipe: int, length: int) -> bytes:
    parts = []
    while length:
        part = os.read(pipe, min(length, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _tell(pipe: int, **what: object) -> None:
    with suppress(BrokenPipeError):
        os.write(pipe, json.dumps(what).encode() + b"\n")
