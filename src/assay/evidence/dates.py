"""Reads the dates that a text states, in the ways people write them.

In: a text, and the year that a date without one is in. Out: DateFound, each with every day it can
mean.

    2024-03-02   2024/3/2   02.03.2024   3/2/2024   2 March 2024   March 2nd, 2024   Sat 2 Mar
    le 2 mars 2024
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

_MONTHS = (
    ("january", "jan", "janvier", "janv"), ("february", "feb", "février", "fevrier", "févr"),
    ("march", "mar", "mars"), ("april", "apr", "avril", "avr"), ("may", "mai"),
    ("june", "jun", "juin"), ("july", "jul", "juillet", "juil"),
    ("august", "aug", "août", "aout"), ("september", "sep", "sept", "septembre"),
    ("october", "oct", "octobre"), ("november", "nov", "novembre"),
    ("december", "dec", "décembre", "decembre", "déc"),
)  # fmt: skip
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_MONTH = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_NOT_INSIDE = r"(?<![\w./-])"
_DATE = re.compile(
    rf"""
      {_NOT_INSIDE}(?P<y1>(?:19|20)[0-9]{{2}})[-/.](?P<m1>[0-9]{{1,2}})[-/.](?P<d1>[0-9]{{1,2}})
        (?![\w/-]|\.[0-9])
    | {_NOT_INSIDE}(?P<a>[0-9]{{1,2}})[-/.](?P<b>[0-9]{{1,2}})[-/.](?P<y2>(?:19|20)[0-9]{{2}})
        (?![\w/-]|\.[0-9])
    | {_NOT_INSIDE}(?P<d3>[0-9]{{1,2}})(?:st|nd|rd|th|er)?[ ](?:of[ ])?(?P<n3>{_MONTH})\b\.?
        (?:,?[ ](?P<y3>(?:19|20)[0-9]{{2}})\b)?
    | \b(?P<n4>{_MONTH})\.?[ ](?:the[ ])?(?P<d4>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![\w%]|[.,][0-9])
        (?:,?[ ](?P<y4>(?:19|20)[0-9]{{2}})\b)?
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DateFound:
    """A date in a text, and what it can mean: 3/2/2024 is a day in March or in February."""

    days: tuple[date, ...]
    start: int
    end: int


def read_dates(text: str, year: int) -> tuple[DateFound, ...]:
    """Every date of the text that exists in the calendar."""
    found = []
    for match in _DATE.finditer(text):
        days = tuple(day for day in _days(match, year) if day is not None)
        if days:
            found.append(DateFound(days=days, start=match.start(), end=match.end()))
    return tuple(found)


def date_like_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where something stands that is written as a date, whether or not there is such a day."""
    return tuple(match.span() for match in _DATE.finditer(text))


def _days(match: re.Match[str], year: int) -> list[date | None]:
    if match["y1"]:
        return [_day(match["y1"], match["m1"], match["d1"])]
    if match["y2"]:
        first, second = match["a"], match["b"]
        both = [_day(match["y2"], second, first), _day(match["y2"], first, second)]
        return both[:1] if both[0] == both[1] else both
    form = "3" if match["n3"] else "4"
    month = _MONTH_OF[match[f"n{form}"].lower()]
    return [_day(match[f"y{form}"] or year, month, match[f"d{form}"])]


def _day(year: str | int, month: str | int, day: str | int) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
