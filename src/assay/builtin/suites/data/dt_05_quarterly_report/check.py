"""Compares the figures in the report's block with the right ones; looks for the five headings."""

import re
from collections.abc import Iterator
from typing import Any

from assay.checking import Check, Fact, check_facts, check_names, json_block, same_text, spell_keys

MOST_WORDS = 600
SECTIONS = ("Executive summary", "Key metrics", "What changed", "Risks", "Recommendations")
LINES = ("fastest_growing_line", "declining_line")
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
HEADINGS = (
    re.compile(r"^ {0,3}#{1,6}[ \t]+(.{1,100})$", re.MULTILINE),
    re.compile(r"^ {0,3}(?:\*\*|__)(.{1,100})$", re.MULTILINE),
)


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    facts, lines = truth["facts"], truth["facts"]["revenue_by_line"]
    block = json_block(answer)
    if block is not None:
        block["revenue_by_line"] = spell_keys(block.get("revenue_by_line"), lines)
    yield from check_facts(block, list_facts(facts))
    yield check_sections(answer)
    yield check_length(answer)
    if block is not None:
        named = [*block["revenue_by_line"], *(block[key] for key in LINES if key in block)]
        yield check_names("only_asked_keys", block, facts)
        yield check_names("nothing_invented", named, lines, weight_failed=4)


def list_facts(facts: dict[str, Any]) -> Iterator[Fact]:
    for key, (weight, says) in SAYS.items():
        tolerance = 0.05 if key.endswith("_percent") else 0
        # A figure counts only with the line that it belongs to.
        owner = next((one for one in LINES if one in key), "")
        yield Fact(key, facts[key], says.format(facts[key]), weight, tolerance, owner=owner)
    for number, (line, revenue) in enumerate(facts["revenue_by_line"].items(), 1):
        says = f"the revenue of {line} in the quarter is {revenue:,} dollars"
        yield Fact(f"revenue_by_line.{line}", revenue, says, name=f"line_{number}")


def check_sections(answer: str) -> Check:
    """The five headings in their order, each followed by text."""
    for pattern in HEADINGS:
        found = []
        for heading in pattern.finditer(answer):
            text = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", heading[1])
            found += [(heading, one) for one in SECTIONS if same_text(text, one)]
        ends = [heading.start() for heading, _ in found[1:]] + [len(answer)]
        texts = [answer[one.end() : end] for (one, _), end in zip(found, ends, strict=False)]
        filled = all(text.split("```")[0].strip() for text in texts)
        if filled and tuple(one for _, one in found) == SECTIONS:
            return Check("sections", True, "the five sections are there", 2)
    return Check("sections", False, f"not the sections {', '.join(SECTIONS)}, each with text", 2)


def check_length(answer: str) -> Check:
    """Words outside the block, with some room for how table cells and headings are counted."""
    words = len(re.findall(r"\w+(?:[.,'’-]\w+)*", answer.split("```")[0]))
    why = f"about {words} words, and {MOST_WORDS} were allowed"
    return Check("length", 0 < words <= 1.1 * MOST_WORDS, why)
