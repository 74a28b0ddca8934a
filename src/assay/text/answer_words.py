"""What an answer denies, offers as one of several, or declines.

Read by the closed word list of `builtin/answer_words.toml` and nothing else;
`docs/reference/answer-words.md` shows it. All texts are folded (`fold_for_matching`).
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from assay.text.folding import fold_for_matching
from assay.text.late_pattern import late_pattern
from assay.text.structure import words_as_written

_FILE = Path(__file__).resolve().parents[1] / "builtin" / "answer_words.toml"
_LISTS = tomllib.loads(_FILE.read_text("utf-8"))
NUMBER_WORDS: dict[str, str] = _LISTS.pop("numbers")
UNITS = [line.split() for line in _LISTS.pop("units")["same"].strip().splitlines()]
WORDS = {key: "(?:" + words.replace("\n", "") + ")" for key, words in _LISTS.items()}
SEEN = 80  # characters before and behind a place that are looked at
LONGEST_REFUSAL, _LONGEST_BEGIN = 400, 160
ONE_CLAIM = 200  # characters: a longer answer explains, and its "or" offers the reader a choice

_QUOTES = r"[\"'“”‘’«»`*(\[_]{0,4}"
_NAME_WORD = rf"(?!{WORDS['no_name']}\b)[\w'/-]+(?:\.\w[\w'/-]*)*\s+"
_ARTICLE = rf"(?:(?<!\w){WORDS['article']}(?:\s+|(?<=')))"
NEGATION = late_pattern(rf"(?<![\w-]){WORDS['not']}(?!\w)(?!\s+{WORDS['not_denying']}\b)")
_DENIED_BEFORE = late_pattern(  # not | think it is | a modem or | an | old
    rf"(?:{NEGATION.pattern}(?:\s+|(?<=')){_QUOTES}(?:{WORDS['between']}\s+){{0,6}}"
    rf"|(?<!\w){WORDS['advises']}(?:\s+|(?<=')){WORDS['uses']}\s+)"
    rf"(?:{_ARTICLE}?{_QUOTES}(?:{_NAME_WORD}){{1,3}}{WORDS['or']}\s+(?:(?:by|par|in)\s+)?)?"
    rf"(?:{_ARTICLE}{_QUOTES}(?:{_NAME_WORD}){{0,5}})?{_QUOTES}(?:[\w-]{{1,20}}-)?\Z"
)
# "not invented by X but by Y": the negation may be further off.
_CONTRAST_BEFORE = late_pattern(rf"(?<![\w-]){WORDS['negates']}\s[^.,;:!?\n]{{0,60}}\Z")
_CONTRAST_BEHIND = late_pattern(
    rf"[\"'”’»`*)\]_]{{0,4}},?\s+(?:[\w'-]+\s+){{0,2}}?{WORDS['but']}\s"
)
_UNUSED_BEFORE = late_pattern(rf"(?<![\w-]){WORDS['unused']}\s+{_QUOTES}\Z")
# Every text that denies or advises against has one of these or "n'": one without them, as most are,
# is searched for nothing else, which takes a tenth of the time.
_DENYING = frozenset({
    "not", "never", "no", "non", "ne", "neither", "nicht", "kein", "keine", "keinem", "keinen",
    "keiner", "keines", "pas", "point", "plus", "nullement", "jamais", "rather", "instead",
    "unlike", "opposed", "plutôt", "lieu", "contrairement", "menye", "cannot", "avoid", "évite",
    "évitez", "without", "anything", "except", "sauf", "excepté", "hormis", "nor", "ni", "none",
    "sans", "aucun", "aucune", "free", "devoid",
})  # fmt: skip
QUALIFYING = _DENYING | {
    "nothing", "myth", "rien", "wrong", "incorrect", "ruled", "or", "ou", "alo", "oder", "soit",
    "o",
}  # fmt: skip
# "isn't" and "n'est" have the words "t" and "n".
_MAY_DENY = QUALIFYING | {"nope", "nein", "ao", "n", "t"}
_MAY_LIST = frozenset({
    "neither", "none", "free", "aucun", "aucune", "without", "sans", "not", "devoid", "ni", "no",
    "pas",
})  # fmt: skip
_MAY_OFFER = frozenset({"or", "ou", "alo", "oder", "soit"})
_MAY_LEAVE_OUT = frozenset({
    "not", "t", "never", "pas", "point", "jamais", "nicht", "menye", "n", "ne", "plus",
})  # fmt: skip
_DENIES_ALL = late_pattern(rf"(?<!\w){WORDS['denies_all']}(?!\w)\s*:?")
_NI = late_pattern(r"(?<!\w)ni(?!\w)\s*:?")
_LIST_ITEM = late_pattern(rf"[,;:/]|(?<!\w){WORDS['lists']}(?!\w)")
_NO_AND_NO = late_pattern(
    r"(?<!\w)(?:no|pas de|pas d'|aucune?)\s+(?:[\w'-]+\s+){0,2}?[\w'-]+\s*"
    r"(?:,|\band\b|\bet\b|\bor\b|\bou\b)\s*(?:(?:and|or|et|ou)\s+)?"
    r"(?:no|pas de|pas d'|aucune?)\s+(?:\w+\s+)?\Z"
)
_SLASH_BEHIND = late_pattern(r"[\"'”’»`*)\]_]{0,4}\s*/\s*([^\W\d_][^/.,;:!?\n]{0,60})")
_SLASH_BEFORE = late_pattern(
    r"(?:\A|[\s,;:!?])([^\W\d_][^\s/.,;:!?]{0,60})\s*/\s*[\"'“‘«`*(\[_]{0,4}\Z"
)
_SENTENCE = late_pattern(r"[.!?\n]")
_FEW_WORDS = 4
_LONGEST_LIST, _LONGEST_ITEM = 400, 3  # characters before an item, words of one
_WORD = late_pattern(r"[^\W_]+")
_DENIED_BEHIND = late_pattern(
    rf"[\"'”’»`*)\]_]{{0,4}}(?:\s+{WORDS['denied_behind']}|\s?\?\s+{WORDS['asked_and_denied']})(?!\w)"
)
# "do not eat X, they eat Y", "ne boit pas de X", "meɖua X o, eɖua Y".
_VERB_BEFORE = late_pattern(
    rf"(?:(?<![\w-]){WORDS['negates']}\s+(?:\w+ly\s+)?(\w+)|\bn(?:e\s|')(\w+)\s+(?:pas|jamais|plus)"
    rf"|\bme(\w{{2,}}))\s+(?:d[eu]\s+|d')?{_ARTICLE}?{_QUOTES}\Z"
)
_NO_CLAUSE_END = late_pattern(r"[^.,;:!?\n]{0,60}(?<=\so)(?:[.,;:!?\n]\s*|\Z)")
_VERBS_OF_PLACE = frozenset({"le", "nɔ"})  # also "in" and "at" of any question
# Without an article only what is right beside "or" is the other: "xHCI or EHCI controller".
_OTHER_BEHIND = late_pattern(
    rf"[\"'”’»`*)\]_]{{0,4}},?\s+(?:{WORDS['or']}\s+|(?:{_NAME_WORD}){{1,2}}{WORDS['or']}\s+(?={_ARTICLE}))"
    r"([^.,;:!?\n]{1,60})"
)
# "X, Y or Z", where X opens the answer or follows a verb that announces it.
_LIST_BEHIND = late_pattern(
    rf"[\"'”’»`*)\]_]{{0,4}}((?:\s*,\s+[^\s.,;:!?]+(?:\s[^\s.,;:!?]+)?){{1,6}}),?\s+{WORDS['or']}\s+"
    r"([^.,;:!?\n]{1,60})"
)
_LIST_BEFORE = late_pattern(rf"(?:\A|:|(?<!\w){WORDS['is']})\s*{_ARTICLE}?{_QUOTES}\Z")
_HOLDS = late_pattern(rf"{WORDS['article']}|{WORDS['is']}|{WORDS['connective']}")
_EXPLAINS = late_pattern(rf"(?<!\w){WORDS['explains']}(?!\w)")
_OR = late_pattern(rf"\s{WORDS['or']}\s")
_EITHER = late_pattern(r"\bsoit\s+([^.,;:!?\n]{1,60}?),?\s+soit\s+([^.,;:!?\n]{1,60})")
_OTHER_BEFORE = late_pattern(
    rf"([^.,;:!?\n]{{1,60}}?),?\s+{WORDS['or']}\s+(?:{_ARTICLE}(?:{_NAME_WORD}){{0,2}})?{_QUOTES}\Z"
)

_WHO_DECLINES = (
    rf"(?:\b(?:i|we)\s+(?:(?:simply|just|really|therefore)\s+)?{WORDS['declines']}"
    rf"|\b(?:this|that|the|your)\s+(?:request|prompt)\s+{WORDS['declines']}"
    rf"|{WORDS['declines_otherwise']})"
)
# Who declines is in the sentence of the apology, or in the one after it if it is short.
_REFUSAL = late_pattern(
    rf"^\W{{0,9}}(?:(?:{WORDS['sorry']}(?:[^.!?\n]{{0,40}}[.!]\s)?|{WORDS['pity']})"
    rf"(?:[^.!?\n]{{0,200}}?{_WHO_DECLINES}|[\s,]{{1,3}}(?:but\s+)?{WORDS['declines']})"
    rf"|{_WHO_DECLINES})(?!\s+{WORDS['of_the_task']}\b)"
)
_GENTLY = (
    rf"\W{{0,9}}(?:(?:{WORDS['sorry']}|{WORDS['pity']})[\s,.!]{{1,3}}(?:(?:but|mais)\s+)?){{0,2}}"
)
_AND_NO_MORE = (
    rf"(?!\w)(?![^.!?\n]*\b{WORDS['goes_on']}\b)[^.!?\n]{{0,160}}(?:[.!?]\W*|\Z)"
    rf"(?:{WORDS['offers']}\b[^.!?\n]{{0,160}}(?:[.!?]\W*|\Z)){{0,2}}"
)
_KNOWS_NOTHING = late_pattern(_GENTLY + WORDS["knows_nothing"] + _AND_NO_MORE)
_ASKS_BACK = late_pattern(_GENTLY + WORDS["asks_back"] + _AND_NO_MORE)
# How both of them begin: an answer that begins otherwise, as most do, is compared with neither.
_BEGINS_TO_DECLINE = late_pattern(
    rf"\W{{0,9}}(?:{WORDS['sorry']}|{WORDS['pity']}|{_WHO_DECLINES}|{WORDS['knows_nothing']}"
    rf"|{WORDS['asks_back']})"
)
_DECLINING_WORD = late_pattern(
    rf"(?<!\w)(?:{WORDS['sorry']}|{WORDS['declines']}|{WORDS['knows_nothing']}|refuse)(?!\w)"
)


def may_qualify(text: str) -> bool:
    """Whether a text has a word by which it could deny something or offer it as one of several."""
    return "?" in text or "/" in text or "," in text or _has_any(text, QUALIFYING)


def may_deny(text: str) -> bool:
    """Whether a text has a word by which it could deny something."""
    return _has_any(text, _DENYING)


def negates(folded: str) -> bool:
    """Whether a text has a negation: "which of these is no fruit?"."""
    return may_deny(folded) and NEGATION.search(folded) is not None


def _has_any(text: str, listed: frozenset[str]) -> bool:
    """Whether a text has a listed word or "n'"."""
    return "n'" in text or not listed.isdisjoint(words_as_written(text))


class Qualifiers(NamedTuple):
    """Which rules can apply to a folded text, by its words: others are not tried."""

    deny: bool
    list: bool  # deny all items of one
    offer: bool
    leave_out: bool


@lru_cache(maxsize=16)  # each keyword is looked for in the same text
def qualifiers_in(folded: str) -> Qualifiers:
    """By the words that each rule needs."""
    words = frozenset(words_as_written(folded))
    return Qualifiers(
        deny=not _MAY_DENY.isdisjoint(words),
        list=not _MAY_LIST.isdisjoint(words),
        offer=not _MAY_OFFER.isdisjoint(words),
        leave_out=not _MAY_LEAVE_OUT.isdisjoint(words)
        or any(word.startswith("me") for word in words),
    )


def is_denied(before: str, behind: str = "") -> bool:
    """Whether the words around a place deny what is there: "not an Ethernet controller"."""
    before = before[-SEEN:]
    if may_deny(before) and (
        _DENIED_BEFORE.search(before)
        or (_CONTRAST_BEHIND.match(behind[:SEEN]) and _CONTRAST_BEFORE.search(before))
    ):
        return True
    return _DENIED_BEHIND.match(behind[:SEEN]) is not None


def is_in_denied_list(before: str, *, french: bool = True) -> bool:
    """Whether a list is denied and this is one of its items: "neither X nor Y", "no X, no Y".
    `french`: "ni" denies; it is "is" in Swahili.
    """
    sentence = _SENTENCE.split(before[-_LONGEST_LIST:])[-1]
    opened = _DENIES_ALL.search(sentence) or (_NI.search(sentence) if french else None)
    if opened is not None:
        items = _LIST_ITEM.split(sentence[opened.end() :])
        return all(len(item.split()) <= _LONGEST_ITEM for item in items)
    return _NO_AND_NO.search(sentence) is not None


def is_left_out(before: str, behind: str, question: Collection[str]) -> bool:
    """Whether a verb is denied of what is here that the question asks by, or that is said of
    something else right behind it: "cows do not eat X", "they do not eat X, they eat Y".
    """
    verb = _VERB_BEFORE.search(before[-SEEN:])
    if verb is None:
        return False
    behind = behind[:SEEN]
    if verb[3]:  # Ewe: "o" ends the clause that "me" denies
        end, stem = _NO_CLAUSE_END.match(behind), verb[3].removesuffix("a")
        again = rf"(?:\w+\s+)?(?:{WORDS['but']}\s|\w{{0,2}}{stem})"
        return end is not None and (
            re.match(again, behind[end.end() :]) is not None
            or (
                stem not in _VERBS_OF_PLACE
                and not {stem, f"{stem}a", f"{stem}na"}.isdisjoint(question)
            )
        )
    said = verb[1] or verb[2]
    return said in question or re.match(rf"\W{{1,3}}\w+\s+(?:\w+\s+)?{said}\b", behind) is not None


def is_unused_at(text: str, place: int) -> bool:
    """`is_unused` for a place in a text as it was written; only what is near is folded."""
    return is_unused(fold_for_matching(text[max(0, place - 2 * SEEN) : place]))


def is_unused(before: str) -> bool:
    """The same of a command or a kernel module, which is there to be used: "does not need X"."""
    before = before[-SEEN:]
    return (
        may_deny(before)
        and (_DENIED_BEFORE.search(before) or _UNUSED_BEFORE.search(before)) is not None
    )


def is_one_of_several(before: str, behind: str, is_expected: Callable[[str], bool]) -> bool:
    """Whether a short answer joins what is here by "or" to something that is not expected."""
    if len(before) + len(behind) > ONE_CLAIM:
        return False
    other = _OTHER_BEHIND.match(behind[:SEEN])
    if other and not is_expected(other[1]):
        return True
    listed = _LIST_BEHIND.match(behind[:SEEN]) if _OR.search(behind) else None
    if listed and _LIST_BEFORE.search(before[-SEEN:]):
        return not all(map(is_expected, (*listed[1].split(",")[1:], listed[2])))
    either = _EITHER.search(f"{before}\0{behind}") if "soit" in before else None
    if either and not all("\0" in each or is_expected(each) for each in either.groups()):
        return True
    # "or" first: what is before it is looked for from every character.
    other = _OTHER_BEFORE.search(before[-SEEN:]) if _OR.search(before) else None
    return other is not None and not is_expected(other[1])


def is_beside_slash(before: str, behind: str, is_expected: Callable[[str], bool]) -> bool:
    """Whether a short answer has a slash between what is here and something not expected."""
    if len(before) + len(behind) > ONE_CLAIM or ("/" not in before and "/" not in behind):
        return False
    is_spaced = (
        " / " in before[-3:] + behind[:3] or behind.startswith(" /") or before.endswith("/ ")
    )
    if not is_spaced and len(before.split()) + len(behind.split()) > _FEW_WORDS:
        return False  # "TCP/IP", "/etc/passwd"
    other = _SLASH_BEHIND.match(behind[:SEEN])
    if other and not is_expected(other[1]):
        return True
    other = _SLASH_BEFORE.search(before[-SEEN:])
    return other is not None and not is_expected(other[1])


@lru_cache(maxsize=1024)
def asks_to_explain(question: str) -> bool:
    """Whether a question wants sentences: "why", "explain", "pourquoi"."""
    return _EXPLAINS.search(fold_for_matching(question)) is not None


def holds_together(word: str) -> bool:
    """Whether a folded word makes a sentence of others: an article, "is", "because"."""
    return _HOLDS.fullmatch(word) is not None


def is_refusal(text: str) -> bool:
    """Whether a text declines, at its beginning, to do what was asked."""
    return _REFUSAL.match(_folded_beginning(text)) is not None


def declines(text: str, *, only: bool) -> bool:
    """Whether a text says that it does not know, or declines; with `only`, and nothing else."""
    if only and len(text) > LONGEST_REFUSAL:
        return False
    if not _begins_to_decline(text.lstrip()[:_LONGEST_BEGIN]):
        return False
    folded = _folded_beginning(text)
    if len(text) <= LONGEST_REFUSAL and (
        _KNOWS_NOTHING.fullmatch(folded) or (not only and _ASKS_BACK.fullmatch(folded))
    ):
        return True
    refusal = _REFUSAL.match(folded)
    if refusal is None or not only:
        return refusal is not None
    rest = folded[refusal.end() :]
    is_last = re.search(r"[.!?\n:]\W*\w", rest) is None
    return is_last and re.search(rf"\b{WORDS['goes_on']}\b", rest) is None


@lru_cache(maxsize=4096)  # letters, "yes", and a baseline's constant to a thousand tests
def _begins_to_decline(beginning: str) -> bool:
    return _BEGINS_TO_DECLINE.match(fold_for_matching(beginning)) is not None


def declines_instead(
    texts: Iterable[str], value: float, expected: Callable[[], str | None]
) -> bool:
    """Whether every text declines and `expected` does not ask for that. What scored nothing may say
    more than that it declines; what scored something must say nothing else.
    """
    for text in texts:
        if text.strip() and not declines(text, only=value > 0):
            return False
    return _DECLINING_WORD.search(fold_for_matching(expected() or "")) is None


def declines_by(words: Iterable[str], texts: Iterable[str]) -> Iterator[bool]:
    """Whether each text begins with one of a suite's own words that decline."""
    begins = tuple(map(fold_for_matching, words))
    for text in texts:
        yield bool(begins) and fold_for_matching(text[:LONGEST_REFUSAL]).lstrip(
            " \n*_\"'"
        ).startswith(begins)


def _folded_beginning(text: str) -> str:
    return fold_for_matching(text[: 2 * LONGEST_REFUSAL]).strip()
