"""What a reader who understands nothing would choose among the options of a question.

A good set of questions gives every way of guessing chance. The ways: a fixed place; the longest or
the shortest option; the one that shares most or fewest of its words with the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from assay.messages import tr
from assay.stats import estimates
from assay.types import LETTERS, Case, Estimate

_WORD = re.compile(r"\w+(?:[-.']\w+)*")
# Words that say nothing of a subject; sharing them is no overlap.
_EMPTY_WORDS = frozenset(
    _WORD.findall(
        "a an and are as at be been but by can do does for from had has have he if in into is it "
        "its no not of on or so than that the their them then there these they this to was were "
        "what when which while who why will with would you"
    )
)


class _Question(NamedTuple):
    prompt: str
    options: tuple[str, ...]
    right: int


OptionScores = Callable[[_Question], Sequence[float]]


def guesses(cases: Sequence[Case]) -> dict[str, Estimate]:
    """Each way of guessing and the share of questions it gets right; empty without options."""
    asked = _questions(cases)
    if not asked:
        return {}
    ways: dict[str, OptionScores] = {
        tr("always {letter}", letter=LETTERS[place]): _always(place)
        for place in range(max(len(question.options) for question in asked))
    }
    ways |= {
        tr("the longest option"): lambda asked: [len(text) for text in asked.options],
        tr("the shortest option"): lambda asked: [-len(text) for text in asked.options],
        tr("most words in common with the question"): _overlap,
        tr("fewest words in common with the question"): lambda asked: [
            -share for share in _overlap(asked)
        ],
    }
    return {
        name: estimates.mean_of([_point(way(question), question.right) for question in asked])
        for name, way in ways.items()
    }


def chance(cases: Sequence[Case]) -> float | None:
    """What blind guessing gets right on average; None where no test has options."""
    asked = _questions(cases)
    return sum(1 / len(question.options) for question in asked) / len(asked) if asked else None


def _questions(cases: Sequence[Case]) -> list[_Question]:
    found = []
    for case in cases:
        options, gold = case.check.requests().options, case.check.gold()
        if options and gold is not None:
            found.append(_Question(case.prompt, options, LETTERS.index(gold)))
    return found


def _always(place: int) -> OptionScores:
    return lambda asked: [float(at == place) for at in range(len(asked.options))]


def _point(scores: Sequence[float], right: int) -> float:
    """For the option that scores most. Ties share it, as a coin would: a way that tells nothing
    apart gets chance.
    """
    best = [place for place, score in enumerate(scores) if score == max(scores)]
    return 1 / len(best) if right in best else 0.0


def _overlap(asked: _Question) -> list[float]:
    question = _words(asked.prompt)
    shares = []
    for text in asked.options:
        words = _words(text)
        shares.append(len(words & question) / len(words) if words else 0.0)
    return shares


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - _EMPTY_WORDS
