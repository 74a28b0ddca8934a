"""What an answer denies, offers as one of several, or declines.

Read by the closed word list of `builtin/answer_words.toml` and nothing else;
`docs/reference/answer-words.md` shows it. All texts are folded (`fold_for_matching`).
"""

import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

from assay.text.folding import fold_for_matching

_FILE = Path(__file__).resolve().parents[1] / "builtin" / "answer_words.toml"
WORDS = {
    key: "(?:" + words.replace("\n", "") + ")"
    for key, words in tomllib.loads(_FILE.read_text("utf-8")).items()
}
SEEN = 80  # characters before and behind a place that are looked at
LONGEST_REFUSAL = 400
ONE_CLAIM = 200  # characters: a longer answer explains, and its "or" offers the reader a choice

_QUOTES = r"[\"'“”‘’«»`*(\[_]{0,4}"
_NAME_WORD = rf"(?!{WORDS['no_name']}\b)[\w'/-]+(?:\.\w[\w'/-]*)*\s+"
_ARTICLE = rf"(?:(?<!\w){WORDS['article']}(?:\s+|(?<=')))"
NEGATION = re.compile(rf"(?<![\w-]){WORDS['not']}(?!\w)(?!\s+{WORDS['not_denying']}\b)")
_DENIED_BEFORE = re.compile(  # not | think it is | a modem or | an | old
    rf"(?:{NEGATION.pattern}(?:\s+|(?<=')){_QUOTES}(?:{WORDS['between']}\s+){{0,6}}"
    rf"|(?<!\w){WORDS['advises']}(?:\s+|(?<=')){WORDS['uses']}\s+)"
    rf"(?:{_ARTICLE}?{_QUOTES}(?:{_NAME_WORD}){{1,3}}{WORDS['or']}\s+)?"
    rf"(?:{_ARTICLE}{_QUOTES}(?:{_NAME_WORD}){{0,2}})?{_QUOTES}(?:[\w-]{{1,20}}-)?\Z"
)
_UNUSED_BEFORE = re.compile(rf"(?<![\w-]){WORDS['unused']}\s+{_QUOTES}\Z")
_DENIED_BEHIND = re.compile(rf"[\"'”’»`*)\]_]{{0,4}}\s+{WORDS['denied_behind']}(?!\w)")
# Without an article only what stands right beside "or" is the other: "xHCI or EHCI controller".
_OTHER_BEHIND = re.compile(
    rf"[\"'”’»`*)\]_]{{0,4}},?\s+(?:{WORDS['or']}\s+|(?:{_NAME_WORD}){{1,2}}{WORDS['or']}\s+(?={_ARTICLE}))"
    r"([^.,;:!?\n]{1,60})"
)
_OTHER_BEFORE = re.compile(
    rf"([^.,;:!?\n]{{1,60}}?),?\s+{WORDS['or']}\s+(?:{_ARTICLE}(?:{_NAME_WORD}){{0,2}})?{_QUOTES}\Z"
)

_WHO_DECLINES = (
    rf"(?:\b(?:i|we)\s+(?:(?:simply|just|really|therefore)\s+)?{WORDS['declines']}"
    rf"|\b(?:this|that|the|your)\s+(?:request|prompt)\s+{WORDS['declines']}"
    rf"|{WORDS['declines_otherwise']})"
)
# Who declines is in the sentence of the apology, or in the one after it if it is short.
_REFUSAL = re.compile(
    rf"^\W{{0,9}}(?:(?:{WORDS['sorry']}(?:[^.!?\n]{{0,40}}[.!]\s)?|{WORDS['pity']})"
    rf"(?:[^.!?\n]{{0,200}}?{_WHO_DECLINES}|[\s,]{{1,3}}(?:but\s+)?{WORDS['declines']})"
    rf"|{_WHO_DECLINES})(?!\s+{WORDS['of_the_task']}\b)"
)
_KNOWS_NOTHING = re.compile(
    rf"\W{{0,9}}(?:(?:{WORDS['sorry']}|{WORDS['pity']})[\s,.]{{1,3}}(?:(?:but|mais)\s+)?)?"
    rf"{WORDS['knows_nothing']}(?!\w)(?![^.!?\n]*\b{WORDS['goes_on']}\b)[^.!?\n]{{0,60}}[.!]?\W*"
)
_DECLINING_WORD = re.compile(
    rf"(?<!\w)(?:{WORDS['sorry']}|{WORDS['declines']}|{WORDS['knows_nothing']}|refuse)(?!\w)"
)


def is_denied(before: str, behind: str = "") -> bool:
    """Whether the words around a place deny what stands there: "not an Ethernet controller"."""
    before = before[-SEEN:]
    return (
        _DENIED_BEFORE.search(before) is not None or _DENIED_BEHIND.match(behind[:SEEN]) is not None
    )


def is_unused_at(text: str, place: int) -> bool:
    """`is_unused` for a place in a text as it was written; only what is near is folded."""
    return is_unused(fold_for_matching(text[max(0, place - 2 * SEEN) : place]))


def is_unused(before: str) -> bool:
    """The same of a command or a kernel module, which is there to be used: "does not need X"."""
    return is_denied(before) or _UNUSED_BEFORE.search(before[-SEEN:]) is not None


def is_one_of_several(before: str, behind: str, is_expected: Callable[[str], bool]) -> bool:
    """Whether a short answer joins what stands here by "or" to something that is not expected."""
    if len(before) + len(behind) > ONE_CLAIM:
        return False
    others = (_OTHER_BEFORE.search(before[-SEEN:]), _OTHER_BEHIND.match(behind[:SEEN]))
    return any(other is not None and not is_expected(other[1]) for other in others)


def is_refusal(text: str) -> bool:
    """Whether a text declines, at its beginning, to do what was asked."""
    return _REFUSAL.match(fold_for_matching(text[: 2 * LONGEST_REFUSAL].strip())) is not None


def only_declines(text: str) -> bool:
    """Whether a text says that it does not know, or cannot, and nothing else."""
    if len(text) > LONGEST_REFUSAL:
        return False
    folded = fold_for_matching(text).strip()
    if _KNOWS_NOTHING.fullmatch(folded):
        return True
    refusal = _REFUSAL.match(folded)
    if refusal is None:
        return False
    rest = folded[refusal.end() :]
    is_last = re.search(r"[.!?\n:]\W*\w", rest) is None
    return is_last and re.search(rf"\b{WORDS['goes_on']}\b", rest) is None


def declines_instead(texts: Iterable[str], value: float, expected: str) -> bool:
    """Whether every text declines and `expected` does not ask for that. What scored nothing may say
    more than that it declines; what scored something must say nothing else.
    """
    declines = only_declines if value else is_refusal
    said = [text for text in texts if text.strip()]
    whole = all(only_declines(text) or declines(text) for text in said)
    return whole and not asks_to_decline(expected)


def asks_to_decline(expected: str) -> bool:
    """Whether what a test expects has words of declining itself."""
    return _DECLINING_WORD.search(fold_for_matching(expected)) is not None
