"""A piece of work for each core of a processor: no step waits for another core, as every step of
one piece on all cores does.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from threading import Event
from typing import TypeVar

import torch

from assay.engine.kernels.attention import stop_with

T = TypeVar("T")
R = TypeVar("R")


def core_by_core(work: Iterable[T], run: Callable[[T], R], *, cores: int) -> Iterator[R]:
    """In their order. What is too little for all cores is run piece by piece on all of them; no
    more than twice as many pieces as there are cores are under way.
    """
    waiting = iter(work)
    first = list(islice(waiting, cores))
    if cores == 1 or len(first) < cores:
        yield from map(run, chain(first, waiting))
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(max(1, threads // cores))  # also the number with which threads begin
    stopped = Event()
    pool = ThreadPoolExecutor(cores, initializer=stop_with, initargs=(stopped,))
    running: deque[Future[R]] = deque()
    try:
        for piece in chain(first, waiting):
            running.append(pool.submit(run, piece))
            if len(running) == 2 * cores:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)
