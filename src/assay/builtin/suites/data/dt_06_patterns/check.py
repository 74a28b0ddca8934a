"""Compares the patterns in the answer's block with those of the data."""

from collections.abc import Iterator
from typing import Any

from assay.checking import (
    LEAST_TOLD,
    PERCENT,
    Check,
    Fact,
    ReportText,
    check_facts,
    check_names,
    check_report,
    json_block,
    share_of,
    spell_keys,
    value_at,
)

SECTIONS = ("Weekly pattern", "Segments", "Mailings", "Forecast", "Advice")

A_DAY = ("", " a day", " per day", "/day")
ORDERS = tuple(f"orders{a_day}" for a_day in A_DAY)
UNITS = {  # by a word of the key
    "contacts": tuple(f"contacts{a_day}" for a_day in A_DAY),
    "days_average": ORDERS, "mailings": ("mailing", "mailings"), "lag": ("day", "days"),
}  # fmt: skip
SAYS = {  # weight, and what a judge looks for
    "busiest_weekday": (1, "{} is the busiest weekday"),
    "busiest_weekday_average": (1, "the busiest weekday has {:.1f} orders on average"),
    "other_days_average": (1, "the other weekdays have {:.1f} orders on average"),
    "declining_segment": (2, "{} is the segment in decline, and no other is"),
    "declining_week_1": (1, "the declining segment placed {} orders in week 1"),
    "declining_week_6": (1, "the declining segment placed {} orders in week 6"),
    "mailings": (1, "there were {} mailings"),
    "lag_days": (3, "contacts rise {} day(s) after a mailing"),
    "contacts_after_mailing_average": (1, "contacts after a mailing average {:.1f}"),
    "contacts_other_days_average": (1, "contacts on all other days average {:.1f}"),
    "unrelated_peaks": (2, "contacts are high without a mailing on {}, and on no other date"),
    "week_7.segment": (1, "the forecast for week 7 is about {}"),
    "week_7.orders": (2, "about {:.0f} orders are expected in week 7"),
    "week_7.status": (1, "the figure for week 7 is a {}, not an observation"),
}

# What could be guessed, of few values or said in the prompt, counts with any of what has to be
# computed about the same thing: one wrong neighbour takes nothing along.
WEEKS = ("declining_week_1", "declining_week_6")
AVERAGES = ("contacts_after_mailing_average", "contacts_other_days_average")
COMPUTED = {
    "busiest_weekday": ("busiest_weekday_average", "other_days_average"),
    "declining_segment": WEEKS,
    "mailings": AVERAGES,
    "lag_days": AVERAGES,
    "week_7.segment": WEEKS,
    "week_7.orders": WEEKS,
}
OWNERS = {"week_7.status": "week_7.orders"}


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    facts = truth["facts"]
    changes = facts["change_by_segment"]
    block = json_block(answer, comments=False)
    if block is not None:
        block["change_by_segment"] = spell_keys(block.get("change_by_segment"), changes)
    listed = list(list_facts(facts))
    report = ReportText(answer)
    checks = list(report.withdraw(check_facts(block, listed), listed))
    yield from checks
    yield from check_report(report, checks, listed, SECTIONS)
    if block is not None:
        named = [*block["change_by_segment"], block.get("declining_segment")]
        counts = share_of(checks) >= LEAST_TOLD
        yield check_names("only_asked_keys", block, facts, counts=counts)
        yield check_names("nothing_invented", named, changes, weight_failed=4, counts=counts)


def list_facts(facts: dict[str, Any]) -> Iterator[Fact]:
    for key, (weight, says) in SAYS.items():
        value = value_at(facts, key)
        # Averages are rounded to one decimal, counts are not; a forecast is near the trend.
        tolerance = 0.05 if isinstance(value, float) else 0
        tolerance = 0.2 * value if key == "week_7.orders" else tolerance
        shown = ", ".join(value) if isinstance(value, list) else value
        owner, proofs = OWNERS.get(key, ""), COMPUTED.get(key, ())
        units = next((units for word, units in UNITS.items() if word in key), ORDERS)
        yield Fact(
            key, value, says.format(shown), weight, tolerance,
            owner=owner, proofs=proofs, units=units,
        )  # fmt: skip
    steady = [name for name in facts["change_by_segment"] if name != facts["declining_segment"]]
    for number, name in enumerate([facts["declining_segment"], *steady]):
        change = facts["change_by_segment"][name]
        says = f"the orders of {name} changed by {change:.1f} % from week 1 to week 6"
        label = f"steady_change_{number}" if number else "declining_change"
        key, weight = f"change_by_segment.{name}", 1 if number else 2
        yield Fact(key, change, says, weight, 0.05, name=label, units=PERCENT)
