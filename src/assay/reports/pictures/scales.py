"""Scales of pictures: where a number is, which round numbers are written beside it, and how."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assay.text.number_format import readable

MARGIN = 0.06  # of the range, beyond its ends
LOG_ABOVE = 5.0  # a range of more than this many times its lowest is drawn by ratios


class Scale(NamedTuple):
    """Numbers from `low` to `high` (their logarithms where `log`) on pixels `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool
    ticks: tuple[tuple[float, str], ...]

    def at(self, value: float) -> float:
        """The pixel of a value; what lies beyond an end is drawn at that end."""
        if self.log and value <= 0:
            return self.start
        place = math.log10(value) if self.log else value
        # Halves, because the span of two huge numbers may be no number.
        share = (place / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


def scale_for(
    values: Iterable[float], start: float, end: float, *, log: bool | None = None, most: int = 5
) -> Scale:
    """Ends that hold every value, and at most about so many round ticks. `log` None: by ratios
    where the range is more than `LOG_ABOVE`-fold.
    """
    shown = sorted(value for value in values if math.isfinite(value))
    positive = [value for value in shown if value > 0]
    if log is None:
        log = bool(positive) and shown[0] > 0 and shown[-1] / LOG_ABOVE > shown[0]
    if log:
        return _by_ratio(positive or [1.0], start, end, most)
    return _even(shown or [0.0], start, end, most)


def _even(shown: Sequence[float], start: float, end: float, most: int) -> Scale:
    low, high = shown[0], shown[-1]
    room = (high / 2 - low / 2) * 2 * MARGIN or abs(low) / 10 or 1.0
    low, high = _finite(low - room), _finite(high + room)
    step = _round_step(high / most - low / most)
    if not step:
        ticks = tuple((value, readable(value)) for value in (low, high))
        return Scale(low, high, start, end, log=False, ticks=ticks)
    places = [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
    ticks = tuple((place, _even_name(place, step)) for place in places)
    return Scale(low, high, start, end, log=False, ticks=ticks)


def _finite(value: float) -> float:
    return min(1.7e308, max(-1.7e308, value))


def _round_step(least: float) -> float:
    """1, 2 or 5 times a power of ten, at least this much; 0 where floats cannot say it."""
    if not 1e-300 < least < 1e300:
        return 0.0
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= least * (1 - 1e-9))


def _even_name(value: float, step: float) -> str:
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if decimals > 4 or abs(value) >= 1e7:
        return readable(0.0 if abs(value) < step / 2 else value)
    return f"{value:,.{decimals}f}".replace("-", "−")


def _by_ratio(positive: Sequence[float], start: float, end: float, most: int) -> Scale:
    low, high = math.log10(positive[0]), math.log10(positive[-1])
    room = (high - low) * MARGIN or 0.35
    bottom, top = low - room, high + room
    for grid in ((1, 2, 5), (1, 3), (1,)):
        ticks = _ticks_by_ratio(bottom, top, grid, every=1)
        if len(ticks) <= most + 1:
            break
    else:
        ticks = _ticks_by_ratio(bottom, top, (1,), every=round(_round_step((top - bottom) / most)))
    if len(ticks) < 3:  # less than a decade: even numbers say more
        even = _even([10.0**low, 10.0**high], start, end, most).ticks
        ticks = tuple(tick for tick in even if bottom <= _power(tick[0]) <= top) or ticks
    return Scale(bottom, top, start, end, log=True, ticks=ticks)


def _power(value: float) -> float:
    return math.log10(value) if value > 0 else -math.inf


def _ticks_by_ratio(
    bottom: float, top: float, grid: Sequence[int], *, every: int
) -> tuple[tuple[float, str], ...]:
    exponents = range(max(-307, math.floor(bottom)), min(308, math.ceil(top)) + 1)
    values = [
        float(f"{mantissa}e{exponent}")
        for exponent in exponents
        if exponent % every == 0
        for mantissa in grid
        if bottom - 1e-9 <= math.log10(mantissa) + exponent <= top + 1e-9
    ]
    return tuple((value, _ratio_name(value)) for value in values if math.isfinite(value))


def _ratio_name(value: float) -> str:
    return f"{value:,.10g}" if 1e-4 <= value < 1e6 else readable(value)
