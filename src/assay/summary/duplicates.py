"""Tests of a suite that ask the same as an earlier one, or nearly.

Nearly: of the words of both questions (turns and options, without capitals, accents kept), each
weighed by how rare it is in the suite, at least `NEAR` are shared. What most tests have in common,
such as an instruction, weighs next to nothing; a name or a number that differs weighs much.
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from assay.types import Case, Suite
from assay.types.measured.suite_statistics import AlikeTests

# Weighed words, since without weights all tests of one form are alike. At 0.8 MMLU's
# college_physics has 18 repeats and our own 400 os tests one pair.
NEAR = 0.8
MOST_CHARACTERS = 20_000  # of a question
MOST_COMPARED = 100  # tests that share a word; more are alike by their form
_WORD = re.compile(r"\w+")


def find_repeated(suite: Suite) -> Iterator[tuple[Case, Case]]:
    """Each test that asks what an earlier one asks, letter case and white space apart; with it."""
    seen: dict[tuple[object, ...], Case] = {}
    for case in suite.cases:
        asked = tuple(" ".join(turn.content.casefold().split()) for turn in case.messages)
        first = seen.setdefault((case.system, asked, case.check.requests().options), case)
        if first is not case:
            yield first, case


def find_alike(suite: Suite) -> Iterator[AlikeTests]:
    """Each test that asks the same as an earlier one, or nearly, with that one."""
    repeated = [*find_repeated(suite)]
    yield from (_alike(first, case, 1.0) for first, case in repeated)
    again = {case.id for _, case in repeated}
    different = [case for case in suite.cases if case.id not in again]
    for first, second, likeness in _near([*map(_words, different)]):
        yield _alike(different[first], different[second], likeness)


def _alike(first: Case, second: Case, likeness: float) -> AlikeTests:
    golds = first.check.gold(), second.check.gold()
    known = None not in golds and first.method == second.method
    return AlikeTests(
        first=first.id,
        second=second.id,
        likeness=round(likeness, 3),
        same_answer=golds[0] == golds[1] if known else None,
    )


def _words(case: Case) -> frozenset[str]:
    asked = " ".join((*(turn.content for turn in case.messages), *case.check.requests().options))
    return frozenset(
        _WORD.findall(unicodedata.normalize("NFKC", asked[:MOST_CHARACTERS]).casefold())
    )


def _near(questions: Sequence[frozenset[str]]) -> Iterator[tuple[int, int, float]]:
    """For each question an earlier one that it is near to.

    Two that share NEAR of their weight share a word among the rarest of each: those from which on a
    question still has NEAR of its weight. So only questions with such a word in common are compared
    (prefix filtering: Chaudhuri, Ganti and Kaushik 2006), and 10,000 take a second or two.
    """
    tests_with = Counter(word for words in questions for word in words)
    weight = {word: math.log((len(questions) + 1) / n) for word, n in tests_with.items()}
    totals = [math.fsum(weight[word] for word in words) for words in questions]
    having: dict[str, list[int]] = defaultdict(list)
    for place, (words, total) in enumerate(zip(questions, totals, strict=True)):
        candidates: dict[int, None] = {}
        left = total
        for word in sorted(words, key=lambda word: (tests_with[word], word)):
            if left < NEAR * total:
                break
            candidates |= dict.fromkeys(having[word])
            if len(having[word]) < MOST_COMPARED:
                having[word].append(place)
            left -= weight[word]
        for other in candidates:
            if min(total, totals[other]) < NEAR * max(total, totals[other]):
                continue
            shared = math.fsum(weight[word] for word in words & questions[other])
            if (likeness := shared / (total + totals[other] - shared)) >= NEAR:
                yield other, place, likeness
                break
