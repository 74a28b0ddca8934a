"""Numbers in words: "one hundred and eighty", "quatre-vingt-dix-sept", "blaeve vɔ enyi"."""

import re
from functools import cache

from assay.text.answer_words import NUMBER_WORDS
from assay.text.look_alikes import without_marks

_WORD = re.compile(r"(?:[^\W\d_][\u0300-\u036f]*)+")
_LETTERS_OF_ASCII = bytes(code if chr(code).isalpha() else ord(" ") for code in range(256))
_LONGEST = 12  # words
_JOINED = re.compile(r"[ \t-]*(?:\b(?:and|et|kple|vɔ|e|y|na|da|sha)\b[ \t-]*)?")
# "no one", "un chat": a number only if nothing else is said, or inside a longer one.
_ALSO_ARTICLES = frozenset({"one", "un", "um", "uno", "bir"})
_COUNTED_ONE = re.compile(r"\b(?:has|have|is|only|just|exactly)[ \t]+\Z")


@cache
def _values(language: str) -> dict[str, int]:
    values: dict[str, int] = {}
    value = -1
    for word in NUMBER_WORDS[language].split():
        if word.startswith("="):
            value = int(word[1:]) - 1
        else:
            value += 1
            values[word] = value
    return values


def in_digits(text: str, language: str | None) -> str:
    """The text with its number words as digits, in its language where that is listed."""
    if not has_number_words(text, language):
        return text
    if language not in NUMBER_WORDS:
        language = "eng"
    values = _values(language)
    words = [match for match in _WORD.finditer(text) if _plain(match) in values]
    pieces, done, at = [], 0, 0
    while at < len(words):
        run = [words[at]]
        for word in words[at + 1 : at + _LONGEST]:
            if not _JOINED.fullmatch(text, run[-1].end(), word.start()):
                break
            run.append(word)
        read = _read_scale_first if language == "ewe" else _read_scale_last
        used, value = read([values[_plain(word)] for word in run])
        start, end = run[0].start(), run[used - 1].end()
        at += used
        is_article = used == 1 and _plain(run[0]) in _ALSO_ARTICLES
        if is_article and (_WORD.search(text, 0, start) or _WORD.search(text, end)):
            value = value if _COUNTED_ONE.search(text[max(0, start - 12) : start]) else None
        if value is not None:
            pieces += [text[done:start], str(value)]
            done = end
    return "".join([*pieces, text[done:]])


def has_number_words(text: str, language: str | None) -> bool:
    """Whether a text has a word that can be a number."""
    values = _values(language if language in NUMBER_WORDS else "eng")
    if text.isascii():
        words = text.lower().encode().translate(_LETTERS_OF_ASCII).decode().split()
    else:
        words = _WORD.findall(without_marks(text.casefold()))
    return not values.keys().isdisjoint(words)


def _plain(word: re.Match[str]) -> str:
    return word[0].lower() if word[0].isascii() else without_marks(word[0].casefold())


def _read_scale_last(values: list[int]) -> tuple[int, int | None]:
    """How many of these make one number, and which: "two three" are two."""
    total = part = used = previous = 0
    room, limit = 100, 10**12
    for value in values:
        if value >= 1000 and value < limit and (part or not used):
            total, part, room, limit = total + (part or 1) * value, 0, 100, value
        elif value == 100 and part < 20:
            part, room = (part or 1) * 100, 100
        elif value == 20 and previous == 4:  # quatre-vingts
            part, room = part + 76, 20
        elif value < room:
            part += value
            # "soixante-dix" and "dix-sept" go on; no English number does so.
            room = 20 if value == 60 else 10 if value >= 20 or value == 10 else 0
        else:
            break
        used, previous = used + 1, value
    return used, total + part


def _read_scale_first(values: list[int]) -> tuple[int, int | None]:
    """Ewe: "alafa eve" is two hundred. "Akpe" without a number behind it is "thanks"."""
    total = used = 0
    limit = 10**12
    while used < len(values) and values[used] < limit:
        value, following = values[used], [*values, 0][used + 1]
        if value >= 100:
            if not 0 < following < 100:
                break
            total, limit, used = total + value * following, value, used + 2
        else:
            total, limit, used = total + value, 10 if value >= 20 else 0, used + 1
    return (used, total) if used else (1, None)
