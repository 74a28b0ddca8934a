"""Cuts work into batches by tokens, and into smaller ones when memory runs out."""

import gc
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import torch

T = TypeVar("T")
R = TypeVar("R")


class TooLittleMemory(MemoryError):
    """Even the smallest piece of work does not fit."""


def by_tokens(work: Iterable[T], size: Callable[[T], int], budget: int) -> Iterator[list[T]]:
    """Neighbours together, up to this many tokens; at least one piece in each batch."""
    batch: list[T] = []
    held = 0
    for piece in work:
        tokens = size(piece)
        if batch and held + tokens > budget:
            yield batch
            batch, held = [], 0
        batch.append(piece)
        held += tokens
        if held >= budget:  # before the next piece is asked for
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def halved_when_full(batch: list[T], run: Callable[[list[T]], R]) -> Iterator[tuple[list[T], R]]:
    waiting = [batch]
    while waiting:
        part = waiting.pop()
        try:
            result = run(part)
        except (torch.OutOfMemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
            if len(part) == 1:
                raise TooLittleMemory(str(error)) from error
            free_memory()
            middle = len(part) // 2
            waiting += [part[middle:], part[:middle]]
            continue
        yield part, result


def one_behind(given: Iterable[T]) -> Iterator[T]:
    """Each when the next is there, which a GPU computes meanwhile; before it, where that fails."""
    held: list[T] = []
    try:
        for each in given:
            ready, held = held, [each]
            yield from ready
    except Exception:
        yield from held
        raise
    yield from held


def fewer_when_full(rows: int, tokens: int, run: Callable[[int, int], Iterator[R]]) -> Iterator[R]:
    """Where memory runs out, again with half of both; `run` leaves out what has ended."""
    while True:
        try:
            yield from run(rows, tokens)
            return
        except (RuntimeError, TooLittleMemory) as error:
            if not out_of_memory(error):
                raise
            if rows == 1:
                raise TooLittleMemory(str(error)) from error
            rows, tokens = rows // 2, max(1, tokens // 2)
        free_memory()


def out_of_memory(error: Exception) -> bool:
    """The CPU's allocator has no exception of its own, only words."""
    words = str(error)
    known = ("not enough memory", "can't allocate memory")
    told = isinstance(error, torch.OutOfMemoryError | TooLittleMemory)
    return told or any(each in words for each in known)


def free_memory() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
