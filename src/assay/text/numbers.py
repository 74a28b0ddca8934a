r"""Numbers as they are written, with their signs and in the way of their writer's country.

Floats never appear; values are exact.

    1,234.5   1 234,5   1.234,5   3,5   −5   1e3   1.5 × 10^3   50 %   $1,200   1'000   10^3
    3/4   2 1/2   ½   \frac{3}{4}   minus 7   2.5 million   2.5 millions
    1,234 and 1.234 can be read in two ways; both are kept, and the expected decides.
"""

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from assay.text.folding import drop_invisible
from assay.text.late_pattern import found_behind, late_pattern

_PLAIN_SIGNS = str.maketrans({
    "\u2212": "-", "\ufe63": "-", "\uff0d": "-", "\uff0b": "+",
    "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2007": " ",
    "\u2019": "'", "\uff0c": ",", "\uff0e": ".", "\u066b": ".", "\u066c": ",", "\uff05": "%",
})  # fmt: skip
_TRUE_MINUS = late_pattern(r"(?<![\w)\]}])(?<![\w)\]}] )[\u2212\u2013]\s?(?=[\d.$€£])")
# "5 minus 3" is a sum, "au moins 3" and "plus or minus 3" are no signs.
_SPOKEN_MINUS = late_pattern(
    r"(?<![\d)\]}x] )(?<!\w)(?<!or )(?<!ou )(?<!au )(?<!du )"
    r"(?:minus|negative|moins)\s+(?=[\d.$€£])",
    re.IGNORECASE,
)
_MINUS_WORD = re.compile("minus|negative|moins", re.IGNORECASE)
_SIGN_TO_WRITE = re.compile("[¼-¾⅐-⅞\u2013" + "".join(map(chr, _PLAIN_SIGNS)) + "]")
_LATEX_FRACTION = late_pattern(r"(\d?)\\[dt]?frac\s?\{\s?(\d{1,12})\s?\}\s?\{\s?(\d{1,12})\s?\}")
_LATEX_GROUP = late_pattern(r"(?<=\d)(?:\{,\}|\\[,;!])(?=\d{3})")  # 1{,}000 and 1\,000
_VULGAR = late_pattern("(\\d?)([¼-¾⅐-⅞])")
_VULGAR_SIGN = re.compile("[¼-¾⅐-⅞]")
_SUPERSCRIPTS = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")

_NUMBER_SIGN = re.compile(r"[-+$€£¥.\d]")
# What most numbers are: digits by themselves, which the next pattern reads alike in more time.
_PLAIN_NUMBER = re.compile(
    r"(?:(?<=[\s(*\"])|\A)\d{1,300}(?=[)!?;:\"]|\*(?! ?1)|\Z|[.,](?!\d)| (?![ \d×x*·^%tmbp]))"
)
_NUMBER = late_pattern(
    r"""
    (?P<sign>(?<![\w)\]}])[-+])? (?:[$€£¥]\ ?)? (?P<inner>[-+](?=[\d.]))?
    (?<!\w)(?<!\w\.)(?<!\w,)(?<![^\W\d_][-\u2010])    # not v2, 1.2.3's tail, GPT-4
    (?: (?<!/) (?P<fraction>(?:\d{1,6}\ )?\d{1,12}/0{0,4}[1-9]\d{0,11})(?![\d/]|[.,]\d) |
    (?P<body> (?:\d{1,3}(?:\ \d{3})+(?!\d) | \d+) (?:[.,'_]\d+)* | \.\d+ )
    (?: [eE](?P<exponent>[-+]?\d{1,4})(?!\w)
      | \ ?[×x*·]\ ?10(?:\ ?\^\ ?\{?(?P<power>[-+]?\d{1,4})\}? | (?P<raised>[⁻⁺]?[⁰¹²³⁴-⁹]{1,4}))
      | \ ?\^\ ?\{?(?P<caret>\d{1,2})\}?
      | \ (?P<scale>thousand|mille|millions?|billion|milliards?|trillion)\b
    )? )
    (?P<percent>\ ?%|\ percent\b|\ pour\ ?cent\b)?
    """,
    re.VERBOSE,
)
_SCALES = {
    "thousand": 3, "mille": 3, "million": 6, "millions": 6, "billion": 9, "milliard": 9,
    "milliards": 9, "trillion": 12,
}  # fmt: skip
_UNIT_POWER = late_pattern(r"\d\s?(?:[a-zA-Zµ]{1,3}[/·*]?){1,3}\^\{?\Z")  # the 2 of "7 m^2"
_POWER_SIGNS = ("^", "{")
_LONGEST_BASE = 20  # characters of a number whose power is taken
_LONGEST_NUMBER = 400  # characters; beyond it is junk, and Decimal would take its time over it

Exact = Decimal | Fraction  # the two compare exactly with each other


@dataclass(frozen=True, slots=True)
class Number:
    """One written number: every way to read it, best first, and whether it is a percentage."""

    readings: tuple[Exact, ...]
    percent: bool = False

    def __hash__(self) -> int:
        return hash(self.readings)  # in half the time

    def reading_like(self, other: "Number") -> Exact | None:
        """The reading of this one that equals the other's first, or None; 50 % is 50 and 0.5."""
        wanted = other.readings[0]
        for reading in self.readings:
            if reading == wanted:
                return reading
            if self.percent != other.percent:
                mine = _hundredth(reading) if self.percent else reading
                theirs = _hundredth(wanted) if other.percent else wanted
                if mine == theirs:
                    return reading
        return None


def _hundredth(value: Exact) -> Exact:
    return value / 100 if isinstance(value, Fraction) else value.scaleb(-2)


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number and where it is written."""

    number: Number
    start: int
    end: int


def plainly_written(text: str) -> str:
    """Signs, fractions and groups in the one way the pattern knows."""
    text = drop_invisible(text)
    is_ascii = text.isascii()
    if not is_ascii:
        text = unicodedata.normalize("NFC", text)
    if "\\" in text or "{" in text:
        text = _LATEX_FRACTION.sub(_spelled_out, _LATEX_GROUP.sub(" ", text)).replace("\\%", "%")
    if not is_ascii and _SIGN_TO_WRITE.search(text):
        if _VULGAR_SIGN.search(text):
            text = _VULGAR.sub(_spelled_out, text)
        text = _TRUE_MINUS.sub("-", text).translate(_PLAIN_SIGNS)
    lower = text.lower()
    has_minus = "minus" in lower or "moins" in lower or "negative" in lower
    return _with_minus_signs(text) if has_minus else text


def _with_minus_signs(text: str) -> str:
    """The text with "-" for a spoken minus: "minus 7"."""
    pieces, done = [], 0
    for spoken in found_behind(_MINUS_WORD, _SPOKEN_MINUS, text):
        pieces += [text[done : spoken.start()], "-"]
        done = spoken.end()
    return "".join([*pieces, text[done:]])


def _spelled_out(fraction: re.Match[str]) -> str:
    r"""Write "2½" and "2\frac{1}{2}" as "2 1/2"."""
    before, *parts = fraction.groups()
    if len(parts) == 1:
        parts = unicodedata.normalize("NFKC", parts[0]).split("\u2044")
    return (f"{before} " if before else "") + "/".join(parts)


def show(value: Exact) -> str:
    """A value as a reader writes it: 1234.5, not 1.2345E+3."""
    if isinstance(value, Fraction):
        return str(value)
    if value and abs(value.adjusted()) > 30:
        return str(value)
    shown = format(value, "f")
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def all_numbers(text: str) -> list[WrittenNumber]:
    found: list[WrittenNumber] = []
    at = _NUMBER_SIGN.search(text)
    while at is not None:
        start = at.start()
        plain = _PLAIN_NUMBER.match(text, start)
        if plain is not None:
            end = plain.end()
            found.append(WrittenNumber(_plain_number(text[start:end]), start, end))
            at = _NUMBER_SIGN.search(text, end)
            continue
        match = _NUMBER.match(text, start)
        if match is not None and not _is_junk(text, match):
            numbers = _numbers_of(match.groups())
            found += [WrittenNumber(number, start, match.end()) for number in numbers]
        at = _NUMBER_SIGN.search(text, match.end() if match else start + 1)
    return found


def _is_junk(text: str, match: re.Match[str]) -> bool:
    """Whether a number is hexadecimal, endless, or the power of a unit."""
    start = match.start()
    if match.end() - start > _LONGEST_NUMBER:
        return True
    if text.startswith(("0x", "0X"), match.start("body")):
        return True
    return text[start - 1 : start] in _POWER_SIGNS and (
        _UNIT_POWER.search(text[max(0, start - 20) : start]) is not None
    )


@lru_cache(maxsize=1024)
def _plain_number(digits: str) -> Number:
    return Number((Decimal(digits),))


@lru_cache(maxsize=1024)  # the same few are in most questions and answers: 1, 2, 10, 2024
def _numbers_of(groups: tuple[str | None, ...]) -> tuple[Number, ...]:
    """The numbers of a match: one, or those of a list without spaces."""
    sign, inner, fraction, body, exponent, power, raised, caret, scale, percent = groups
    negative, is_percent = "-" in (sign, inner), percent is not None
    if fraction or caret:
        value = _fraction_or_power(fraction or "", body or "", caret or "")
        return () if value is None else (Number((-value if negative else value,), is_percent),)
    tens = (raised or "").translate(_SUPERSCRIPTS) or _SCALES.get(scale or "", 0)
    places = int(exponent or power or tens)
    return tuple(
        Number(tuple(_value(each, places, negative) for each in bodies), is_percent)
        for bodies in _readings(body or "")
    )


def _fraction_or_power(fraction: str, body: str, caret: str) -> Fraction | None:
    """2 1/2 and 10^3; None for the power of a list, a version or an endless number."""
    if caret:
        bodies = _readings(body)
        if len(bodies) != 1 or len(body) > _LONGEST_BASE:
            return None
        return Fraction(bodies[0][0]) ** int(caret)
    *whole, parts = fraction.split(" ")
    return Fraction(parts) + (int(whole[0]) if whole else 0)


def _value(body: str, exponent: int, negative: bool) -> Decimal:
    value = Decimal(f"{body}e{exponent}")
    # Not unary minus: that would round to the context's 28 digits.
    return value.copy_negate() if negative else value


def _readings(body: str) -> list[tuple[str, ...]]:
    """The numbers in a run of digits and separators, each with its ways to read it."""
    spaced = " " in body
    body = body.replace(" ", "")
    for mark in "'_":
        if mark in body:
            head, *groups = re.split(r"[.,]", body)[0].split(mark)
            if not _is_grouped(head, groups):
                return [(part,) for part in re.split(r"[.,'_]", body)]
            body, spaced = body.replace(mark, ""), True
    commas, dots = body.count(","), body.count(".")
    if commas and dots:
        return _both_separators(body)
    separator = "," if commas else "."
    head, *groups = body.split(separator)
    if not groups:
        return [(body,)]
    if len(groups) == 1:
        decimal = f"{head}.{groups[0]}"
        if spaced or not _is_grouped(head, groups):
            return [(decimal,)]
        thousands = head + groups[0]
        return [(thousands, decimal) if commas else (decimal, thousands)]
    if _is_grouped(head, groups) or (commas and _is_indian(head, groups)):
        return [("".join((head, *groups)),)]
    # "3,4,5" is a list; "1.2.3" is a version or an address and no number at all.
    return [(part,) for part in (head, *groups)] if commas else []


def _both_separators(body: str) -> list[tuple[str, ...]]:
    decimal_mark, group_mark = (",", ".") if body.rindex(",") > body.rindex(".") else (".", ",")
    whole, _, fraction = body.rpartition(decimal_mark)
    head, *groups = whole.split(group_mark)
    grouped = _is_grouped(head, groups) or (group_mark == "," and _is_indian(head, groups))
    if decimal_mark in whole or not grouped:
        return [(part,) for part in re.split(r"[.,]", body)]
    return [(f"{''.join((head, *groups))}.{fraction}",)]


def _is_grouped(head: str, groups: list[str]) -> bool:
    """1,234,567: a first group of one to three digits without a leading zero, then threes."""
    return 1 <= len(head) <= 3 and head[0] != "0" and all(len(group) == 3 for group in groups)


def _is_indian(head: str, groups: list[str]) -> bool:
    """12,34,567: twos, and a three at the end."""
    twos = all(len(group) == 2 for group in groups[:-1])
    return 1 <= len(head) <= 2 and head[0] != "0" and twos and len(groups[-1]) == 3
