"""Reads the figures that a text states, each with how precisely it is stated.

In: plain text (`passages.plain` takes the Markdown off). Out: Figure: every way to read it, and
what stands with it.

    $1,234.50   1 234,50 €   1.234,50   1'234.50   12,34,567   (1,234)   −5 %   12 percent
    1.2k   1.2 million   1,2 Mio   about 1,200   over 1,200   twenty-four   a dozen   1.5e3   2.5x

1,234 can be a thousand or a little more than one: both readings are kept, and the fact decides.
Values are exact; floats never appear. Dates, times, ordinals and codes (SO-88213) are no figures.
What is only reckoned with is marked as an aside: of "17 x 58 = 986" the 17 and the 58, of "after
six months" the six, of "Step 4" the four.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from assay.evidence.dates import date_like_spans

Nearness = Literal["exact", "about", "above", "below"]

_GROUP = "[ ,.'’_]"  # what stands between thousands
_BODY = (
    rf"(?:[0-9]{{1,3}}(?P<group>{_GROUP})[0-9]{{3}}"
    rf"(?:(?P=group)[0-9]{{3}}){{0,5}}(?![0-9])"
    rf"|[0-9]{{1,2}}(?:,[0-9]{{2}}){{1,4}},[0-9]{{3}}(?![0-9])"
    rf"|[0-9]{{1,15}})"
    rf"(?P<fraction>[.,][0-9]{{1,12}})?|[.][0-9]{{1,12}}"
)
_CURRENCIES = {
    "$": "$", "us$": "$", "usd": "$", "dollar": "$", "dollars": "$",
    "€": "€", "eur": "€", "euro": "€", "euros": "€",
    "£": "£", "gbp": "£", "pound": "£", "pounds": "£",
}  # fmt: skip
_SCALES = {
    "k": 3, "thousand": 3, "mille": 3, "m": 6, "mn": 6, "mio": 6, "million": 6, "millions": 6,
    "b": 9, "bn": 9, "billion": 9, "milliard": 9, "milliards": 9,
}  # fmt: skip
_FIGURE = re.compile(
    rf"""
    (?P<bracket>\()?
    (?P<sign>(?<![\w)\]%])(?:[-+–]|−[ ]?)|\b(?:minus|negative)[ ])?
    (?P<before>(?:(?:us)?\$|€|£|\b(?:usd|eur|gbp))[ ]?)?
    (?P<inner>(?<=[$€£])[-+−–])?
    (?<![\w#])(?<![\w][-/.,_])(?<![\w]:)
    (?P<body>{_BODY})
    (?:e(?P<power>[-+]?[0-9]{{1,2}})(?!\w))?
    (?:[ ]?(?P<scale>k|mn|mio|m|bn|b)(?!\w)
      |[ ](?P<spoken>thousand|mille|millions?|billion|milliards?)\b)?
    (?:[ ]?(?P<after>[$€£]|(?:usd|eur|gbp|euros?|dollars?|pounds?)\b)
      |[ ]?(?P<percent>%|percent\b|per[ ]cent\b|pour[ ]?cent\b|pct\b|percentage[ ]points?\b|pp\b)
      |(?P<times>[x×])(?!\w)
    )?
    (?![\w%]|[-/][\w]*[0-9]|:[0-9]|[.,][0-9])
    (?P<closing>\))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SPELLED = {word: value for value, word in enumerate(UNITS)}
_SPELLED |= {word: 10 * value for value, word in enumerate(_TENS, 2)}
_SPELLED |= {
    f"{ten}-{unit}": 10 * tens + units
    for tens, ten in enumerate(_TENS, 2)
    for units, unit in enumerate(UNITS[1:10], 1)
}
_SPELLED |= {"a dozen": 12, "half a dozen": 6, "no": 0, "none": 0}
_SPELLED_OUT = re.compile(
    r"(?<![\w-])(?P<word>"
    + "|".join(word.replace("-", "[- ]") for word in sorted(_SPELLED, key=len, reverse=True))
    + r")(?![\w-])(?P<percent> (?:percent|per cent)\b)?",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approx(?:imately|\.)?|roughly|circa|some|ca\.|environ|close to|"
    r"in the region of)|[~≈])[ ]?\Z",
    re.IGNORECASE,
)
_ABOVE = re.compile(r"\b(?:over|more than|above|at least|just over|plus de)[ ]\Z", re.IGNORECASE)
_BELOW = re.compile(
    r"\b(?:nearly|almost|under|less than|below|just under|close to|near|près de|presque)[ ]\Z",
    re.IGNORECASE,
)
_UNIT = re.compile(r"%|\bpercent\b|[$€£]|\b(?:usd|eur|gbp|euros?|dollars?)\b", re.IGNORECASE)
_TIME = re.compile(r"(?<![\d:])[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?![\d:])")
# A hyphen or a slash between figures is a sign of reckoning only where an equals sign follows.
_TERMS = r"[0-9 $€£.,%()\[\]+*/×÷−–x-]{0,80}[=≈]"
_OPERATOR = rf"(?:[ ]?[×÷*][ ]?|[ ][+−][ ]|[ ][-–/x][ ](?=[$€£(\[]*[0-9]{_TERMS}))"
_RECKONED_ON = re.compile(rf"[)\]]?{_OPERATOR}[(\[]?[$€£]?[0-9]")
_RECKONED_BEFORE = re.compile(rf"[0-9%][)\]]?{_OPERATOR}[(\[]?[$€£]?")
_SPAN_OF_TIME = re.compile(
    r"(?:[ -](?:full|consecutive|straight|successive|whole|calendar))?"
    r"[ -](?:hours?|days?|weeks?|months?|years?|minutes?|seconds?)\b(?!['’])",
    re.IGNORECASE,
)
_NUMBER_OF = re.compile(
    r"\b(?:step|part|section|phase|priority|point|table|no\.|number|rank(?:s|ed)?)[ ]\Z",
    re.IGNORECASE,
)
_YEARS = range(1900, 2100)
_MOST_FIGURES = 400  # in one text; an answer that states more is not read any further


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One way to read a figure. `unit` is the worth of its last stated digit."""

    value: Decimal
    unit: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure in a text. `loose`: it may as well be no figure at all (a year, the word "one").
    `aside`: it is reckoned with, a span of time or the number of a step, and claims nothing.
    """

    text: str
    start: int
    end: int
    readings: tuple[Reading, ...]
    currency: str = ""
    percent: bool = False
    signed: bool = False
    nearness: Nearness = "exact"
    loose: bool = False
    aside: bool = False


def read_figures(text: str) -> tuple[Figure, ...]:
    """Every figure of a plain text, in order."""
    taken = [*date_like_spans(text), *(match.span() for match in _TIME.finditer(text))]
    found = []
    for match in _FIGURE.finditer(text):
        start, end = match.span("body")
        if not any(low < end and start < high for low, high in taken):
            found.append(_written(match, text))
        if len(found) == _MOST_FIGURES:
            break
    found += [_spelled(match, text) for match in _SPELLED_OUT.finditer(text)]
    return tuple(sorted(found, key=lambda figure: figure.start)[:_MOST_FIGURES])


def with_unit_of(figure: Figure, header: str) -> Figure:
    """A bare figure with the unit that its column's header gives."""
    if figure.currency or figure.percent:
        return figure
    match = _UNIT.search(header)
    if match is None:
        return figure
    currency = _CURRENCIES.get(match[0].lower(), "")
    return replace(figure, currency=currency, percent=not currency)


def _written(match: re.Match[str], text: str) -> Figure:
    nearness = _nearness(text[max(0, match.start() - 24) : match.start()])
    scale = _SCALES[(match["scale"] or match["spoken"]).lower()] if _scaled(match) else 0
    power = int(match["power"] or 0) + scale
    readings = [
        _rounded(Reading(value=value.scaleb(power), unit=unit.scaleb(power)), nearness)
        for value, unit in _bodies(match["body"])
    ]
    if (match["scale"] or "").lower() in ("m", "b"):  # metres and bytes are written so as well
        readings += [Reading(value=value, unit=unit) for value, unit in _bodies(match["body"])]
    sign = (match["sign"] or match["inner"] or "").strip().lower()
    if sign in ("-", "−", "–", "minus", "negative"):
        readings = [Reading(value=-one.value, unit=one.unit) for one in readings]
    bracketed = bool(match["bracket"] and match["closing"])
    if bracketed and not sign:
        readings += [Reading(value=-one.value, unit=one.unit) for one in readings]
    currency = _CURRENCIES.get((match["before"] or match["after"] or "").strip().lower(), "")
    bare = not (currency or match["percent"] or scale or match["fraction"] or match["group"])
    return Figure(
        text=match[0].strip("( )" if not bracketed else " "),
        start=match.start(),
        end=match.end() if bracketed else match.end() - len(match["closing"] or ""),
        readings=tuple(readings),
        currency=currency,
        percent=bool(match["percent"]),
        signed=bool(sign),
        nearness=nearness,
        aside=_is_aside(match, text),
        loose=bare and len(match["body"]) == 4 and readings[0].value in _YEARS,
    )


def _is_aside(match: re.Match[str], text: str) -> bool:
    start = match.start("body")
    before = text[max(0, start - 12) : start]
    return bool(
        _RECKONED_ON.match(text, match.end("body"))
        or _RECKONED_ON.match(text, match.end())
        or any(one.end() == start for one in _RECKONED_BEFORE.finditer(text, max(0, start - 8)))
        or _SPAN_OF_TIME.match(text, match.end("body"))
        or _NUMBER_OF.search(before)
    )


def _scaled(match: re.Match[str]) -> bool:
    return bool(match["scale"] or match["spoken"])


def _bodies(body: str) -> list[tuple[Decimal, Decimal]]:
    """The value of the bare digits and the worth of the last one, in each way to read them."""
    plain = re.sub(r"[ '’_]", "", body)
    marks = [mark for mark in plain if mark in ".,"]
    if not marks:
        return [(Decimal(plain), Decimal(1))]
    last = max(plain.rfind("."), plain.rfind(","))
    whole, rest = re.sub("[.,]", "", plain[:last]), plain[last + 1 :]
    as_fraction = (Decimal(f"{whole or 0}.{rest}"), Decimal(1).scaleb(-len(rest)))
    as_thousands = (Decimal(whole + rest) if whole else Decimal(0), Decimal(1))
    if len(set(marks)) == 1 and len(marks) > 1:
        return [as_thousands]
    if len(marks) == 1 and len(rest) == 3 and 1 <= len(whole) <= 3 and plain == body:
        if whole.startswith("0"):
            return [as_fraction]
        both = [as_thousands, as_fraction]
        return both if marks[0] == "," else both[::-1]
    return [as_fraction]


def _rounded(reading: Reading, nearness: Nearness) -> Reading:
    """What is stated as a rough figure ends in zeros that were never counted."""
    if nearness == "exact" or reading.value == 0:
        return reading
    unit = reading.unit
    while reading.value % (unit * 10) == 0:
        unit *= 10
    return Reading(value=reading.value, unit=unit)


def _spelled(match: re.Match[str], text: str) -> Figure:
    word = re.sub(r"\s", " ", match["word"].lower())
    value = _SPELLED.get(word, _SPELLED.get(word.replace(" ", "-"), 0))
    return Figure(
        text=match[0],
        start=match.start(),
        end=match.end(),
        readings=(Reading(value=Decimal(value), unit=Decimal(1)),),
        percent=bool(match["percent"]),
        nearness=_nearness(text[max(0, match.start() - 24) : match.start()]),
        aside=bool(_SPAN_OF_TIME.match(text, match.end())),
        loose=word in ("one", "no", "none", "zero"),
    )


def _nearness(before: str) -> Nearness:
    if _ABOVE.search(before):
        return "above"
    if _BELOW.search(before):
        return "below"
    return "about" if _ABOUT.search(before) else "exact"
