"""Which words there are, and which follow each other, counted beforehand.

In: a text. Out: its words and stops with their places, whether a word is known, and how much
likelier than chance each follows the one before it.

A word belongs to a class: the commonest are a class of their own, the others share one with the
words that stand between the same neighbours. `gain` is ln P(class | class before) / P(class), so a
shuffled text has less of it than a written one. `gain_of_two` is what a third word gains when two
before it are known instead of one; its classes are coarser, because triples are rarer. Made by
`scripts/make_health_words.py`.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PARAMETERS = Path(__file__).with_name("words.bin")
FUNCTION_WORDS = Path(__file__).with_name("function_words.txt")
TERMS = Path(__file__).with_name("terms.txt")
STEPS_PER_NAT, STEPS_OF_TWO_PER_NAT = 24, 8
BORDER, UNKNOWN = "<border>", "<other>"

CARELESS_FORMS = {
    **dict.fromkeys(("i", "im", "ive"), "I"),
    **{f"{word}nt": f"{word}n't" for word in ("do", "does", "did", "is", "are", "was", "ca", "wo")},
    **{f"{word}s": f"{word}'s" for word in ("that", "there", "what", "let")},
    "u": "you",
    "ur": "your",
    "cuz": "because",
    "pls": "please",
    "wich": "which",
}

_TOKEN = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*|\d(?:[\d.,:]*\d)?|[.,;:!?()]")
_ENDINGS = (  # longest first
    *("able", "ions", "ment", "ness", "tion"),
    *("ers", "est", "ies", "ing", "ity", "ive", "ous"),
    *("'s", "al", "ed", "er", "es", "ly"),
    *("e", "s", "y"),
)
_SHORT = 3


class Token(NamedTuple):
    """A word, number or stop, and where it stands."""

    text: str
    start: int
    end: int


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The words, numbers and stops of a stretch of text."""
    stop = len(text) if end is None else end
    return [
        Token(found[0].replace("’", "'"), found.start(), found.end())
        for found in _TOKEN.finditer(text, start, stop)
    ]


def shape(word: str) -> str:
    """What stands for a word nobody counted: its ending, and whether it is capitalised."""
    if word[0].isdigit():
        return "<number>"
    if len(word) > 1 and word.isupper():
        return "<capitals>"
    if "-" in word:
        return "<hyphened>"
    capital = "^" if word[0].isupper() else ""
    low = word.lower()
    for ending in _ENDINGS:
        if low.endswith(ending) and len(low) > len(ending) + 2:
            return f"{capital}<{ending}>"
    return capital + ("<short>" if len(low) <= _SHORT else UNKNOWN)


@dataclass(frozen=True)
class WordModel:
    """The words of one language with their classes, and the gain of class after class in steps."""

    class_of: Mapping[str, int]
    steps: NDArray[np.int8]
    coarse_of: Mapping[str, int]
    steps_of_two: NDArray[np.int8]
    own_classes: int

    def knows(self, word: str) -> bool:
        """Whether a word was counted, as it is written or in small letters."""
        return word in self.class_of or word.lower() in self.class_of

    def counted_as(self, word: str) -> str:
        """The word, its small or capitalised form ("i", "linux"), or the shape that stands for it.

        Careless writers leave out capitals and apostrophes.
        """
        for form in (CARELESS_FORMS.get(word, word), word.lower(), word.capitalize()):
            if form in self.class_of:
                return form
        return shape(word)

    def is_common(self, word: str) -> bool:
        """Whether a word is one of the commonest, which have a class each."""
        return self.class_of.get(self.counted_as(word), self.own_classes) < self.own_classes

    def gains(self, words: Sequence[str]) -> NDArray[np.float64]:
        """For each word, how much likelier than chance it is after the one before, in nats."""
        import numpy as np

        unknown = self.class_of[UNKNOWN]
        known = self.class_of
        classes = [known.get(self.counted_as(word), unknown) for word in words]
        row = np.array([known[BORDER], *classes])
        gains: NDArray[np.float64] = self.steps[row[:-1], row[1:]] / float(STEPS_PER_NAT)
        return gains

    def gains_of_two(self, words: Sequence[str]) -> NDArray[np.float64]:
        """For each word, how much likelier it is after the two before than after one, in nats."""
        import numpy as np

        unknown = self.coarse_of[UNKNOWN]
        classes = [self.coarse_of.get(self.counted_as(word), unknown) for word in words]
        row = np.array([self.coarse_of[BORDER], *classes])
        steps = self.steps_of_two[row[:-2], row[1:-1], row[2:]]
        gains: NDArray[np.float64] = np.concatenate([[0.0], steps / float(STEPS_OF_TWO_PER_NAT)])
        return gains[: len(words)]


@lru_cache(maxsize=1)
def shipped_words() -> Mapping[str, WordModel]:
    """The models that come with Assay, by language."""
    import numpy as np

    raw = zlib.decompress(PARAMETERS.read_bytes())
    size = int.from_bytes(raw[:4], "little")
    header = json.loads(raw[4 : 4 + size])
    at, models = 4 + size, {}

    def take(kind: str, *shape: int) -> NDArray[Any]:
        nonlocal at
        array = np.frombuffer(raw, dtype=kind, count=math.prod(shape), offset=at)
        at += array.nbytes
        return array.reshape(shape)

    for language, words in header["words"].items():
        width, coarse = header["classes"][language], header["coarse"][language]
        class_of = dict(zip(words, map(int, take("<u2", len(words))), strict=True))
        steps = take("i1", width, width)
        coarse_of = dict(zip(words, map(int, take("<u2", len(words))), strict=True))
        models[language] = WordModel(
            class_of,
            steps,
            coarse_of,
            take("i1", coarse, coarse, coarse),
            header["own"][language],
        )
    return models


@lru_cache(maxsize=1)
def function_words() -> Mapping[str, frozenset[str]]:
    """The small words that hold sentences together, by language."""
    found = {}
    for line in FUNCTION_WORDS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            language, _, words = line.partition(":")
            found[language.strip()] = frozenset(words.split())
    return found


@lru_cache(maxsize=1)
def all_function_words() -> frozenset[str]:
    """Those of every language we have a list of."""
    return frozenset().union(*function_words().values())


@lru_cache(maxsize=1)
def known_terms() -> frozenset[str]:
    """The technical terms of terms.txt."""
    lines = TERMS.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
