"""On what candidates can be ranked: the parts all of them have, brought to one scale.

In: Measured candidates. Out: a Scale, and the score of each candidate on it.

Perplexity per token depends on how long a token is. Where tokenizers differ, every candidate's bits
per byte are turned into the perplexity of one common token: as many bytes as a token has on average
over the tokenizers at hand. The order is then that of bits per byte, and the part keeps about the
size the formula gives it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.decide.weigh import GOOD_PERPLEXITY, parts_of, weighted_sum
from assay.messages import tr
from assay.types.decisions import OS_AVERAGED, OS_SUITE, PARTS, Measured, Part

LEAST_BITS = 1e-9
SAMPLED = "sampled"  # the method of shares whose predictions were drawn, not searched for


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The parts that are compared. `stretches`: by tokenizer, how many common tokens one of its
    own tokens stands for; empty where all have one tokenizer. `notes` say what was left out.
    """

    parts: tuple[Part, ...]
    stretches: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def stretch(self, measured: Measured) -> float:
        """Of this candidate's tokens; 1 where nothing needs to be stretched."""
        return 1.0 if measured.text is None else self.stretches.get(measured.text.tokenizer, 1.0)


def common_scale(candidates: Sequence[Measured]) -> Scale:
    """The scale of those that could be evaluated."""
    having = [parts_of(candidate) for candidate in candidates]
    parts = [part for part in PARTS if having and all(part in each for each in having)]
    notes: list[str] = []
    stretches: Mapping[str, float] = {}
    if "perplexity" in parts:
        found, note = _stretches(candidates)
        if note:
            notes.append(note)
        if found is None:
            parts.remove("perplexity")
        else:
            stretches = found
    if "os_benchmark" in parts and _asked_in_two_ways(candidates):
        parts.remove("os_benchmark")
        notes.append(
            tr(
                "The OS benchmark is left out: of some the best predictions were searched for, "
                "of others they were sampled, and the two are never ranked side by side."
            )
        )
    return Scale(parts=tuple(parts), stretches=stretches, notes=tuple(notes))


def score_on(scale: Scale, measured: Measured) -> float | None:
    """The weighted sum over the parts of the scale; None where it has none."""
    if not scale.parts or measured.failed:
        return None
    parts = parts_of(measured)
    stretch = scale.stretch(measured)
    if "perplexity" in scale.parts and stretch != 1.0:
        assert measured.text is not None
        parts["perplexity"] = (
            GOOD_PERPLEXITY * (measured.text.perplexity.value or math.inf) ** -stretch
        )
    return weighted_sum((part, parts[part]) for part in scale.parts)


def _stretches(candidates: Sequence[Measured]) -> tuple[Mapping[str, float] | None, str]:
    """By tokenizer, and a warning; None where perplexities cannot be compared at all."""
    texts = [candidate.text for candidate in candidates if candidate.text is not None]
    if len({text.text for text in texts}) > 1:
        return None, tr("Perplexity is left out: the checkpoints were measured on different texts.")
    if len({text.tokenizer for text in texts}) < 2:
        return {}, ""
    lengths: dict[str, list[float]] = {}
    for text in texts:
        bits = None if text.bits_per_byte is None else text.bits_per_byte.value
        if bits is None or bits < 0:
            return None, tr(
                "Perplexity is left out: the tokenizers differ, and of a text given as token ids "
                "bits per byte are not known."
            )
        if bits > LEAST_BITS:  # a text predicted without fail says nothing of its tokens
            of_token = math.log2(text.perplexity.value or 1.0) / bits
            lengths.setdefault(text.tokenizer, []).append(of_token)
    bytes_per_token = {
        tokenizer: math.fsum(found) / len(found) for tokenizer, found in lengths.items()
    }
    usual = math.fsum(bytes_per_token.values()) / len(bytes_per_token) if bytes_per_token else 1.0
    warning = tr(
        "The tokenizers differ: perplexities per token cannot be compared, so the checkpoints are "
        "compared by bits per byte."
    )
    return {name: usual / length for name, length in bytes_per_token.items() if length > 0}, warning


def _asked_in_two_ways(candidates: Sequence[Measured]) -> bool:
    ways = {
        tuple(candidate.suites[OS_SUITE].categories[task].method == SAMPLED for task in OS_AVERAGED)
        for candidate in candidates
        if OS_SUITE in candidate.suites
    }
    return len(ways) > 1
