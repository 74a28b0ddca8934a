"""Compares the block with what the three files show when they are joined."""

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
    share_of,
    spell_keys,
)

FACTS = (
    ("late_orders", "exactly these orders will be late: {}", 5),
    ("damage_supplier", "{} is the supplier behind most of the damage tickets", 2),
    ("damage_tickets", "there are {} tickets about damaged goods", 1),
    ("unknown_order", "a ticket names the order {}, which is not in the orders", 2),
    ("unknown_order_ticket", "the ticket {} names an order that is not in the orders", 1),
    ("unknown_sku", "an order is for the product {}, which is not in the stock", 2),
    ("unknown_sku_order", "the order {} is for a product that is not in the stock", 1),
    ("lost_order", "the shipped order {} has not arrived", 2),
    ("amount_at_risk", "the total amount of the orders with an open ticket is {} euros", 5),
    ("most_tickets_customer", "{} is the customer with the most tickets", 2),
)
SECTIONS = (
    "Shortages", "Late orders", "Damage", "Broken references", "Lost shipment", "Amount at risk",
    "Customers", "Conclusions",
)  # fmt: skip
TICKETS = ("ticket", "tickets")
COUNTS = (  # right only together with the name
    ("damage_supplier", "damage_supplier_tickets", "{} damage tickets are about products of {}", 3),
    ("most_tickets_customer", "most_tickets", "{} tickets come from the customer {}", 3),
)

# One name of a few could be guessed: it counts with its figure.
OWNERS = {owner: key for owner, key, *_ in COUNTS}


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    right = truth["right"]
    block = json_block(answer, comments=False)
    if block is not None:
        block["shortfalls"] = spell_keys(block.get("shortfalls"), right["shortfalls"])
    facts = list(list_facts(right))
    report = ReportText(answer)
    checks = list(report.withdraw(check_facts(block, facts), facts))
    yield from checks
    # Which products are short shows in the lines of their shortfalls.
    stated = [fact for fact in facts if fact.name != "short_products"]
    yield from check_report(report, checks, stated, SECTIONS, beside=6)
    if block is None:
        return
    late = block.get("late_orders")
    given = [*block["shortfalls"], *(late if isinstance(late, list) else [])]
    given += [block[key] for key in right if isinstance(right[key], str) and key in block]
    known = re.findall(r"\b[A-Z]+-\d+\b", "\n".join(files.values()))
    known += [line.split(",")[1] for line in files["orders.csv"].splitlines()[1:]]
    known += truth["suppliers"]
    counts = share_of(checks) >= LEAST_TOLD
    yield check_names("only_asked_keys", block, right, counts=counts)
    yield check_names(
        "nothing_invented", given, known, same=mentions, weight_failed=12, counts=counts
    )


def list_facts(right: dict[str, Any]) -> Iterator[Fact]:
    skus = right["shortfalls"]
    says = f"exactly these products have more pieces in open orders than on hand: {', '.join(skus)}"
    yield Fact("shortfalls", set(skus), says, 4, same=has_keys, name="short_products")
    for number, (sku, pieces) in enumerate(skus.items(), 1):
        says = f"the shortfall of {sku} is {pieces} pieces"
        yield Fact(f"shortfalls.{sku}", pieces, says, 2, name=f"shortfall_{number}", units=PIECES)
    for key, says, weight in FACTS:
        value = right[key]
        says = says.format(", ".join(value) if isinstance(value, list) else value)
        owner, units = OWNERS.get(key, ""), EUROS if "euros" in says else TICKETS
        yield Fact(key, value, says, weight, owner=owner, units=units)
    for owner, key, says, weight in COUNTS:
        says = says.format(right[key], right[owner])
        yield Fact(key, right[key], says, weight, owner=owner, units=TICKETS)


def has_keys(given: object, keys: set[str]) -> bool:
    return isinstance(given, dict) and set(given) == keys
