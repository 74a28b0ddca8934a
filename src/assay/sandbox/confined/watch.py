"""Watches the confined program until it ends, goes over a limit, or nobody is interested any more.

The lifeline is a pipe whose other end is held by who asked for the run.

Limits that the kernel keeps are per process. The sums over all of the program's processes are kept
here, by looking every few hundredths of a second.
"""

import os
import select
import signal
import time
from contextlib import suppress
from typing import Any

from . import processes

_LOOK_EVERY_S = 0.04
# The kernel ends a single process at its limit; it shall be the first to do so.
_GRACE_S = 0.2


# By number and beginning of a process: seconds of CPU when it was last looked at.
Spent = dict[tuple[int, int], float]


def until_it_ends(program: int, order: dict[str, Any], lifeline: int) -> dict[str, object]:
    """How and when it ended. What it left running is for the caller to end."""
    started = time.monotonic()
    ended, code = _watched(program, order, lifeline)
    return {"ended": ended, "exit_code": code, "seconds": time.monotonic() - started}


def _watched(program: int, order: dict[str, Any], lifeline: int) -> tuple[str, int | None]:
    """`stopped`: nobody is interested any more."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    # A signal without a handler would not write to the pipe.
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    asked = select.poll()
    asked.register(lifeline, select.POLLIN)
    asked.register(woken, select.POLLIN)
    next_look = time.monotonic()
    spent: Spent = {}
    while True:
        ended = processes.reap().get(program)
        if ended is not None:
            return _ended_by_itself(*ended, order["cpu_s"])
        if time.monotonic() >= next_look:
            over = _over(order, spent)
            if over:
                return over, None
            next_look = time.monotonic() + _LOOK_EVERY_S
        ready = [number for number, _ in asked.poll(_LOOK_EVERY_S * 1000)]
        if lifeline in ready:
            return "stopped", None
        if ready:
            os.read(woken, 4096)


def _ended_by_itself(status: int, used_s: float, most_s: float) -> tuple[str, int | None]:
    if not os.WIFSIGNALED(status):
        return "exited", os.WEXITSTATUS(status)
    by = os.WTERMSIG(status)
    spent = by == signal.SIGXCPU or (by == signal.SIGKILL and used_s >= most_s)
    return "cpu" if spent else "signalled", None


def _over(order: dict[str, Any], spent: Spent) -> str:
    me = os.getpid()
    in_sockets = 0
    if order["isolation"] == "weak":
        family = processes.descendants(me)
        if folder_is_over(order):
            return "output"
    else:
        family = [each for each in processes.all_processes() if each.number != me]
        about = os.statvfs(order["work"])
        if about.f_files - about.f_ffree > order["entries"]:
            return "output"
        in_sockets = processes.socket_memory()
    if _cpu_s(family, spent) > order["cpu_s"] + _GRACE_S:
        return "cpu"
    held = sum(processes.own_memory(each.number) for each in family)
    if held + in_sockets > order["memory_bytes"]:
        return "memory"
    return ""


def _cpu_s(family: list[processes.Process], spent: Spent) -> float:
    """By the kernel's sums, or as seen here: it forgets processes that nobody waits for."""
    times = os.times()
    waited_for = times.children_user + times.children_system
    spent.update({(each.number, each.began): each.own_cpu_s for each in family})
    return max(waited_for + sum(each.cpu_s for each in family), sum(spent.values()))


def folder_is_over(order: dict[str, Any]) -> bool:
    """On a real disk. A tree too deep to be looked into is over as well, or one that is shut."""
    size = entries = 0
    folders = [order["work"]]
    while folders:
        try:
            with os.scandir(folders.pop()) as found:
                for entry in found:
                    entries += 1
                    with suppress(FileNotFoundError):  # the rest is still to be looked at
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    if entries > order["entries"] or size > order["folder_bytes"]:
                        return True
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return True
    return False
