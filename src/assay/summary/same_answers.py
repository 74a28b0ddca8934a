"""Answers to different questions that are the same: what a refusal is, whatever its words.

In: answers with their questions. Out: those that are one of a few sentences, and those that are
put together from clauses which answers to other questions have too. What an answer takes from its
own question does not count: "I cannot help with rivers" and "I cannot help with bread" are one
sentence.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.text.folding import fold_for_matching
from assay.text.structure import words_in

FEWEST_WORDS = 4  # fewer may be the same by chance: "yes", "12", "in the north"
MOST_SHORT = 0.6  # of the answers: from there on fewer words are no chance either
FEWEST_QUESTIONS = 3  # that have one sentence as their answer
MOST_PASSED = 0.5  # a sentence that is mostly right is the answer to a question asked often
FEWEST_OF_PIECES = 2  # that have one clause beside different others: it is a piece of stock
FEWEST_OF_CLAUSE = 3  # words: a shorter one says nothing by itself, "sorry", "of course"
_LONGEST = 400  # characters that are compared
_CLAUSE_END = re.compile(r"[.,;:!?…\n()–—]+|\s-\s")


@dataclass(frozen=True, slots=True)
class AskedAnswer:
    """`test`: which; answers to the same test are one answer. `passed`: it was right."""

    test: str
    question: str
    text: str
    passed: bool


@dataclass(frozen=True, slots=True)
class SameAnswers:
    """The places of the answers that are one of `sentences`; `most`: the commonest, as written.
    `is_mixed`: some are put together from clauses of others, and not counted as sentences.
    """

    places: tuple[int, ...]
    sentences: int
    most: str
    is_mixed: bool = False


def find_same_answers(answers: Sequence[AskedAnswer]) -> SameAnswers | None:
    """Sentences of four words or more that three different questions got, and shorter ones that
    most questions got.
    """
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, words in enumerate(_words_without_question(answers)):
        if words:
            groups[words].append(place)
    _join_equal_texts(groups, answers)
    same = [
        places
        for words, places in groups.items()
        if (len(words) >= FEWEST_WORDS or len(places) >= MOST_SHORT * len(answers))
        and _is_same(places, answers)
    ]
    places = {place for group in same for place in group}
    mixed = _of_shared_clauses(answers) - places
    if not _is_same(mixed | places, answers) if mixed else not same:
        return None
    commonest = max(same, key=len, default=sorted(mixed))
    return SameAnswers(
        tuple(sorted(places | mixed)),
        len(same),
        answers[min(commonest)].text.strip(),
        is_mixed=bool(mixed),
    )


def _of_shared_clauses(answers: Sequence[AskedAnswer]) -> set[int]:
    """The answers of four words or more of which each clause is one that three questions got, or
    two in answers that differ, but for words of their own question.
    """
    clauses = [[_words(part) for part in _CLAUSE_END.split(each.text[:_LONGEST])]
               for each in answers]  # fmt: skip
    asked: dict[str, set[str]] = defaultdict(set)  # the questions whose answers have a word
    for each, parts in zip(answers, clauses, strict=True):
        for word in {word for part in parts for word in part}:
            asked[word].add(each.question)
    questions = {each.question: frozenset(_words(each.question)) for each in answers}
    keys: list[list[tuple[str, ...] | None]] = []
    got: dict[tuple[str, ...], set[str]] = defaultdict(set)
    within: dict[tuple[str, ...], set[frozenset[tuple[str, ...] | None]]] = defaultdict(set)
    for each, parts in zip(answers, clauses, strict=True):
        own = questions[each.question]
        of_each: list[tuple[str, ...] | None] = []
        for part in filter(None, parts):
            common = tuple(word for word in part if len(asked[word]) >= FEWEST_OF_PIECES)
            is_own = all(word in own for word in part if len(asked[word]) < FEWEST_OF_PIECES)
            of_each.append(common if is_own else None)
            if is_own:
                got[common].add(each.question)
        for key in filter(None, of_each):
            within[key].add(frozenset(of_each))
        keys.append(of_each)
    shared = {
        key
        for key, questions_of in got.items()
        if len(questions_of) >= FEWEST_QUESTIONS
        or len(questions_of) >= FEWEST_OF_PIECES <= len(within[key])
        or len(key) < FEWEST_OF_CLAUSE
    }
    return {
        place
        for place, of_each in enumerate(keys)
        if all(key in shared for key in of_each)
        and sum(len(key or ()) for key in of_each) >= FEWEST_WORDS
        and any(len(key or ()) >= FEWEST_OF_CLAUSE for key in of_each)
    }


def _join_equal_texts(
    groups: dict[tuple[str, ...], list[int]], answers: Sequence[AskedAnswer]
) -> None:
    """The same text is one sentence, though one question has some of its words and another none."""
    of_text: dict[str, tuple[str, ...]] = {}
    for words in sorted(groups, key=len, reverse=True):
        for place in tuple(groups[words]):
            first = of_text.setdefault(answers[place].text.strip(), words)
            if first != words:
                groups[words].remove(place)
                groups[first].append(place)


def _is_same(places: Iterable[int], answers: Sequence[AskedAnswer]) -> bool:
    group = [answers[place] for place in places]
    questions = {each.question for each in group}
    passed = sum(each.passed for each in group)
    return len(questions) >= FEWEST_QUESTIONS and passed <= MOST_PASSED * len(group)


def _words_without_question(answers: Sequence[AskedAnswer]) -> list[tuple[str, ...]]:
    """Of each answer, without the words that only few questions have and its own is one of."""
    questions = {each.question: frozenset(_words(each.question)) for each in answers}
    counts: Mapping[str, int] = Counter(word for words in questions.values() for word in words)
    found = []
    for each in answers:
        words = tuple(_words(each.text))
        own = questions[each.question]
        new = tuple(word for word in words if word not in own or counts[word] * 2 > len(questions))
        found.append(new or words)
    return found


def _words(text: str) -> Sequence[str]:
    return words_in(fold_for_matching(text[:_LONGEST]))
