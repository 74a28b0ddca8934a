"""Whether an answer goes through the options of a question, in whatever form.

An option is named by its letter, by its text or one clause of it that no other has, or by most of
the words that set it apart from the others: in any order, and with any ending of four letters or
fewer behind a common beginning.
"""

import re
from collections import Counter
from collections.abc import Sequence

from assay.text.folding import fold_for_matching
from assay.text.structure import words_in

MOST = 0.6  # of the words that set an option apart
FEWEST_OF_CLAUSE = 2  # words
_CLAUSE_END = re.compile(r"[,;:]\s|[.!?](?:\s|$)")
_LONGEST_ENDING, _SHORTEST_BEGINNING = 4, 3  # characters


def names_all(text: str, letters: str, options: Sequence[str]) -> bool:
    """Every option, or of four and more every one but one."""
    return len(_named(text, letters, options)) >= max(2, len(letters) - (len(letters) > 3))


def is_set_apart(text: str, letter: str, letters: str, options: Sequence[str]) -> bool:
    """Whether one of the options that are all named is named by its letter, before all others as an
    answer is before its reasons, or more than once.
    """
    if _has_letter(text, letter) or not options:
        return True
    apart = _words_apart(options)
    own = apart[letters.index(letter)]
    said = words_in(text)
    first = next((word for word in said for each in apart if _is_of(word, each)), "")
    counts = Counter(said)
    again = sum(_times(word, counts) > 1 for word in own)
    return _is_of(first, own) or again >= MOST * len(own)


def _is_of(word: str, words: Sequence[str]) -> bool:
    return len(word) > _SHORTEST_BEGINNING and any(
        word == each or _is_inflected(word, each) for each in words
    )


def _named(text: str, letters: str, options: Sequence[str]) -> list[str]:
    folded, said = fold_for_matching(text), Counter(words_in(text))
    apart, clauses = _words_apart(options), _clauses_apart(options)
    return [
        letter
        for place, letter in enumerate(letters)
        if _has_letter(text, letter)
        or (place < len(options) and any(each in folded for each in clauses[place]))
        or (
            place < len(apart)
            and apart[place]
            and sum(_times(word, said) > 0 for word in apart[place]) >= MOST * len(apart[place])
        )
    ]


def _has_letter(text: str, letter: str) -> bool:
    return re.search(rf"(?<![\w'’-]){letter}(?![\w'’-])", text) is not None


def _words_apart(options: Sequence[str]) -> list[tuple[str, ...]]:
    """Of each option the words that no other has."""
    words = [tuple(dict.fromkeys(words_in(option))) for option in options]
    counts = Counter(word for of_option in words for word in of_option)
    return [tuple(word for word in of_option if counts[word] == 1) for of_option in words]


def _clauses_apart(options: Sequence[str]) -> list[tuple[str, ...]]:
    """Each option, and of each the clauses that are in no other."""
    folded = [fold_for_matching(option) for option in options]
    return [
        (
            *filter(None, (option,)),
            *(
                clause
                for clause in map(str.strip, _CLAUSE_END.split(option))
                if len(words_in(clause)) >= FEWEST_OF_CLAUSE
                and sum(clause in other for other in folded) == 1
            ),
        )
        for option in folded
    ]


def _times(word: str, said: Counter[str]) -> int:
    return said[word] or sum(n for other, n in said.items() if _is_inflected(word, other))


def _is_inflected(word: str, other: str) -> bool:
    """Whether both have one beginning, which is most of each."""
    shorter, longer = sorted((word, other), key=len)
    if len(longer) - len(shorter) > _LONGEST_ENDING or word[0] != other[0]:
        return False
    same = next((at for at, sign in enumerate(shorter) if sign != longer[at]), len(shorter))
    return same >= max(_SHORTEST_BEGINNING, len(longer) - _LONGEST_ENDING, len(longer) * 2 / 3)
