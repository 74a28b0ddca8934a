"""Compares the figures of the block, and of the report around it, with the right ones."""

import re
from collections.abc import Iterator
from typing import Any

from assay.checking import (
    DOLLARS,
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
)

MOST_WORDS = 600
TOO_LONG = 15  # weight, of a report that is longer than it may be
SECTIONS = ("Executive summary", "Key metrics", "What changed", "Risks", "Recommendations")
LINES = ("fastest_growing_line", "declining_line")
UNITS = {  # by a word of the statement
    "dollars": DOLLARS, "%": PERCENT, "margin": PERCENT, "customers": ("customer", "customers"),
    "times": ("time", "times", "month", "months"),
}  # fmt: skip
SAYS = {  # weight, and what a judge looks for
    "revenue": (1, "the revenue of the quarter is {:,} dollars"),
    "previous_revenue": (1, "the revenue of the previous quarter is {:,} dollars"),
    "revenue_change_percent": (1, "revenue changed by {:.1f} % against the previous quarter"),
    "gross_margin_percent": (2, "the gross margin of the quarter is {:.1f} %"),
    "previous_gross_margin_percent": (1, "the gross margin of the previous quarter is {:.1f} %"),
    "fastest_growing_line": (1, "{} is the line that grew most"),
    "fastest_growing_line_change_percent": (1, "the line that grew most changed by {:.1f} %"),
    "customers_at_end": (1, "there are {} customers at the end of the quarter"),
    "customers_lost": (1, "{} customers were lost in the quarter"),
    "previous_customers_lost": (1, "{} customers were lost in the previous quarter"),
    "declining_line": (2, "{} is the line that declines behind the growing total"),
    "declining_line_change_percent": (2, "the declining line changed by {:.1f} %"),
    "declining_line_months": (3, "the declining line fell {} times in a row from month to month"),
    "change_without_declining_line_percent": (2, "all other lines together changed by {:.1f} %"),
}


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    facts, lines = truth["facts"], truth["facts"]["revenue_by_line"]
    block = json_block(answer, comments=False)
    if block is not None:
        block["revenue_by_line"] = spell_keys(block.get("revenue_by_line"), lines)
    listed = list(list_facts(facts))
    report = ReportText(answer)
    checks = list(report.withdraw(check_facts(block, listed), listed))
    yield from checks
    yield from check_report(report, checks, listed, SECTIONS)
    half = 2 * sum(one.passed is not False for one in checks) >= len(checks)
    if block is not None:
        yield check_length(report, counts=half)
        named = [*block["revenue_by_line"], *(block[key] for key in LINES if key in block)]
        counts = share_of(checks) >= LEAST_TOLD
        yield check_names("only_asked_keys", block, facts, counts=counts)
        yield check_names("nothing_invented", named, lines, weight_failed=4, counts=counts)


def list_facts(facts: dict[str, Any]) -> Iterator[Fact]:
    for key, (weight, says) in SAYS.items():
        tolerance = 0.05 if key.endswith("_percent") else 0
        # A figure counts only with the line that it belongs to, and one line of a few, which could
        # be guessed, with its change.
        owner = next((one for one in LINES if one in key), "")
        owner = f"{key}_change_percent" if owner == key else owner
        units = next((units for word, units in UNITS.items() if word in says), ())
        says = says.format(facts[key])
        yield Fact(key, facts[key], says, weight, tolerance, owner=owner, units=units)
    for number, (line, revenue) in enumerate(facts["revenue_by_line"].items(), 1):
        says = f"the revenue of {line} in the quarter is {revenue:,} dollars"
        yield Fact(f"revenue_by_line.{line}", revenue, says, name=f"line_{number}", units=DOLLARS)


def check_length(report: ReportText, *, counts: bool) -> Check:
    """Words outside the block, with some room for how table cells and headings are counted."""
    words = len(re.findall(r"\w+(?:[.,'’-]\w+)*", report.text))
    why = f"about {words} words, and {MOST_WORDS} were allowed"
    why = why if words else "there is no report beside the block"
    why = why if counts else "not counted, since fewer than half of the values are right"
    is_long = counts and words > 1.1 * MOST_WORDS
    return Check("length", counts and words > 0 and not is_long, why, TOO_LONG if is_long else 1)
