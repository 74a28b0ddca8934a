"""Whether a mention of an accepted text is taken away again: denied, or one of several."""

from __future__ import annotations

import re

from assay.text.answer_words import WORDS, is_one_of_several
from assay.text.commitment import applies, is_denying, is_listed
from assay.text.expected import Expected, has_case
from assay.text.folding import fold_for_matching
from assay.text.late_pattern import late_pattern
from assay.text.said import JOIN_SIGN, Said
from assay.text.structure import WORD, words_in
from assay.text.word_marks import DOUBTS, JOINS, MAY_DENY, OFFERS

CLOSERS = "\"'”’»)]*_` \t"
_SEEN = 160  # characters before and behind a mention that are looked at
_ARTICLE = late_pattern(WORDS["article"])
_IS_WORD = late_pattern(rf"(?<!\w){WORDS['is']}(?!\w)")
_REFUSED = late_pattern(r"[\"'”»)\]*_`]{0,4}\s?,\s*(?:no|non|nein|ao)\W*\Z")
_JOIN = rf"(?:{WORDS['or']}|{WORDS['and']})"
_JOIN_FIRST = late_pattern(_JOIN + r"\s")
_JOINED_BEHIND = late_pattern(
    rf"[\"'”’»`*)\]_]{{0,4}}\s*(?:[,;/|&+、](?:\s*{_JOIN}(?!\w))?|{_JOIN}(?!\w))\s*([^,;/|&+.!?\n()、]{{1,60}})"
)
_JOINED_BEFORE = late_pattern(
    rf"([^,;/|&+.!?\n()、]{{1,60}}?)\s*(?:[,;/|&+、]\s*(?:{_JOIN}\s)?|\s{_JOIN}\s)\s*(?:{WORDS['article']}\s+)?[\"'“‘«*_`(]{{0,4}}\Z",
    re.IGNORECASE,
)
_CROSS = re.compile("[✗✘❌≠]")
_SPACE_BEHIND = re.compile(r"[*_`\"'”»)]{0,3}\s")


class Rivals:
    """What is beside a mention, for one test."""

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self._words = expected.words

    def remove(self, said: Said, start: int, end: int) -> bool:
        """Whether what is mentioned is denied or offered as one of several."""
        if self._expected.is_polar:
            return False
        text, marks = said.text, said.marks
        joins = bool(marks & JOINS) or JOIN_SIGN.search(text) is not None
        denies = bool(marks & (MAY_DENY | DOUBTS) or self._words.denies)
        denies = denies or (not text.isascii() and _CROSS.search(text) is not None)
        if joins or denies:
            before = fold_for_matching(text[max(0, start - _SEEN) : start])
            behind = fold_for_matching(text[end : end + _SEEN])
            if denies and (_REFUSED.match(behind) or self._words.is_denied(before, behind)):
                return True
            offers = marks & OFFERS and applies("joined")
            if offers and is_one_of_several(before, behind, self._expected.mentions.has):
                return True
        if not applies("parallel"):
            return False
        return (joins and self._is_joined(said, start, end)) or self._is_beside(text, start, end)

    def _is_joined(self, said: Said, start: int, end: int) -> bool:
        """Whether another value of the same shape is joined to it by a word or a sign."""
        text = said.text
        value = text[start:end]
        if said.joins_next(end):
            after = text[end : end + _SEEN]
            folded = after.casefold()
            joined = _JOINED_BEHIND.match(folded if len(folded) == len(after) else after)
            if joined and self._is_parallel(
                value, after[joined.start(1) : joined.end(1)], after[joined.end() :]
            ):
                return True
        before = None
        if said.joins_before(start):
            before = _JOINED_BEFORE.search(text[max(0, start - _SEEN) : start])
        return before is not None and self._is_parallel(value, before[1].rpartition(":")[2], "")

    def _is_beside(self, text: str, start: int, end: int) -> bool:
        """The same by the suite's own words, or in a language without a list by a short one."""
        value, joins = text[start:end], self._words.joins
        guesses = not self._words.listed and self._expected.names
        if not joins and not guesses:
            return False
        if joins and (ends := WORD.findall(text[max(0, start - 60) : start])[-2:]):
            is_joined = fold_for_matching(ends[-1]) in joins
            if is_joined and len(ends) > 1 and self._is_parallel(value, ends[0], ""):
                return True
        after = text[end : end + _SEEN]
        words = WORD.findall(after[:60])
        if len(words) < 2 or not _SPACE_BEHIND.match(after):
            return False
        first = fold_for_matching(words[0])
        is_join = first in joins or (
            guesses
            and len(first) <= 5
            and words[0].islower()
            and not self._expected.asked.knows(first)
        )
        return is_join and self._is_parallel(value, words[1], "")

    def _is_parallel(self, value: str, other: str, rest: str) -> bool:
        """Whether what is joined to a value is a second answer: as long, and new."""
        expected = self._expected
        if expected.names and other == other.lower() and has_case(other):
            return False  # no name
        words = WORD.findall(other)
        folded = [fold_for_matching(word) for word in words]
        if not words or expected.mentions.has(fold_for_matching(other)):
            return False
        if self._is_contrast(words[0], folded[0]):
            return False
        pairs = [*zip(words, folded, strict=True)]
        new = [
            word
            for word, plain in pairs
            if not (expected.asked.knows(plain) or is_listed(plain) or plain in expected.own)
        ]
        if expected.in_question and not new:  # "Mars, Jupiter" of a question that offers both
            new = [word for word, plain in pairs if plain in expected.asked.content]
        articles = sum(_ARTICLE.fullmatch(word) is not None for word in folded)
        if not new or len(words) - articles > len(words_in(value)) + expected.names:
            return False
        if expected.names and has_case(other):
            return bool(new[-1][:1].isupper())
        if _IS_WORD.search(fold_for_matching(other)):
            return False
        opens = rest.lstrip(CLOSERS)[:1]
        return opens == "" or opens in ",;/.|!" or _JOIN_FIRST.match(rest.lstrip()) is not None

    def _is_contrast(self, word: str, folded: str) -> bool:
        """Whether what follows a comma is set against the value: "X, not Y", "X, bukan Y"."""
        if is_denying(folded) or folded in self._words.denies or folded == "then":
            return True
        is_plain = word.islower() and not is_listed(folded) and folded not in self._words.joins
        return self._expected.names and not self._words.listed and is_plain
