"""Keeps several requests under way and hands out each reply as soon as it is there.

Threads, because each mostly waits. Few replies wait to be taken: what reads them writes each into
the store first, and a hundred thousand must not pile up before it.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")

AHEAD_PER_WORKER = 4
GLANCE_S = 0.2


def in_parallel(
    work: Callable[[A], B], items: Sequence[A], width: int, *, call_off: Callable[[], None]
) -> Iterator[B]:
    """Apply `work` to every item, `width` at a time; results come in the order they are done.
    Closing the iterator early calls off what is under way, and returns when it has ended.
    """
    coming = iter(items)
    done: queue.SimpleQueue[Future[B]] = queue.SimpleQueue()
    pool = ThreadPoolExecutor(width, thread_name_prefix="asking")

    def submit(most: int) -> int:
        futures = [pool.submit(work, item) for item in islice(coming, most)]
        for future in futures:
            future.add_done_callback(done.put)
        return len(futures)

    under_way = submit(width * AHEAD_PER_WORKER)
    try:
        while under_way:
            try:
                future = done.get(timeout=GLANCE_S)  # a Ctrl-C must not be lost in a wait
            except queue.Empty:
                continue
            under_way += submit(1) - 1
            yield future.result()
    finally:
        if under_way:
            call_off()
        pool.shutdown(cancel_futures=True)
