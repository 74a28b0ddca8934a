"""Whether words follow each other as in Ewe, and how much of a text is known words.

Each word is compared with the one or two before it: how much likelier is it there than anywhere in
Ewe? The answer is a Kneser-Ney estimate of counts in Ewe texts, taken in three views that differ in
what a rare word is counted by. What a run of words adds is kept by a hash of the run:
docs/decisions/ewe.md.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assay.checks.ewe.language import COMMON_FROM, NAME, find_keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORD_ORDER = Path(__file__).parents[2] / "builtin" / "language" / "word_order.bin"
PLACES = 1 << 26  # of the hash; with 1 << 22 collisions let 0.19 of shuffled lines pass, not 0.11
# Of shuffled lines of four or five words half passed when an order was asked of them too.
JUDGED_FROM = 6  # words; an order of fewer says too little
# One word in eight of a real text of another source is not in the lexicon (2,644 of 19,910).
USUAL_UNKNOWN, USUAL_COMMON = 0.2, 0.4  # shares of the words of a text
EDGE, ANY = "|", "*"  # before and after a text; whatever follows


class WordView(NamedTuple):
    """A word is itself if seen `known_from` times, else these letters of it; `longest` run."""

    known_from: int
    letters: slice
    longest: int


# The views err on different lines: the first alone lets 15 % of shuffled lines pass where 96 %
# of real ones do, all three together 8 % where 97 % do.
VIEWS = (
    WordView(3, slice(-2, None), 2),
    WordView(20, slice(-1, None), 3),
    WordView(20, slice(2), 3),
)

_STARTS = [zlib.crc32(f"{view} ".encode()) for view in range(len(VIEWS))]


class OrderEvidence(NamedTuple):
    """What order and words say for a text being Ewe sentences, in nats; the sum is 0 where it
    could be either.
    """

    order: float
    words: float
    length: float


@dataclass(frozen=True)
class WordOrder:
    """`weights` of runs of words, in steps of `step` nats, at ascending `places`; the others say
    what too many unknown words, too few common ones and each word of the length are worth.
    """

    places: NDArray[np.uint32]
    weights: NDArray[np.int8]
    step: float
    unknown: float
    uncommon: float
    length: float
    bias: float

    def gains(self, words: Sequence[str], known: Mapping[str, int]) -> list[float]:
        """How well each word, and the end of the text, follow what is before them."""
        import numpy as np

        wanted = np.array(hashes_of(words, known), dtype=np.uint32) % PLACES
        at, is_known = find_keys(self.places, wanted)
        found: list[float] = ((self.weights[at] * is_known).sum(axis=1) * self.step).tolist()
        return found

    def evidence(self, counts: Sequence[int], gain: float) -> OrderEvidence:
        """`counts`: of each word in the lexicon; `gain`: the sum over its words."""
        unknown, uncommon = unusual(counts)
        return OrderEvidence(
            order=gain,
            words=self.unknown * unknown + self.uncommon * uncommon,
            length=self.length * len(counts) + self.bias,
        )


def unusual(counts: Sequence[int]) -> tuple[float, float]:
    """How many words are unknown, and not common, beyond what is usual in Ewe not seen before."""
    unknown, common = counts.count(0), sum(count >= COMMON_FROM for count in counts)
    return (
        max(0.0, unknown - USUAL_UNKNOWN * len(counts)),
        max(0.0, USUAL_COMMON * len(counts) - common),
    )


def hashes_of(words: Sequence[str], known: Mapping[str, int]) -> list[list[int]]:
    """For each word and for the end of the text, what `place_of` makes places of, for each of
    `runs_of`. A run goes on from the hash of what is before its last word.
    """
    crc32, any_word = zlib.crc32, ANY.encode()
    found: list[list[int]] = [[] for _ in range(len(words) + 1)]
    for view, start in zip(VIEWS, _STARTS, strict=True):
        forms = [form.encode() for form in _forms(words, known, view)]
        followed = [form + b" " for form in forms]
        for hashes, at in zip(found, range(view.longest - 1, len(forms)), strict=True):
            word, before = forms[at], b""
            hashes.append(crc32(word, start))
            for form in reversed(followed[at - view.longest + 1 : at]):
                before = form + before
                begun = crc32(before, start)
                hashes += (crc32(word, begun), crc32(any_word, begun))
    return found


def place_of(view: int, run: str) -> int:
    return zlib.crc32(run.encode(), _STARTS[view]) % PLACES


def runs_of(words: Sequence[str], known: Mapping[str, int], view: WordView) -> Iterator[list[str]]:
    """For each word and for the end: the word; the runs that end in it; those runs with ANY there,
    which say what it costs that a run was never seen.
    """
    forms = _forms(words, known, view)
    for at in range(view.longest - 1, len(forms)):
        word, before, runs = forms[at], "", [forms[at]]
        for form in reversed(forms[at - view.longest + 1 : at]):
            before = f"{form} {before}"
            runs += (before + word, before + ANY)
        yield runs


def _forms(words: Sequence[str], known: Mapping[str, int], view: WordView) -> list[str]:
    forms = [
        word if word == NAME or known.get(word, 0) >= view.known_from else "-" + word[view.letters]
        for word in words
    ]
    return [EDGE] * (view.longest - 1) + forms + [EDGE]


@lru_cache(maxsize=1)
def shipped_word_order() -> WordOrder:
    return unpack_order(WORD_ORDER.read_bytes())


def unpack_order(packed: bytes) -> WordOrder:
    """What `pack_order` in scripts/make_word_order.py wrote: a JSON line, how many places each
    weight is after the one before it, and the weights.
    """
    import numpy as np

    head, _, body = zlib.decompress(packed).partition(b"\n")
    count = len(body) // 3
    gaps = np.frombuffer(body, dtype="<u2", count=count)
    return WordOrder(
        places=np.cumsum(gaps, dtype=np.uint32),
        weights=np.frombuffer(body, dtype=np.int8, offset=2 * count),
        **json.loads(head),
    )
