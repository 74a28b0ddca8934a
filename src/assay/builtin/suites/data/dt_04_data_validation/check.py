"""Compares the problems in the answer's block with the planted ones, by record and kind."""

import operator
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from assay.checking import (
    EUROS,
    KILOGRAMS,
    LEAST_TOLD,
    Check,
    Fact,
    ReportText,
    check_facts,
    check_names,
    check_report,
    json_block,
    objects_with,
    same_number,
    same_set,
    share_of,
)

KINDS = {  # weight, and what a judge looks for
    "duplicate_record": (2, "{} are one shipment recorded twice"),
    "impossible_date": (1, "{} has a date that does not exist"),
    "delivered_before_ordered": (1, "{} is delivered before it is ordered"),
    "wrong_total": (2, "{} has a wrong total"),
    "wrong_unit": (1, "{} has a weight in grams"),
    "unknown_customer": (1, "{} has a customer who is not listed"),
    "impossible_quantity": (1, "{} has an impossible quantity"),
    "duplicate_customer": (2, "{} are one customer listed twice"),
}
REASONS = {
    "repeat_order": (2, "{} are repeated orders and sound"),
    "leap_day": (1, "{} is sound, because its 29 February exists"),
    "same_day": (1, "{} is sound, although it was delivered on the day of its order"),
}
VALUES = {  # weight, kind, unit
    "right_total": (3, "wrong_total", "euros"),
    "right_weight": (3, "wrong_unit", "kilograms"),
}
UNITS = {"wrong_total": EUROS, "wrong_unit": KILOGRAMS}
ABOUT_SEVERAL = ("duplicate_record", "duplicate_customer", "repeat_order")
SECTIONS = ("Problems", "Odd but sound", "Prevention")
MISSING = "the answer has no JSON block that can be read"


RIGHT = "_right"  # ends the name of the check for what is right of a label


class Entry(NamedTuple):
    records: tuple[str, ...]
    label: str
    value: Any


class Compared(NamedTuple):
    """The records of one label: those that are right, and how many are missing or false."""

    right: list[tuple[str, ...]]
    missing: int
    false: int

    @property
    def share(self) -> float:
        """What the label is worth: what is right, by all that is right or false."""
        return len(self.right) / (len(self.right) + self.missing + self.false)

    @property
    def is_partly_right(self) -> bool:
        return bool(self.right and (self.missing or self.false))


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    block = json_block(answer, comments=False)
    found = read_entries(block, "problems", "kind")
    odd = read_entries(block, "odd_but_sound", "reason")
    expected = read_entries(truth, "problems", "kind")
    lookalikes = read_entries(truth, "odd_but_sound", "reason")
    checks = [*check_labels(KINDS, found, expected), *check_values(found, expected)]
    checks += check_labels(REASONS, odd, lookalikes)
    sound = truth["sound_records"]
    checks += check_facts(block, [Fact("sound_records", sound, f"{sound} records have no problem")])
    if block is None:
        checks = [Check(one.name, None, MISSING, one.weight, one.fact) for one in checks]
    report, shown = ReportText(answer), list(list_shown(expected, lookalikes, sound))
    worth = {
        **compare_labels(KINDS, found, expected),
        **compare_labels(REASONS, odd, lookalikes),
    }
    shown = [_as_given(fact, worth, (*found, *odd)) for fact in shown]
    own = block or {}
    others = {
        *list_others(answer, own.get("problems"), KINDS, expected, "kind"),
        *list_others(answer, own.get("odd_but_sound"), REASONS, lookalikes, "reason"),
    }
    checks = [
        replace(one, passed=False, why=f"another list of the answer has other records: {one.why}")
        if one.passed and one.name.removesuffix(RIGHT) in others
        else one
        for one in report.withdraw(checks, shown)
    ]
    yield from checks
    shares = {name: found.share for name, found in worth.items()}
    yield from check_report(report, checks, shown, SECTIONS, beside=4, worth=shares)
    faulty = sorted({record for entry in expected for record in entry.records})
    fact = f"only {', '.join(faulty)} have a problem"
    if block is None:
        yield Check("no_false_alarms", None, report.missing_block, 2, fact)
        return
    # An answer that finds little earns nothing by naming little.
    enough = sum(one.weight if one.passed else -one.weight for one in checks) >= 0
    called = {record for entry in found for record in entry.records}
    alarms = sorted(called - set(faulty))
    why = f"sound, but called faulty: {', '.join(alarms[:8])[:200]}" if alarms else fact
    why = why if enough else "too little was found for this to count"
    wrong = len(alarms) / len(called) if enough and called else 1 - enough
    if 0 < wrong < 1:
        yield Check("faulty_ones_named", True, fact, round(2 * (1 - wrong), 6))
    yield Check("no_false_alarms", not wrong, why, round(2 * wrong, 6) if wrong else 2, fact)
    # A value that nobody can know is as little asked for as a key of its own.
    valued = {kind for _, kind, _ in VALUES.values()}
    given = [*block, *(f"{e.label} value" for e in found if e.label not in valued and e.value)]
    counts = share_of(checks) >= LEAST_TOLD
    yield check_names(
        "only_asked_keys", given, ["problems", "odd_but_sound", "sound_records"], counts=counts
    )
    named = [one for entry in (*found, *odd) for one in (*entry.records, entry.label)]
    known = [*truth["records"], *truth["customers"], *KINDS, *REASONS]
    yield check_names("nothing_invented", named, known, weight_failed=4, counts=counts)


def list_shown(expected: list[Entry], odd: list[Entry], sound: int) -> Iterator[Fact]:
    """What has to be in the report, by the checks of the block."""
    for table, entries in ((KINDS, expected), (REASONS, odd)):
        for label, (weight, _) in table.items():
            records = [record for e in entries if e.label == label for record in e.records]
            yield Fact(label, records, "", weight)
    for name, (weight, kind, _) in VALUES.items():
        for entry in expected:
            if entry.label == kind:
                key = f"{name}.{entry.records[0]}"
                yield Fact(key, entry.value, "", weight, name=name, units=UNITS[kind])
    yield Fact("sound_records", sound, "", units=("record", "records"))


def read_entries(block: dict[str, Any] | None, key: str, label: str) -> list[Entry]:
    """The entries of a list; one that cannot be read has no records and no label."""
    given = (block or {}).get(key)
    entries = []
    for one in given if isinstance(given, list) else []:
        fields = one if isinstance(one, dict) else {}
        name, records = fields.get(label), fields.get("records")
        if not (isinstance(name, str) and isinstance(records, list)):
            name, records = "", []
        names = sorted({str(record).strip().upper() for record in records})
        name = name.strip().lower().replace(" ", "_")
        groups = [names] if name in ABOUT_SEVERAL or not names else [[record] for record in names]
        entries += [Entry(tuple(group), name, fields.get("value")) for group in groups]
    return entries


def list_others(
    answer: str, own: object, labels: Iterable[str], expected: list[Entry], label: str
) -> Iterator[str]:
    """The labels that another list of the answer gives other records, wherever it stands; all of
    them where it has labels that nobody asked for.
    """
    for given in objects_with(answer, label):
        if given == own:
            continue
        entries = read_entries({"all": given}, "all", label)
        for name in {entry.label for entry in entries}:
            one, other = (
                [entry.records for entry in some if entry.label == name]
                for some in (entries, expected)
            )
            if name not in labels:
                yield from labels
            elif not same_set(one, other, operator.eq):
                yield name


def compare_labels(
    labels: Iterable[str], given: list[Entry], expected: list[Entry]
) -> dict[str, Compared]:
    found = {}
    for label in labels:
        left = [entry.records for entry in expected if entry.label == label]
        right, false = [], 0
        for records in (entry.records for entry in given if entry.label == label):
            if records in left:
                left.remove(records)
                right.append(records)
            else:
                false += 1
        found[label] = Compared(right, len(left), false)
    return found


def _as_given(fact: Fact, worth: dict[str, Compared], given: Iterable[Entry]) -> Fact:
    """With the records of the block, where some of them are right: its report has to have those."""
    if fact.key not in worth or not worth[fact.key].is_partly_right:
        return fact
    records = [one for entry in given if entry.label == fact.key for one in entry.records]
    return replace(fact, expected=list(dict.fromkeys(records)), name=fact.key + RIGHT)


def check_labels(
    labels: dict[str, tuple[int, str]], given: list[Entry], expected: list[Entry]
) -> Iterator[Check]:
    """One check for each kind or reason: exactly its records, each once. Where some are right, they
    have their share of the weight in a check of their own; each false one adds a share.
    """
    found = compare_labels(labels, given, expected)
    for label, (weight, says) in labels.items():
        right, named = ([e.records for e in some if e.label == label] for some in (expected, given))
        fact = "; ".join(says.format(" and ".join(records)) for records in right)
        shown = "; ".join(" and ".join(records[:4]) for records in named[:6]) or "none"
        shown += f" and {len(named) - 6} more" if len(named) > 6 else ""
        why = f"{fact}; in the block: {shown}"
        of = found[label]
        each = weight / len(right)
        if of.is_partly_right:
            yield Check(label + RIGHT, True, why, round(each * len(of.right), 6))
        failed = of.missing + of.false
        cost = each * failed if of.right else weight + each * of.false
        yield Check(label, not failed, why, round(cost, 6) if failed else weight, fact)


def check_values(given: list[Entry], expected: list[Entry]) -> Iterator[Check]:
    for name, (weight, kind, unit) in VALUES.items():
        right = {entry.records: entry.value for entry in expected if entry.label == kind}
        fact = "; ".join(
            f"the right value of {records[0]} is {value} {unit}" for records, value in right.items()
        )
        passed = all(
            [same_number(e.value, value) for e in given if (e.records, e.label) == (records, kind)]
            == [True]
            for records, value in right.items()
        )
        yield Check(name, passed, fact, weight, fact)
