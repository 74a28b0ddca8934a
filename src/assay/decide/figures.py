"""Figures inside a sentence, as people read them: three digits, and more where they decide.

In: numbers and estimates. Out: short texts.
"""

from __future__ import annotations

from assay.messages import rounded
from assay.types import Estimate

DIGITS = 3
MOST_DIGITS = 10


def shown(number: float, digits: int = DIGITS) -> str:
    """46.8, 0.72, 1,234: three significant digits, without zeros at the end."""
    text = rounded(number, digits)
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
