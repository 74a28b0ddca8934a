"""The one place that formats a number or a date, as the chosen language writes it. A missing value
is "not measured", never 0.
"""

import math
from collections.abc import Sequence
from datetime import datetime

from assay.messages import fill, language, message, tr, trn, written
from assay.types import Estimate
from assay.types.documents import Span, Tone
from assay.types.judging.judged import POINTS_OF_10

DECIMALS = {
    "points": 1, POINTS_OF_10: 1, "share": 3, "tokens": 0, "tokens/s": 1, "s": 3, "characters": 0,
    "perplexity": 1, "MB": 1, "samples": 0, "tokens/word": 2,
}  # fmt: skip
OTHER_DECIMALS = 3
RANGE = "median and range"  # the method of an estimate whose ends are no interval
NO_INTERVAL = "–"
DIGITS, MOST_DIGITS = 3, 8
_WITH_UNIT = {  # the others are the same in every language
    "points": message("{value} points"),
    POINTS_OF_10: message("{value} of 10"),
    "tokens": message("{value} tokens"),
    "tokens/word": message("{value} tokens/word"),
    "characters": message("{value} characters"),
    "samples": message("{value} samples"),
    "bits per byte": message("{value} bits per byte"),
    "MB": message("{value} MB"),
}
# English keeps the form of ISO 8601, which JSON has too.
MONTHS = {
    "fr": ("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
           "octobre", "novembre", "décembre"),
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def not_measured() -> str:
    """The words for a missing figure."""
    return tr("not measured")


def rounded(number: float, digits: int = 3, *, zeros: bool = True) -> str:
    """46.8, 0.720, 1,234: significant digits, and never fewer than the whole number."""
    if number == 0 or not math.isfinite(number):
        return f"{number:g}".replace("-", "−")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(number))))
    return fixed(number, decimals, zeros=zeros)


def fixed(number: float, decimals: int, sign: str = "", *, zeros: bool = True) -> str:
    """12,345.60, without zeros at the end 12,345.6; the sign "+" is always shown."""
    shown = f"{number:{sign},.{decimals}f}".replace("-", "−")
    if decimals and not zeros:
        shown = shown.rstrip("0").rstrip(".")
    return written(shown)


def readable(value: float, *, apart_from: Sequence[float] = ()) -> str:
    """137, 50.4, 0.915, 12,300, 3.2×10⁹: three digits; more to show on which side of a limit."""
    for digits in range(DIGITS, MOST_DIGITS):
        shown = _readable(value, digits)
        if all(value == other or _readable(other, digits) != shown for other in apart_from):
            return shown
    return _readable(value, DIGITS)


def _readable(value: float, digits: int) -> str:
    if value == 0:
        return "0"
    size = abs(value)
    if not 1e-4 <= size < 9_999_500:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        mantissa = written(mantissa.rstrip("0").rstrip("."))
        power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
        return (power if mantissa == "1" else f"{mantissa}×{power}").replace("-", "−")
    return rounded(value, digits)


def exact(value: float) -> str:
    """50, 0.7, 12,500: a number that somebody chose, as it was written."""
    return written(f"{value:,.10g}") if 1e-4 <= abs(value) < 1e12 else readable(value)


def value(estimate: Estimate) -> str:
    """The figure alone; its unit is in the heading or in `figure`."""
    if estimate.value is None:
        return not_measured()
    return _plain(estimate.value, estimate.unit)


def interval(estimate: Estimate) -> str:
    """[61.0–81.4], or where it is none: range of 3 runs, 79.7–103.3."""
    shown = ends(estimate)
    if estimate.method == RANGE and shown != NO_INTERVAL:
        return tr("range of {n} runs, {ends}", n=count(estimate.n), ends=shown.strip("[]"))
    return shown


def ends(estimate: Estimate) -> str:
    """[low–high]; a ? for a limit that few observations cannot give."""
    if estimate.value is None or (estimate.low is None and estimate.high is None):
        return NO_INTERVAL
    if estimate.low == estimate.high and estimate.n == 1:  # counted, not estimated
        return NO_INTERVAL
    low, high = (
        "?" if limit is None else _plain(limit, estimate.unit)
        for limit in (estimate.low, estimate.high)
    )
    if (estimate.low or 0) < 0:
        return tr("[{low} to {high}]", low=low, high=high)
    return f"[{low}–{high}]"


def difference(estimate: Estimate) -> str:
    """+4.5 [-1.0 to +10.0]: signs always, so that a gain cannot be read as a score."""
    if estimate.value is None:
        return not_measured()
    shown = _signed(estimate.value, estimate.unit)
    if estimate.low is None or estimate.high is None:
        return shown
    low, high = _signed(estimate.low, estimate.unit), _signed(estimate.high, estimate.unit)
    return tr("{value} [{low} to {high}]", value=shown, low=low, high=high)


def basis(estimate: Estimate) -> str:
    """What a figure rests on: n, and what could not be scored."""
    shown = f"n={count(estimate.n)}"
    if estimate.unscored:
        unscored = estimate.unscored
        shown = trn("{n}, {count:,} unscored", "{n}, {count:,} unscored", unscored, n=shown)
    if estimate.incomplete:
        shown = tr("{figure}, incomplete", figure=shown)
    return shown


def figure(estimate: Estimate) -> str:
    """72.5 points [61.0–81.4] n=40, 3 unscored, incomplete: all of it in one line."""
    if estimate.value is None:
        return tr("{nothing} ({basis})", nothing=not_measured(), basis=basis(estimate))
    return f"{with_unit(estimate)} {rests_on(estimate)}"


def rests_on(estimate: Estimate) -> str:
    """[61.0–81.4] n=40, 3 unscored: the interval, if there is one, and what it rests on."""
    if estimate.method == RANGE:
        return interval(estimate)
    return f"{interval(estimate)} {basis(estimate)}".removeprefix(f"{NO_INTERVAL} ")


def cell(estimate: Estimate) -> tuple[str, Span, Span]:
    """As `figure` in a table, whose narrow columns can leave out n and never the interval."""
    between, rest = ends(estimate), basis(estimate)
    if estimate.value is None:
        return value(estimate), Span(""), Span(f" {rest}", "count")
    shown = "" if between == NO_INTERVAL else f" {between}"
    tone: Tone = "basis" if estimate.unscored else "count"  # what is missing is always said
    return value(estimate), Span(shown, "basis"), Span(f" {rest}", tone)


def with_unit(estimate: Estimate) -> str:
    """72.5 points, 1.20 s; a share from 0 to 1 has none."""
    shown = value(estimate)
    if estimate.value is None or estimate.unit == "share":
        return shown
    unit = estimate.unit
    return fill(_WITH_UNIT.get(unit, "{value} {unit}"), {"value": shown, "unit": unit})


def count(number: int) -> str:
    """12,345."""
    return written(f"{number:,}")


def p_value(p: float | None) -> str:
    """0.039, or < 0.001: three decimals are all a reader can use."""
    if p is None:
        return not_measured()
    return f"< {fixed(0.001, 3)}" if p < 0.001 else fixed(p, 3)


def score(value: float | None) -> str:
    """The score of one test: 1, 0.67, or – where there is none."""
    if value is None:
        return "–"
    shown = f"{value:.2f}"
    # 0.996 is not 1, and 0.004 is not nothing.
    if (shown == "1.00" and value < 1) or (shown == "0.00" and value > 0):
        shown = f"{value:.3f}"
    return written(shown)


def memory(size: int) -> str:
    """15.5 GiB, 940 MiB, 12 KiB."""
    if size >= 2**30:
        return tr("{size:,.1f} GiB", size=size / 2**30)
    if size >= 2**20 or not size:
        return tr("{size:,.0f} MiB", size=size / 2**20)
    return tr("{size:,.0f} KiB", size=size / 2**10)


def share(part: int, whole: int) -> str:
    """62 %; all of it only where it is all, and none only where it is none."""
    percent = round(100 * part / whole)
    if part < whole:
        percent = min(percent, 99)
    if part > 0:
        percent = max(percent, 1)
    return tr("{percent} %", percent=percent)


def percent(share: float) -> str:
    """62 %."""
    return tr("{percent} %", percent=f"{100 * share:.0f}")


def raw(number: float | None, unit: str) -> str:
    """One observation, which has no interval; – where there is none."""
    return "–" if number is None else _plain(number, unit)


def duration(seconds: float) -> str:
    """850 ms, 12.3 s, 4 min 05 s, 2 h 10 min."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{fixed(seconds, 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def date(stamp: str) -> str:
    """2026-11-17 of 2026-11-17T10:40:00Z; in French 17 novembre 2026."""
    if language() not in MONTHS:
        return stamp[:10]
    when = datetime.fromisoformat(stamp)
    day = "1er" if when.day == 1 else str(when.day)
    return f"{day} {MONTHS[language()][when.month - 1]} {when.year}"


def moment(stamp: str) -> str:
    """As it is stored; in French 17 novembre 2026 à 10:40 UTC."""
    return f"{date(stamp)} à {stamp[11:16]} UTC" if language() in MONTHS else stamp


def rate(per_second: float) -> str:
    """Requests per second, or per minute where they are slow."""
    if per_second >= 1:
        return f"{fixed(per_second, 1 if per_second < 100 else 0)}/s"
    return f"{fixed(per_second * 60, 1)}/min"


def _plain(number: float, unit: str) -> str:
    if abs(number) >= 1e12:
        return readable(number)
    return fixed(number, DECIMALS.get(unit, OTHER_DECIMALS))


def _signed(number: float, unit: str) -> str:
    shown = f"{number:+,.{DECIMALS.get(unit, OTHER_DECIMALS)}f}"
    if not shown.strip("+-0.,"):  # neither +0.0 nor -0.0 is a direction
        return written(shown[1:])
    return written(shown.replace("-", "−"))
