"""Text that is malformed on its face, in any language: marks of a chat template, garbled words,
nothing but punctuation. What is found is quoted.
"""

import re
import unicodedata

_TEMPLATE = re.compile(
    r"<\|[^|<>]{1,40}\|>|\[/?INST\]|<</?SYS>>|\{\{[^{}]{0,60}\}\}|\{%[^%]{0,60}%\}|</?s>"
    r"|<(?:unk|pad|eos|bos)>|###\s*(?:Instruction|Response|Input|Answer|User|Assistant)\b"
    r"|\[(?:Your|Insert|Name|Date|TODO)[^\]]{0,40}\]",
    re.IGNORECASE,
)
_RUN = re.compile(r"([!?.,;:…*#~_=-])\1{11,}")
_MIXED = re.compile(r"[^\W\d_]\d+[^\W\d_]")
_PLAIN = re.compile(r"[\w.:/-]+")
_CAPITAL_INSIDE = re.compile(r"[a-zà-ÿ][A-Z][a-z]?")
_EDGE = ".,;:!?()[]{}\"'«»“”‘’—–-*_`"
_OF_TOKENIZERS = ("\ufffd", "Ġ", "▁", "<0x")
FEWEST_WORDS, FEWEST_GARBLED, GARBLED = 3, 3, 0.12  # words; share of them
FEWEST_SIGNS, SIGNS = 8, 0.45  # characters; share of them
LONG_WORD, NO_VOWEL = 12, 6  # letters


def template_mark(text: str) -> tuple[int, int] | None:
    """A mark that belongs to a chat template or was to be filled in."""
    found = _TEMPLATE.search(text)
    return found.span() if found else None


def garbled_words(text: str) -> tuple[int, int] | None:
    """From the first to the last word that no language has, where these are many."""
    words = list(re.finditer(r"\S+", text))
    garbled = [each for each in words if _is_garbled(each[0].strip(_EDGE))]
    if len(words) < FEWEST_WORDS or len(garbled) < max(FEWEST_GARBLED, GARBLED * len(words)):
        return None
    return garbled[0].start(), garbled[-1].end()


def mere_punctuation(text: str) -> tuple[int, int] | None:
    """A text of signs, or a sign twelve times in a row."""
    signs = "".join(text.replace("`", "").split())
    run = _RUN.search(text)
    if len(signs) < FEWEST_SIGNS:
        return None
    if sum(not each.isalnum() for each in signs) > SIGNS * len(signs):
        return 0, len(text)
    return run.span() if run else None


def _is_garbled(word: str) -> bool:
    if not word:
        return False
    scripts = {unicodedata.name(each, "?").split()[0] for each in word if each.isalpha()}
    plain = [each for each in word.lower() if each.isascii() and each.isalpha()]
    return (
        any(mark in word for mark in _OF_TOKENIZERS)
        or len(scripts) > 1
        or (_MIXED.search(word) is not None and _PLAIN.fullmatch(word) is None)
        or (len(word) > LONG_WORD and _CAPITAL_INSIDE.search(word) is not None)
        or (len(plain) >= NO_VOWEL and not set(plain) & set("aeiouy"))
    )
