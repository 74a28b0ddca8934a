"""Keeps several requests under way and hands out each reply as soon as it is there.

In: a function that answers one request, requests, how many at once. Out: replies, in the order in
which they come. Refuses to know: servers.

Threads, because each mostly waits. Few replies wait to be taken: what reads them writes each into
the store first, and a hundred thousand must not pile up before it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")

WAITING_PER_WORKER = 4
LONGEST_GOODBYE_S = 5.0  # a worker notices within a glance; one that hangs ends with the process


def in_parallel(
    work: Callable[[A], B], items: Sequence[A], width: int, *, call_off: Callable[[], None]
) -> Iterator[B]:
    """Apply `work` to every item, `width` at a time. Closing the iterator early calls off what is
    under way, and returns when it has ended.
    """
    done: queue.Queue[B | BaseException | None] = queue.Queue(width * WAITING_PER_WORKER)
    source = iter(items)
    taking = threading.Lock()
    stopped = threading.Event()

    def put(result: B | BaseException | None) -> None:
        while not stopped.is_set():
            try:
                done.put(result, timeout=0.5)
            except queue.Full:
                continue
            return

    def labour() -> None:
        try:
            while not stopped.is_set():
                with taking:
                    item = next(source, None)
                if item is None:
                    break
                put(work(item))
        except BaseException as error:  # noqa: BLE001 - a fault of ours: raised where it is seen
            put(error)
        put(None)

    workers = [
        threading.Thread(target=labour, daemon=True, name=f"asking-{number}")
        for number in range(min(width, len(items)))
    ]
    for worker in workers:
        worker.start()
    busy = len(workers)
    try:
        while busy:
            result = done.get()
            if result is None:
                busy -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result
    finally:
        stopped.set()
        if busy:
            call_off()
        for worker in workers:
            worker.join(LONGEST_GOODBYE_S)
