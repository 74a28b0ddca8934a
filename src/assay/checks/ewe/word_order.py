"""Whether words follow each other as in Ewe, and how much of a text is known words.

Each pair of words beside each other, or one apart, has features: the words themselves where they
are known well, else their last or first two letters. A feature has a weight, learned by telling
Ewe sentences from the same words shuffled and from made-up ones. Weights are kept by a hash of the
feature: docs/decisions/091-ewe-quality.md.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assay.checks.ewe.language import COMMON_FROM

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORD_ORDER = Path(__file__).parents[2] / "builtin" / "language" / "word_order.bin"
SLOTS = 1 << 17
KNOWN_WELL_FROM = 3  # times; rarer words are taken by their first and last letters
JUDGED_FROM = 6  # words; an order of fewer says too little
USUAL_UNKNOWN, USUAL_COMMON = 0.2, 0.4  # shares of the words of a text
EDGE = "|"  # before and after a text


class OrderEvidence(NamedTuple):
    """What order and words say for a text being Ewe sentences, in nats; the sum is 0 where it
    could be either.
    """

    order: float
    words: float
    length: float


@dataclass(frozen=True)
class WordOrder:
    """`weights` of features, in steps of `step` nats; the others say what a text's gain, too many
    unknown words, too few common ones and its length are worth, each by the root of the length.
    """

    weights: NDArray[np.int8]
    step: float
    order: float
    unknown: float
    uncommon: float
    length: float
    bias: float

    def gain(self, slots: Sequence[int]) -> float:
        return float(self.weights[slots].sum(dtype=int)) * self.step

    def evidence(self, counts: Sequence[int], gain: float) -> OrderEvidence:
        """`counts`: of each word in the lexicon; `gain`: the sum over its pairs."""
        root = math.sqrt(len(counts))
        unknown, uncommon = unusual(counts)
        return OrderEvidence(
            order=self.order * gain / root,
            words=(self.unknown * unknown + self.uncommon * uncommon) / root,
            length=self.length * root + self.bias,
        )


def unusual(counts: Sequence[int]) -> tuple[float, float]:
    """How many words are unknown, and not common, beyond what is usual in Ewe not seen before."""
    unknown, common = counts.count(0), counts.count(COMMON_FROM)
    return (
        max(0.0, unknown - USUAL_UNKNOWN * len(counts)),
        max(0.0, USUAL_COMMON * len(counts) - common),
    )


def slots_of(words: Sequence[str], known: Mapping[str, int]) -> list[list[int]]:
    """For each word and for the end of the text, the places of the weights of its pairs with
    the words before it.
    """
    forms = [(EDGE,) * 3, *(_forms(word, known.get(word, 0)) for word in words), (EDGE,) * 3]
    return [
        [zlib.crc32(feature.encode()) % SLOTS for feature in _features(forms, at)]
        for at in range(1, len(forms))
    ]


def _forms(word: str, count: int) -> tuple[str, str, str]:
    if count >= COMMON_FROM:
        return word, word, word
    return word if count >= KNOWN_WELL_FROM else "", "-" + word[-2:], word[:2] + "-"


def _features(forms: Sequence[tuple[str, ...]], at: int) -> Iterator[str]:
    word, ending, beginning = forms[at]
    left_word, left_ending, left_beginning = forms[at - 1]
    yield f"1{left_ending} {ending}"
    yield f"1{left_ending} {beginning}+"
    yield f"1{left_beginning}+ {beginning}+"
    if left_word and word:
        yield f"1{left_word}= {word}="
    if left_word:
        yield f"1{left_word}= {ending}"
    if word:
        yield f"1{left_ending} {word}="
    if at > 1:
        yield f"2{forms[at - 2][1]} {ending}"
        yield f"2{forms[at - 2][1]} {beginning}+"


@lru_cache(maxsize=1)
def shipped_word_order() -> WordOrder:
    return unpack_order(WORD_ORDER.read_bytes())


def unpack_order(packed: bytes) -> WordOrder:
    """What `pack_order` in scripts/make_word_order.py wrote: a JSON line, then the weights."""
    import numpy as np

    head, _, weights = zlib.decompress(packed).partition(b"\n")
    return WordOrder(weights=np.frombuffer(weights, dtype=np.int8), **json.loads(head))
