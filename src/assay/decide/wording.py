"""How figures stand in a sentence of advice: with interval, n and unit.

In: numbers, estimates, changes. Out: short text.
"""

from __future__ import annotations

import math

from assay.decide.figures import DIGITS, digits_apart, shown
from assay.messages import tr
from assay.types import Estimate

ONE_LINE = 70  # characters of a quoted passage or prompt


def number(value: float, *, beside: float | None = None) -> str:
    """35.2, 0.164, 12,346; with as many digits more as it takes to see that it is not `beside`."""
    digits = DIGITS if beside is None else digits_apart(value, beside)
    return shown(value, digits)


def signed(value: float) -> str:
    """+0.12, −3.5: a change cannot be read as a level."""
    return f"+{number(value)}" if value > 0 else number(value)


def count(value: float) -> str:
    """12,345."""
    return f"{round(value):,}"


def roughly(value: float) -> str:
    """Two digits that count: a forecast is no measurement."""
    if value < 1:
        return "1"
    return f"{round(value, 1 - math.floor(math.log10(value))):,.0f}"


def percent(share: float) -> str:
    """43 %; below one per cent with a digit more."""
    return f"{number(100 * share)} %" if abs(share) < 0.01 else f"{100 * share:.0f} %"


def million(parameters: int) -> str:
    """8.21 million, 1,540 million."""
    return tr("{number} million", number=number(parameters / 1e6))


def megabytes(size: float) -> str:
    """312 MB."""
    return tr("{number} MB", number=number(size))


def estimate(of: Estimate) -> str:
    """35.2 [33.9–36.4], n = 15,000."""
    if of.value is None:
        return tr("not measured")
    if of.low is None or of.high is None:
        return tr("{value}, n = {n}", value=number(of.value), n=count(of.n))
    return tr(
        "{value} [{low}–{high}], n = {n}",
        value=number(of.value),
        low=number(of.low),
        high=number(of.high),
        n=count(of.n),
    )


def change(of: Estimate) -> str:
    """−0.12 [−0.15 to −0.09], n = 18."""
    if of.value is None:
        return tr("not measured")
    if of.low is None or of.high is None:
        return tr("{value}, n = {n}", value=signed(of.value), n=count(of.n))
    return tr(
        "{value} [{low} to {high}], n = {n}",
        value=signed(of.value),
        low=signed(of.low),
        high=signed(of.high),
        n=count(of.n),
    )


def step(of: float) -> str:
    """100,000."""
    return f"{of:,.10g}"


def short(text: str) -> str:
    """On one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= ONE_LINE else line[: ONE_LINE - 1].rstrip() + "…"


def p_value(p: float) -> str:
    """= 0.039, or < 0.001."""
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"
