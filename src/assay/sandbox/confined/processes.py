"""What /proc says about processes and their sockets, and how to end all of them.

Where there is no /proc, there are no figures.
"""

import os
import signal
import time
from contextlib import suppress
from typing import NamedTuple

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
    # The name stands in brackets and may hold anything, brackets too.
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
