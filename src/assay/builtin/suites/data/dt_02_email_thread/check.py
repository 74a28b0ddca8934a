"""Compares the block with what the e-mails say about each order."""

import re
from collections.abc import Iterator
from typing import Any

from assay.checking import (
    EUROS,
    LEAST_TOLD,
    PIECES,
    Check,
    Fact,
    ReportText,
    check_facts,
    check_names,
    check_report,
    json_block,
    mentions,
    same_text,
    share_of,
    show,
    spell_keys,
)

# What an e-mail says outright counts with what had to be worked out about the same thing: each with
# one cause, so that one slip takes nothing along that does not follow from it.
OF_AN_ORDER = (  # statement, weight, the key of the order that it counts with
    ("so", "the supplier's number of {po} is {value}", 1, ""),
    ("consignment", "{po} first travelled with the consignment {value}", 2, "so"),
    ("goods", "{po} is for {value}", 0.5, "so"),
    ("room", "the goods of {po} are for the {value}", 0.5, "so"),
    ("quantity", "{value} pieces were ordered with {po}", 0.5, "so"),
)
OF_ALL = (  # statement, weight, the key that it counts with
    ("ordered_on", "the orders were placed on {}", 1, "collected_on"),
    ("collected_on", "the carrier collected the orders on {}", 3, ""),
    ("shortage_noticed_on", "the short delivery was noticed on {}", 1, "short_po"),
    ("damage_noticed_on", "the damage was noticed on {}", 1, "damaged_po"),
    ("rest_arrived_on", "the missing pieces arrived on {}", 1, "short_po"),
    ("short_po", "{} was delivered short", 3, ""),
    ("missing_pieces", "{} pieces were missing", 3, "short_po"),
    ("rest_consignment", "the missing pieces travelled with {}", 2, "short_po"),
    ("damaged_po", "pieces of {} were damaged", 4, ""),
    ("damaged_pieces", "{} pieces were damaged", 2, "damaged_po"),
    ("overcharged_po", "the invoice of {} has a wrong price", 2, ""),
    ("overcharge", "the buyer was overcharged by {} euros in all", 4, "overcharged_po"),
    ("open_issues", "exactly these issues are open at the end of the thread: {}", 5, "damaged_po"),
)
SECTIONS = ("Orders", "Timeline", "Issues")
NUMBERS = ("so", "consignment", "short_po", "damaged_po", "overcharged_po", "rest_consignment")


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    right = truth["right"]
    block = json_block(answer, comments=False)
    if block is not None:
        block["orders"] = spell_keys(block.get("orders"), right["orders"], same_id)
    facts = list(list_facts(truth))
    report = ReportText(answer)
    checks = list(report.withdraw(check_facts(block, facts), facts))
    yield from checks
    yield from check_report(report, checks, facts, SECTIONS)
    if block is None:
        return
    rows = [block, *(row for row in block["orders"].values() if isinstance(row, dict))]
    given = [row[key] for row in rows for key in NUMBERS if key in row]
    known = re.findall(r"\b[A-Z]{2}[- ](\d{4,5})\b", files["thread.txt"])
    counts = share_of(checks) >= LEAST_TOLD
    yield check_names("only_asked_keys", block, right, counts=counts)
    yield check_names(
        "nothing_invented",
        [*block["orders"], *given],
        known,
        same=mentions,
        weight_failed=14,
        counts=counts,
    )


def list_facts(truth: dict[str, Any]) -> Iterator[Fact]:
    right = truth["right"]
    for number, (po, row) in enumerate(right["orders"].items(), 1):
        nouns = tuple(name.casefold() for name in truth["goods"][po])
        for key, says, weight, with_key in OF_AN_ORDER:
            value = truth["goods"][po] if key == "goods" else row[key]
            same = is_one_of if key == "goods" else same_id if key in NUMBERS else None
            says, name = says.format(po=po, value=row[key]), f"order_{number}_{key}"
            owner = f"orders.{po}.{with_key}" if with_key else ""
            key, units = f"orders.{po}.{key}", PIECES + nouns
            yield Fact(key, value, says, weight, 0, same, name, owner, units)
    for key, says, weight, owner in OF_ALL:
        value = right[key]
        says = says.format(", ".join(value) if isinstance(value, list) else value)
        same, units = same_id if key in NUMBERS else None, EUROS if "euros" in says else PIECES
        yield Fact(key, value, says, weight, same=same, owner=owner, units=units)


def is_one_of(given: object, names: Any) -> bool:
    return any(same_text(given, name) for name in names)


def same_id(given: object, expected: object) -> bool:
    """Whether two numbers of orders or consignments are the same, with their letters or without:
    "PO 4100", "po-4100", 4100. A sign makes another number of it.
    """
    if isinstance(given, bool) or not isinstance(given, str | int):
        return False
    text, right = (_NUMBER.fullmatch(show(one, 80).strip("'")) for one in (given, expected))
    if text is None or right is None or text[2] != right[2]:
        return False
    return not text[1] or text[1].casefold() == (right[1] or "").casefold()


_NUMBER = re.compile(r" *(?:([A-Za-z]+)[ _#-]{0,3})?(\d+) *")
