"""What an answer commits to: the one reading below exact_match, letters and keywords.

Structure decides first, which all languages share. Every sentence makes a claim of one of three
strengths, and the strongest that is there decides:

    ANNOUNCED   a box, a JSON value, behind an announcing word, a last line that is a bare value
    SET_OFF     bold, in quotes, as code, behind a colon, a line or a sentence of its own
    SAID        in the answer's sentence, once the words of the question are left out

Within a strength a repeated value is one; a different later one counts only where something takes
the first back. Courtesies, explanations and a next question behind it do not matter. The words of
`answer_words` and of the suite (`words`) announce, deny and join; all else is structure.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from assay.text.answer_words import WORDS, is_denied, negates
from assay.text.folding import fold_for_matching
from assay.text.late_pattern import found_behind, late_pattern
from assay.text.structure import (
    WORD,
    words_in,
)
from assay.text.word_marks import ANNOUNCES, DENIAL, LISTED, TAKES_BACK, known_words, marks_of
from assay.types.tests import LANGUAGES, NO_WORDS, SuiteWords

ANNOUNCED, SET_OFF, SAID = 6, 4, 2  # between them there is room for what a check adds
# What each is worth is measured by leaving it out: benchmarks/fair_scores.py --ablation.
RULES = frozenset({
    "announced", "set off", "colon", "last line", "own sentence", "opening", "closing", "middle",
    "first new",
    "clauses", "names", "parallel", "joined", "taken back", "denied", "question words",
})  # fmt: skip
LEFT_OUT: set[str] = set()

_OPEN = r"[\s*_`\"'“”„«»(\[{$\\<>~|#-]{0,12}"
_NOUN = WORDS["noun"]
_IS = WORDS["is"]
# "answer", "answer to the question", "réponse correcte", "answer_letter"
NOUN_GROUP = (
    r"(?<!\w)" + _NOUN + r"(?:\s+(?:to|for|of|here|that|which|i|à|de|du|auf|zu|a la|in|si)(?!\w)"
    r"[^.\n:;!?]{0,60}?|,[^.\n:;!?]{0,40},|(?:[\s_](?!not\b|pas\b|nicht\b)[^\W\d]{2,14}){0,3}?)"
)
SAYS = (
    r"[\s*_`\"')\]]{0,8}(?:(?<!\w)" + _IS + r"(?!\w)|'s(?!\w)|[:：=→⇒-]|=>|->|–|—)"
    r"(?:[\s*_`\"']{0,8}(?:" + _IS + r"(?!\w)|[:=→\n])){0,2}"
)
_CUE = late_pattern(NOUN_GROUP + SAYS + _OPEN + r"|\\boxed\s?\{|^\#{4}\s")
_TAKES_BACK = late_pattern(
    rf"(?:\A|[,;:.!?…–—(-]\s*)[\"'*_]{{0,3}}(?:{WORDS['takes_back']})(?!\w)", re.IGNORECASE
)
_CLAUSE_SIGN = re.compile("[,;:.!?…–—(-]")
_PHRASES = late_pattern(rf"(?<!\w){WORDS['phrases']}(?!\w)")
_UNSURE = late_pattern(rf"(?<!\w)(?:{WORDS['unsure']})(?!\w)[^.,;:!?]{{0,40}}\Z")
_CROSSED = late_pattern(r"[\"'”»)\]*_`\s]{0,4}[✗✘❌≠]")
_LEAST_SHARED, _MOST_CHANGED = 3, 4  # letters that two forms of a word have in common, and not
_LISTED_LANGUAGES = frozenset({"eng", "fra", "ewe", None})


def applies(rule: str) -> bool:
    """Whether a rule is in force: all are, but where the benchmark leaves one out."""
    return rule not in LEFT_OUT


Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True, slots=True)
class Commitment(Generic[Value]):
    """What a sentence commits to and how strongly. `asked`: how many words of the question it has;
    `bare`: it is nothing but a value; `takes_back`: it begins by taking back what was said.
    """

    value: Value
    strength: int
    asked: int = 0
    bare: bool = False
    takes_back: bool = False


def decide(claims: Sequence[Commitment[Value]]) -> tuple[Value | None, bool]:
    """The value of the strongest claims; None and True where two compete and neither gives way."""
    if len(claims) == 1:
        return claims[0].value, False
    strongest = max((claim.strength for claim in claims), default=0)
    held: Commitment[Value] | None = None
    competes = is_open = False  # open: what is held was named again only to take it back
    for claim in claims:
        if held is not None and claim.value == held.value:
            if claim.takes_back:
                competes, is_open = False, not claim.bare
            continue
        is_back = claim.takes_back or (is_open and claim.strength == strongest)
        takes_back = is_back and applies("taken back")
        if claim.strength < strongest and not (takes_back and held is not None):
            continue
        if held is None or takes_back:
            held, competes = claim, False
        elif claim.strength == ANNOUNCED or (claim.bare >= held.bare and claim.asked >= held.asked):
            competes = True
    if held is None or competes:
        return None, competes
    return held.value, False


def takes_back(text: str) -> bool:
    """Whether a sentence begins by taking back what was said before it: "no, wait"."""
    text = text[:80]
    if known_words(TAKES_BACK).isdisjoint(words_in(text)):
        return False
    if _TAKES_BACK.match(text):
        return True
    return next(found_behind(_CLAUSE_SIGN, _TAKES_BACK, text), None) is not None


def hesitates(text: str) -> bool:
    """Whether a sentence trails off: what comes after it takes its place."""
    return text.rstrip(" *_\"'”»").endswith(("...", "…"))


# ------------------------------------------------------------------------------ the question


@dataclass(frozen=True)
class Asked:
    """The words of a question: what an answer repeats of them says nothing new."""

    words: tuple[str, ...]
    known: frozenset[str]
    content: frozenset[str]
    names: frozenset[str]

    def knows(self, word: str) -> bool:
        """Whether a folded word, or another form of it, is the question's: "painted", "paints"."""
        if word in self.known:
            return True
        if len(word) < _LEAST_SHARED or is_denying(word):
            return False
        return _has_form(word, self.known)

    def matches(self, words: Iterable[str]) -> int:
        """How many of the question's words of content are among these."""
        content = self.content
        if not content:
            return 0
        return len({word for word in words if word in content or _has_form(word, content)})


@lru_cache(maxsize=16_384)
def _has_form(word: str, known: frozenset[str]) -> bool:
    begin = word[:_LEAST_SHARED]
    return any(is_form(word, each) for each in known if each.startswith(begin))


def is_form(word: str, other: str) -> bool:
    """Whether two words begin alike and few letters differ behind that."""
    at = max(_LEAST_SHARED, max(len(word), len(other)) - _MOST_CHANGED)
    return len(word) >= at and word[:at] == other[:at]


def asked_by(question: str) -> Asked:
    """The words of a question."""
    return _asked_by(question if applies("question words") else "")


@lru_cache(maxsize=512)
def _asked_by(question: str) -> Asked:
    """The words of a question; none count of one that denies, for "the apple is a fruit" answers
    "which is no fruit?" with the contrary.
    """
    folded = fold_for_matching(question)
    words = WORD.findall(folded)
    names = frozenset(
        word.casefold()
        for word in re.findall(r"(?<![.!?\n] )(?<!\A)(?<!\n)\b[^\W\d_]{2,}", question)
        if word[0].isupper() and not word.isupper()
    )
    content = frozenset(w for w in words if len(w) >= 3 and not is_listed(w))
    if negates(folded):
        return Asked(tuple(words), frozenset(), content, names)
    return Asked(tuple(words), frozenset(words), content, names)


def is_listed(word: str) -> bool:
    """Whether a folded word is one that announces or surrounds a value, or a number."""
    return marks_of(word) & LISTED != 0


# --------------------------------------------------------------------------------- the suite


@dataclass(frozen=True)
class Lexicon:
    """The words of a suite as patterns, and whether its language has a list of its own."""

    announces: re.Pattern[str] | None
    denies: frozenset[str]
    joins: frozenset[str]
    listed: bool

    def is_denied(self, before: str, behind: str) -> bool:
        """Whether the words around a place deny it, by the lists or by the suite's own words."""
        if not applies("denied"):
            return False
        if is_denied(before, behind) or _UNSURE.search(before[-80:]) or _CROSSED.match(behind):
            return True
        if not self.denies:
            return False
        near = words_in(re.split(r"[,;:.!?\n]", before[-80:])[-1])[-4:]
        after = words_in(re.split(r"[,;:.!?\n]", behind[:80])[0])[:2]
        return not self.denies.isdisjoint(near) or not self.denies.isdisjoint(after)


@lru_cache(maxsize=128)
def lexicon(given: SuiteWords | None = None, language: str | None = None) -> Lexicon:
    """The words of a suite for reading answers in its language."""
    words = given or NO_WORDS
    announcing = "|".join(
        sorted(
            (re.escape(fold_for_matching(each)) for each in words.announces), key=len, reverse=True
        )
    )
    also: tuple[str, ...] = ("ni",) if language in ("fr", "fra") else ()  # "is" in Swahili
    return Lexicon(
        re.compile(rf"(?<!\w)(?:{announcing})(?!\w)[\s*_`\"'“«(\[:：=-]{{0,8}}")
        if announcing
        else None,
        frozenset(word for each in (*words.denies, *also) for word in words_in(each)),
        frozenset(word for each in words.joins for word in words_in(each)),
        LANGUAGES.get(language or "", language) in _LISTED_LANGUAGES,
    )


def cue_end(text: str, words: Lexicon) -> int | None:
    """Where the last announcement of a sentence ends; None where there is none."""
    if not applies("announced") or not (words.announces or _may_announce(text)):
        return None
    folded = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    if len(folded) != len(text):
        folded = text
    ends = [found.end() for found in _CUE.finditer(folded)]
    if words.announces:
        ends += [found.end() for found in words.announces.finditer(folded)]
    return max(ends, default=None)


def _may_announce(text: str) -> bool:
    if not known_words(ANNOUNCES).isdisjoint(words_in(text)) or text.startswith("####"):
        return True
    return not text.isascii() and any(marks_of(word) & ANNOUNCES for word in words_in(text))


def phrases_at(text: str, places: Iterable[int]) -> list[tuple[int, int]]:
    """The listed phrases of several words that begin at one of these places."""
    lower = text.lower()
    if len(lower) != len(text):
        return []
    found, done = [], 0
    for at in places:
        phrase = _PHRASES.match(lower, at) if at >= done else None
        if phrase is not None:
            done = phrase.end()
            found.append(phrase.span())
    return found


def is_denying(word: str) -> bool:
    """Whether a folded word denies, or joins what is denied."""
    return marks_of(word) & DENIAL != 0
