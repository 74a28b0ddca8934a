"""What /proc says about processes and their sockets, how to end all of them, and how to watch the
confined program until it ends, goes over a limit, or nobody is interested any more.

Limits that the kernel keeps are per process. The sums over all of the program's processes are kept
here, by looking every few hundredths of a second. Where there is no /proc, there are no figures.
"""

import os
import select
import signal
import time
from contextlib import suppress
from typing import Any, NamedTuple

# What a local socket may hold by default; the call filter lets nobody ask for more.
_MOST_IN_A_LOCAL_ONE = 212_992
_WITH_QUEUES = ("tcp", "tcp6", "udp", "udp6")


class Process(NamedTuple):
    number: int
    parent: int
    threads: int
    began: int  # in ticks since the machine started: numbers are given again
    own_cpu_s: float
    cpu_s: float  # and that of the children it has waited for


def all_processes() -> list[Process]:
    """Those that can be seen from here, the dead that nobody has waited for included."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    found = (_read(int(name)) for name in names if name.isdigit())
    return [each for each in found if each is not None]


def read_bytes(name: str) -> bytes:
    """What a file in /proc says; nothing where there is none, or none for us."""
    try:
        with open(f"/proc/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def _read(number: int) -> Process | None:
    text = read_bytes(f"{number}/stat")
    if not text:
        return None
    # The name is in brackets and may hold anything, brackets too.
    fields = text[text.rindex(b")") + 2 :].split()
    ticks, second = [int(one) for one in fields[11:15]], os.sysconf("SC_CLK_TCK")
    return Process(
        number=number,
        parent=int(fields[1]),
        threads=int(fields[17]),
        began=int(fields[19]),
        own_cpu_s=sum(ticks[:2]) / second,
        cpu_s=sum(ticks) / second,
    )


def descendants(ancestor: int) -> list[Process]:
    everybody = all_processes()
    family, size = {ancestor}, 0
    while len(family) > size:
        size = len(family)
        family.update(each.number for each in everybody if each.parent in family)
    return [each for each in everybody if each.number in family and each.number != ancestor]


def own_memory(number: int) -> int:
    """Bytes that are no file's on disk; what several share counts for each of them."""
    lines = [line.split() for line in read_bytes(f"{number}/status").splitlines()]
    held = (b"RssAnon:", b"RssShmem:")
    return sum(int(line[1]) for line in lines if line and line[0] in held) << 10


def threads_of_user(user: int) -> int:
    """How many the kernel counts against this user's limit of processes."""
    total = 0
    for each in all_processes():
        with suppress(OSError):
            if os.stat(f"/proc/{each.number}").st_uid == user:
                total += each.threads
    return total


def end_descendants(ancestor: int, *, patience_s: float = 5.0) -> None:
    """Stop them all, so that none starts another, then end them; again until there are none."""
    deadline = time.monotonic() + patience_s
    while (family := descendants(ancestor)) and time.monotonic() < deadline:
        for each in family:
            send(each.number, signal.SIGSTOP)
        for each in descendants(ancestor):
            send(each.number, signal.SIGKILL)
        reap()
        time.sleep(0.002)


def send(number: int, kind: signal.Signals) -> None:
    """A signal; that it is gone already, or not ours, is no matter."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(number, kind)


def reap() -> dict[int, tuple[int, float]]:
    """Children that have ended: how, and the seconds of CPU they used."""
    ended: dict[int, tuple[int, float]] = {}
    while True:
        try:
            number, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if number == 0:
            return ended
        ended[number] = (status, usage.ru_utime + usage.ru_stime)


def socket_memory() -> int:
    """Bytes in sockets, which belong to no process; of a local one the most it may hold."""
    local, *others = (
        read_bytes(f"self/net/{kind}").splitlines()[1:] for kind in ("unix", *_WITH_QUEUES)
    )
    # The fifth column: what was not sent yet, and what was not read yet.
    queues = [line.split()[4].split(b":") for lines in others for line in lines]
    waiting = sum(int(part, 16) for queue in queues for part in queue)
    return len(local) * _MOST_IN_A_LOCAL_ONE + waiting


_LOOK_EVERY_S = 0.04
# The kernel ends a single process at its limit; it shall be the first to do so.
_GRACE_S = 0.2


# By number and beginning of a process: seconds of CPU when it was last looked at.
Spent = dict[tuple[int, int], float]


def until_it_ends(program: int, order: dict[str, Any], lifeline: int) -> tuple[str, int | None]:
    """How it ended, `stopped` where nobody is interested any more, and its exit code. What it left
    running is for the caller to end.
    """
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
        ended = reap().get(program)
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
        family = descendants(me)
        if folder_is_over(order):
            return "output"
    else:
        family = [each for each in all_processes() if each.number != me]
        about = os.statvfs(order["work"])
        if about.f_files - about.f_ffree > order["entries"]:
            return "output"
        in_sockets = socket_memory()
    if _cpu_s(family, spent) > order["cpu_s"] + _GRACE_S:
        return "cpu"
    held = sum(own_memory(each.number) for each in family)
    if held + in_sockets > order["memory_bytes"]:
        return "memory"
    return ""


def _cpu_s(family: list[Process], spent: Spent) -> float:
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
