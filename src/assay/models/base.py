"""What most Models do alike: nothing is asked beforehand, measured aside, or held; and the k best
of one that can only be sampled: k answers drawn with distinct seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from assay.types import Answered, ModelFacts, Observed, Sampling, Timing


class BaseModel:
    """Sets `_facts`; overrides what it does otherwise."""

    _facts: ModelFacts

    @property
    def facts(self) -> ModelFacts:
        return self._facts

    def probe(self) -> None: ...

    def observed(self) -> Observed:
        return Observed()

    def stop(self) -> None: ...

    def close(self) -> None: ...


Number = TypeVar("Number", int, float)

SEEDS_APART = 1000  # repeats take the seeds between


def draws(sampling: Sampling) -> Iterator[Sampling]:
    """One way of drawing for each answer wanted; no two share a seed, repeats included."""
    for number in range(sampling.predictions):
        yield replace(sampling, seed=sampling.seed + number * SEEDS_APART, predictions=1)


def together(samples: Sequence[Answered]) -> Answered:
    """The texts in the order drawn, times and written tokens added up; a single one as it is."""
    if len(samples) == 1:
        return samples[0]
    return replace(
        samples[0],
        reasoning_unclosed=all(sample.reasoning_unclosed for sample in samples),
        truncated=any(sample.truncated for sample in samples),
        predictions=tuple(sample.text for sample in samples),
        prediction_method="sampled",
        output_tokens=_added([sample.output_tokens for sample in samples]),
        total_s=sum(sample.total_s or 0.0 for sample in samples),
        attempts=max(sample.attempts for sample in samples),
        dropped=tuple(sorted({name for sample in samples for name in sample.dropped})),
        timing=_timing([sample.timing for sample in samples]),
    )


def _timing(parts: Sequence[Timing | None]) -> Timing | None:
    """Writing is added up. Loading and reading are the first one's: the prompt is the same, and the
    others find it read already.
    """
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    return replace(
        known[0],
        queue_s=_added([part.queue_s for part in known]),
        decode_s=_added([part.decode_s for part in known]),
    )


def _added(parts: Sequence[Number | None]) -> Number | None:
    """None where one is not told."""
    told = [part for part in parts if part is not None]
    return sum(told) if len(told) == len(parts) else None
