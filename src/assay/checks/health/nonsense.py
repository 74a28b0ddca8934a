"""Whether an answer, or a part of it, is no language at all.

In: an answer. Out: a HealthCheck; `nonsense` fails the gate.

Two kinds of evidence are added up along the text, and the stretch with the largest sum is the one
that is quoted, so an answer that begins well and turns into salad is caught where it turns:

    spelling   random letters, invented words, broken encodings, mixed scripts, floods of signs
    order      real words thrown together

and some things show in a text as a whole: damaged characters, floods of digits or bytes, prose made
of pieces of sentences, code that is a heap of tokens.

Text in a language whose words we do not know is judged by its letters only; where it is in a script
we cannot read the answer is "cannot tell".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from assay.checks.ewe.language import identify
from assay.checks.health.bare_words import bare_words
from assay.checks.health.code_order import heaped
from assay.checks.health.disjointed import disjointed, is_careless
from assay.checks.health.floods import flood
from assay.checks.health.reading import Passage, Read, quote, read
from assay.checks.health.scripts import LATIN, scripts_of
from assay.checks.health.word_evidence import evidence, is_damaged, main_language
from assay.checks.health.word_model import shipped_words
from assay.checks.health.word_order import Ordered, order_evidence
from assay.messages import tr
from assay.types.samples import HealthCheck

NAME = "nonsense"
# Largest sums in real text that was not counted (docs/health.md): spelling 6 in English prose, 10
# in lists of names; order 19 in prose.
SPELLING_LIMIT = 8.5
SPELLING_SHORT_LIMIT, SPELLING_SHORT_MEAN = 5.5, 0.12  # where the whole answer is that bad
ORDER_LIMIT = 20.0
ORDER_SHORT_LIMIT, ORDER_MEAN, ORDER_MEAN_FEW = 12.0, 0.05, 6.0
DAMAGED_WORDS, DAMAGED_SHARE = 3, 0.05
PIECES, PIECES_WORDS = 2.2, 46  # log-odds of pieces against prose; words and stops
PIECES_SHORT, PIECES_SHORT_WORDS = 1.5, 70  # more for short prose, which varies more
PIECES_CARELESS = 2.6  # more where nothing has a capital
ALIKE_LINES, ALIKE_SHARE = 3, 0.6  # lines that begin with the same word are a list of things
PIECES_SHARE = 0.7  # of the answer are sentences
PIECES_OF_PART = 5.5  # where only the end of the prose is like that
READABLE_SHARE = 0.5


class WeightedStretch(NamedTuple):
    """The part of a sequence with the largest sum."""

    start: int
    end: int
    total: float


def heaviest(values: Sequence[float]) -> WeightedStretch:
    """The stretch with the largest sum; empty where nothing is above 0."""
    best = WeightedStretch(0, 0, 0.0)
    start, total = 0, 0.0
    for at, value in enumerate(values):
        if total <= 0:
            start, total = at, 0.0
        total += value
        if total > best.total:
            best = WeightedStretch(start, at + 1, total)
    return best


def nonsense(text: str) -> HealthCheck:
    """Passes unless a part of the answer is no language; None where we cannot read its script."""
    about = read(text)
    for find in (_damaged, flood, heaped, bare_words, _by_spelling, _by_order, _in_pieces):
        found = find(about)
        if found is not None:
            passage = quote(about.text, found.start, found.end)
            return HealthCheck(
                name=NAME, passed=False, passage=passage, explanation=found.said, failure=True
            )
    letters = scripts_of(about.text)
    if letters[LATIN] < READABLE_SHARE * letters.total():
        why = tr("It is in a script we cannot read.")
        return HealthCheck(name=NAME, passed=None, explanation=why)
    return HealthCheck(name=NAME, passed=True, explanation=tr("It reads as language."))


def _damaged(about: Read) -> Passage | None:
    hurt = [word for word in about.words if is_damaged(word.text)]
    if len(hurt) < max(DAMAGED_WORDS, DAMAGED_SHARE * len(about.words)):
        return None
    said = tr("Its characters are damaged, as by a wrong encoding.")
    return Passage(hurt[0].start, hurt[-1].end, said)


def _by_spelling(about: Read) -> Passage | None:
    values = evidence(about)
    worst, mean = heaviest(values), sum(values) / max(1, len(values))
    whole = worst.total >= SPELLING_SHORT_LIMIT and mean >= SPELLING_SHORT_MEAN
    if worst.total < SPELLING_LIMIT and not whole:
        return None
    first, last = about.words[worst.start], about.words[worst.end - 1]
    return Passage(first.start, last.end, tr("Hardly one of these words exists."))


@lru_cache(maxsize=4)
def ordered(about: Read) -> list[Ordered]:
    """The words of the prose in their places; none where its words and its letters disagree on the
    language.
    """
    language = identify(about.text).code
    return order_evidence(about, language) if language == main_language(about) else []


def _by_order(about: Read) -> Passage | None:
    words = ordered(about)
    values = [word.evidence for word in words]
    worst, count = heaviest(values), max(1, len(values))
    mean_limit = ORDER_MEAN + ORDER_MEAN_FEW / count
    whole = worst.total >= ORDER_SHORT_LIMIT and sum(values) / count >= mean_limit
    if worst.total < ORDER_LIMIT and not whole:
        return None
    said = tr("The words exist, but not in this order: they make no sentences.")
    return Passage(words[worst.start].start, words[worst.end - 1].end, said)


def _in_pieces(about: Read) -> Passage | None:
    if main_language(about) != "eng" or _begins_alike(about):
        return None
    words = [word for word in ordered(about) if not word.heading]
    if len(words) < max(PIECES_WORDS, PIECES_SHARE * len(about.words)):
        return None
    limit = PIECES + PIECES_SHORT * max(0.0, 1 - len(words) / PIECES_SHORT_WORDS)
    if is_careless(words):
        limit += PIECES_CARELESS
    for first, odds in disjointed(words, shipped_words()["eng"]):
        if odds >= (PIECES_OF_PART if first else limit):
            said = tr("It is made of pieces of sentences that do not belong together.")
            return Passage(words[first].start, words[-1].end, said)
    return None


def _begins_alike(about: Read) -> bool:
    firsts = Counter(about.text[line.start : line.end].split(None, 1)[0] for line in about.lines)
    commonest = max(firsts.values(), default=0)
    return commonest >= max(ALIKE_LINES, ALIKE_SHARE * len(about.lines))
