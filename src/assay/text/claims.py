"""Whether a sentence says one of the accepted texts and nothing else.

Every word beside it is the question's own or is in the closed list of `answer_words`: no other
answer can be there. "Nairobi is the capital of Kenya" says Nairobi, "Nairobi or Mombasa" does not.
"""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from assay.text.answer_words import NEGATION, ONE_CLAIM, WORDS, may_deny, words_of_ascii
from assay.text.folding import fold_for_matching, fold_whole_answer
from assay.text.late_pattern import late_pattern

_WORD = late_pattern(r"[^\W_]+")
_IS = late_pattern(rf"(?<!\w)(?:{WORDS['is']}|it's|il s'agit de)(?!\w)|:")
_ANNOUNCERS = (
    rf"{WORDS['noun']}|{WORDS['article']}|{WORDS['is']}|{WORDS['fill']}|this|correct\w?|bonne|juste"
    "|ce|c'|ye"
)
_ANNOUNCING = late_pattern(rf"(?<!\w)(?:{_ANNOUNCERS})(?!\w)")
_AROUND = late_pattern(rf"(?<!\w)(?:{WORDS['around']}|{_ANNOUNCERS}|{WORDS['kind']})(?!\w)")
_OF_VERBS = frozenset(_WORD.findall(_IS.pattern))
_OR = late_pattern(WORDS["or"])
_PARTS = frozenset(_WORD.findall(WORDS["around"] + _ANNOUNCERS))
_DENIES = late_pattern(
    rf"{WORDS['negates']}|{WORDS['negated']}|{WORDS['wrong']}|{WORDS['or']}|{WORDS['but']}|no|non|none"
    r"|ne|n|t|without|sans|except|sauf"
)
_FUNCTION_OR_DENIAL = late_pattern(rf"{WORDS['around']}|{_ANNOUNCERS}|{_DENIES.pattern}")
_X = "\0"
_RELATED = late_pattern(rf"(?<!\w)({WORDS['relates']})(?:\s+|')[\s\"'“«(]*{_X}|{_X}\s+ƒe(?!\w)")
_SAME = late_pattern(rf"{_X}[\"'”»]*,?\s+{WORDS['or']}\s+(?:{WORDS['article']}\s+)?[\"'“«]*{_X}")
# What may touch the accepted text: "C" is not found in "C++", nor "5" in "-5" or "5 %".
_LEFT, _RIGHT = r"(?<![^\s\"'“‘«(\[{*_`>=→])", r"(?=[\"'”’»)\]}*_`<.,;:!…\s]|\Z)(?!'\w|[.,:]\w)"
_STRANGE = late_pattern(r"[^\w\s.,:;!…\"'“”‘’«»()\[\]{}*_`=→/|\\$–—-]|(?:\A|\s)[-–>]\s*\d")
_POLES = [frozenset(words.split("|")) for words in WORDS["polar"][3:-1].split(";")]
_OPENING = late_pattern(r"([^\W_]+\u0303?)\s*(?:[.,;:!…–—]|\Z)")
_LEAST_SHARED, _MOST_CHANGED = 3, 4  # letters that two forms of a word have in common, and not


def says_only(text: str, accepted: Collection[str], question: str) -> bool:
    """Whether a folded text says one of these folded texts and nothing else."""
    if len(text) > ONE_CLAIM or not any(map(text.__contains__, accepted)):
        return False
    # Most sentences have a word that is in no list: they are told apart in a tenth of the time.
    if text.isascii() and _has_other_word(text, accepted, question):
        return _opens_with(text, accepted)
    return _says_only(text, accepted, question)


def _has_other_word(text: str, accepted: Collection[str], question: str) -> bool:
    """Whether a folded text has a word that is in no list, and not even begins like one of the
    question or of what is accepted: then only what opens the text can be an answer. Of ASCII alone,
    where a piece of a folded text folds to its own words.
    """
    known = "\n".join((*accepted, fold_for_matching(question)))
    for word in words_of_ascii(text):
        if word[:_LEAST_SHARED] not in known and word not in _OF_VERBS and not _may_stand(word):
            return True
    return False


def _says_only(text: str, accepted: Collection[str], question: str) -> bool:
    words, known = _asked(question)
    unasked = [
        each for each in accepted if each in text and f" {each} " not in f" {' '.join(words)} "
    ]
    return (
        _is_surrounded(text, unasked, known)
        or _announces(text, accepted, known)
        or _opens_with(text, accepted)
    )


@lru_cache(maxsize=256)
def _asked(question: str) -> tuple[list[str], list[str]]:
    """The words of a question, and those that an answer may use: none of "which is no fruit?", for
    "the apple is a fruit" says the contrary.
    """
    folded = fold_for_matching(question)
    words = _WORD.findall(folded)
    return words, [] if NEGATION.search(folded) else words


def _is_surrounded(text: str, accepted: Collection[str], asked: Sequence[str]) -> bool:
    rest = text
    for each in sorted(accepted, key=len, reverse=True):
        if not _is_function(each):
            rest = _standing_alone(each).sub(_X, rest)
    # Word by word first: most sentences have one that is in no list.
    if _X not in rest or not all(
        word in asked or _may_stand(word) or _is_known(word, asked) for word in _WORD.findall(rest)
    ):
        return False
    rest = _AROUND.sub(" ", _SAME.sub(_X, rest))
    related = _RELATED.search(rest)
    if related and related[1] not in asked[:1]:
        return False
    rest = rest.replace(_X, " ")
    words = {*_WORD.findall(rest)}
    return not _STRANGE.search(rest) and all(_is_known(word, asked) for word in words)


@lru_cache(maxsize=1024)
def _standing_alone(text: str) -> re.Pattern[str]:
    return re.compile(_LEFT + re.escape(text) + _RIGHT)


@lru_cache(maxsize=1024)
def _is_function(text: str) -> bool:
    return _FUNCTION_OR_DENIAL.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def _may_stand(word: str) -> bool:
    """Whether a word is of the list, or a part of a phrase of the list."""
    is_listed = _AROUND.fullmatch(word) or _OR.fullmatch(word)
    return is_listed is not None or word in _PARTS or word.isdecimal()


def _is_known(word: str, known: Collection[str]) -> bool:
    """Whether a word, or another form of it, is the question's: "painted" of "paints"."""
    if _DENIES.fullmatch(word):
        return False
    begin = word[:_LEAST_SHARED]
    return word in known or any(_is_form(word, each) for each in known if each.startswith(begin))


def _is_form(word: str, other: str) -> bool:
    """Whether two words begin alike and few letters differ behind that."""
    at = max(_LEAST_SHARED, max(len(word), len(other)) - _MOST_CHANGED)
    return len(word) >= at and word[:at] == other[:at]


def _announces(text: str, accepted: Collection[str], asked: Sequence[str]) -> bool:
    """Whether a short folded sentence announces one: "the answer is X", "X is the capital of Togo";
    also where X is a word of the question.
    """
    for verb in _IS.finditer(text):
        before, behind = text[: verb.start()], text[verb.end() :]
        if (fold_whole_answer(behind.strip()) in accepted and _only_announces(before, asked)) or (
            verb[0] != ":"
            and fold_whole_answer(before.strip().removesuffix(" ye")) in accepted
            and _only_announces(behind, asked)
        ):
            return not (may_deny(text) and NEGATION.search(text))
    return False


def _only_announces(text: str, asked: Sequence[str]) -> bool:
    if not all(word in asked or _may_stand(word) for word in _WORD.findall(text)):
        return False
    return {*_WORD.findall(_ANNOUNCING.sub(" ", text))}.issubset(asked)


def _opens_with(text: str, accepted: Collection[str]) -> bool:
    """Yes or no with an explanation behind it, in which the other of the two is not said."""
    opening = _OPENING.match(text)
    if opening is None or opening[1] not in accepted:
        return False
    others = [pole for pole in _POLES if opening[1] not in pole]
    return len(others) == 1 and not others[0].intersection(_WORD.findall(text))
