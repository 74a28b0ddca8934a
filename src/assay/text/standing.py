"""Whether the words around a mention of an accepted text make it the answer of its sentence.

The sentence is cut into clauses; the one that has most of the question's words is the answer's. In
it the mention opens, closes or is the only thing that is new; what could be another answer there, a
rival, is a word that is neither the question's nor listed; of a name, a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from assay.text.answer_words import WORDS
from assay.text.commitment import applies, is_form, takes_back
from assay.text.expected import Expected, has_case
from assay.text.late_pattern import late_pattern
from assay.text.rivals import CLOSERS
from assay.text.said import ASKED, NEW, Said
from assay.text.structure import WORD, words_in
from assay.text.word_marks import GOES_ON, LISTED, RELATES, TAKES_BACK, TELLS_APART, TURNS

COURTESY = late_pattern(rf"\W*(?:{WORDS['courtesy']})(?!\w)", re.IGNORECASE)
_CLAUSE = late_pattern(r"(?:,(?!\d)|[;:()：，、]|\s[–—-]\s|\.{3}|…)")
_CLAUSE_SIGN = re.compile("[,;:()：，、–—…-]|\\.\\.\\.")
_RELATES = late_pattern(
    rf"(?<!\w)({WORDS['relates']})(?:\s+|')(?:{WORDS['article']}\s+)?[\s\"'“«(*]*\Z"
)
# "The city of X" is X, "the capital of X" is not.
_PHRASE = late_pattern(rf"(?<!\w){WORDS['presents']}(?:\s+|(?<='))[\s\"'“«(*]*\Z")
_RELATED = late_pattern(r"\s+ƒe(?!\w)")
_BUT = late_pattern(rf"\s*(?:{WORDS['but']}|{WORDS['takes_back']})(?!\w)", re.IGNORECASE)
_AND = late_pattern(
    rf",?\s(?:{WORDS['and']}|{WORDS['but']}|while|whereas|tandis que)\s", re.IGNORECASE
)
_IS = late_pattern(WORDS["is"])
_ARTICLE = late_pattern(WORDS["article"])
_COMPARES = late_pattern(WORDS["compares"])
_RELATION = late_pattern(WORDS["relates"])
_NAME_BEHIND = re.compile(r"[ -]([^\W\d_]+)")
_NAME_AHEAD = re.compile(r"([^\W\d_]+)[ -]\Z")
_TURNING = frozenset(("before", "after", "avant", "après", "than"))
_FEW = 2  # words beside a value that make no claim of their own: "jibu ni X"


class _Clause(NamedTuple):
    start: int
    end: int


class _Place(NamedTuple):
    """A mention in its sentence: its clause, the others, and what is new before and behind it."""

    said: Said
    start: int
    end: int
    clauses: list[_Clause]
    own: _Clause
    close: int  # where its clause ends, or itself
    first: list[str]
    last: list[str]

    @property
    def before(self) -> str:
        return self.said.text[self.own.start : self.start]

    @property
    def others(self) -> list[_Clause]:
        return [each for each in self.clauses if each is not self.own]


class AnswerPlace:
    """The place of a mention in its sentence, for one test."""

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self._asked = expected.asked
        self._names = expected.names

    def holds(self, said: Said, start: int, end: int, framed: bool) -> bool:
        """Whether a mention is the answer of its sentence. `framed`: what precedes announced it."""
        clauses = _clauses(said.text)
        own = clauses[-1]
        for each in clauses:
            if each.start <= start < each.end:
                own = each
                break
        close = max(own.end, end)
        if self._is_told_of_another(said, start, own) or self._turns(said, end, close):
            return False
        place = _Place(
            said, start, end, clauses, own, close,
            said.new(own.start, start), said.new(end, close),
        )  # fmt: skip
        if len(clauses) > 1 and self._is_corrected(place):
            return False
        if self._names and self._is_longer_name(place) and applies("names"):
            return False
        opens = not (place.first if own.start == 0 else said.new(0, start))
        if opens and (framed or (not place.last and self._ends(place))):
            return applies("opening")
        if not framed and applies("clauses") and self._is_told_elsewhere(place):
            return False
        return self._is_only_new(place, framed)

    @staticmethod
    def _ends(place: _Place) -> bool:
        """Whether nothing follows a mention in its clause, or other clauses do."""
        text = place.said.text
        return place.own.end < len(text) or not text[place.end : place.close].strip(
            CLOSERS + ".,;:!…"
        )

    def _is_only_new(self, place: _Place, framed: bool) -> bool:
        """Whether a mention is what its clause says, by what else is new there."""
        said, first, last = place.said, place.first, place.last
        asked = said.asked(place.own.start, place.own.end)
        if not first and not last:
            return bool(asked or framed or not self._opens_with_rival(place))
        if self._names_another(place) or (self._expected.in_question and self._offers_rival(place)):
            return False
        if not last:
            few = len(first) <= _FEW and not self._opens_with_rival(place)
            return applies("closing") and bool(asked or framed or few)
        if first:
            return applies("middle") and (asked > 0 or len(first) + len(last) <= _FEW)
        if said.asked(place.own.start, place.start):  # the first that is new
            return applies("first new")
        behind = said.between(place.end, place.close)
        matched = said.asked(place.end, place.close)
        nearest = next((marks for _, marks in behind if not marks & LISTED), 0)
        if matched >= 2 and nearest & ASKED:  # it is the subject
            return applies("opening")
        return applies("opening") and matched > sum(len(word) > 3 for word in last)

    # ----------------------------------------------------------------------- other clauses

    def _is_corrected(self, place: _Place) -> bool:
        """Whether a later clause sets something else against it."""
        if not place.said.marks & (GOES_ON | TAKES_BACK):
            return False
        text = place.said.text
        return any(
            each.start > place.end
            and _BUT.match(text[each.start : each.end])
            and self._expected.has_rival(place.said, each.start, each.end)
            for each in place.others
        )

    def _is_told_elsewhere(self, place: _Place) -> bool:
        """Whether another clause, or an earlier part of the sentence, answers the question."""
        said = place.said
        if len(place.clauses) > 1:
            asked = said.asked(place.own.start, place.own.end)
            if any(
                said.asked(each.start, each.end) > asked and said.new(each.start, each.end)
                for each in place.others
            ):
                return True
        return bool(said.marks & TELLS_APART) and self._is_told_before(place)

    def _is_told_before(self, place: _Place) -> bool:
        """Whether the words of the question have their answer in an earlier part of the sentence:
        "plants take in oxygen and give out X".
        """
        said = place.said
        if not any(marks & TELLS_APART for _, marks in said.between(0, place.start)):
            return False
        joined = _AND.search(said.text[: place.start])
        if joined is None:
            return False
        words = said.between(0, joined.start())
        if len(words) < 3 or not words[-1][1] & NEW or words[-2][0] not in self._asked.known:
            return False
        own = {*said.folded(joined.end(), place.start), *said.folded(place.end, place.close)}
        return said.asked(0, joined.start()) > self._asked.matches(own)

    def _opens_with_rival(self, place: _Place) -> bool:
        """Whether the first clause is a bare value of its own and this is a later one."""
        first, said = place.clauses[0], place.said
        if first is place.own or not applies("clauses"):
            return False
        text = said.text[first.start : first.end]
        words = said.between(first.start, first.end)
        if not 0 < len(words) <= 4 or COURTESY.match(text) or takes_back(text):
            return False
        last = said.written(first.start, first.end)[-1]
        if self._names and has_case(text) and last.islower():
            return False
        return (
            bool(said.new(first.start, first.end))
            and not any(marks & ASKED for _, marks in words)
            and (
                not self._expected.words.listed
                or self._expected.has_rival(said, first.start, first.end)
            )
        )

    # --------------------------------------------------------------------------- relations

    def _is_told_of_another(self, said: Said, start: int, own: _Clause) -> bool:
        """Whether it is told of something else: "the capital of X", "it is Y, the reverse of X"."""
        if not said.marks & RELATES:
            return False
        nearest = said.between(own.start, start)[-2:]  # an article may stand between
        if not any(marks & RELATES for _, marks in nearest):
            return False
        before = said.text[own.start : start].casefold()
        related = _RELATES.search(before)
        if related is None or _PHRASE.search(before):
            return False
        ahead = said.between(own.start, own.start + related.start())
        if not ahead:
            return False
        head, marks = ahead[-1]
        if self._has_place_for(head, related[1]):
            return True
        return bool(marks & NEW and applies("clauses") and said.new(0, own.start))

    def _has_place_for(self, head: str, relation: str) -> bool:
        """Whether a relation takes what follows it away: a comparison does, and one that has a name
        of the question in its place, as "the capital of".
        """
        asked = self._asked.words
        if _COMPARES.fullmatch(relation):
            return head != "other" and relation not in (*asked[:1], *asked[-1:])
        for place, word in enumerate(asked[:-2]):
            if (word == head or is_form(word, head)) and _RELATION.fullmatch(asked[place + 1]):
                return asked[place + 2] not in self._expected.own
        return False

    def _turns(self, said: Said, end: int, close: int) -> bool:
        """Whether something is told of it that the question does not ask: "X before Y"."""
        if said.marks & TURNS:
            turned = [word for word in said.folded(end, close) if word in _TURNING]
            if turned and not all(word in self._asked.words for word in turned):
                return True
        return not said.text.isascii() and _RELATED.match(said.text[end:close]) is not None

    # ------------------------------------------------------------------------------- names

    def _names_another(self, place: _Place) -> bool:
        """Whether another name has the place of the answer, or of a name of the question."""
        said, first, last = place.said, place.first, place.last
        if not (self._names and applies("names") and has_case(said.text)):
            return False
        opening = said.written()[0] if len(said) else ""
        every = {word for word, _ in said.every}
        missing = self._asked.names and self._asked.names.isdisjoint(every)
        if missing and any(word[:1].isupper() and word != opening for word in (*first, *last)):
            return True
        if any(len(each) > 1 and each <= every for each in self._expected.each):
            return False  # a fuller name: "Luís Vaz de Camões"
        rivals = [word for word in first if word[:1].isupper() and word != opening]
        if rivals:
            ahead = said.asked(0, said.text.index(rivals[0]))
            return not (ahead and self._is_beside_asked(place))
        if not (last and first and opening == first[0] and opening[:1].isupper()):
            return False
        second = said.every[1:2]  # "Mombasa is …, Nairobi …": it is the subject
        return bool(second) and (
            bool(second[0][1] & ASKED) or _IS.fullmatch(second[0][0]) is not None
        )

    def _is_longer_name(self, place: _Place) -> bool:
        """Whether it is part of a longer name, "New X", and none that is accepted is all in it."""
        said, text = place.said, place.said.text
        left = None
        if place.first and text[place.start - 1] in " -":
            left = _NAME_AHEAD.match(text, said.start(said.index(place.start) - 1), place.start)
        if left and left[1][0].isupper() and left[1] in place.first:
            if not WORD.search(text, place.own.start, left.start(1)):  # it opens the sentence
                return not WORD.search(text, place.end)
            near = text[max(place.own.start, place.start - 60) : place.start]
            named = {*words_in(near)} | self._expected.own
            return not any(len(each) > 1 and each <= named for each in self._expected.each)
        right = _NAME_BEHIND.match(text, place.end) if place.last else None
        return right is not None and right[1][0].isupper() and right[1] in place.last

    def _is_beside_asked(self, place: _Place) -> bool:
        words = [
            (word, marks)
            for word, marks in place.said.between(place.own.start, place.start)
            if not _ARTICLE.fullmatch(word)
        ]
        return bool(words) and (
            bool(words[-1][1] & ASKED) or _IS.fullmatch(words[-1][0]) is not None
        )

    def _offers_rival(self, place: _Place) -> bool:
        """Whether another name of a question that offers several stands before this one."""
        ahead: Sequence[str] = place.said.folded(place.own.start, place.start)
        own = self._expected.own
        return self._names and any(word in self._asked.names and word not in own for word in ahead)


def _clauses(text: str) -> list[_Clause]:
    """Where the clauses of a sentence begin and end; each has a word."""
    if not _CLAUSE_SIGN.search(text):
        return [_Clause(0, len(text))]
    made, start = [], 0
    for cut in _CLAUSE.finditer(text):
        if WORD.search(text, start, cut.start()):
            made.append(_Clause(start, cut.start()))
            start = cut.end()
    if WORD.search(text, start) or not made:
        made.append(_Clause(start, len(text)))
    return made
