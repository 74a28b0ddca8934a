"""Whether prose is made of pieces of sentences that do not belong together.

In: the words of an answer's prose in their places. Out: how disjointed it is, as a whole and
towards its end.

Pieces of two to four words read well inside, so what follows what is only a little less likely than
in written text. Several weak signs together tell: pairs and triples of known words that gain
little, common words that never meet, and sentences that begin with a small letter. They are weighed
as a logistic regression of pieces against real prose weighs them (docs/health.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.checks.health.word_model import WordModel
from assay.checks.health.word_order import Ordered
from assay.checks.shell.programs import KNOWN_PROGRAMS

FEWEST, FEWEST_KNOWN = 40, 0.6  # words and stops; share that was counted
NEVER_MEET = -1.0  # nats
MOST_SMALL_STARTS = 1.0  # in thirty words
CARELESS_COUNTS = 0.4  # where nothing has a capital: who writes so is only careless
_STOPS = frozenset(".!?")


class Signs(NamedTuple):
    """What speaks for pieces; means over the words of a stretch."""

    gain: float
    gain_of_two: float
    small_starts: float  # in thirty words
    common_that_never_meet: float  # in thirty words
    known_that_never_meet: float  # in ten


WEIGHTS = Signs(-2.33, -8.46, 2.09, 1.12, 0.69)
CONSTANT = -4.9


def disjointed(words: Sequence[Ordered], model: WordModel) -> Iterator[tuple[int, float]]:
    """For the whole prose, its last two thirds and its second half, where there is enough to judge:
    its first word, and the log-odds that it is made of pieces.
    """
    for first in (0, len(words) // 3, len(words) // 2):
        signs = signs_of(words[first:], model)
        if signs is not None:
            weighed = zip(WEIGHTS, signs, strict=True)
            yield first, CONSTANT + sum(weight * sign for weight, sign in weighed)


def is_careless(words: Sequence[Ordered]) -> bool:
    """Whether nothing but the first word has a capital, except what is all capitals."""
    return not any(word.text[0].isupper() and not word.text.isupper() for word in words[1:])


def signs_of(words: Sequence[Ordered], model: WordModel) -> Signs | None:
    """What speaks for pieces in some words; None where too few of them are known."""
    count = len(words)
    if count < FEWEST:
        return None
    known = [not model.counted_as(word.text).startswith(("<", "^<")) for word in words]
    if sum(known) < FEWEST_KNOWN * count:
        return None
    common = [model.is_common(word.text) for word in words]
    met = _first_meetings(words, known)
    both = set(met)
    pairs = [words[at].gain for at in met]
    triples = [words[at].gain_of_two for at in met if at - 1 in both]
    if not pairs or not triples:
        return None
    strange = [at for at in met if words[at].gain < NEVER_MEET]
    return Signs(
        gain=sum(pairs) / len(pairs),
        gain_of_two=sum(triples) / len(triples),
        small_starts=_small_starts(words, known),
        common_that_never_meet=30 * sum(common[at] and common[at - 1] for at in strange) / count,
        known_that_never_meet=10 * len(strange) / len(pairs),
    )


def _first_meetings(words: Sequence[Ordered], known: Sequence[bool]) -> list[int]:
    """Where two known words meet for the first time: what is odd once is odd each time."""
    found: list[int] = []
    seen: set[tuple[str, str]] = set()
    for at in range(1, len(words)):
        pair = (words[at - 1].text.lower(), words[at].text.lower())
        if known[at] and known[at - 1] and not words[at].anew and pair not in seen:
            seen.add(pair)
            found.append(at)
    return found


def _small_starts(words: Sequence[Ordered], known: Sequence[bool]) -> float:
    """Sentences that begin with a small letter; "a. less" is an item, and "ls" a program."""
    found = sum(
        words[at - 1].text in _STOPS
        and len(words[at - 2].text) > 1
        and words[at].text[0].islower()
        and known[at]
        and words[at].text not in KNOWN_PROGRAMS
        and not words[at].anew
        for at in range(2, len(words))
    )
    share = 30 * found / len(words)
    return min(MOST_SMALL_STARTS, CARELESS_COUNTS * share if is_careless(words) else share)
