"""Whether an answer commits to one of the accepted texts: `text/commitment.py`, for one text.

Each sentence is read by the place that an accepted text has in it: the whole of it, set off, behind
a colon, or as the words around it say (`standing.py`, `rivals.py`). A rule that needs a word of a
list is tried where the sentence has one (`word_marks.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.text.answer_words import WORDS
from assay.text.commitment import (
    ANNOUNCED,
    SAID,
    SET_OFF,
    Commitment,
    Lexicon,
    applies,
    cue_end,
    decide,
    hesitates,
)
from assay.text.expected import Expected, has_case
from assay.text.folding import fold_for_matching, fold_whole_answer
from assay.text.late_pattern import late_pattern
from assay.text.mentions import POLES
from assay.text.rivals import CLOSERS, Rivals
from assay.text.said import ASKED, Said
from assay.text.standing import COURTESY, AnswerPlace
from assay.text.structure import WORD, Sentence, sentences, set_off
from assay.text.word_marks import ANNOUNCES, CONFIRMS, LISTED

_NOUN = WORDS["noun"]
_IS = WORDS["is"]
_ARTICLE_FIRST = late_pattern(rf"{WORDS['article']}(?:\s+|(?<='))")
_BARE_CUE = late_pattern(r"[\s*_`#]{0,9}" + _NOUN + r"[\s*_`#:：.]{0,9}")
_CUE_BEHIND = late_pattern(
    rf"[\s*_`\"')\]]{{0,6}},?\s+{_IS}\s+(?:{WORDS['article']}\s+)?(?:\w+\s+)?"
    r"(?:answer|réponse|correct\w?|right|bonne|juste|ŋuɖoɖo)(?!\w)"
)
_COLON = late_pattern(r"(?<!\d)[:：](?!//)(?!\d)|\s(?:=|→|⇒|↔|->|=>|—|–|-)\s|(?<=\w)=(?=\w)")
_COLON_SIGN = re.compile("[:：=→⇒↔>—–-]")
_TAG_QUESTION = late_pattern(r",\s+(?:[\w'’]+\s*){1,3}\?\s*\Z")  # "It is X, isn't it?"
_STRUCK = late_pattern(r"~~[^~\n]{1,200}~~")
_ENDS_HERE = late_pattern(r"[\"'”»)\]*_`\s]*(?:[.,;:!…–—-]|\Z)")
_LONGEST_CUE = 2  # words: "right one"
_LONGEST_VALUE = 8  # words of what is set off or a bare line; more is a sentence


class AcceptedTexts:
    """Whether an answer commits to one of the accepted texts, sentence by sentence."""

    def __init__(self, accepted: tuple[str, ...], question: str, words: Lexicon) -> None:
        self._expected = Expected(accepted, question, words)
        self._words = words
        self._rivals = Rivals(self._expected)
        self._standing = AnswerPlace(self._expected)

    def read(self, answer: str) -> tuple[bool | None, bool]:
        """Whether it commits to an accepted text, False to another, None to none; and whether two
        claims compete.
        """
        if not self._expected.mentions.has(answer):
            return None, False
        if self._expected.is_polar and self._has_other_pole(fold_for_matching(answer)):
            return False, False
        return decide([*self._claims(answer)])

    def _has_other_pole(self, folded: str) -> bool:
        """Whether "yes" is expected and "no" is said, or the other way round."""
        for pole in POLES:
            if pole.isdisjoint(self._expected.texts):
                opens = rf"(?:\A|[.,;:!?…\n]|\band|\bet)\s*(?:{'|'.join(pole)})(?!\w)"
                clear = pole.difference(("no", "non"))
                if re.search(opens, folded) or clear.intersection(WORD.findall(folded)):
                    return True
        return False

    def _claims(self, answer: str) -> Iterator[Commitment[bool]]:
        if "~~" in answer:
            answer = _STRUCK.sub(" ", answer)
        every = sentences(answer)
        more = len(every) > 1
        announced = is_list = is_back = False
        seen = False
        for index, sentence in enumerate(every):
            said = self._expected.said(sentence.text)
            if self._is_bare_cue(said):
                announced = True
                continue
            if sentence.asks and (tag := _TAG_QUESTION.search(sentence.text)):
                sentence = Sentence(sentence.text[: tag.start()], alone=sentence.alone)
                said = self._expected.said(sentence.text)
            if sentence.asks and (more or not self._is_value(said)):
                continue
            is_last = index == len(every) - 1 and sentence.alone and index > 0 and not is_list
            claim = self._claim(sentence, said, announced, not seen, is_last, more)
            if claim is not None and is_back:  # the sentence before took back what was said
                claim = replace(claim, takes_back=True)
            if more:
                is_right = claim is not None and claim.value
                is_back = hesitates(sentence.text) or (not is_right and said.takes_back)
                is_list = is_list or (claim is not None and claim.bare and sentence.alone)
            announced = False
            if claim is not None:
                seen = True
                yield claim
            elif not sentence.exclaims and not COURTESY.match(sentence.text):
                seen = True

    @staticmethod
    def _is_bare_cue(said: Said) -> bool:
        """Whether a sentence only announces what the next one says: "**Answer**"."""
        return (
            len(said) <= _LONGEST_CUE
            and bool(said.marks & ANNOUNCES)
            and _BARE_CUE.fullmatch(said.text.casefold()) is not None
            and applies("announced")
        )

    def _claim(
        self,
        sentence: Sentence,
        said: Said,
        announced: bool,
        is_first: bool,
        is_last: bool,
        more: bool,
    ) -> Commitment[bool] | None:
        asked, back = said.asked(), said.takes_back
        if (end := cue_end(said.text, self._words)) is not None:
            return self._announced_at(said, end)
        if self._is_value(said):
            if announced or (is_last and applies("last line")):
                return Commitment(True, ANNOUNCED, asked, bare=True, takes_back=back)
            if applies("own sentence"):
                return Commitment(True, SET_OFF, asked, bare=True, takes_back=back)
        if announced:
            is_right = bool(self._says(said, framed=True))
            return Commitment(is_right, ANNOUNCED, asked, takes_back=back)
        claim = self._confirmed(said) or self._set_off(said, is_first) or self._behind_colon(said)
        if claim is not None:
            return claim
        right = self._says(said, framed=False)
        if right:
            return Commitment(True, SAID, asked, takes_back=back)
        if (is_first or back or sentence.alone) and self._is_bare(sentence, said, more):
            is_set_off = self._words.listed or back or sentence.listed
            strength = SET_OFF if is_set_off else SAID
            return Commitment(False, strength, asked, bare=True, takes_back=back)
        # Another in the place of the answer, in a sentence that repeats the question.
        if right is False or ((back or asked >= 2) and self._expected.has_rival(said)):
            return Commitment(False, SAID, asked, takes_back=back)
        return None

    # ----------------------------------------------------------------------- announced, set off

    def _announced_at(self, said: Said, end: int) -> Commitment[bool] | None:
        rest = said.text[end:]
        if not WORD.search(rest):
            return None
        right = self._says_part(rest)
        if right is None:  # "X is the right choice - it is the capital"
            right = self._says_part(said.text[:end])
        return Commitment(bool(right), ANNOUNCED, said.asked(), takes_back=said.takes_back)

    def _confirmed(self, said: Said) -> Commitment[bool] | None:
        """What is said to be the answer behind it: "X is the right answer"."""
        found = _CUE_BEHIND.search(said.text) if said.marks & CONFIRMS else None
        right = self._says_part(said.text[: found.start()]) if found else None
        if right is None:
            return None
        return Commitment(right, ANNOUNCED, said.asked(), takes_back=said.takes_back)

    def _is_value(self, said: Said) -> bool:
        """Whether a sentence is an accepted text and nothing else but dressing or an article."""
        if len(said) > self._expected.longest + 1:
            return False
        folded = fold_whole_answer(said.text)
        if folded in self._expected.texts:
            return True
        if len(folded) < 5:
            return False
        article = _ARTICLE_FIRST.match(folded)
        return article is not None and folded[article.end() :] in self._expected.texts

    def _set_off(self, said: Said, is_first: bool) -> Commitment[bool] | None:
        """What is in bold, in quotes or code, and is neither the question's nor a label."""
        spans = set_off(said.text) if applies("set off") else []
        values = [
            part for span in spans if self._may_be_value(part := self._expected.said(span), said)
        ]
        if not values:
            return None
        asked, back = said.asked(), said.takes_back
        if any(self._is_value(part) or self._says(part, framed=True) for part in values):
            found = self._expected.mentions.find(said.text)
            stays = any(not self._rivals.remove(said, *each) for each in found)
            return Commitment(stays, SET_OFF, asked, takes_back=back)
        if not (asked or is_first) or self._says(said, framed=False):
            return None
        return Commitment(False, SET_OFF, asked, takes_back=back)

    def _may_be_value(self, part: Said, said: Said) -> bool:
        """Whether something set off can be an answer: no sentence, no label, not the question's."""
        span = part.text
        if not 0 < len(part) <= max(_LONGEST_VALUE, self._expected.longest + 3):
            return False
        if span.rstrip().endswith((":", "：")) or re.search(
            rf"{re.escape(span)}[*_`\"'”»]{{1,3}}\s?[:：]", said.text
        ):
            return False
        if f" {' '.join(part.folded())} " in self._expected.question and not self._is_value(part):
            return False
        is_known = all(marks & (ASKED | LISTED) for _, marks in part.every)
        return not is_known or self._expected.mentions.has(span)

    def _behind_colon(self, said: Said) -> Commitment[bool] | None:
        """What is behind a short head: "Capital: X", "bread = X"."""
        text = said.text
        if not _COLON_SIGN.search(text) or not applies("colon"):
            return None
        for found in _COLON.finditer(text):
            head, rest = text[: found.start()], text[found.end() :]
            if not WORD.search(rest) or said.index(found.start()) > _LONGEST_VALUE:
                return None
            if self._says_part(rest) and not self._expected.mentions.has(head):
                return Commitment(True, SET_OFF, said.asked(), takes_back=said.takes_back)
        return None

    # --------------------------------------------------------------------------- one sentence

    def _is_bare(self, sentence: Sentence, said: Said, more: bool) -> bool:
        """Whether a sentence is nothing but another value: a few words, none of the question."""
        text = said.text
        if not 0 < len(said) <= max(3, self._expected.longest + 1) or said.marks & ASKED:
            return False
        if all(marks & LISTED for _, marks in said.every) or text.rstrip().endswith((":", "：")):
            return False
        if (sentence.exclaims and more) or COURTESY.match(text):
            return False
        return not self._expected.names or text.lstrip(CLOSERS)[:1].isupper() or not has_case(text)

    def _says_part(self, text: str) -> bool | None:
        """Whether a part of a sentence that was announced commits to an accepted text."""
        if not self._expected.mentions.has(text):
            return None
        return self._says(self._expected.said(text), framed=True)

    def _says(self, said: Said, *, framed: bool) -> bool | None:
        """Whether a sentence commits to an accepted text; False where it names one and takes it
        away, None where it says nothing of the kind. `framed`: what precedes announced it.
        """
        text = said.text
        found = self._expected.mentions.find(text)
        live = [each for each in found if not self._rivals.remove(said, *each)]
        if not live:
            return False if found else None
        if self._expected.is_polar:
            start, end = live[0]
            is_open = len(said) > 0 and said.start(0) == start
            return True if framed or (is_open and _ENDS_HERE.match(text, end)) else None
        if any(self._standing.holds(said, *each, framed) for each in live):
            return True
        return None
