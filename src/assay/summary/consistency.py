"""Nearly equal answers to one test whose scores lie far apart: within a run, and over runs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from rapidfuzz import fuzz

from assay.types.judging.judged import Inconsistency, ScoredAnswer

ALIKE = 90.0  # of 100
MOST_APART = 30  # tenths of a point: more is inconsistent
LONGEST = 20_000  # characters that are compared
MOST_LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerText:
    """An answer that has a score, and its text."""

    of: ScoredAnswer
    text: str


def inconsistencies(now: Sequence[AnswerText], before: Sequence[AnswerText]) -> list[Inconsistency]:
    """Pairs of this run's answers, and of these with earlier ones; the furthest apart first."""
    found = sorted(_pairs(now, before), key=lambda one: (-one.apart, one.first.test_id))
    return found[:MOST_LISTED]


def _pairs(now: Sequence[AnswerText], before: Sequence[AnswerText]) -> Iterator[Inconsistency]:
    earlier = _by_test(before)
    for key, answers in _by_test(now).items():
        old = ((one, other) for one in answers for other in earlier.get(key, ()))
        for one, other in (*combinations(answers, 2), *old):
            if abs(one.of.tenths - other.of.tenths) <= MOST_APART:
                continue
            alike = fuzz.ratio(one.text, other.text, score_cutoff=ALIKE)
            if alike:
                yield Inconsistency(first=one.of, second=other.of, alike=alike / 100)


def _by_test(answers: Iterable[AnswerText]) -> dict[tuple[str, str], list[AnswerText]]:
    found: dict[tuple[str, str], list[AnswerText]] = defaultdict(list)
    for each in answers:
        plain = " ".join(each.text[:LONGEST].split())
        found[each.of.suite, each.of.test_id].append(AnswerText(of=each.of, text=plain))
    return found
