"""Prepares a process as if it ran elsewhere: at another user's, on another day, with other luck.

What code works out from what it is given is the same there. Code whose result differs has looked at
its surroundings, at the clock or at chance.
"""

import datetime
import io
import os
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

_DAY_S = 86_400
_YEARS_S = 365 * _DAY_S
# Each weekday, and days on which nobody has tried it yet.
SHIFTS_S = (*(day * _DAY_S + 40_000 for day in range(1, 8)), 15 * _YEARS_S, 75 * _YEARS_S)
_USER, _HOME = "root", "/root"
_SYSTEM = ("Darwin", "desk", "23.6.0", "Darwin Kernel Version 23.6.0", "arm64")
_SELDOM = 4  # of so many draws one is the lowest


def move_elsewhere(
    name: str, shift_s: float, tell: Callable[[], None], *, has_terminal: bool
) -> None:
    """Another place for the module `name`, and a clock that is ahead; `tell` where it is read. With
    a terminal, or without any input, as a service has it.
    """
    _furnish(name)
    sys.stdin = _Terminal() if has_terminal else None
    _replace_system()
    _set_clock(shift_s, tell)
    _change_luck()


def _furnish(name: str) -> None:
    """What a person's own session has."""
    own = {
        "USER": _USER, "LOGNAME": _USER, "HOME": _HOME, "PWD": f"{_HOME}/project", "CI": "1",
        "TERM": "xterm-256color", "DISPLAY": ":0", "LANG": "en_GB.UTF-8", "EDITOR": "nano",
        "VIRTUAL_ENV": f"{_HOME}/project/env", "HOSTNAME": "desk", "SSH_TTY": "/dev/pts/1",
        "SHELL": "/bin/bash", "TMPDIR": "/var/tmp", "PYTHONPATH": f"{_HOME}/project",
    }  # fmt: skip
    os.environ.update(own)
    sys.argv[:] = [f"{_HOME}/project/run.py", "--input", f"{name}.csv"]
    sys.modules["__main__"].__file__ = sys.argv[0]
    for one in ("IPython", "pytest"):
        sys.modules[one] = ModuleType(one)
    sys.ps1, sys.dont_write_bytecode = ">>> ", not sys.dont_write_bytecode
    sys.setrecursionlimit(3 * sys.getrecursionlimit())


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _replace_system() -> None:
    """Other numbers from the system; and every file that somebody looks for is there."""
    numbers: dict[str, Any] = {
        "getuid": 0, "geteuid": 0, "getgid": 0, "getegid": 0, "getpid": 31_007, "getppid": 31_001,
        "cpu_count": 96, "getlogin": _USER, "getcwd": f"{_HOME}/project",
    }  # fmt: skip
    for name, value in numbers.items():
        setattr(os, name, partial(_give, value))
    setattr(os, "sched_getaffinity", partial(_give, set(range(96))))  # noqa: B010 - not on every system
    _replace_platform()
    stat = os.stat

    def find(path: Any, *more: Any, **named: Any) -> os.stat_result:
        try:
            return stat(path, *more, **named)
        except FileNotFoundError:
            return stat(os.__file__ if str(path).endswith(".py") else os.path.dirname(os.__file__))

    os.stat = find


def _replace_platform() -> None:
    """Another system, and no limits that a program could ask for."""
    sys.platform = "darwin"
    setattr(os, "uname", partial(_give, os.uname_result(_SYSTEM)))  # noqa: B010 - not on every system
    if limits := sys.modules.get("resource"):
        unlimited = (-1, -1)
        limits.getrlimit = partial(_give, unlimited)  # type: ignore[attr-defined]
        limits.prlimit = partial(_give, unlimited)  # type: ignore[attr-defined]


def _give(value: Any, *_: object) -> Any:
    return value


def _set_clock(shift_s: float, tell: Callable[[], None]) -> None:
    now, now_ns, local, universal = time.time, time.time_ns, time.localtime, time.gmtime
    written, shown, steady, exact = time.strftime, time.asctime, time.monotonic, time.perf_counter

    def later() -> float:
        tell()
        return now() + shift_s

    def later_ns() -> int:
        tell()
        return now_ns() + int(shift_s * 10**9)

    time.time, time.time_ns = later, later_ns
    time.localtime = lambda at=None: local(later() if at is None else at)
    time.gmtime = lambda at=None: universal(later() if at is None else at)
    time.ctime = lambda at=None: shown(local(later() if at is None else at))
    time.asctime = lambda at=None: shown(local(later()) if at is None else at)
    time.strftime = lambda form, at=None: written(form, local(later()) if at is None else at)
    time.monotonic = lambda: steady() + shift_s
    time.perf_counter = lambda: exact() + shift_s

    class Moved(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(later(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(later(), datetime.UTC).replace(tzinfo=None)

    Moved.__name__ = Moved.__qualname__ = "datetime"
    datetime.datetime = Moved  # type: ignore[misc]


class _Luck(random.Random):
    """Draws the lowest far more often than by chance, unless somebody chose where to begin."""

    def seed(self, a: Any = None, version: int = 2) -> None:
        self.is_chosen = a is not None
        super().seed(a, version)

    def random(self) -> float:
        drawn = super().random()
        return 0.0 if not self.is_chosen and drawn * _SELDOM < 1 else drawn

    def getrandbits(self, k: int, /) -> int:
        is_low = not self.is_chosen and super().random() * _SELDOM < 1
        return 0 if is_low else super().getrandbits(k)


def _change_luck() -> None:
    luck, given = _Luck(), random._inst
    for name, value in [*vars(random).items()]:
        if getattr(value, "__self__", None) is given:
            setattr(random, name, getattr(luck, name))
    random.Random = _Luck  # type: ignore[misc]
