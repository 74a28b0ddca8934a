"""Keeps several requests under way and hands out each reply as soon as it is there.

In: a function that answers one request, requests, how many at once. Out: replies, in the order in
which they come.

Threads, because each mostly waits. Few replies wait to be taken: what reads them writes each into
the store first, and a hundred thousand must not pile up before it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")

WAITING_PER_WORKER = 4
GLANCE_S = 0.2
LONGEST_GOODBYE_S = 5.0  # a worker notices within a glance; one that hangs ends with the process


def in_parallel(
    work: Callable[[A], B], items: Sequence[A], width: int, *, call_off: Callable[[], None]
) -> Iterator[B]:
    """Apply `work` to every item, `width` at a time. Closing the iterator early calls off what is
    under way, and returns when it has ended.
    """
    crew = _Crew(work, items, min(width, len(items)))
    try:
        yield from crew.results()
    finally:
        crew.stopped.set()
        if crew.busy:
            call_off()
        for worker in crew.workers:
            worker.join(LONGEST_GOODBYE_S)


class _Crew(Generic[A, B]):
    """Threads that take items one by one until there are none. `busy` are those not done yet."""

    def __init__(self, work: Callable[[A], B], items: Sequence[A], width: int) -> None:
        self._work = work
        self._items = iter(items)
        self._taking = threading.Lock()
        self._done: queue.Queue[B | BaseException | None] = queue.Queue(
            max(1, width) * WAITING_PER_WORKER
        )
        self.stopped = threading.Event()
        self.busy = width
        self.workers = [
            threading.Thread(target=self._labour, daemon=True, name=f"asking-{number}")
            for number in range(width)
        ]
        for worker in self.workers:
            worker.start()

    def results(self) -> Iterator[B]:
        """As they come. A mistake of ours in a worker is raised here, where it is seen."""
        while self.busy:
            try:
                result = self._done.get(timeout=GLANCE_S)  # a Ctrl-C must not be lost in a wait
            except queue.Empty:
                continue
            if result is None:
                self.busy -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result

    def _labour(self) -> None:
        try:
            while not self.stopped.is_set():
                with self._taking:
                    item = next(self._items, None)
                if item is None:
                    break
                self._put(self._work(item))
        except BaseException as error:  # noqa: BLE001 - raised again by `results`
            self._put(error)
        self._put(None)

    def _put(self, result: B | BaseException | None) -> None:
        while not self.stopped.is_set():
            try:
                self._done.put(result, timeout=GLANCE_S)
            except queue.Full:
                continue
            return
