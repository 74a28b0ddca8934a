"""What a confined program sees of this machine: the interpreter, its libraries, five variables."""

from __future__ import annotations

import glob
import os
import secrets
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

from assay.sandbox.confined import new_root, processes

WORK = "/sandbox"
STARTER = Path(__file__).parent / "confined"
# Python's own threads take 64 MB of address space each where malloc may have as many arenas.
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "MALLOC_ARENA_MAX": "2",
}
# Beyond what people, packages and systemd give numbers to.
_SPARE_USERS = range(41_000, 60_000)


class View(NamedTuple):
    """`shown`: real place and place inside, read-only. `links`: name inside and where it leads."""

    shown: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]


def base_python() -> str:
    """The interpreter behind the virtual environment: the standard library and nothing else."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def environment(work: str) -> dict[str, str]:
    """All that the program finds in its environment."""
    return {**ENVIRONMENT, "HOME": work, "TMPDIR": work}


def view() -> View:
    """What the interpreter needs to run, at the places where it looks for it."""
    wanted = [
        *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/nix/store"),
        base_python(),
        os.path.join(sys.base_prefix, "lib"),
        sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}),
        sysconfig.get_path("platstdlib", vars={"platbase": sys.base_exec_prefix}),
        *glob.glob("/usr/local/lib/libpython*"),
    ]
    # A prefix may lead through links, and libraries may be looked for along either way.
    wanted += [os.path.realpath(path) for path in wanted]
    links, shown = {"/tmp": WORK, "/dev/shm": WORK}, set()
    for path in wanted:
        if os.path.islink(path) and path.count("/") == 1:
            links[path] = os.readlink(path)
        elif os.path.exists(path):
            shown.add(path)
    # /usr/lib shows all that is in it; so short ones first, and none within another.
    outermost: list[str] = []
    for path in sorted(shown, key=len):
        if not any(path == each or path.startswith(each + "/") for each in outermost):
            outermost.append(path)
    etc = [(str(file), f"/etc/{file.name}") for file in sorted((STARTER / "etc").iterdir())]
    return View(
        shown=(*((os.path.realpath(path), path) for path in outermost), *etc),
        # An interpreter may lie in /tmp, which is then no link.
        links=tuple(
            (name, target)
            for name, target in links.items()
            if not any(path.startswith(name + "/") for path in outermost)
        ),
    )


def user_to_become() -> int | None:
    """Nobody's number, where we are root: a limit of processes does not bind root."""
    if os.geteuid() != 0:
        return None
    for _ in range(100):
        number = secrets.choice(_SPARE_USERS)
        if _is_known(number) and not _is_in_use(number):
            return number
    return new_root.NOBODY


def _is_known(number: int) -> bool:
    """A container may have fewer users than the machine around it."""
    try:
        with open("/proc/self/uid_map", encoding="ascii") as file:
            mapped = [[int(word) for word in line.split()] for line in file]
    except FileNotFoundError:
        return True
    return any(first <= number < first + count for first, _, count in mapped)


def _is_in_use(number: int) -> bool:
    import pwd  # Windows has none, and must be able to import this module

    try:
        pwd.getpwuid(number)
    except KeyError:
        return processes.threads_of_user(number) > 0
    return True


def processes_besides(*, alone: bool) -> int:
    """How many of this user's threads count against a limit of processes, besides the program's.

    In a user namespace the kernel counts afresh since 5.14; before, and elsewhere, it counts all.
    """
    user = os.geteuid()
    if user == 0:
        return 0
    release = os.uname().release.split("-")[0].split(".")
    if alone and tuple(int(part) for part in release[:2] if part.isdigit()) >= (5, 14):
        return 0
    return processes.threads_of_user(user)
