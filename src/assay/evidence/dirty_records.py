"""Checks which mistakes an answer found in the shipment records.

In: an answer and what `fixtures.dirty_records` made. Out: Evidence: a check for each planted
mistake, for the two values that can be put right, and that no sound record is called faulty.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from assay.evidence.claims import Fact, check_facts, evidence_of, take_apart
from assay.evidence.false_alarms import alarms, check_alarms, told_nothing
from assay.evidence.figures import UNITS
from assay.evidence.findings import Finding, check_findings
from assay.evidence.phrases import Dimension
from assay.fixtures import Made
from assay.messages import tr
from assay.types.judgements import Evidence

if TYPE_CHECKING:
    from assay.sandbox import Sandbox

_TWICE = (
    "duplicat*", "same", "identical", "repeat*", "copy", "copied", "copies", "twice", "double",
    "doubled", "second time", "again", "redundant",
)  # fmt: skip
_NO_DAY = (
    "impossible", "invalid", "does not exist", "doesn't exist", "non-existent", "nonexistent",
    "not a real", "no such", "not valid", "not exist", "not a valid", "only has", "has only",
    "cannot exist", "not a date", "no calendar", "not in the calendar", "cannot be", "not possible",
    "not a calendar", "never existed", "unreal", "beyond the end",
)  # fmt: skip
_BEFORE = (
    "before",
    "earlier",
    "precede*",
    "prior",
    "reversed",
    "predate*",
    "swapped",
    "until",
    "ordered after",
    "order date after",
    "order date is after",
    "ahead of",
)
_SUM = ("total", "amount", "sum", "product", "unit price")
_NOT_SO = (
    "wrong", "incorrect", "not match", "mismatch*", "should be", "does not equal", "≠", "off by",
    "instead of", "not equal", "not add up", "differ*", "miscalculat*", "expected", "rather than",
    "discrepancy", "inconsisten*",
    "inaccurate", "error*", "mistake", "not agree", "disagree*", "not correspond", "correct total",
)  # fmt: skip
_WEIGHT = ("weight", "weight_kg", "kg", "kilogram")
_GRAMS = (
    "gram", "g", "unit", "1000", "1,000", "outlier", "too high", "too large", "unrealistic*",
    "implausib*", "factor", "impossibly",
)  # fmt: skip
_UNKNOWN = (
    "unknown", "not in", "does not exist", "doesn't exist", "missing", "no such", "not found",
    "not listed", "invalid", "orphan*", "no matching", "non-existent", "nonexistent", "absent",
    "no customer", "undefined", "not exist", "does not appear", "nobody", "no one", "unlisted",
    "not on", "not registered", "unregistered", "no entry", "no record", "not present",
    "not match*",
    "not part of", "not included", "cannot be found", "lacks",
)  # fmt: skip
_NEGATIVE = ("negative", "below zero", "less than zero", "under zero", "sub-zero")
_ALIKE = (
    "duplicat*", "same customer", "same company", "same firm", "similar*", "near-duplicate",
    "near-identical", "spelling", "spelt", "spelled", "typo", "misspel*", "variant",
    "same", "identical", "merge*", "twice", "one customer", "one company", "one firm",
    "one business", "one and the same", "single customer", "single company", "single entry",
    "alike", "resembl*", "consolidat*", "differ*", "double", "one letter", "become one",
)  # fmt: skip
_FAULTS = (
    *_TWICE, *_NOT_SO, *_NEGATIVE, "impossible", "invalid", "does not exist", "non-existent",
    "before", "earlier", "unknown", "missing", "suspicious", "error", "problem", "issue",
    "inconsisten*", "outlier", "gram", "anomal*", "fault*", "flag*", "mistake",
)  # fmt: skip
_CLEARS = (
    "no", "not affected", "fine", "ok", "clean", "sound", "none", "without", "no further",
    "consistent", "passes", "correctly",
)  # fmt: skip
_MENDED = (  # words of who has seen that something is wrong with a value
    "fix*", "correct*", "change*", "should", "must", "positive", "cannot", "invalid", "impossible",
    "not possible", "error", "wrong", "problem", "issue", "sign", "check", "replace*", "verify",
    "actual", "real", "true", "ask", "look up", "find out", "obtain", "unrealistic", "not valid",
    "adjust*", "amend*", "confirm*", "investigat*", "set to", "return",
)  # fmt: skip
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December")  # fmt: skip
_MEASURES = Dimension(
    name="measure",
    owns_one=True,
    phrases={
        "right": ("should be", "expected", "correct", "right", "calculated", "computed", "gives",
                  "correct total", "right total", "expected total", "correct value", "fix", "kg",
                  "recalculated", "corrected", "correction", "ought to be", "must be", "makes",
                  "set to", "change to", "correct to", "should read", "actual", "real", "true"),
        "stated": ("stated", "listed", "recorded", "shown", "given", "stated total", "says",
                   "recorded total", "instead of", "not", "rather than", "but the total is",
                   "given as", "file says"),
    },
)  # fmt: skip
_MOST_ALARMS = 8  # sound records that are called faulty; from there on nothing was told apart


def examine(answer: str, made: Made, sandbox: Sandbox | None = None) -> Evidence:
    """What the answer calls faulty, against what is."""
    facts = made.facts
    parts = take_apart(answer, made.files.values())
    records = Dimension(name="record", phrases={one: (one,) for one in facts["records"]})
    findings = check_findings(parts, _findings(facts))
    false = alarms(parts, records, _FAULTS, _CLEARS) - _faulty(facts)
    if len(false) >= _MOST_ALARMS:
        findings = told_nothing(findings)
    found = sum(bool(one.check.passed) for one in findings)
    shown = tr("sound records called faulty")
    return evidence_of(
        [
            *findings,
            *check_facts(parts, _figures(facts), (records, _MEASURES)),
            check_alarms(false, found, len(findings), shown, "no false alarms"),
        ]
    )


def _faulty(facts: Any) -> set[str]:
    kinds = (
        "impossible_date", "reversed_dates", "wrong_total", "wrong_unit", "unknown_customer",
        "negative_quantity",
    )  # fmt: skip
    return {*facts["duplicate"], *(facts[kind]["record"] for kind in kinds)}


def _findings(facts: Any) -> list[Finding]:
    first, second = facts["duplicate"]
    day, unknown = facts["impossible_date"], facts["unknown_customer"]
    one, other = facts["near_duplicate"]
    names = facts["near_duplicate_names"]
    total, unit = facts["wrong_total"]["record"], facts["wrong_unit"]["record"]
    turned, negative = facts["reversed_dates"]["record"], facts["negative_quantity"]["record"]
    findings = [
        Finding(name="duplicate record", shown=tr("{first} and {second} are the same record",
                                                  first=first, second=second),
                needs=((first,), (second,), _TWICE)),
        Finding(name="impossible date", shown=tr("the date of {record} does not exist",
                                                 record=day["record"]),
                needs=((day["record"],), ("date", "day", "deliver*", *_as_written(day["date"])),
                       _NO_DAY),
                or_else=(((day["record"],), _as_written(day["date"]), _MENDED),)),
        Finding(name="delivered before ordered",
                shown=tr("{record} was delivered before it was ordered", record=turned),
                needs=((turned,), ("deliver*", "date"), _BEFORE)),
        Finding(name="wrong total", shown=tr("the total of {record} is wrong", record=total),
                needs=((total,), _SUM, _NOT_SO),
                or_else=(((total,), _digits(facts["wrong_total"]["right"])),)),
        Finding(name="wrong unit", shown=tr("the weight of {record} is in grams", record=unit),
                needs=((unit,), _WEIGHT, _GRAMS),
                or_else=(((unit,), _WEIGHT, (facts["wrong_unit"]["right"],)),)),
        Finding(name="unknown customer", shown=tr("the customer of {record} is not listed",
                                                  record=unknown["record"]),
                needs=((unknown["record"],), ("customer*", unknown["customer"]),
                       (*_UNKNOWN, f"no {unknown['customer']}"))),
        Finding(name="negative quantity", shown=tr("the quantity of {record} is negative",
                                                   record=negative),
                needs=((negative,), _NEGATIVE),
                or_else=(((negative,), _below_zero(facts["negative_quantity"]["quantity"]),
                          _MENDED),)),
    ]  # fmt: skip
    findings = [
        replace(
            finding,
            rivals=tuple(
                record
                for record in facts["records"]
                if all(record not in group for group in finding.needs[:2])
            ),
        )
        for finding in findings
    ]
    alike = Finding(
        name="near-duplicate customers",
        shown=tr("{first} and {second} are one customer", first=names[0], second=names[1]),
        needs=((one, names[0]), (other, names[1]), _ALIKE),
        rivals=tuple(name for name in facts["customers"] if name not in (one, other)),
    )
    return [*findings, alike]


def _as_written(day: str) -> tuple[str, ...]:
    """A day that does not exist, in the ways people write one."""
    year, month, number = day.split("-")
    name = _MONTHS[int(month) - 1]
    number = str(int(number))
    endings = ("", "st", "th", "nd", "rd")
    return (
        day, f"{number}.{month}.{year}", f"{number}/{month}/{year}", f"{month}/{number}/{year}",
        *(f"{number}{end} {one}" for one in (name, name[:3]) for end in endings),
        *(f"{number}{end} of {name}" for end in endings),
        *(f"{one} {number}{end}" for one in (name, name[:3]) for end in endings),
    )  # fmt: skip


def _digits(value: int) -> tuple[str, ...]:
    """A whole number with each mark that may stand between its thousands."""
    return tuple(f"{value:,}".replace(",", mark) for mark in ("", ",", ".", " "))


def _below_zero(value: int) -> tuple[str, ...]:
    """A negative number as findings see it, with a word for its sign."""
    number = -value
    words = (UNITS[number],) if number < len(UNITS) else ()
    return tuple(f"minus {one}" for one in (str(number), *words))


def _figures(facts: Any) -> list[Fact]:
    total, unit = facts["wrong_total"], facts["wrong_unit"]
    optional = frozenset({"measure"})
    return [
        Fact(name="right total", shown=tr("right total of {record}", record=total["record"]),
             value=Decimal(total["right"]), kind="money", currency="€",
             mistaken=Decimal(total["stated"]),
             names={"record": total["record"], "measure": "right"}, optional=optional),
        Fact(name="right weight", shown=tr("right weight of {record} in kilograms",
                                           record=unit["record"]),
             value=Decimal(unit["right"]), kind="count", coarsest=Decimal("0.1"),
             mistaken=Decimal(unit["stated"]),
             names={"record": unit["record"], "measure": "right"}, optional=optional),
    ]  # fmt: skip
