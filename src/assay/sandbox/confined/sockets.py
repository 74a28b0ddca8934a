"""What /proc says about memory that lies in sockets, which belongs to no process.

In: nothing. Out: bytes. It sees those of this network namespace, so that it says something of a
program only where that has one of its own.
"""

from __future__ import annotations

# What one may hold by default; the call filter lets nobody ask for more.
_MOST_IN_A_LOCAL_ONE = 212_992
_WITH_QUEUES = ("tcp", "tcp6", "udp", "udp6")


def memory() -> int:
    """Bytes that wait in queues; of local sockets, whose queues are not shown, the most."""
    local = len(_lines("unix")) * _MOST_IN_A_LOCAL_ONE
    return local + sum(_queued(line) for kind in _WITH_QUEUES for line in _lines(kind))


def _lines(kind: str) -> list[bytes]:
    try:
        with open(f"/proc/self/net/{kind}", "rb") as file:
            return file.read().splitlines()[1:]
    except OSError:
        return []


def _queued(line: bytes) -> int:
    """The fifth column: what was not sent yet, and what was not read yet."""
    waiting, _, unread = line.split()[4].partition(b":")
    return int(waiting, 16) + int(unread, 16)
