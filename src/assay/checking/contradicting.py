"""What gives a name another value: anywhere in an answer, shown or not, but for sentences.

In: an answer as it was written, and facts. Out: whether something has a fact's whole key, however
its letters are written, and another value. What names another quantity, by words of other keys and
values, by a number or a day in its name, or with another fact's value, takes nothing back.
"""

import calendar
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from .comparing import UNITS, same_date
from .facts import Fact, letters_of
from .stating import numbers_in

_MOST_WORDS = 3  # beside a key and a value; more are a sentence, and those are a judge's to read
_MOST_BELOW = 2  # … of what stands below a value
_A_NAME = 4  # words of a name at most, or as many as the right one has
_LONGEST = 1_000  # characters of a line or a cell
_MOST_MEMBERS = 5_000
_SIGN = "\x1f"  # a sign that stands between names and values, but is no colon
_SEPARATORS = re.compile(r"[-=]+>|[:=\x1f]|\s-+\s")
_NUMBER_OF_ITEM = re.compile(r"\d+[.)]\s+")
_NO_SEPARATORS = frozenset("+<>≤≥~|^±")
_BREAK = re.compile(r"</?(?:br|td|th|li|p)\b[^<>\n]*>", re.IGNORECASE)
_TAGS = re.compile(r"<!--|-->|<[^<>\n]*>")
_ID = re.compile(r"(?:[^\W_]+-)*[^\W_]*\d[^\W_]*(?:-[^\W_]+)*")
_DIGITS = re.compile(r"[^\W_]*\d[\w.,'-]*")
_STRUCK = re.compile(r"~~(?:(?!~~).)+~~")
_TARGET = re.compile(r"(?<=\])\([^()\n]*\)")
_WORD = re.compile(r"[^\W_]+")
# Letters that show nothing.
_EMPTY = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_CALENDAR = {one.casefold() for one in (*calendar.month_name, *calendar.day_name) if one}


@dataclass(frozen=True, slots=True)
class Saying:
    """A line, or a part of one: its parts between separators, and the whole that it is in."""

    parts: tuple[str, ...]
    whole: str
    is_below: bool = False  # what goes on below a name and its value
    is_next: bool = False  # a name, and the line after it
    begins: tuple[str, ...] = ()  # the words before the first colon or equals sign


class OtherValues:
    """All that an answer says in the form of names and values."""

    def __init__(
        self, lines: Iterable[str], below: Iterable[tuple[str, str]], objects: Sequence[Any]
    ) -> None:
        self._said = list(_read(lines))
        for name, text in below:
            folded = fold(text)
            if len(_parts(folded)) == 1:
                parts = (fold(name), folded)
                self._said.append(Saying(parts, folded, is_below=True))
        self._members = list(_members(objects))[:_MOST_MEMBERS]

    @cached_property
    def _of_word(self) -> dict[str, list[Saying]]:
        """What has a word, by the word; under "" what has words of several scripts."""
        found: dict[str, list[Saying]] = {}
        for said in self._said:
            words = {word for part in said.parts for word in _WORD.findall(part)}
            for word in {word if word.isascii() else "" for word in words}:
                found.setdefault(word, []).append(said)
        return found

    def contradicts(self, fact: Fact, beside: Sequence[Fact] = ()) -> bool:
        """Whether something gives the fact another value; `beside` has the other facts."""
        key = _words_of(fact.key)
        known = _OtherFacts(fact, beside)
        candidates = [*self._of_word.get(key[0], ()), *self._of_word.get("", ())] if key else []
        return any(_is_other(one, key, fact, known) for one in candidates) or any(
            _is_other_member(path, value, key, fact, known) for path, value in self._members
        )


class _OtherFacts:
    """What the other facts are about."""

    def __init__(self, fact: Fact, beside: Sequence[Fact]) -> None:
        others = [one for one in beside if one.key != fact.key]
        self.keys = {_words_of(one.key) for one in others}
        texts = [one.key for one in (fact, *others)]
        for one in others:
            many = one.expected if isinstance(one.expected, list | tuple | set) else [one.expected]
            texts += [each for each in many if isinstance(each, str)]
        self.words = {_stem(word) for text in texts for word in _words_of(text)} | _CALENDAR
        self._numbers = [one for one in others if is_number(one.expected)]

    def has_number(self, number: float) -> bool:
        return any(
            abs(abs(number) - abs(one.expected)) <= one.tolerance + 1e-6 for one in self._numbers
        )

    def has_word(self, words: Iterable[str]) -> bool:
        return any(_stem(word) in self.words for word in words)


def fold(text: str) -> str:
    """Small letters without accents, marks of Markdown, tags, and what is not seen."""
    text = _BREAK.sub(f" {_SIGN} ", _TARGET.sub("", _STRUCK.sub(" ", text)))
    text = html.unescape(_TAGS.sub(" ", text))
    text = text.replace("\\", "").replace("*", "").replace("`", "")
    if text.isascii():
        return text.casefold()
    folded = unicodedata.normalize("NFKD", text)
    return "".join(map(_seen, folded)).casefold()


def _seen(one: str) -> str:
    kind = unicodedata.category(one)
    if kind in ("Mn", "Me", "Cf", "Cc") or one in _EMPTY:
        return " " if one in "\t\n" else ""
    # Signs that look like a colon, arrows and long dashes stand between a name and its value.
    is_sign = kind in ("Lm", "Sm", "So", "Sk") or (kind in ("Pd", "Po") and one > "\x7f")
    if one == "\u2212" or (kind == "Pd" and one in "\u2010\u2011"):
        return "-"
    if one in _NO_SEPARATORS or one in "’•·":
        return "'" if one == "’" else " " if one in "•·" else one
    return _SIGN if is_sign else one


def _parts(folded: str) -> tuple[str, ...]:
    parts = [one.strip() for one in _SEPARATORS.split(folded)]
    return (*filter(_WORD.search, parts[:-1]), parts[-1])


def _read(lines: Iterable[str]) -> Iterator[Saying]:
    """Each line, what tables say, and a name with a value that is alone on the next line."""
    rows: list[list[str]] = []  # of the table so far
    name = ""
    for given in (*lines, ""):
        if not given.strip() or len(given) > _LONGEST:
            yield from _read_table(rows)
            rows = []
            continue
        line = fold(given).strip(" #>-+")
        if "|" in given:
            rows.append([one.strip() for one in line.strip("|").split("|")])
            name = ""
            continue
        yield from _read_table(rows)
        rows = []
        for piece in line.split(";"):
            yield Saying(_parts(piece), line, begins=_before_colon(piece))
        parts = _parts(line)
        if name and len(parts) == 1:
            yield Saying((name, line), line, is_next=True)
        has_value = len(parts) > 1 and parts[-1]
        name = "" if has_value or re.search(r"\d\W*$", line) else parts[0]


def _before_colon(text: str) -> tuple[str, ...]:
    name, sign, _ = (*re.split("([:=])", text, maxsplit=1), "", "")[:3]
    start = _NUMBER_OF_ITEM.match(name)
    return tuple(_WORD.findall(name[start.end() if start else 0 :])) if sign else ()


def _read_table(rows: Sequence[Sequence[str]]) -> Iterator[Saying]:
    """Each cell, with the next one; in a table with one row, what its header says of each."""
    for row in rows:
        cells = [one for one in row if one]
        whole = " | ".join(cells) if len(cells) > 2 else ""
        for cell, after in zip(cells, [*cells[1:], ""][: len(cells)], strict=True):
            if after:
                begins = tuple(_WORD.findall(cell)) if cell is cells[0] else ()
                said = (*_parts(cell), after)
                yield Saying(said, whole or f"{cell} {after}", begins=begins)
            for piece in cell.split(";"):
                yield Saying(_parts(piece), cell)
    if len(rows) == 3 and len(rows[0]) == len(rows[2]) and not any(map(_WORD.search, rows[1])):
        for header, cell in zip(rows[0], rows[2], strict=True):
            yield Saying((header, cell), cell, is_next=True)


def _is_other(said: Saying, key: tuple[str, ...], fact: Fact, known: _OtherFacts) -> bool:
    parts = said.parts
    for at, part in enumerate(parts[:1] if said.is_next else parts):
        label = _without_key(part, key)
        if label is None:
            continue
        before = " ".join(parts[:at])
        if at + 1 < len(parts):
            value = " ".join(parts[at + 1 :])
        elif not _WORD.search(label):
            value, before = before, ""  # "39 — orders"
        else:
            value, label = (label, _DIGITS.sub(" ", label)) if _has_digits(fact) else ("", "")
        if _is_another_value(f"{before} {label}", value, said, key, fact, known):
            return True
    return False


def _is_another_value(
    label: str, value: str, said: Saying, key: tuple[str, ...], fact: Fact, known: _OtherFacts
) -> bool:
    if not _WORD.search(value) or _has_right(said.whole, fact) or _has_right(value, fact):
        return False
    if tuple(_WORD.findall(value)) in known.keys:
        return False  # names side by side, as in a header
    extra = [word for word in _WORD.findall(label) if not word.isdigit()]
    # What begins with the key itself is no sentence about it, however many words follow.
    is_exact = not extra and said.begins == key
    if _is_another_key(label, key, known):
        return False
    if extra and (re.search(r"\d", label) or known.has_word(extra)):
        return False  # "orders in April", "orders above 500 euros", "completed orders"
    most = _MOST_BELOW if said.is_below else _MOST_WORDS
    texts = _texts(fact.expected)
    if not _has_digits(fact):
        longest = max([_A_NAME, *(len(_words_of(one)) for one in texts)])
        # With `same`, several texts are several ways to write one.
        many = 1 if said.is_below or fact.same is not None else max(len(texts), 1)
        return len(_WORD.findall(value)) <= longest * many and len(extra) <= most
    usual = {word for unit in (*(fact.units or ()), *UNITS, *texts) for word in _words_of(unit)}
    words = [word for word in _WORD.findall(value)
             if word not in extra and not re.search(r"\d", word) and word not in usual]  # fmt: skip
    if not re.search(r"\d", value) or (len(extra) + len(words) > most and not is_exact):
        return False
    if not is_number(fact.expected):
        if _is_part_of_list(value, fact, texts):
            return False  # a row of a table for each
        return not _shapes([value]).isdisjoint(_shapes(map(fold, texts)))
    numbers = numbers_in(value)
    is_foreign = "%" in value and fact.units is not None and "%" not in fact.units
    some = any if said.is_below else all
    is_free = bool(said.is_below or extra or words or is_foreign)
    return bool(numbers) and not (is_free and some(map(known.has_number, numbers)))


def is_sentence(text: str, fact: Fact) -> bool:
    """Whether a text has more words than a value and what may be beside it."""
    texts = _texts(fact.expected)
    usual = sum(len(_words_of(one)) for one in texts) or 1
    return len(_WORD.findall(fold(text))) > usual + max(_MOST_WORDS, _A_NAME)


def _is_part_of_list(value: str, fact: Fact, texts: Sequence[str]) -> bool:
    """Whether a value has things of the right list and no others."""
    if len(texts) < 2 or fact.same is not None:
        return False
    given = set(_ID.findall(value))
    return bool(given) and given <= {one for text in texts for one in _ID.findall(fold(text))}


def _shapes(texts: Iterable[str]) -> set[str]:
    """How numbers of things and days look: "o-1217" and "o-1229" look alike, "3" is another."""
    words = {word for text in texts for word in _ID.findall(text)}
    return {re.sub(r"\d", "9", re.sub(r"[^\W\d_]+", "a", word)) for word in words}


def _has_digits(fact: Fact) -> bool:
    """Whether the value is a number, or names, days or a list of them that all have digits."""
    texts = _texts(fact.expected)
    return bool(texts) and all(re.search(r"\d", one) for one in texts)


def _is_another_key(label: str, key: tuple[str, ...], known: _OtherFacts) -> bool:
    """Whether words beside a key make another key of it: "previous revenue"."""
    words = {*_WORD.findall(label), *key}
    return any(words == set(other) for other in known.keys)


def _is_other_member(
    path: tuple[str, ...], value: Any, key: tuple[str, ...], fact: Fact, known: _OtherFacts
) -> bool:
    """Whether a member of an object has the key within its own, and another value."""
    at = _find(path, key)
    if at is None or value is None or path in known.keys or fact.is_right(value):
        return False
    extra = [*path[:at], *path[at + len(key) :]]
    if extra and known.has_word(extra):
        return False
    if is_number(fact.expected):
        return is_number(value) or (isinstance(value, str) and bool(numbers_in(value)))
    return isinstance(value, str | list | int | float)


def _members(values: Iterable[Any], path: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any]]:
    """Each value within objects and lists, with the words of its names."""
    for value in values:
        if isinstance(value, dict):
            for name, one in value.items():
                yield from _members([one], (*path, *_words_of(name)))
        elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
            yield from _members(value, path)
        else:
            yield path, value


def _has_right(text: str, fact: Fact) -> bool:
    wanted = fact.expected
    if is_number(wanted):
        slack = fact.tolerance + 1e-9 * max(1.0, abs(wanted))
        return any(abs(abs(one) - abs(wanted)) <= slack for one in numbers_in(text))
    if fact.same is not None and fact.same(text.strip(), wanted):
        return True
    letters = letters_of(text)
    texts = [fold(one) for one in _texts(wanted)]
    dates = re.findall(
        r"\d{4}-\d\d-\d\d|\d{1,2}[. ]+[a-z]{3,9}\.?,? \d{4}|[a-z]{3,9}\.? \d{1,2},? \d{4}", text
    )
    some = any if fact.same is not None else all
    if not texts:
        return bool(re.search(r"\b(?:none|nothing|no)\b", text))
    return some(
        letters_of(one) in letters or any(same_date(day, one) for day in dates) for one in texts
    )


def _without_key(part: str, key: tuple[str, ...]) -> str | None:
    """The rest of a part that has the words of the key in a row; None where it has not. Words that
    a hyphen joins are one: "second-largest order" is no largest order.
    """
    found = list(_WORD.finditer(part))
    at = _find([one[0] for one in found], key)
    if at is None:
        return None
    first, last = found[at], found[at + len(key) - 1]
    joined = part[: first.start()].endswith("-") and part[: first.start() - 1][-1:].isalnum()
    if joined or re.match(r"-[^\W\d]", part[last.end() :]):
        return None
    return f"{part[: first.start()]} {part[last.end() :]}"


def _find(words: Sequence[str], key: Sequence[str]) -> int | None:
    for at in range(len(words) - len(key) + 1):
        if all(map(_looks_like, words[at : at + len(key)], key)):
            return at
    return None


def _looks_like(word: str, wanted: str) -> bool:
    """The same word, or one of the same length with letters of another script in some places."""
    if word == wanted:
        return True
    if len(word) != len(wanted) or word.isascii():
        return False
    pairs = list(zip(word, wanted, strict=True))
    return any(one == other for one, other in pairs) and all(
        one == other or not one.isascii() for one, other in pairs
    )


@lru_cache(4096)
def _words_of(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold(text)))


def _stem(word: str) -> str:
    return word.removesuffix("s")


def _texts(wanted: object) -> list[str]:
    many = wanted if isinstance(wanted, list | tuple | set | frozenset) else [wanted]
    return [str(one) for one in many]


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
