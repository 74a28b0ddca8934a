"""Times one work on both sides, alternating, and compares what came out.

In: two sides, pieces of work, how to do a piece. Out: seconds, tokens forwarded, answers.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from vs_lm_eval_items import Asked
from vs_lm_eval_model import synchronize
from vs_lm_eval_sides import Answer, Side, Theirs

WORSE = 1.3  # a batch size this much slower than the best ends the search
ALIKE = 1.02  # of sizes that are as quick the smallest is taken, which needs the least memory


@dataclass(slots=True)
class Measured:
    """One side."""

    seconds: float = 0.0
    tokens: int = 0
    answers: list[Any] = field(default_factory=list)
    above_model: int = 0  # bytes; on a GPU


@dataclass(frozen=True, slots=True)
class Contest:
    """The two sides."""

    theirs: Theirs
    ours: Side
    device: str
    rounds: int

    def measure(
        self, pieces: Sequence[Any], do: Callable[[Side, Any], list[Any]]
    ) -> tuple[Measured, Measured]:
        """Theirs and ours. Who begins changes with every piece, so that a machine that grows warm
        or busy is nobody's loss; of several rounds the median counts.
        """
        totals = {side.name: Measured() for side in (self.theirs, self.ours)}
        begins: tuple[Side, Side] = self.theirs, self.ours
        for piece in pieces:
            taken: dict[str, list[float]] = {side.name: [] for side in begins}
            for last in (number == self.rounds - 1 for number in range(self.rounds)):
                for side in begins:
                    one = self._timed(side, piece, do)
                    taken[side.name].append(one.seconds)
                    if last:
                        total = totals[side.name]
                        total.seconds += statistics.median(taken[side.name])
                        total.tokens += one.tokens
                        total.answers += one.answers
                        total.above_model = max(total.above_model, one.above_model)
                begins = begins[1], begins[0]
        return totals[self.theirs.name], totals[self.ours.name]

    def _timed(self, side: Side, piece: Any, do: Callable[[Side, Any], list[Any]]) -> Measured:
        """Memory that sufficed for the batch size when it was tuned may not suffice for all."""
        while True:
            try:
                return self._timed_once(side, piece, do)
            except torch.OutOfMemoryError:
                if side is not self.theirs or self.theirs.batch_size == 1:
                    raise
            torch.cuda.empty_cache()
            self.theirs.batch_size //= 2
            print(
                f"  lm-eval's batch size: {self.theirs.batch_size}, for lack of memory", flush=True
            )

    def _timed_once(self, side: Side, piece: Any, do: Callable[[Side, Any], list[Any]]) -> Measured:
        self.ours.forget()
        self.theirs.forget()
        gc.collect()  # nobody pays for what the other has thrown away
        before = side.forwarded.tokens
        on_gpu = self.device.startswith("cuda")
        if on_gpu:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
        allocated = torch.cuda.memory_allocated() if on_gpu else 0
        synchronize(self.device)
        started = time.perf_counter()
        answers = do(side, piece)
        synchronize(self.device)
        seconds = time.perf_counter() - started
        peak = torch.cuda.max_memory_allocated() if on_gpu else 0
        return Measured(seconds, side.forwarded.tokens - before, answers, peak - allocated)

    def tune(self, sizes: Sequence[int], do: Callable[[Side], Any]) -> Iterator[tuple[int, float]]:
        """Try batch sizes upwards until they get slower or no longer fit; leave theirs at the best.
        Both sides must have been warm before.
        """
        best, times = float("inf"), dict[int, float]()
        for size in sizes:
            self.theirs.batch_size = size
            try:
                synchronize(self.device)
                started = time.perf_counter()
                do(self.theirs)
                synchronize(self.device)
            except torch.OutOfMemoryError:
                torch.cuda.empty_cache()
                break
            seconds = time.perf_counter() - started
            yield size, seconds
            if seconds > WORSE * best:
                break
            best = min(best, seconds)
            times[size] = seconds
        self.theirs.batch_size = next(
            (size for size, seconds in times.items() if seconds <= ALIKE * best), sizes[0]
        )


# ------------------------------------------------------------------------------------- comparing


@dataclass(frozen=True, slots=True)
class Agreement:
    """How two sides' answers to the same choices compare."""

    largest: float  # |Δ| of log-likelihoods
    greedy_equal: bool
    accuracy: dict[str, tuple[float, float]]  # theirs, ours
    equal: bool  # the same choice on every item that is not too close to tell
    too_close: int


def agreement(
    items: Sequence[Asked], theirs: Sequence[Answer], ours: Sequence[Answer]
) -> Agreement:
    """Compare choices as they are, and divided by their length in characters."""
    pairs = [
        (one, other)
        for their, our in zip(theirs, ours, strict=True)
        for one, other in zip(their, our, strict=True)
    ]
    largest = max(abs(one[0] - other[0]) for one, other in pairs)
    accuracy, equal, too_close = {}, True, 0
    for name, length in (("acc", lambda _: 1), ("acc_norm", len)):
        lengths = [[length(choice) for choice in item.choices] for item in items]
        picked = [
            (_best(their, by), _best(our, by))
            for their, our, by in zip(theirs, ours, lengths, strict=True)
        ]
        rights = [item.right for item in items]
        accuracy[name] = (
            statistics.mean(a == right for (a, _), right in zip(picked, rights, strict=True)),
            statistics.mean(b == right for (_, b), right in zip(picked, rights, strict=True)),
        )
        for (a, b), their, by in zip(picked, theirs, lengths, strict=True):
            if _is_close(their, by, 2 * largest):
                too_close += 1
            elif a != b:
                equal = False
    greedy = all(one[1] == other[1] for one, other in pairs)
    return Agreement(largest, greedy, accuracy, equal, too_close)


def _best(answer: Answer, by: Sequence[int]) -> int:
    values = [value / length for (value, _), length in zip(answer, by, strict=True)]
    return values.index(max(values))


def _is_close(answer: Answer, by: Sequence[int], margin: float) -> bool:
    values = sorted(
        (value / length, margin / length) for (value, _), length in zip(answer, by, strict=True)
    )
    (second, wide), (first, narrow) = values[-2:]
    return first - second < max(wide, narrow)
