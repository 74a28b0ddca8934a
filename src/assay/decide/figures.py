"""Figures inside a sentence, as people read them: three digits, and more where they decide.

In: numbers and estimates. Out: short texts. Refuses to know: what the figures are of.
"""

from __future__ import annotations

import math

from assay.types import Estimate

DIGITS = 3
MOST_DIGITS = 10


def shown(number: float, digits: int = DIGITS) -> str:
    """46.8, 0.716, 1,234: three significant digits, and never fewer than the whole number."""
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(number))))
    text = f"{number:,.{decimals}f}".replace("-", "−")
    return text.rstrip("0").rstrip(".") if "." in text else text


def digits_apart(value: float, limit: float) -> int:
    """The digits it takes to see on which side of a limit a value lies: 49.97 is not 50."""
    for digits in range(DIGITS, MOST_DIGITS):
        if shown(value, digits) != shown(limit, digits):
            return digits
    return DIGITS


def interval_shown(estimate: Estimate, digits: int = DIGITS) -> tuple[str, str] | None:
    """Both limits of an interval, a ? for one that is missing; None where both are."""
    if estimate.low is None and estimate.high is None:
        return None
    low, high = (
        "?" if limit is None else shown(limit, digits) for limit in (estimate.low, estimate.high)
    )
    return low, high
