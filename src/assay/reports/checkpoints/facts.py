"""A DecisionFact, which has a kind and values, in words: plain text, still unescaped."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.messages import fill, tr
from assay.reports.checkpoints.fact_sentences import SENTENCES
from assay.text.number_format import rounded
from assay.types import Estimate
from assay.types.decisions import DecisionFact, Recommendation, Value

DIGITS, MOST_DIGITS = 3, 10
ONE_LINE = 70  # characters of a quoted passage or prompt


def sentence(of: DecisionFact) -> str:
    gaps = {name: _Gap(value, of.values) for name, value in of.values.items()}
    return fill(SENTENCES[of.kind], gaps)


def sentences(facts: Sequence[DecisionFact]) -> str:
    return " ".join(map(sentence, facts))


def advice_texts(of: Recommendation) -> tuple[str, tuple[str, ...]]:
    return sentence(of.advice), tuple(dict.fromkeys(filter(None, map(sentence, of.figures))))


def number(value: float, digits: int = DIGITS) -> str:
    """46.8, 0.72, 1,234: three significant digits, without zeros at the end."""
    text = rounded(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def digits_apart(value: float, limit: float) -> int:
    """The digits it takes to see on which side of a limit a value is: 49.97 is not 50."""
    for digits in range(DIGITS, MOST_DIGITS):
        if number(value, digits) != number(limit, digits):
            return digits
    return DIGITS


def _signed(value: float) -> str:
    """+0.12, −3.5: a change cannot be read as a level."""
    return f"+{number(value)}" if value > 0 else number(value)


def _roughly(value: float) -> str:
    """Two digits that count: a forecast is no measurement."""
    return "1" if value < 1 else f"{round(value, 1 - math.floor(math.log10(value))):,.0f}"


def _percent(share: float) -> str:
    """43 %; below one per cent with a digit more."""
    return f"{number(100 * share)} %" if abs(share) < 0.01 else f"{100 * share:.0f} %"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= ONE_LINE else line[: ONE_LINE - 1].rstrip() + "…"


def _estimate(of: Estimate, write: Callable[[float], str] = number, to: str = "–") -> str:
    """35.2 [33.9–36.4], n = 15,000."""
    if of.value is None:
        return tr("not measured")
    ends = "" if of.low is None or of.high is None else f" [{write(of.low)}{to}{write(of.high)}]"
    return tr("{value}, n = {n}", value=f"{write(of.value)}{ends}", n=f"{of.n:,}")


def _unit(measure: str) -> str:
    if measure.startswith("suite:"):
        return tr("points of the score of {suite}", suite=measure.removeprefix("suite:"))
    return tr("held-out nats per token")


_FORMATS: Mapping[str, Callable[..., str]] = {
    "roughly": _roughly,
    "percent": _percent,
    "short": _short,
    "step": lambda value: f"{value:,.10g}",
    "million": lambda value: tr("{number} million", number=number(value / 1e6)),
    "change": lambda of: _estimate(of, _signed, tr(" to ")),
    "unit": _unit,
}


class _Gap:
    """A value that writes itself; `beside`: with enough digits to tell it from the limit."""

    def __init__(self, value: Any, values: Mapping[str, Any]) -> None:
        self.value, self.values = value, values

    def __int__(self) -> int:
        return int(self.value)

    def __format__(self, spec: str) -> str:
        value = self.value
        if value is None:
            return tr("not measured") if spec == "percent" else "?"
        if spec == "beside":
            return number(value, digits_apart(self.values["value"], self.values["limit"]))
        return _FORMATS[spec](value) if spec else _plain(value)


def _plain(value: Value | DecisionFact) -> str:
    match value:
        case int():
            return f"{value:,}"
        case float():
            return number(value)
        case Estimate():
            return _estimate(value)
        case DecisionFact():
            return sentence(value)
        case tuple():
            of_facts = bool(value) and isinstance(value[0], DecisionFact)
            return (" " if of_facts else ", ").join(map(_plain, value))
        case _:
            return str(value)
