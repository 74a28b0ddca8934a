"""What most Models do alike. A base model has no roles: the contents of a conversation stand alone,
a blank line between two turns, an answer right behind its question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from assay.types import Answered, Message, ModelFacts, Observed, Sampling, Timing

if TYPE_CHECKING:
    from assay.engine.drift import Reader

Number = TypeVar("Number", int, float)

SEEDS_APART = 1000  # repeats take the seeds between
BETWEEN_TURNS = "\n\n"  # plan.py ends the answers of base models here
_ENDS = (".", "?", "!", "…")
_WHITE_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReader:
    """A loaded model to be read beside others. `begin`: what its tokenizer puts before a text;
    `threads`: several may read with it at once.
    """

    read: Reader
    encode: Callable[[str], Sequence[int]]
    decode: Callable[[Sequence[int]], str]
    begin: tuple[int, ...]
    vocabulary: int
    context: int
    threads: bool = False


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


def draws(sampling: Sampling) -> Iterator[Sampling]:
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
        queue_s=_added([sample.queue_s for sample in samples]),
        wall_s=_added([sample.wall_s for sample in samples]),
        attempts=max(sample.attempts for sample in samples),
        dropped=tuple(sorted({name for sample in samples for name in sample.dropped})),
        timing=_timing([sample.timing for sample in samples]),
    )


def _timing(parts: Sequence[Timing | None]) -> Timing | None:
    """Writing is added up; loading and reading are the first one's, as the prompt is the same."""
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    return replace(
        known[0],
        other_s=_added([part.other_s for part in known]),
        decode_s=_added([part.decode_s for part in known]),
    )


def _added(parts: Sequence[Number | None]) -> Number | None:
    """None where one is not told."""
    told = [part for part in parts if part is not None]
    return sum(told) if len(told) == len(parts) else None


def cut_at_stops(text: str, stops: Sequence[str]) -> str:
    """Before the first occurrence of each, in their order."""
    for stop in filter(None, stops):
        text = text.split(stop)[0]
    return text


def as_text(messages: Sequence[Message]) -> str:
    text = ""
    for message in messages:
        text += joint(text, message) + message.content
    return text


def joint(before: str, message: Message) -> str:
    """A begun sentence or a colon is answered on its line, a whole question on the next."""
    if not before:
        return ""
    if message.role != "assistant":
        return BETWEEN_TURNS
    on_next_line = "\n" in message.content or before.endswith(_ENDS)
    return "\n" if on_next_line else " "


def words_in(text: str) -> int:
    """As lm-evaluation-harness counts: white space at an end has an empty word beside it."""
    return 1 + sum(1 for _ in _WHITE_SPACE.finditer(text))


def bytes_in(text: str) -> int:
    """In UTF-8; half a surrogate pair, which JSON can hold, counts as the three it would take."""
    return len(text.encode("utf-8", "surrogatepass"))


def reads_text(plugin: object) -> bool:
    """Whether a user's class, or an object of it, has what likelihoods need."""
    return callable(getattr(plugin, "tokenize", None)) and callable(getattr(plugin, "logits", None))
