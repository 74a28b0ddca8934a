"""Which script a character is written in, by the first word of its Unicode name.

In: characters. Out: names of scripts; "" for what belongs to none.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

LATIN = "LATIN"
MANY = 4  # scripts; no answer needs so many
# Written side by side in one language.
_TOGETHER = {
    "HIRAGANA": "CJK",
    "KATAKANA": "CJK",
    "HANGUL": "CJK",
    "BOPOMOFO": "CJK",
    "KANGXI": "CJK",
}
# Signs among Latin letters in any technical text: micro, ohm, pi, lambda, delta …; and those that
# real texts of West African languages use in place of ɩ ɔ ʋ Ɛ ɛ.
_BORROWED = frozenset("µμΩΩπλΔδαβγθσφρτεηωΣιͻυԐԑט")


@lru_cache(maxsize=8192)
def script_of(character: str) -> str:
    """LATIN, CYRILLIC, CJK …; "" for digits, signs, marks and borrowed Greek letters."""
    if character.isascii():
        return LATIN if character.isalpha() else ""
    if character in _BORROWED or not unicodedata.category(character).startswith("L"):
        return ""
    name = unicodedata.name(character, "").split(" ", 1)[0].split("-", 1)[0]
    if name in ("MODIFIER", "FEMININE", "MASCULINE", "FULLWIDTH", "MATHEMATICAL", "SCRIPT", ""):
        return ""
    return _TOGETHER.get(name, name)


def sort_of(character: str) -> int:
    """Digit, small letter, capital or sign, as a number."""
    if character.isdigit():
        return 0
    return 1 + character.isupper() if character.isalpha() else 3


def scripts_of(word: str) -> Counter[str]:
    """How many letters of each script a word has."""
    return Counter(script for script in map(script_of, word) if script)


def main_scripts(words: Iterable[str]) -> frozenset[str]:
    """The one or two scripts an answer is in; Latin alone where it has four and more."""
    used: Counter[str] = Counter()
    for word in words:
        used.update(scripts_of(word).keys())
    if len(used) >= MANY:
        return frozenset({LATIN})
    return frozenset(script for script, _ in used.most_common(2))
