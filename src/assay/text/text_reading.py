"""Whether an answer commits to one of the accepted texts: `text/commitment.py`, for one text.

Each sentence is read by the place that an accepted text has in it: the whole of it, set off, behind
a colon, opening or closing the clause that has most of the question's words. What could be another
answer there, a rival, is a word that is neither the question's nor listed; of a name, a name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assay.text.answer_words import WORDS, is_one_of_several
from assay.text.commitment import (
    ANNOUNCED,
    SAID,
    SET_OFF,
    Commitment,
    Lexicon,
    applies,
    asked_by,
    cue_end,
    decide,
    hesitates,
    is_denying,
    is_listed,
    listed_phrases,
    takes_back,
)
from assay.text.commitment import (
    is_form as _is_form,
)
from assay.text.folding import fold_for_matching, fold_whole_answer
from assay.text.late_pattern import late_pattern
from assay.text.structure import (
    UNSPACED,
    WORD,
    Sentence,
    is_unspaced,
    sentences,
    set_off,
    words_in,
)

_NOUN = WORDS["noun"]
_IS = WORDS["is"]
_IS_WORD = late_pattern(rf"(?<!\w){_IS}(?!\w)")
_ARTICLE = late_pattern(WORDS["article"])
_ARTICLE_FIRST = late_pattern(rf"{WORDS['article']}(?:\s+|(?<='))")
_BARE_CUE = late_pattern(r"[\s*_`#]{0,9}" + _NOUN + r"[\s*_`#:：.]{0,9}")
_CUE_BEHIND = late_pattern(
    rf"[\s*_`\"')\]]{{0,6}},?\s+{_IS}\s+(?:{WORDS['article']}\s+)?(?:\w+\s+)?"
    r"(?:answer|réponse|correct\w?|right|bonne|juste|ŋuɖoɖo)(?!\w)"
)
_CUES_BEHIND = ("answer", "réponse", "correct", "right", "bonne", "juste", "ŋuɖoɖo")
_COLON = late_pattern(r"(?<!\d)[:：](?!//)(?!\d)|\s(?:=|→|⇒|↔|->|=>|—|–|-)\s|(?<=\w)=(?=\w)")
_COLON_SIGN = re.compile("[:：=→⇒↔>—–-]")
_CLAUSE = late_pattern(r"(?:,(?!\d)|[;:()：，、]|\s[–—-]\s|\.{3}|…)")
_COURTESY = late_pattern(rf"\W*(?:{WORDS['courtesy']})(?!\w)", re.IGNORECASE)
_RELATES = late_pattern(
    rf"(?<!\w)({WORDS['relates']})(?:\s+|')(?:{WORDS['article']}\s+)?[\s\"'“«(*]*\Z"
)
# "The city of X" is X, "the capital of X" is not.
_PHRASE = late_pattern(rf"(?<!\w){WORDS['presents']}(?:\s+|(?<='))[\s\"'“«(*]*\Z")
_TURNING = frozenset(("before", "after", "avant", "après", "than"))
_RELATED = late_pattern(r"\s+ƒe(?!\w)")
_BUT = late_pattern(rf"\s*(?:{WORDS['but']}|{WORDS['takes_back']})(?!\w)", re.IGNORECASE)
_AND = late_pattern(
    rf",?\s(?:{WORDS['and']}|{WORDS['but']}|while|whereas|tandis que)\s", re.IGNORECASE
)
_JOIN = rf"(?:{WORDS['or']}|{WORDS['and']})"
_JOINED_BEHIND = late_pattern(
    rf"[\"'”’»`*)\]_]{{0,4}}\s*(?:[,;/|&+、](?:\s*{_JOIN}(?!\w))?|{_JOIN}(?!\w))\s*([^,;/|&+.!?\n()、]{{1,60}})"
)
_JOINED_BEFORE = late_pattern(
    rf"([^,;/|&+.!?\n()、]{{1,60}}?)\s*(?:[,;/|&+、]\s*(?:{_JOIN}\s)?|\s{_JOIN}\s)\s*(?:{WORDS['article']}\s+)?[\"'“‘«*_`(]{{0,4}}\Z",
    re.IGNORECASE,
)
_JOINING = late_pattern(rf"[,;/|&+、]|\s{_JOIN}\s", re.IGNORECASE)  # a part of the one above
_REFUSED = late_pattern(r"[\"'”»)\]*_`]{0,4}\s?,\s*(?:no|non|nein|ao)\W*\Z")
_TAG_QUESTION = late_pattern(r",\s+(?:[\w'’]+\s*){1,3}\?\s*\Z")  # "It is X, isn't it?"
_STRUCK = late_pattern(r"~~[^~\n]{1,200}~~")
_CLOSERS = "\"'”’»)]*_` \t"
_POLES = [frozenset(words.split("|")) for words in WORDS["polar"][3:-1].split(";")]
_LONGEST_VALUE = 8  # words of what is set off or a bare line; more is a sentence
_MOST_KNOWN = 4096  # words of answers that are remembered for a test
_FEW = 2  # words beside a value that make no claim of their own: "jibu ni X"


@dataclass(frozen=True, slots=True)
class _Clause:
    start: int
    end: int
    text: str


class AcceptedTexts:
    """Whether an answer commits to one of the accepted texts, sentence by sentence."""

    def __init__(self, accepted: Sequence[str], question: str, words: Lexicon) -> None:
        self._accepted = frozenset(map(fold_whole_answer, accepted))
        self._mention = _mention_pattern(tuple(accepted), words.listed)
        self._heads = _heads(accepted)
        self._names = any(text[:1].isupper() and not text.isupper() for text in accepted)
        self._longest = max((len(words_in(text)) for text in accepted), default=1)
        self._own = frozenset(word for text in accepted for word in words_in(text))
        self._each_accepted = [frozenset(words_in(text)) for text in accepted]
        self._words = words
        self._known: dict[str, bool] = {}  # by word: whether it says nothing new
        self._asked = asked_by(question)
        self._is_asked = f" {' '.join(self._asked.words)} "
        self._is_polar = any(text in pole for pole in _POLES for text in self._accepted)
        self._in_question = any(
            f" {' '.join(words_in(text))} " in self._is_asked for text in accepted
        )

    def read(self, answer: str) -> tuple[bool | None, bool]:
        """Whether it commits to an accepted text, False to another, None to none; and whether two
        claims compete.
        """
        if not self._is_expected(answer):
            return None, False
        if self._is_polar:
            folded = fold_for_matching(answer)
            others = [pole for pole in _POLES if pole.isdisjoint(self._accepted)]
            for pole in others:
                opens = rf"(?:\A|[.,;:!?…\n]|\band|\bet)\s*(?:{'|'.join(pole)})(?!\w)"
                if re.search(opens, folded) or pole.difference(("no", "non")).intersection(
                    WORD.findall(folded)
                ):
                    return False, False
        return decide([*self._claims(answer)])

    def _claims(self, answer: str) -> Iterator[Commitment[bool]]:
        if "~~" in answer:
            answer = _STRUCK.sub(" ", answer)
        every = sentences(answer)
        announced = is_list = is_back = False
        seen = False
        for index, sentence in enumerate(every):
            is_first = not seen
            if _BARE_CUE.fullmatch(sentence.text.casefold()) and applies("announced"):
                announced = True
                continue
            if sentence.asks and (tag := _TAG_QUESTION.search(sentence.text)):
                sentence = Sentence(sentence.text[: tag.start()], alone=sentence.alone)
            if sentence.asks and (len(every) > 1 or not self._is_value(sentence.text)):
                continue
            courtesy = _COURTESY.match(sentence.text)
            is_last = index == len(every) - 1 and sentence.alone and index > 0
            is_last = is_last and not is_list
            claim = self._claim(sentence, announced, is_first, is_last, len(every) > 1)
            if claim is not None and is_back:  # the sentence before took back what was said
                claim = replace(claim, takes_back=True)
            is_right = claim is not None and claim.value
            is_back = hesitates(sentence.text) or (not is_right and takes_back(sentence.text))
            is_list = is_list or (claim is not None and claim.bare and sentence.alone)
            announced = False
            if claim is not None:
                seen = True
                yield claim
            elif not courtesy and not sentence.exclaims:
                seen = True

    def _claim(
        self, sentence: Sentence, announced: bool, is_first: bool, is_last: bool, more: bool
    ) -> Commitment[bool] | None:
        text = sentence.text
        asked = self._asked.matches(words_in(text))
        back = takes_back(text)
        if (end := cue_end(text, self._words)) is not None:
            rest = text[end:]
            if not WORD.search(rest):
                return None
            right = self._says(rest, framed=True)
            if right is None:  # "X is the right choice - it is the capital"
                right = self._says(text[:end], framed=True)
            return Commitment(bool(right), ANNOUNCED, asked, takes_back=back)
        if self._is_value(text):
            if announced or (is_last and applies("last line")):
                return Commitment(True, ANNOUNCED, asked, bare=True, takes_back=back)
            if applies("own sentence"):
                return Commitment(True, SET_OFF, asked, bare=True, takes_back=back)
        if announced:
            return Commitment(
                bool(self._says(text, framed=True)), ANNOUNCED, asked, takes_back=back
            )
        may_follow = any(map(text.__contains__, _CUES_BEHIND))
        if may_follow and (is_announced_behind := _CUE_BEHIND.search(text)):
            said = self._says(text[: is_announced_behind.start()], framed=True)
            if said is not None:
                return Commitment(said, ANNOUNCED, asked, takes_back=back)
        claim = self._set_off(text, asked, is_first, back) or self._behind_colon(text, asked, back)
        if claim is not None:
            return claim
        said = self._says(text, framed=False)
        if said:
            return Commitment(True, SAID, asked, takes_back=back)
        if self._is_bare(sentence, more) and (is_first or back or sentence.alone):
            is_set_off = self._words.listed or back or sentence.listed
            strength = SET_OFF if is_set_off else SAID
            return Commitment(False, strength, asked, bare=True, takes_back=back)
        if said is False or (back and self._has_rival(text)) or self._fills_frame(text, asked):
            return Commitment(False, SAID, asked, takes_back=back)
        return None

    def _is_value(self, text: str) -> bool:
        folded = fold_whole_answer(text)
        if folded in self._accepted:
            return True
        if len(folded) < 5:
            return False
        article = _ARTICLE_FIRST.match(folded)
        return article is not None and folded[article.end() :] in self._accepted

    def _set_off(
        self, text: str, asked: int, is_first: bool, back: bool
    ) -> Commitment[bool] | None:
        """What is in bold, in quotes or code, and is neither the question's nor a label."""
        spans = set_off(text) if applies("set off") else []
        values = []
        for span in spans:
            words = words_in(span)
            if not words or len(words) > max(_LONGEST_VALUE, self._longest + 3):
                continue
            if span.rstrip().endswith((":", "：")) or re.search(
                rf"{re.escape(span)}[*_`\"'”»]{{1,3}}\s?[:：]", text
            ):
                continue
            if f" {' '.join(words)} " in self._is_asked and not self._is_value(span):
                continue
            if all(
                self._asked.knows(w) or is_listed(w) for w in words
            ) and not self._mention.search(span):
                continue
            values.append(span)
        if not values:
            return None
        right = [span for span in values if self._is_value(span) or self._says(span, framed=True)]
        if right:
            for found in self._mention.finditer(text):
                if not self._is_removed(text, found):
                    return Commitment(True, SET_OFF, asked, takes_back=back)
            return Commitment(False, SET_OFF, asked, takes_back=back)
        if self._says(text, framed=False):
            return None
        return Commitment(False, SET_OFF, asked, takes_back=back) if asked or is_first else None

    def _behind_colon(self, text: str, asked: int, back: bool) -> Commitment[bool] | None:
        """What is behind a short head: "Capital: X", "bread = X"."""
        if not applies("colon") or not _COLON_SIGN.search(text):
            return None
        for found in _COLON.finditer(text):
            head, rest = text[: found.start()], text[found.end() :]
            if not WORD.search(rest) or len(words_in(head)) > _LONGEST_VALUE:
                return None
            said = self._says(rest, framed=True)
            if said and not self._mention.search(head):
                return Commitment(True, SET_OFF, asked, takes_back=back)
        return None

    def _is_bare(self, sentence: Sentence, more: bool) -> bool:
        """Whether a sentence is nothing but another value: a few words, none of the question."""
        text = sentence.text
        words = words_in(text)
        if not 0 < len(words) <= max(3, self._longest + 1) or text.rstrip().endswith((":", "：")):
            return False
        if _COURTESY.match(text) or (sentence.exclaims and more):
            return False
        if any(map(self._asked.knows, words)):
            return False
        new = [word for word in words if not is_listed(word)]
        return bool(new) and (
            not self._names or text.lstrip(_CLOSERS)[:1].isupper() or not self._cased(text)
        )

    @staticmethod
    def _cased(text: str) -> bool:
        return text.lower() != text.upper()

    def _fills_frame(self, text: str, asked: int) -> bool:
        """Whether a sentence repeats the question with something else in the answer's place."""
        return asked >= 2 and self._has_rival(text)

    def _has_rival(self, text: str) -> bool:
        """Whether a text has a word that could be another answer."""
        new = self._residue(text)
        if self._names and self._cased(text):
            return any(word[:1].isupper() for word in new)
        return bool(new)

    def _residue(self, text: str) -> list[str]:
        """The words, as written, that are neither the question's, nor listed, nor accepted."""
        phrases = listed_phrases(text) if " " in text else []
        found = []
        for match in WORD.finditer(text):
            if self._names and _is_initial(match[0], text[match.end() : match.end() + 2]):
                continue
            if self._is_new(match[0]) and not any(a <= match.start() < b for a, b in phrases):
                found.append(match[0])
        return found

    def _is_new(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            folded = fold_for_matching(word)
            known = is_listed(folded) or folded in self._own or self._asked.knows(folded)
            self._known[word] = known
        return not known

    # ------------------------------------------------------------------- one sentence

    def _says(self, text: str, *, framed: bool) -> bool | None:
        """Whether a sentence commits to an accepted text; False where it names one and takes it
        away, None where it says nothing of the kind. `framed`: what precedes announced it.
        """
        found = [*self._mention.finditer(text)] if self._may_mention(text) else []
        if not found:
            return None
        live = [each for each in found if not self._is_removed(text, each)]
        if not live:
            return False
        if self._is_polar:
            opened = WORD.search(text)
            is_open = opened is not None and opened.start() == live[0].start()
            ends = re.match(r"[\"'”»)\]*_`\s]*(?:[.,;:!…–—-]|\Z)", text[live[0].end() :])
            return True if framed or (is_open and ends) else None
        if any(self._stands(text, each, framed) for each in live):
            return True
        return None

    def _is_removed(self, text: str, found: re.Match[str]) -> bool:
        """Whether what is mentioned is denied or offered as one of several."""
        before = fold_for_matching(text[max(0, found.start() - 160) : found.start()])
        behind = fold_for_matching(text[found.end() : found.end() + 160])
        if self._is_polar:
            return False
        if _REFUSED.match(behind):
            return True
        if self._words.is_denied(before, behind):
            return True
        return self._is_offered(text, found, before, behind)

    def _is_offered(self, text: str, found: re.Match[str], before: str, behind: str) -> bool:
        """Whether another value of the same shape is beside it, joined by a word or a sign."""
        if applies("joined") and is_one_of_several(before, behind, self._is_expected):
            return True
        if not applies("parallel"):
            return False
        after = text[found.end() : found.end() + 160]
        ahead = text[max(0, found.start() - 160) : found.start()]
        value = found[0]
        joined = _JOINED_BEHIND.match(
            after.casefold() if len(after.casefold()) == len(after) else after
        )
        if joined and self._is_parallel(
            value, after[joined.start(1) : joined.end(1)], after[joined.end() :]
        ):
            return True
        joined = _JOINED_BEFORE.search(ahead) if _JOINING.search(ahead) else None
        if joined and self._is_parallel(value, joined[1].rpartition(":")[2], ""):
            return True
        if self._words.joins and (ends := WORD.findall(ahead[-60:])[-2:]):
            is_joined = fold_for_matching(ends[-1]) in self._words.joins
            if is_joined and len(ends) > 1 and self._is_parallel(value, ends[0], ""):
                return True
        words = WORD.findall(after[:60])
        if len(words) >= 2 and re.match(r"[*_`\"'”»)]{0,3}\s", after):
            first, second = fold_for_matching(words[0]), words[1]
            is_join = first in self._words.joins or (
                not self._words.listed
                and self._names
                and len(first) <= 5
                and words[0].islower()
                and not self._asked.knows(first)
            )
            if is_join and self._is_parallel(value, second, ""):
                return True
        return False

    def _is_parallel(self, value: str, other: str, rest: str) -> bool:
        words = WORD.findall(other)
        folded = [fold_for_matching(word) for word in words]
        if not words or self._is_expected(fold_for_matching(other)):
            return False
        if self._is_contrast(words[0], folded[0]):
            return False
        new = [
            word
            for word, plain in zip(words, folded, strict=True)
            if not (self._asked.knows(plain) or is_listed(plain) or plain in self._own)
        ]
        if self._in_question and not new:  # "Mars, Jupiter" of a question that offers both
            new = [
                word
                for word, plain in zip(words, folded, strict=True)
                if plain in self._asked.content
            ]
        length = len([*filter(None, words_in(value))])
        articles = sum(_ARTICLE.fullmatch(word) is not None for word in folded)
        if not new or len(words) - articles > length + self._names:
            return False
        if self._names and self._cased(other):
            return bool(new[-1][:1].isupper())
        if _IS_WORD.search(fold_for_matching(other)):
            return False
        opens = rest.lstrip(_CLOSERS)[:1]
        return (
            opens == "" or opens in ",;/.|!" or re.match(_JOIN + r"\s", rest.lstrip()) is not None
        )

    def _is_contrast(self, word: str, folded: str) -> bool:
        """Whether what follows a comma is set against the value: "X, not Y", "X, bukan Y"."""
        if is_denying(folded) or folded in self._words.denies or folded == "then":
            return True
        is_plain = word.islower() and not is_listed(folded) and folded not in self._words.joins
        return self._names and not self._words.listed and is_plain

    def _is_expected(self, other: str) -> bool:
        return self._may_mention(other) and self._mention.search(other) is not None

    def _may_mention(self, text: str) -> bool:
        """False where the first word of no accepted text is there: the pattern takes longer."""
        if not self._heads or not text.isascii():
            return True
        return any(map(text.lower().__contains__, self._heads))

    def _stands(self, text: str, found: re.Match[str], framed: bool) -> bool:
        """Whether the words around a mention make it the answer of its sentence."""
        clauses = _clauses(text)
        own = next(
            each
            for each in clauses
            if each.start <= found.start() < each.end or each is clauses[-1]
        )
        others = [each for each in clauses if each is not own]
        before = text[own.start : found.start()]
        behind = text[found.end() : max(own.end, found.end())]
        if self._is_related(before, behind) or self._is_of_another(text[: own.start], before):
            return False
        opens = not self._residue(text[: found.start()])
        if any(
            each.start > found.end() and _BUT.match(each.text) and self._has_rival(each.text)
            for each in others
        ):
            return False
        first, last = self._residue(before), self._residue(behind)
        if (
            applies("names")
            and self._names
            and self._is_longer_name(before, text[found.end() :], first, last)
        ):
            return False
        asked = self._asked.matches(words_in(own.text))
        if (
            opens
            and (framed or own.end < len(text) or not behind.strip(_CLOSERS + ".,;:!…"))
            and not last
        ):
            return applies("opening")
        if framed and opens:
            return applies("opening")
        if (
            applies("clauses")
            and not framed
            and any(
                self._asked.matches(words_in(each.text)) > asked and self._residue(each.text)
                for each in others
            )
        ):
            return False
        if (
            applies("clauses")
            and not framed
            and self._is_told_before(text[: found.start()], behind)
        ):
            return False
        if not first and not last:
            return bool(asked or framed or not self._opens_with_rival(clauses, own))
        if self._names_another(text, before, first, last) or (
            self._in_question and self._offers_rival(before)
        ):
            return False
        if not last:
            few = len(first) <= _FEW and not self._opens_with_rival(clauses, own)
            return applies("closing") and bool(asked or framed or few)
        if not first:
            if self._asked.matches(words_in(before)):  # the first that is new
                return applies("first new")
            lasting = [word for word in last if len(word) > 3]
            matched = self._asked.matches(words_in(behind))
            nearest = [word for word in words_in(behind) if not is_listed(word)][:1]
            if matched >= 2 and nearest and self._asked.knows(nearest[0]):  # it is the subject
                return applies("opening")
            return applies("opening") and matched > len(lasting)
        return applies("middle") and (asked > 0 or len(first) + len(last) <= _FEW)

    def _names_another(
        self, text: str, before: str, first: Sequence[str], last: Sequence[str]
    ) -> bool:
        """Whether another name has the place of the answer, or of a name of the question."""
        if not (applies("names") and self._names and self._cased(text)):
            return False
        begin = WORD.search(text)
        opening = begin[0] if begin else ""
        said = {*words_in(text)}
        missing = self._asked.names and self._asked.names.isdisjoint(said)
        if missing and any(word[:1].isupper() and word != opening for word in (*first, *last)):
            return True
        if any(len(each) > 1 and each <= said for each in self._each_accepted):
            return False  # a fuller name: "Luís Vaz de Camões"
        rivals = [word for word in first if word[:1].isupper() and word != opening]
        if rivals:
            ahead = words_in(text[: text.index(rivals[0])])
            return not (self._asked.matches(ahead) and self._is_beside_asked(before))
        if not (last and first and opening == first[0] and opening[:1].isupper()):
            return False
        second = words_in(text)[1:2]  # "Mombasa is …, Nairobi …": it is the subject
        return bool(second) and (
            self._asked.knows(second[0]) or re.fullmatch(_IS, second[0]) is not None
        )

    def _is_longer_name(
        self, before: str, rest: str, first: Sequence[str], last: Sequence[str]
    ) -> bool:
        """Whether it is part of a longer name, "New X", and none that is accepted is all in it."""
        left = re.search(r"((?:[^\W\d_]+[ -])*?)([^\W\d_]+)[ -]\Z", before)
        if left and left[2][0].isupper() and left[2] in first:
            if not WORD.search(before[: left.start(2)]):  # it opens the sentence
                return not WORD.search(rest)
            named = {*words_in(before[-60:])} | self._own
            return not any(len(each) > 1 and each <= named for each in self._each_accepted)
        right = re.match(r"[ -]([^\W\d_]+)", rest)
        return right is not None and right[1][0].isupper() and right[1] in last

    def _is_beside_asked(self, before: str) -> bool:
        words = [w for w in words_in(before) if not re.fullmatch(WORDS["article"], w)]
        return bool(words) and (
            self._asked.knows(words[-1]) or re.fullmatch(_IS, words[-1]) is not None
        )

    def _offers_rival(self, before: str) -> bool:
        """Whether another name of a question that offers several stands before this one."""
        named = self._asked.names if self._names else self._asked.content
        return (
            any(word in named and word not in self._own for word in words_in(before))
            and self._names
        )

    def _opens_with_rival(self, clauses: Sequence[_Clause], own: _Clause) -> bool:
        """Whether the first clause is a bare value of its own and this is a later one."""
        first = clauses[0]
        if first is own or not applies("clauses") or _COURTESY.match(first.text):
            return False
        if takes_back(first.text):
            return False
        words = words_in(first.text)
        last = WORD.findall(first.text)[-1:]
        if self._names and self._cased(first.text) and last and last[0].islower():
            return False
        return (
            0 < len(words) <= 4
            and bool(self._residue(first.text))
            and not any(map(self._asked.knows, words))
            and (not self._words.listed or self._has_rival(first.text))
        )

    def _is_told_before(self, before: str, behind: str) -> bool:
        """Whether the words of the question have their answer in an earlier part of the sentence:
        "plants take in oxygen and give out X".
        """
        joined = _AND.search(before)
        if joined is None:
            return False
        words = WORD.findall(before[: joined.start()])
        if len(words) < 3 or not self._is_new(words[-1]):
            return False
        if fold_for_matching(words[-2]) not in self._asked.known:
            return False
        own = self._asked.matches(words_in(before[joined.end() :] + " " + behind))
        return self._asked.matches(words_in(before[: joined.start()])) > own

    def _is_of_another(self, ahead: str, before: str) -> bool:
        """Whether another answer is told and this only tells of it: "it is Y, the reverse of X"."""
        related = _RELATES.search(before.casefold())
        if related is None or not applies("clauses") or _PHRASE.search(before.casefold()):
            return False
        head = WORD.findall(before[: related.start()])[-1:]
        return bool(head) and self._is_new(head[0]) and bool(self._residue(ahead))

    def _has_place_for(self, head: str, relation: str) -> bool:
        """Whether a relation takes what follows it away: a comparison does, and one that has a name
        of the question in its place, as "the capital of".
        """
        asked = self._asked.words
        if re.fullmatch(WORDS["compares"], relation):
            return head != "other" and relation not in (*asked[:1], *asked[-1:])
        for place, word in enumerate(asked[:-2]):
            is_head = word == head or _is_form(word, head)
            if is_head and re.fullmatch(WORDS["relates"], asked[place + 1]):
                return asked[place + 2] not in self._own
        return False

    def _is_related(self, before: str, behind: str) -> bool:
        """Whether it is told of something else: "the capital of X", "larger than X"."""
        related = _RELATES.search(before.casefold())
        if related and not _PHRASE.search(before.casefold()):
            head = words_in(before[: related.start()])[-1:]
            if head and self._has_place_for(head[0], related[1]):
                return True
        turned = [word for word in words_in(behind) if word in _TURNING]
        if turned and not all(word in self._asked.words for word in turned):
            return True
        return _RELATED.match(behind) is not None


def _is_initial(word: str, behind: str) -> bool:
    """Whether a word is an initial or a title before a name: "W. A.", "Ir."."""
    if not word[0].isupper():
        return False
    return len(word) == 1 or (len(word) <= 4 and behind == ". ")


@lru_cache(maxsize=512)
def accepted_texts(
    accepted: tuple[str, ...], question: str, words: Lexicon, rules: frozenset[str]
) -> AcceptedTexts:
    """The reading of a test, made once; `rules`: those that the benchmark leaves out."""
    del rules
    return AcceptedTexts(accepted, question, words)


def _clauses(text: str) -> list[_Clause]:
    made, start = [], 0
    for cut in _CLAUSE.finditer(text):
        if WORD.search(text[start : cut.start()]):
            made.append(_Clause(start, cut.start(), text[start : cut.start()]))
            start = cut.end()
    if WORD.search(text[start:]) or not made:
        made.append(_Clause(start, len(text), text[start:]))
    return made


# What may touch the accepted text: "C" is not found in "C++", nor "5" in "-5" or "5 %".
_LEFT = r"(?<![^\s\"'“‘«(\[{*_`>=→↔:：,，、/])"
_RIGHT = r"(?=[\"'”’»)\]}*_`<.,;:!?…/\s。，、！？]|\Z)(?!'\w|[.,:]\w)"


@lru_cache(maxsize=2048)
def _mention_pattern(accepted: tuple[str, ...], listed: bool) -> re.Pattern[str]:
    """Every accepted text standing alone; where suffixes follow an apostrophe, with one."""
    each = []
    for text in sorted(accepted, key=len, reverse=True):
        forms = {fold_whole_answer(text), text.strip()}  # "İ" has no lower case of one sign
        body = "|".join(r"\s+".join(map(re.escape, form.split())) for form in forms if form)
        body = f"(?:{body})" if body else ""
        if not body:
            continue
        if _is_function(fold_whole_answer(text)):
            if text != text.lower():  # "Au" ends a sentence; "au" is in any
                each.append(rf"(?-i:{_LEFT}{re.escape(text)}(?=\W*(?:\Z|[.,;!])))")
            continue
        left = "" if is_unspaced(text) else rf"(?:{_LEFT}|(?<=[{UNSPACED}]))"
        body += "" if listed else r"(?:['’](?!s\b)[^\W\d_]{1,6})?"
        each.append(
            left + body + ("" if is_unspaced(text[-1:]) else rf"(?:{_RIGHT}|(?=[{UNSPACED}]))")
        )
    return re.compile("|".join(each) or r"(?!)", re.IGNORECASE)


def _heads(accepted: Sequence[str]) -> tuple[str, ...]:
    """The first word of each form that `_mention_pattern` looks for; none where one is not ASCII,
    whose case a pattern folds otherwise than `lower`.
    """
    every = ((fold_whole_answer(text), text.strip()) for text in accepted)
    forms = {form for both in every for form in both if form.split()}
    if not all(map(str.isascii, forms)):
        return ()
    return tuple({form.split()[0].lower() for form in forms})


@lru_cache(maxsize=1024)
def _is_function(text: str) -> bool:
    """Whether a text is a word that any sentence has: only a whole answer can be it."""
    if any(text in pole for pole in _POLES):
        return False
    return is_listed(text) or is_denying(text)
