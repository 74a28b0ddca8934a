"""What a reader who understands nothing would choose among the options of a question.

A good set of questions gives every way of guessing chance.

The ways: a fixed place; the longest or the shortest option; the one that shares most or fewest of
its words with the question; and the words of the options themselves, learnt from other questions
(naive Bayes), which finds "always" and "never" standing in wrong answers.
"""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from assay import stats
from assay.messages import tr
from assay.types import LETTERS, Case, Estimate

HALVINGS = 10
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
    case: Case
    options: tuple[str, ...]
    right: int


OptionScores = Callable[[_Question], Sequence[float]]
Points = Callable[[_Question], float]


def guesses(cases: Sequence[Case]) -> dict[str, Estimate]:
    """Each way of guessing and the share of questions it gets right; empty without options."""
    asked = _questions(cases)
    if not asked:
        return {}
    places = max(len(question.options) for question in asked)
    return {
        name: stats.mean_of([points(question) for question in asked])
        for name, points in _ways(asked, places).items()
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
            found.append(_Question(case, options, LETTERS.index(gold)))
    return found


def _ways(asked: Sequence[_Question], places: int) -> Mapping[str, Points]:
    fixed = {
        tr("always {letter}", letter=LETTERS[place]): _best(_always(place))
        for place in range(places)
    }
    return fixed | {
        tr("the longest option"): _best(lambda asked: [len(text) for text in asked.options]),
        tr("the shortest option"): _best(lambda asked: [-len(text) for text in asked.options]),
        tr("most words in common with the question"): _best(_overlap),
        tr("fewest words in common with the question"): _best(
            lambda asked: [-share for share in _overlap(asked)]
        ),
        tr("words of right options elsewhere"): _LearntWords(asked).points,
    }


def _always(place: int) -> OptionScores:
    return lambda asked: [float(at == place) for at in range(len(asked.options))]


def _best(scores: OptionScores) -> Points:
    """The point for the option that scores most. Ties share it, as a coin would: a way that tells
    nothing apart gets chance.
    """

    return lambda asked: _point(scores(asked), asked.right)


def _point(scores: Sequence[float], right: int) -> float:
    best = [place for place, score in enumerate(scores) if score == max(scores)]
    return 1 / len(best) if right in best else 0.0


def _overlap(asked: _Question) -> list[float]:
    question = set(_words(asked.case.prompt))
    shares = []
    for text in asked.options:
        words = set(_words(text))
        shares.append(len(words & question) / len(words) if words else 0.0)
    return shares


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if word not in _EMPTY_WORDS]


class _LearntWords:
    """Chooses by the words in right and in wrong options of other questions.

    Learnt from a random half, asked of the other half, many times. Only more than chance says
    something: in a balanced set a word in right options of one half is in wrong ones of the other,
    so that 200 made-up questions of random words give 0.19 (and 0.15 where all
    others teach each one).
    """

    def __init__(self, asked: Sequence[_Question]) -> None:
        draw = random.Random(0)
        self._points: dict[str, list[float]] = {}
        for _ in range(HALVINGS):
            mixed = draw.sample(asked, len(asked))
            half = len(mixed) // 2
            for taught, tested in ((mixed[:half], mixed[half:]), (mixed[half:], mixed[:half])):
                weight = _word_weights(taught)
                for question in tested:
                    scores = [
                        # fsum: a set has no order, and a plain sum would depend on one.
                        math.fsum(weight.get(word, 0.0) for word in _all_words(text))
                        for text in question.options
                    ]
                    points = self._points.setdefault(question.case.id, [])
                    points.append(_point(scores, question.right))

    def points(self, asked: _Question) -> float:
        tries = self._points[asked.case.id]
        return sum(tries) / len(tries)


def _word_weights(questions: Sequence[_Question]) -> dict[str, float]:
    """For each word the log-odds of standing in a right option, smoothed by one."""
    right: defaultdict[str, float] = defaultdict(float)
    wrong: defaultdict[str, float] = defaultdict(float)
    for question in questions:
        others = len(question.options) - 1
        for place, text in enumerate(question.options):
            for word in _all_words(text):
                if place == question.right:
                    right[word] += 1
                else:
                    wrong[word] += 1 / others  # wrong options are `others` times as many
    return {word: math.log((right[word] + 1) / (wrong[word] + 1)) for word in {*right, *wrong}}


def _all_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
