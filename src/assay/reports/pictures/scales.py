"""Scales of pictures: where a number is, which round numbers are written beside it, and how."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from assay.text.number_format import exact, readable

MARGIN = 0.06  # of the range, beyond its ends
LOG_ABOVE = 5.0  # a range of more than this many times its lowest is drawn by ratios
LARGEST = 1e300  # what is beyond is drawn there

Ticks = tuple[tuple[float, str], ...]


class Scale(NamedTuple):
    """Numbers from `low` to `high` (their logarithms where `log`) on pixels `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool
    ticks: Ticks

    def at(self, value: float) -> float:
        """The pixel of a value; what lies beyond an end is drawn at that end."""
        if self.log and value <= 0:
            return self.start
        place = math.log10(value) if self.log else min(LARGEST, max(-LARGEST, value))
        share = (place - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


def scale_for(
    values: Iterable[float], start: float, end: float, *, by_ratio: bool = False, most: int = 5
) -> Scale:
    """About `most` round ticks. `by_ratio`: above a `LOG_ABOVE`-fold range, by equal ratios."""
    shown = sorted(min(LARGEST, max(-LARGEST, value)) for value in values) or [0.0]
    low, high = shown[0], shown[-1]
    log = by_ratio and low > 0 and high / LOG_ABOVE > low
    if log:
        low, high = math.log10(low), math.log10(high)
    room = (high - low) * MARGIN or abs(low) / 10 or 1.0
    low, high = low - room, high + room
    ticks = _ticks_by_ratio(low, high, most) if log else _even_ticks(low, high, most)
    return Scale(low, high, start, end, log=log, ticks=ticks)


def _even_ticks(low: float, high: float, most: int) -> Ticks:
    step = _round_step((high - low) / most)
    if not step:
        return tuple((value, readable(value)) for value in (low, high))
    places = [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return tuple((place, _even_name(place, step)) for place in places)


def _round_step(least: float) -> float:
    """1, 2 or 5 times a power of ten, at least this much; 0 where floats cannot say it."""
    if not 1e-300 < least < LARGEST:
        return 0.0
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= least * (1 - 1e-9))


def _even_name(value: float, step: float) -> str:
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if decimals > 4 or abs(value) >= 1e7:
        return readable(0.0 if abs(value) < step / 2 else value)
    return f"{value:,.{decimals}f}".replace("-", "−")


def _ticks_by_ratio(low: float, high: float, most: int) -> Ticks:
    exponents = range(max(-300, math.floor(low)), min(300, math.ceil(high)) + 1)
    fine = [float(f"{n}e{power}") for power in exponents for n in (1, 2, 5)]
    ticks = [tick for tick in fine if low <= math.log10(tick) <= high]
    if len(ticks) > most + 1:
        every = math.ceil(len(exponents) / most)
        coarse = (float(f"1e{power}") for power in exponents if power % every == 0)
        ticks = [tick for tick in coarse if low <= math.log10(tick) <= high]
    return tuple((tick, exact(tick) if tick < 1e6 else readable(tick)) for tick in ticks)
