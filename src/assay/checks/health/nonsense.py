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

from assay.checks.health.bare_words import bare_words
from assay.checks.health.code_order import heaped
from assay.checks.health.disjointed import disjointed, is_careless
from assay.checks.health.floods import flood
from assay.checks.health.reading import Read, quote, read
from assay.checks.health.scripts import LATIN, scripts_of
from assay.checks.health.word_evidence import (
    DAMAGED,
    JUNK,
    MIXED_SCRIPTS,
    THIRD_SCRIPT,
    evidence,
    is_damaged,
    main_language,
)
from assay.checks.health.word_model import shipped_words
from assay.checks.health.word_order import Ordered, language_of, order_evidence
from assay.messages import tr
from assay.types.samples import HealthCheck

NAME = "nonsense"
# Largest sums in real text that was not counted (docs/health.md): spelling 6 in English prose, 10
# in lists of names; order 19 in prose.
SPELLING_LIMIT = 8.5
SPELLING_SHORT_LIMIT, SPELLING_SHORT_MEAN = 5.5, 0.12  # where the whole answer is that bad
ORDER_LIMIT = 20.0
ORDER_SHORT_LIMIT, ORDER_MEAN, ORDER_MEAN_FEW = 12.0, 0.05, 6.0
TOGETHER_LIMIT = 0.9  # of both limits together
DAMAGED_WORDS, DAMAGED_SHARE = 3, 0.05
PIECES, PIECES_WORDS = 2.2, 46  # log-odds of pieces against prose; words and stops
PIECES_SHORT, PIECES_SHORT_WORDS = 1.5, 70  # more for short prose, which varies more
PIECES_CARELESS = 2.6  # more where nothing has a capital
ALIKE_LINES, ALIKE_SHARE = 3, 0.6  # lines that begin with the same word are a list of things
PIECES_SHARE = 0.7  # of the answer are sentences
PIECES_OF_PART = 5.5  # where only the end of the prose is like that
HEAPED, HEAPED_SHARE, HEAPED_FROM = 3, 0.04, 20  # tokens that cannot stand there; of all; tokens
UNREADABLE_SHARE = 0.5


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
    found = _damaged(about) or _flooded(about) or _heaped(about) or _bare(about)
    if found is None:
        spelling, order = _spelling(about), _order(about)
        found = _by_spelling(about, spelling) or _by_order(about, order) or _in_pieces(about)
        if found is None and _together(spelling, order):
            found = _broken(
                about, order, tr("Few of these words exist, and they make no sentences.")
            )
    if found is not None:
        return found
    if _unreadable(about):
        return HealthCheck(
            name=NAME, passed=None, passage="", explanation=tr("It is in a script we cannot read.")
        )
    return HealthCheck(name=NAME, passed=True, passage="", explanation=tr("It reads as language."))


class Weighed(NamedTuple):
    """Evidence along the text, with the places it stands at."""

    places: Sequence[tuple[int, int]]
    values: Sequence[float]
    worst: WeightedStretch
    mean: float


def _weighed(places: Sequence[tuple[int, int]], values: Sequence[float]) -> Weighed:
    return Weighed(places, values, heaviest(values), sum(values) / max(1, len(values)))


def _spelling(about: Read) -> Weighed:
    return _weighed([(word.start, word.end) for word in about.words], evidence(about))


def _language(about: Read) -> str | None:
    """The language whose order is judged; None where its words and letters disagree."""
    language = language_of(about.text)
    return language if language == main_language(about) else None


@lru_cache(maxsize=4)
def _ordered(about: Read) -> list[Ordered]:
    return order_evidence(about, _language(about))


def _order(about: Read) -> Weighed:
    found = _ordered(about)
    return _weighed([(each.start, each.end) for each in found], [each.evidence for each in found])


def _broken(about: Read, weighed: Weighed, explanation: str) -> HealthCheck:
    first, last = weighed.places[weighed.worst.start], weighed.places[weighed.worst.end - 1]
    return _no(about, first[0], last[1], explanation)


def _no(about: Read, start: int, end: int, explanation: str) -> HealthCheck:
    return HealthCheck(
        name=NAME,
        passed=False,
        passage=quote(about.text, start, end),
        explanation=explanation,
        failure=True,
    )


def _together(spelling: Weighed, order: Weighed) -> bool:
    both = spelling.worst.total / SPELLING_LIMIT + order.worst.total / ORDER_LIMIT
    return both >= TOGETHER_LIMIT and spelling.mean > 0 and order.mean > 0


def _damaged(about: Read) -> HealthCheck | None:
    hurt = [word for word in about.words if is_damaged(word.text)]
    if len(hurt) < DAMAGED_WORDS or len(hurt) < DAMAGED_SHARE * len(about.words):
        return None
    return _no(
        about,
        hurt[0].start,
        hurt[-1].end,
        tr("Its characters are damaged, as by a wrong encoding."),
    )


def _flooded(about: Read) -> HealthCheck | None:
    found = flood(about)
    return None if found is None else _no(about, found.start, found.end, found.said)


def _heaped(about: Read) -> HealthCheck | None:
    found = heaped(about)
    if found.odd < max(HEAPED, HEAPED_SHARE * max(HEAPED_FROM, found.tokens)):
        return None
    return _no(
        about, found.start, found.end, tr("It looks like code, but is a heap of its tokens.")
    )


def _bare(about: Read) -> HealthCheck | None:
    found = bare_words(about)
    if found is None:
        return None
    return _no(
        about, found.start, found.end, tr("It is words with nothing that ties them together.")
    )


def _in_pieces(about: Read) -> HealthCheck | None:
    if _language(about) != "eng":
        return None
    words = [word for word in _ordered(about) if not word.heading]
    if _begins_alike(about):
        return None
    if len(words) < max(PIECES_WORDS, PIECES_SHARE * len(about.words)):
        return None
    limit = PIECES + PIECES_SHORT * max(0.0, 1 - len(words) / PIECES_SHORT_WORDS)
    if is_careless(words):
        limit += PIECES_CARELESS
    for found in disjointed(words, shipped_words()["eng"]):
        if found.odds >= (PIECES_OF_PART if found.first else limit):
            return _no(
                about,
                words[found.first].start,
                words[found.last].end,
                tr("It is made of pieces of sentences that do not belong together."),
            )
    return None


def _begins_alike(about: Read) -> bool:
    firsts = Counter(about.text[line.start : line.end].split(None, 1)[0] for line in about.lines)
    commonest = max(firsts.values(), default=0)
    return commonest >= max(ALIKE_LINES, ALIKE_SHARE * len(about.lines))


def _by_spelling(about: Read, found: Weighed) -> HealthCheck | None:
    whole = found.worst.total >= SPELLING_SHORT_LIMIT and found.mean >= SPELLING_SHORT_MEAN
    if found.worst.total < SPELLING_LIMIT and not whole:
        return None
    return _broken(about, found, _spelling_said(found.values[found.worst.start : found.worst.end]))


def _spelling_said(values: Sequence[float]) -> str:
    share = len(values) * 0.3
    if sum(value in (MIXED_SCRIPTS, THIRD_SCRIPT) for value in values) > share:
        return tr("Scripts are mixed as no language mixes them.")
    if sum(value == DAMAGED for value in values) > share:
        return tr("Its characters are damaged, as by a wrong encoding.")
    if sum(value >= JUNK for value in values) > share:
        return tr("Letters, digits and signs are thrown together.")
    return tr("Hardly one of these words exists.")


def _by_order(about: Read, found: Weighed) -> HealthCheck | None:
    count = len(found.values)
    whole = (
        found.worst.total >= ORDER_SHORT_LIMIT
        and found.mean >= ORDER_MEAN + ORDER_MEAN_FEW / max(1, count)
    )
    if found.worst.total < ORDER_LIMIT and not whole:
        return None
    return _broken(
        about, found, tr("The words exist, but not in this order: they make no sentences.")
    )


def _unreadable(about: Read) -> bool:
    letters = scripts_of(about.text)
    return letters.total() > 0 and letters[LATIN] < (1 - UNREADABLE_SHARE) * letters.total()
