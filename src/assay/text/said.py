"""A sentence as a test sees it: its words, where they begin, and what the test and the closed lists
know of each. Made once a sentence; every rule looks at it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from assay.text.commitment import Asked, phrases_at, takes_back
from assay.text.folding import fold_for_matching
from assay.text.structure import words_as_written
from assay.text.word_marks import (
    FIRST_FREE,
    IN_PHRASE,
    JOINS,
    LISTED,
    OPENS_PHRASE,
    TAKES_BACK,
    marks_of,
)

# Of the question, in it or in another form; of its words of content; and none that is known.
ASKED, CONTENT, NEW = FIRST_FREE, FIRST_FREE << 1, FIRST_FREE << 2
JOIN_SIGN = re.compile("[,;/|&+、]")
_LONGEST_TITLE = 4  # letters: "Prof."
_MOST_KNOWN = 4096  # words of answers that are remembered for a test


class Vocabulary(dict[str, tuple[str, int]]):
    """What a test knows of the words of its answers: each folded, with its marks."""

    def __init__(self, asked: Asked, own: frozenset[str], skips_initials: bool) -> None:
        super().__init__()
        self._asked = asked
        self._own = own
        self.skips_initials = skips_initials  # a name is expected: "W. A. Mozart"

    def __missing__(self, word: str) -> tuple[str, int]:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        folded = fold_for_matching(word)
        marks = marks_of(folded)
        if self._asked.knows(folded):
            marks |= ASKED
        if self._asked.matches((folded,)):
            marks |= CONTENT
        if not marks & (LISTED | ASKED) and folded not in self._own:
            marks |= NEW
        self[word] = folded, marks
        return folded, marks


class Said:
    """The words of a sentence; `marks`: what any of them has."""

    __slots__ = (
        "_back", "_found_new", "_places", "_vocabulary", "_words", "every", "marks", "text",
    )  # fmt: skip

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.text = text
        self._vocabulary = vocabulary
        self._words = words_as_written(text)
        self.every = [vocabulary[word] for word in self._words]  # folded, and its marks
        self.marks = 0
        for _, marks in self.every:
            self.marks |= marks
        self._places: list[int] | None = None
        self._back: bool | None = None
        self._found_new: list[tuple[int, str]] | None = None

    @property
    def _starts(self) -> list[int]:
        """Where each word begins."""
        if self._places is None:
            self._places = places = []
            index = self.text.index
            at = 0
            for word in self._words:
                at = index(word, at)
                places.append(at)
                at += len(word)
        return self._places

    def __len__(self) -> int:
        return len(self._words)

    @property
    def takes_back(self) -> bool:
        """Whether it begins by taking back what was said before it."""
        if self._back is None:
            self._back = bool(self.marks & TAKES_BACK) and takes_back(self.text)
        return self._back

    def index(self, place: int) -> int:
        """How many words begin before a place."""
        return bisect_left(self._starts, place)

    def start(self, index: int) -> int:
        return self._starts[index]

    def written(self, start: int = 0, end: int | None = None) -> list[str]:
        """The words between two places, as they are written."""
        first = bisect_left(self._starts, start) if start else 0
        return self._words[first : None if end is None else bisect_left(self._starts, end)]

    def folded(self, start: int = 0, end: int | None = None) -> list[str]:
        """The words between two places, folded."""
        return [word for word, _ in self.between(start, end)]

    def between(self, start: int = 0, end: int | None = None) -> Sequence[tuple[str, int]]:
        """The words between two places, folded, with their marks."""
        first = bisect_left(self._starts, start) if start else 0
        return self.every[first : None if end is None else bisect_left(self._starts, end)]

    def asked(self, start: int = 0, end: int | None = None) -> int:
        """How many of the question's words of content are between two places."""
        if not self.marks & CONTENT:
            return 0
        return len({word for word, marks in self.between(start, end) if marks & CONTENT})

    def new(self, start: int = 0, end: int | None = None) -> list[str]:
        """The words, as written, that are neither the question's, nor listed, nor accepted."""
        if not self.marks & NEW:
            return []
        if end is None:
            end = len(self.text)
        if self.marks & IN_PHRASE and self.text[end - 1 : end] == "'":
            found = self._find_new(end)  # "il s'agit d'X": the phrase ends here
        else:
            if self._found_new is None:
                self._found_new = self._find_new(len(self.text))
            found = self._found_new
        return [word for at, word in found if start <= at < end]

    def joins_next(self, end: int) -> bool:
        """Whether a word or a sign behind a place may join the next word to what is there."""
        at = bisect_left(self._starts, end)
        if at < len(self.every) and self.every[at][1] & JOINS:
            return True
        next_word = self._starts[at] if at < len(self._starts) else len(self.text)
        return JOIN_SIGN.search(self.text, end, next_word) is not None

    def joins_before(self, start: int) -> bool:
        """Whether a word or a sign before a place, or before its article, may do so."""
        at = bisect_left(self._starts, start)
        first = max(0, at - 2)
        if any(marks & JOINS for _, marks in self.every[first:at]):
            return True
        begin = self._starts[first] if at else 0
        return JOIN_SIGN.search(self.text, begin, start) is not None

    def _find_new(self, end: int) -> list[tuple[int, str]]:
        """Where the new words are, but those of listed phrases in what ends at a place."""
        found, opens = [], []
        for at, word, (_, marks) in zip(self._starts, self._words, self.every, strict=True):
            if marks & NEW:
                found.append((at, word))
            if marks & OPENS_PHRASE:
                opens.append(at)
        if self._vocabulary.skips_initials:
            found = [each for each in found if not self._is_initial(*each)]
        if opens and self.marks & IN_PHRASE:
            spans = phrases_at(self.text[:end], opens)
            found = [each for each in found if not any(a <= each[0] < b for a, b in spans)]
        return found

    def _is_initial(self, at: int, word: str) -> bool:
        """Whether a word is an initial or a title before a name: "W. A.", "Ir."."""
        if len(word) > _LONGEST_TITLE or not word[0].isupper():
            return False
        end = at + len(word)
        return len(word) == 1 or self.text[end : end + 2] == ". "
