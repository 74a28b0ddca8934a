"""Compares what an answer gives with what is right: numbers, texts, dates, sets, tables.

In: values from an answer, hostile. Out: whether they are the same. Nothing here raises: a list, a
range or several values where one was asked for are simply not the same.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

_LONGEST_NUMBER_TEXT = 80
_SPACES = "\u00a0\u2007\u2009\u202f"
# Groups of three digits with one kind of separator, or plain digits; then a fraction.
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>\d{1,3}(?P<mark>[,.' ])\d{3}(?:(?P=mark)\d{3})*|\d+)"
    r"(?P<fraction>[.,]\d+)?(?P<power>[eE][-+]?\d{1,3})?"
)
_BOUND = re.compile(r"[<>≤≥±…]|\.\.")
# What may be beside a number: any other word can take it back ("not 5", "5 is wrong").
_BEFORE = re.compile(r"(?:(?:about|approx(?:\.|imately)?|around|ca\.?|circa|~|≈) ?)?"
                     r"[-+]?(?: ?(?:[A-Z]{3}|[€$£¥])){0,2} ?-?")  # fmt: skip
_AFTER = re.compile(r"(?:[kKM](?![A-Za-z]))? ?(?:%|[€$£¥]|[A-Z]{3}|([A-Za-z°²³]+))?\.?")
UNITS = {
    "euro", "euros", "dollar", "dollars", "pound", "pounds", "cent", "cents", "percent",
    "points", "piece", "pieces", "unit", "units", "item", "items", "order", "orders", "ticket",
    "tickets", "customer", "customers", "person", "people", "word", "words", "line", "lines",
    "record", "records", "row", "rows", "day", "days", "week", "weeks", "month", "months",
    "year", "years", "hour", "hours", "minute", "minutes", "second", "seconds", "time", "times",
    "step", "steps", "gram", "grams", "kilogram", "kilograms", "metre", "metres", "litre",
    "litres", "contacts", "mailings", "shipments", "s", "ms", "min", "h", "d", "mg", "g", "kg",
    "t", "mm", "cm", "m", "km", "ml", "cl", "l", "w", "kw", "kwh", "v", "b", "kb", "mb", "gb",
    "tb", "kib", "mib", "gib", "°c", "°f", "°", "pc", "pcs", "pp", "pct", "usd", "eur",
}  # fmt: skip
# ISO 4217. Other capital letters before a number may take it back ("NOT 5").
_CURRENCIES = frozenset((
    "AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BGN",
    "BHD", "BIF", "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF",
    "CHF", "CLP", "CNY", "COP", "CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP",
    "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD",
    "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY",
    "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD",
    "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK",
    "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK",
    "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR", "SBD", "SCR", "SDG",
    "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB", "TJS",
    "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VES",
    "VND", "VUV", "WST", "XAF", "XCD", "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG", "CFA",
))  # fmt: skip
_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6, "mn": 1e6, "mio": 1e6, "bn": 1e9, "mrd": 1e9, "tn": 1e12}
_SCALE = re.compile(r" ?([kKM]|(?i:mn|mio|bn|mrd|tn))\b")
# Units as a report may write them, for the facts of a test.
EUROS = ("€", "eur", "euro", "euros")
DOLLARS = ("$", "us$", "usd", "dollar", "dollars")
PERCENT = ("%", "percent", "per cent", "pct", "prozent", "pour cent")
PIECES = ("piece", "pieces", "pc", "pcs", "unit", "units", "stück", "pièce", "pièces")
KILOGRAMS = ("kg", "kilogram", "kilograms", "kilogramm", "kilogrammes")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ][\d:.+Z-]*)?")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?[ .-]+([a-z]{3,9})\.?,?[ -]+(\d{4})")
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.? +(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4})")


def read_number(value: object) -> float | None:
    """The number that a value is, or that a text is with its unit: "€5,400.00", "34 %", "12 h".

    None of booleans, lists, ranges, bounds ("> 5"), several numbers, what is not finite, and a
    number with words beside it that are no unit ("not 5", "5 is wrong").
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    if not isinstance(value, str) or len(value) > _LONGEST_NUMBER_TEXT:
        return None
    text = unicodedata.normalize("NFKC", value).replace("\u2212", "-")
    for space in _SPACES:
        text = text.replace(space, " ")
    found = list(_NUMBER.finditer(text))
    if len(found) != 1 or _BOUND.search(text):
        return None
    return _number_of(found[0], text)


def _number_of(found: re.Match[str], text: str) -> float | None:
    whole, fraction, mark = found["whole"], found["fraction"] or "", found["mark"]
    before, after = text[: found.start()], text[found.end() :]
    if before[-1:].isalnum() and not re.search(r"\b[A-Z]{3}$", before):  # Q3, but EUR3
        return None
    unit = _AFTER.fullmatch(after.strip())
    if unit is None or not _BEFORE.fullmatch(before.strip()):
        return None
    codes = re.findall(r"[A-Z]{3}", before + after)
    is_code = after.strip(" .") in _CURRENCIES
    if not _CURRENCIES.issuperset(codes) or not (
        is_code or unit[1] is None or unit[1].casefold() in {*UNITS, *_SCALES}
    ):
        return None
    if mark and fraction.startswith(mark):  # 1,234,56
        return None
    if mark and not (mark == "." and not fraction and whole.count(".") == 1):  # 5.400 is below 6
        whole = whole.replace(mark, "")
    number = float(whole + fraction.replace(",", ".") + (found["power"] or ""))
    if scale := _SCALE.match(after):
        number *= _SCALES.get(scale[1]) or _SCALES[scale[1].lower()]
    minus = found["sign"] == "-" or re.search(r"-[ ]*[€$£¥]?[ ]*$", before)
    return (-number if minus else number) if math.isfinite(number) else None


def same_number(given: object, expected: float, tolerance: float = 0, relative: float = 0) -> bool:
    """Whether a value is this number, within an absolute or a relative tolerance."""
    number = read_number(given)
    if number is None:
        return False
    # A hair more than asked for: 0.1 + 0.2 is 0.3.
    slack = max(tolerance, relative * abs(expected)) + 1e-9 * max(1.0, abs(expected))
    return abs(number - expected) <= slack


def plain_text(text: str) -> str:
    """NFKC, casefolded, white space collapsed, quotes, stops and Markdown marks at the edges
    dropped. What may doubt the text ("?", brackets) stays.
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return folded.strip(" .,;:\"'`*_\u2018\u2019\u201c\u201d")


def same_text(given: object, expected: object) -> bool:
    """Whether two texts differ only in case, white space and punctuation at the edges."""
    if isinstance(given, bool) or not isinstance(given, str | int):
        return False
    try:
        return plain_text(str(given)) == plain_text(str(expected))
    except ValueError:  # a whole number of thousands of digits
        return False


def read_date(value: object) -> date | None:
    """A day: "2025-03-07", with a time or without, "7 March 2025", "March 7, 2025"."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if not isinstance(value, str) or len(value) > _LONGEST_NUMBER_TEXT:
        return None
    text = plain_text(value)
    if found := _ISO.fullmatch(text.upper()):
        year, month, day = map(int, found.groups())
    elif found := _DAY_FIRST.fullmatch(text):
        year, month, day = int(found[3]), _month(found[2]), int(found[1])
    elif found := _MONTH_FIRST.fullmatch(text):
        year, month, day = int(found[3]), _month(found[1]), int(found[2])
    else:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month(word: str) -> int:
    return _MONTHS.index(word[:3]) + 1 if word[:3] in _MONTHS else 0


def same_date(given: object, expected: object) -> bool:
    day = read_date(given)
    return day is not None and day == read_date(expected)


def same_set(
    given: object,
    expected: Iterable[Any],
    key: Callable[[Any, Any], bool] = same_text,
) -> bool:
    """Whether a list holds each expected value once, in any order, and nothing else."""
    left = list(expected)
    if not isinstance(given, list | tuple | set | frozenset) or len(given) != len(left):
        return False
    for one in given:
        at = next((at for at, other in enumerate(left) if key(one, other)), None)
        if at is None:
            return False
        del left[at]
    return True


def compare_rows(
    given: object, expected: Sequence[Mapping[str, Any]], key: str, tolerance: float = 0
) -> str:
    """Why a list of objects is not these rows, matched by `key`; "" where it is."""
    if not isinstance(given, list) or not all(isinstance(row, dict) for row in given):
        return "it is no list of objects"
    left = {plain_text(str(row[key])): row for row in expected}
    wrong = []
    for row in given:
        wanted = left.pop(plain_text(show(row.get(key), 80)), None)
        if wanted is None:
            wrong.append(f"not in the data, or repeated: {show(row.get(key))}")
            continue
        wrong += [
            f"{wanted[key]}: {field} is {show(row.get(field))}, not {show(value)}"
            for field, value in wanted.items()
            if field != key and not same_value(row.get(field), value, tolerance)
        ]
    wrong += [f"missing: {name}" for name in left]
    return "; ".join(wrong[:8])


def same_value(given: Any, expected: Any, tolerance: float = 0) -> bool:
    """By the kind of what is expected: a number, a date, a set, a text; a boolean is one."""
    if isinstance(expected, bool) or expected is None:
        return given is expected
    if isinstance(expected, int | float):
        return same_number(given, expected, tolerance)
    if isinstance(expected, list | tuple | set | frozenset):
        return same_set(given, expected)
    return same_date(given, expected) or same_text(given, expected)


def same(found: object, expected: object) -> bool:
    """Equal and of one type; whole numbers equal floats, and floats may be a billionth apart."""
    if isinstance(found, bool) or isinstance(expected, bool):
        return found is expected
    if isinstance(found, int | float) and isinstance(expected, int | float):
        if isinstance(found, int) and isinstance(expected, int):
            return found == expected
        try:
            return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)
        except OverflowError:
            return False
    if type(found) is not type(expected):
        return False
    if isinstance(found, list | tuple) and isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(
            same(value, expected[key]) for key, value in found.items()
        )
    return found == expected


def is_untouched(found: object, given: object) -> bool:
    """Whether a list, a tuple or a text is what it was: equal, and each item of its type."""
    if type(found) is not type(given) or not isinstance(given, list | tuple | str):
        return False
    return found == given and [*map(type, found)] == [*map(type, given)]


def show(value: object, longest: int = 120) -> str:
    """A value as a sentence can hold it: escaped, and not too long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a whole number of thousands of digits; a deep list
        text = f"<{type(value).__name__}>"
    return text if len(text) <= longest else text[: longest - 3] + "..."
