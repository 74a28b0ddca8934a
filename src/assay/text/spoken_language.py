"""Which language a text is in, as far as its script or its commonest words say so.

Latin script is told apart only as English or French. What cannot be told is None: a bare command, a
number, a word.
"""

import re
import unicodedata
from collections import Counter

FEWEST_WORDS, SHARE_OF_WORDS = 6, 0.2
FEWEST_LETTERS, SHARE_OF_LETTERS = 4, 0.6
_ENGLISH = """the of and to in is that it for was with as are this be by on not you i have or at
from an which can your we"""
_FRENCH = """le la les de des du et est un une que dans pour qui sur pas au en il elle ce vous je ne
par avec sont se"""
COMMON_WORDS = {"eng": frozenset(_ENGLISH.split()), "fra": frozenset(_FRENCH.split())}
_WORD = re.compile(r"[^\W\d_]+")
_FENCED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_LONGEST = 4_000  # characters that are looked at


def language_of(text: str) -> str | None:
    """`eng`, `fra`, or the name of a script that is not Latin, such as `cjk`; None: not known."""
    prose = _FENCED.sub(" ", text[:_LONGEST])
    letters = [sign for sign in prose if sign.isalpha()]
    scripts = Counter(_script(sign) for sign in letters)
    if len(letters) >= FEWEST_LETTERS:
        script, count = scripts.most_common(1)[0]
        if script != "latin" and count >= SHARE_OF_LETTERS * len(letters):
            return script
    words = [word.casefold() for word in _WORD.findall(prose)]
    if len(words) < FEWEST_WORDS:
        return None
    found = {code: sum(word in common for word in words) for code, common in COMMON_WORDS.items()}
    (first, most), (_, second) = sorted(found.items(), key=lambda each: -each[1])
    return first if most >= SHARE_OF_WORDS * len(words) and most > 2 * second else None


def _script(sign: str) -> str:
    return unicodedata.name(sign, "unknown").split()[0].casefold()
