"""Letters that are typed in place of a language's own because they look like them, and marks that
are left out. Both sides of a comparison are folded, and what was folded is reported.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from assay.messages import tr
from assay.types import Case, FieldProblem

# Code points that real Ewe text uses in place of Ewe letters (counted in published Ewe texts; own
# work). U+01B4 and U+0269 are left alone: each stands for several letters, and the latter is
# a letter of Kabiye.
CONFUSABLES = {
    "\u037b": "ɔ", "\u1d10": "ɔ",
    "\u05d8": "ʋ", "\u03c5": "ʋ", "\u028a": "ʋ",
    "\u03b5": "ɛ", "\u0511": "ɛ",
    "\u0110": "Ɖ", "\u00d0": "Ɖ",
    "\u019e": "ŋ",
    "\u0264": "ɣ",
    "\u0251": "a",
    "\u1dc9": "\u0303",
    "\u0115": "ẽ", "\u0113": "ẽ", "\u016d": "ũ",
}  # fmt: skip
# Others that a keyboard or a model offers for the same letters; the language model knows them not.
_ALSO_TYPED = {
    "\u0111": "ɖ", "\u00f0": "ɖ", "\u2184": "ɔ", "\u03fd": "Ɔ", "\u03f5": "ɛ", "\u0454": "ɛ",
    "\u03b7": "ŋ", "\u0273": "ŋ", "\u0220": "Ŋ", "\u03b3": "ɣ", "\u0283": "ƒ", "\u222b": "ƒ",
}  # fmt: skip
# What each language has of these letters.
_LETTERS = {"ewe": "aɖɛẽƒɣŋɔũʋ\u0303", "fon": "ɖɛɔ", "gaa": "ɛŋɔ", "twi": "ɛɔ"}
_PLAIN_KEYS = str.maketrans("ɖɛƒɣŋɔʋƉƐƑƔŊƆƲ", "defgnovDEFGNOV")
_TONES = re.compile("[\u0300\u0301\u0302\u0304\u030c]")
_MARKS = re.compile("[\u0300-\u036f]")


@cache
def _table(language: str | None) -> tuple[re.Pattern[str], dict[int, str]] | None:
    own = _LETTERS.get(language or "")
    if own is None:
        return None
    every = (CONFUSABLES | _ALSO_TYPED).items()
    folds = {ord(sign): letter for sign, letter in every if letter.lower() in own}
    return re.compile("[" + "".join(map(chr, folds)) + "]"), folds


def fold_look_alikes(text: str, language: str | None) -> tuple[str, dict[str, str]]:
    """The text in the letters of its language (`ewe`, ...), and which signs stood for which."""
    table = None if text.isascii() else _table(language)
    if table is None:
        return text, {}
    pattern, folds = table
    seen = sorted(set(pattern.findall(unicodedata.normalize("NFC", text))))
    if not seen:
        return text, {}
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).translate(folds))
    return folded, {sign: folds[ord(sign)] for sign in seen}


Ways = list[tuple[str, Callable[[str], str]]]


def ways_to_read(folded: str, language: str | None) -> Ways:
    """A folded answer, each time with how the words looked for in it are written: as they are; in
    Ewe without tone marks, which finds words that have none; and where an answer was typed without
    any mark, without marks on either side; in Ewe without its letters too, where an answer has none
    of them.
    """
    if language is None:
        return [(folded, str)]
    ways: Ways = [(folded, lambda word: fold_look_alikes(word, language)[0])]
    toneless = without_tones(folded) if language == "ewe" else folded
    if toneless != folded:
        ways.append((toneless, ways[0][1]))
    if without_marks(folded) == folded:
        ways.append((folded, without_marks))
    if language == "ewe" and folded.isascii():
        ways.append((folded, on_plain_keys))
    return ways


def look_alike_advice(
    field: str, items: Iterable[Iterable[str]], test: Case
) -> Iterator[FieldProblem]:
    """A warning for each text of a test that has letters which only look like the language's."""
    for index, texts in enumerate(items):
        _, signs = fold_look_alikes(" ".join(texts), test.language_code)
        if signs:
            message = tr(
                "look-alike letters: {signs}; write the language's own", signs=shown(signs)
            )
            yield FieldProblem((field, index), message)


def shown(signs: Mapping[str, str]) -> str:
    """Which signs stand for which letters: ͻ (U+037B) for ɔ."""
    each = ((f"{sign} (U+{ord(sign):04X})", letter) for sign, letter in signs.items())
    return ", ".join(tr("{sign} for {letter}", sign=sign, letter=letter) for sign, letter in each)


def on_plain_keys(word: str) -> str:
    """As typed where there are no Ewe letters; of two letters there are too many words alike."""
    plain = without_marks(word)
    return plain.translate(_PLAIN_KEYS) if len(plain) > 2 else plain


def without_tones(text: str) -> str:
    """The text without the marks of tones."""
    return _without(_TONES, text)


def without_marks(text: str) -> str:
    """The text without any mark on a letter; the Turkish ı, which lacks one, is an i."""
    return _without(_MARKS, text.replace("ı", "i"))


def _without(marks: re.Pattern[str], text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", marks.sub("", unicodedata.normalize("NFD", text)))
