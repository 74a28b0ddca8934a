"""Where a text has one of several accepted texts standing alone: "C" is not found in "C++", nor "5"
in "-5" or "5 %". Nothing is compiled for a test: most tests are answered once.
"""

import re
from collections.abc import Sequence
from functools import cached_property

from assay.text.answer_words import WORDS
from assay.text.folding import fold_whole_answer
from assay.text.structure import UNSPACED, is_unspaced
from assay.text.word_marks import DENIAL, LISTED, marks_of

_BEFORE = frozenset("\"'“‘«([{*_`>=→↔:：,，、/")
_LEFT = r"(?<![^\s\"'“‘«(\[{*_`>=→↔:：,，、/])"
_RIGHT = r"(?=[\"'”’»)\]}*_`<.,;:!?…/\s。，、！？]|\Z)(?!'\w|[.,:]\w)"
_SUFFIX = r"(?:['’](?!s\b)[^\W\d_]{1,6})?"  # of languages that write one behind an apostrophe
_ENDS = rf"(?:{_RIGHT}|(?=[{UNSPACED}]))"
_END = {
    (True, False): re.compile(_ENDS),
    (False, False): re.compile(_SUFFIX + _ENDS, re.IGNORECASE),
    (True, True): re.compile(""),
    (False, True): re.compile(_SUFFIX, re.IGNORECASE),
}  # by whether the language is listed, and whether the text ends in a script without spaces
_ODD_SPACE = re.compile(r"\s\s|[^\S ]")
_ODD_LETTER = re.compile("[İıſſKÅµμςσΣͅιΐΰβϐεϵθϑκϰπϖρϱφϕṠṡẛẞ]")  # equal to others without their case
POLES = [frozenset(words.split("|")) for words in WORDS["polar"][3:-1].split(";")]


class Mentions:
    """The places of the accepted texts; `listed`: the language has lists, and no suffixes."""

    def __init__(self, accepted: Sequence[str], listed: bool) -> None:
        self._accepted = sorted(accepted, key=len, reverse=True)
        self._listed = listed
        self._forms: list[tuple[str, bool, re.Pattern[str]]] = []
        self._is_odd = False
        for text in self._accepted:
            folded, stripped = fold_whole_answer(text), text.strip()
            if is_function(folded):
                self._is_odd = self._is_odd or text != text.lower()
                continue
            end = _END[listed, is_unspaced(text[-1:])]
            for form in sorted({folded, stripped.lower()}, key=len, reverse=True):
                plain = " ".join(form.split())
                if plain:
                    self._forms.append((plain, is_unspaced(text), end))
            self._is_odd = self._is_odd or _ODD_LETTER.search(text + folded) is not None
        self._has_spaces = any(" " in form for form, _, _ in self._forms)
        self._read: tuple[str, list[tuple[int, int]]] = "", []  # the text that was read last

    def find(self, text: str) -> list[tuple[int, int]]:
        """Where each begins and ends, in their order; none overlaps another."""
        if text != self._read[0]:
            self._read = text, self._find(text)
        return self._read[1]

    def _find(self, text: str) -> list[tuple[int, int]]:
        lower = text.lower()
        if self._is_odd or (not text.isascii() and _is_odd(text, lower)):
            return [found.span() for found in self._pattern.finditer(text)]
        if self._has_spaces and not _has_plain_spaces(text):
            return [found.span() for found in self._pattern.finditer(text)]
        hits = []
        for order, (form, is_anywhere, end) in enumerate(self._forms):
            at = lower.find(form)
            while at >= 0:
                if at == 0 or is_anywhere or _may_precede(text[at - 1]):
                    behind = end.match(text, at + len(form))
                    if behind is not None:
                        hits.append((at, order, behind.end()))
                at = lower.find(form, at + 1)
        if len(hits) < 2:
            return [(at, end) for at, _, end in hits]
        return _apart(hits)

    def has(self, text: str) -> bool:
        """Whether a text has one of them."""
        return bool(self.find(text))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """The same as a pattern, for texts with unusual spaces and letters."""
        each = []
        for text in self._accepted:
            folded = fold_whole_answer(text)
            if is_function(folded):
                if text != text.lower():  # "Au" ends a sentence; "au" is in any
                    each.append(rf"(?-i:{_LEFT}{re.escape(text)}(?=\W*(?:\Z|[.,;!])))")
                continue
            forms = sorted({folded, text.strip()}, key=len, reverse=True)
            body = "|".join(r"\s+".join(map(re.escape, form.split())) for form in forms if form)
            if not body:
                continue
            left = "" if is_unspaced(text) else rf"(?:{_LEFT}|(?<=[{UNSPACED}]))"
            body = f"(?:{body})" + ("" if self._listed else _SUFFIX)
            each.append(left + body + ("" if is_unspaced(text[-1:]) else _ENDS))
        return re.compile("|".join(each) or r"(?!)", re.IGNORECASE)


def _is_odd(text: str, lower: str) -> bool:
    return len(lower) != len(text) or _ODD_LETTER.search(text) is not None


def _has_plain_spaces(text: str) -> bool:
    return ("  " not in text and text.isprintable()) or _ODD_SPACE.search(text) is None


def _may_precede(sign: str) -> bool:
    return sign in _BEFORE or sign.isspace() or is_unspaced(sign)


def _apart(hits: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for at, _, end in sorted(hits):
        if not found or at >= found[-1][1]:
            found.append((at, end))
    return found


def is_function(folded: str) -> bool:
    """Whether a text is a word that any sentence has: only a whole answer can be it."""
    if any(folded in pole for pole in POLES):
        return False
    return marks_of(folded) & (LISTED | DENIAL) != 0
