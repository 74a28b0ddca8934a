"""Whether a score, an overall and a band are what the format and its arithmetic ask for.

In: a line of an evaluation, or the scores and what is printed beneath them. Out: the score, and
findings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from assay.messages import tr
from assay.reports.judged.evaluation_lines import Findings, Line, shown
from assay.types.judgements import BANDS, MOST, Band, band_of, shown_tenths

_SCORE = re.compile(r"([+-]?[\d.,]{1,20})( ?/ ?)(\d{1,6})(?![\d.,])(.*)", re.DOTALL)
_WHOLE = re.compile(r"[+-]?[0-9]{1,6}")
_DECIMAL = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,10})?")
_RATINGS = frozenset(name for _, name in BANDS)


def criterion_score(line: Line, findings: Findings) -> tuple[int, str] | None:
    """8 and the explanation of “8/10 - explanation”; None where there is no such score."""
    found = _SCORE.fullmatch(line.value)
    message = _no_score(line, found)
    if found is None or message is not None:
        findings.add(line.number, line.value_at, message or "")
        return None
    number, slash, _, rest = found.groups()
    if slash == "/" and number.isdecimal() and rest.startswith(" - ") and rest[3:].strip():
        return int(number), rest[3:].strip()
    wanted = tr("{label}: the line reads “{label}: N/10 - explanation”", label=line.label)
    findings.add(line.number, line.value_at, wanted, "warning")
    return int(number), rest.strip().lstrip("-–—: ")


def _no_score(line: Line, found: re.Match[str] | None) -> str | None:
    """Why it is none."""
    label = line.label
    if found is None:
        return tr(
            "{label}: no score of the form N/10: {shown}", label=label, shown=shown(line.value)
        )
    number, _, whole, _ = found.groups()
    if whole != str(MOST):
        return tr("{label} is scored out of 10, not out of {whole}", label=label, whole=whole)
    if _WHOLE.fullmatch(number) is None:
        return tr("{label} is scored in whole points, not {number}", label=label, number=number)
    if not 0 <= int(number) <= MOST:
        return tr("{label} lies between 0 and 10, not at {number}", label=label, number=number)
    return None


def check_overall(
    line: Line, tenths: int | None, scores: Sequence[int], findings: Findings
) -> Decimal | None:
    """What is printed as the overall score, checked against what the scores come to."""
    number, slash, whole = line.value.partition("/")
    if not slash or whole != str(MOST) or _DECIMAL.fullmatch(number) is None:
        message = tr("no overall score of the form 7.2/10: {shown}", shown=shown(line.value))
        findings.add(line.number, line.value_at, message)
        return None
    printed = Decimal(number)
    if printed > MOST:
        message = tr("an overall score lies between 0 and 10, not at {number}", number=number)
        findings.add(line.number, line.value_at, message)
    elif printed * 10 % 1:
        findings.add(line.number, line.value_at, _between_tenths(printed))
    if tenths is not None and printed != Decimal(tenths) / 10:
        message = tr(
            "the overall score is printed as {printed}, but {scores} come to {overall}",
            printed=number,
            scores=", ".join(map(str, scores)),
            overall=shown_tenths(tenths),
        )
        findings.add(line.number, line.value_at, message)
    return printed


def _between_tenths(printed: Decimal) -> str:
    """8.95 is in no band: the one ends at 8.9, the next begins at 9.0."""
    below = int(printed * 10)
    if band_of(below) == band_of(below + 1):
        return tr("an overall has one decimal, not {printed}", printed=str(printed))
    return tr(
        "{printed} lies between {low} (to {last}) and {high} (from {first}): an overall has one "
        "decimal",
        printed=str(printed),
        low=band_of(below),
        last=shown_tenths(below),
        high=band_of(below + 1),
        first=shown_tenths(below + 1),
    )


def check_rating(
    line: Line, tenths: int | None, printed: Decimal | None, findings: Findings
) -> None:
    """The band against what the scores come to, or without them against the printed overall."""
    right: Band | None = None
    overall = ""
    if tenths is not None:
        right, overall = band_of(tenths), shown_tenths(tenths)
    elif printed is not None and printed <= MOST:
        right, overall = band_of(int(printed * 10)), str(printed)
    if line.value not in _RATINGS:
        message = tr("no such rating: {shown}", shown=shown(line.value))
    elif right is not None and line.value != right:
        message = tr(
            "the rating is printed as {printed}, but {overall} is {band}",
            printed=line.value,
            overall=overall,
            band=right,
        )
    else:
        return
    findings.add(line.number, line.value_at, message)
