"""What the closed lists know of one word: a bit for each list that can have it.

The rules that read an answer are patterns over lists of phrases. Every phrase has a word of its own
("in the end": end), and a sentence with none of these words need not be searched for any of the
phrases. A sentence is therefore looked up word by word, once, and rules ask for bits.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from assay.text.answer_words import QUALIFYING, WORDS

(
    LISTED,  # announces or surrounds a value, or is a number
    DENIAL,  # denies by itself, or joins what is denied
    MAY_DENY,
    DOUBTS,
    OFFERS,
    JOINS,
    TAKES_BACK,
    ANNOUNCES,
    CONFIRMS,
    IN_PHRASE,
    OPENS_PHRASE,
    RELATES,
    TURNS,
    GOES_ON,
    TELLS_APART,
    FIRST_FREE,  # from here on: what a test knows of a word besides
) = (1 << place for place in range(16))

_LISTS: dict[int, tuple[str, ...]] = {  # a bit, and the lists and words that it stands for
    DOUBTS: (WORDS["unsure"],),
    OFFERS: (WORDS["or"], "soit"),
    JOINS: (WORDS["or"], WORDS["and"]),
    TAKES_BACK: (WORDS["takes_back"],),
    ANNOUNCES: (WORDS["noun"], "boxed"),
    CONFIRMS: (r"answer|réponse|correct\w?|right|bonne|juste|ŋuɖoɖo",),
    IN_PHRASE: (WORDS["phrases"],),
    RELATES: (WORDS["relates"],),
    TURNS: ("before|after|avant|après|than",),
    GOES_ON: (WORDS["but"],),
    TELLS_APART: (WORDS["and"], WORDS["but"], "while|whereas|tandis"),
}
_AROUND = (
    rf"{WORDS['phrases']}|{WORDS['around']}|{WORDS['noun']}|{WORDS['article']}|{WORDS['is']}|{WORDS['fill']}"
    rf"|this|correct\w?|bonne|juste|ce|c'|ye|{WORDS['kind']}"
)
_DENIALS = (
    rf"{WORDS['negates']}|{WORDS['negated']}|{WORDS['wrong']}|{WORDS['or']}|{WORDS['but']}|no|non|none"
    r"|ne|n|t|without|sans|except|sauf"
)
_ALSO_DENY = frozenset({"nope", "nein", "ao", "n", "t"})  # "n'est", "isn't"
_GROUP = re.compile(r"\(\?:([^()]*)\)")
_MAY_BE_LEFT_OUT = re.compile(r"\(\?:[^()]* \)\?")
_PLAIN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*'?")


@lru_cache(maxsize=16_384)
def marks_of(word: str) -> int:
    """The bits of a folded word."""
    marks = LISTED if word.isdecimal() or _around().fullmatch(word) else 0
    marks |= DENIAL if _denials().fullmatch(word) else 0
    marks |= MAY_DENY if word in QUALIFYING or word in _ALSO_DENY else 0
    for bit, (known, others) in _keys().items():
        if word in known or (others is not None and others.fullmatch(word)):
            marks |= bit
    return marks


@cache
def known_words(bit: int) -> frozenset[str]:
    """The words that have a bit, but for those that are patterns."""
    return _keys()[bit][0]


@cache
def _around() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_AROUND})(?!\w)")


@cache
def _denials() -> re.Pattern[str]:
    return re.compile(_DENIALS)


@cache
def _keys() -> dict[int, tuple[frozenset[str], re.Pattern[str] | None]]:
    """By bit: the words of which each phrase of its lists has one, and patterns of such words."""
    made: dict[int, tuple[frozenset[str], re.Pattern[str] | None]] = {
        OPENS_PHRASE: (frozenset(_first_words(WORDS["phrases"])), None)
    }
    for bit, lists in _LISTS.items():
        known: set[str] = set()
        others: list[str] = []
        for phrase in (each for listed in lists for each in _alternatives(_unwrapped(listed))):
            key = key_words(phrase)
            if key:
                known.update(key)
            else:
                others.append(phrase)
        made[bit] = (frozenset(known), re.compile("|".join(others)) if others else None)
    return made


def key_words(phrase: str) -> frozenset[str]:
    """Words of which one is in every text that a phrase of a list matches, the longest there are;
    none where the phrase is a pattern of a single word.
    """
    phrase = _MAY_BE_LEFT_OUT.sub("", phrase)
    found: list[frozenset[str]] = []
    units = re.split(r" (?![^(]*\))", phrase)
    for unit in units:
        group = _GROUP.fullmatch(unit)
        texts = group[1].split("|") if group else [unit]
        if all(map(_PLAIN.fullmatch, texts)):
            found.append(frozenset(max(text.split("'"), key=len) for text in texts))
    if not found:
        if len(units) > 1:
            raise ValueError(f"no word by which to know {phrase!r}")
        return frozenset()
    return max(reversed(found), key=lambda words: min(map(len, words)))


def _first_words(listed: str) -> Iterator[str]:
    for phrase in _alternatives(_unwrapped(listed)):
        first = phrase.partition(" ")[0]
        group = _GROUP.fullmatch(first)
        for word in group[1].split("|") if group else [first]:
            yield word.partition("'")[0]


def _unwrapped(listed: str) -> str:
    return listed[3:-1] if listed.startswith("(?:") and listed.endswith(")") else listed


def _alternatives(listed: str) -> Iterator[str]:
    """The phrases of a list: what its outermost "|" divide."""
    depth, start = 0, 0
    for at, sign in enumerate(listed):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and depth == 0:
            yield listed[start:at]
            start = at + 1
    yield listed[start:]
