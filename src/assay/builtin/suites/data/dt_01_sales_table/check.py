"""Compares the block, and the report around it, with the figures of the order table."""

from collections.abc import Iterator
from typing import Any

from assay.checking import (
    EUROS,
    LEAST_TOLD,
    PERCENT,
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

FACTS = (  # key, statement, weight, tolerance
    ("orders", "there are {} orders", 1, 0),
    ("total", "the total amount of all orders is {} euros", 5, 0),
    ("average", "the average order amount is {:.2f} euros", 3, 0.005),
    ("median", "the median order amount is {:g} euros", 4, 0),
    ("largest_order", "the largest order is {}", 1, 0),
    ("largest_amount", "the amount of the largest order is {} euros", 1, 0),
    ("top_customer", "{} is the customer with the greatest total amount", 2, 0),
    ("top_product_by_amount", "{} is the product with the greatest total amount", 2, 0),
    ("top_product_by_units", "{} is the product with the most units", 2, 0),
    ("completed", "{} orders are completed", 1, 0),
    ("pending", "{} orders are pending", 1, 0),
    ("cancelled", "{} orders are cancelled", 1, 0),
    ("completed_share", "{:.1f} percent of the orders are completed", 2, 0.05),
    ("cancelled_amount", "the total amount of the cancelled orders is {} euros", 4, 0),
    ("cancelled_product", "most of the cancelled orders are for {}", 4, 0),
)
# One name of a few could be guessed: it counts with its figure.
OWNERS = {
    "top_customer": "customers.{}",
    "top_product_by_amount": "products.{}.amount",
    "top_product_by_units": "products.{}.units",
    "cancelled_product": "cancelled_product_orders",
}
LISTS = ("customers", "products")
ORDERS = ("order", "orders")
UNITS: dict[str, tuple[str, ...]] = {"euros": EUROS, "percent": PERCENT}  # by the statement
SECTIONS = ("Summary", "Customers", "Products", "Status", "Insight")


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    right = truth["right"]
    block = json_block(answer, comments=False)
    if block is not None:
        block |= {key: spell_keys(block.get(key), right[key]) for key in LISTS}
    facts = list(list_facts(right))
    report = ReportText(answer)
    checks = list(report.withdraw(check_facts(block, facts), facts))
    yield from checks
    yield from check_report(report, checks, facts, SECTIONS)
    if block is None:
        return
    given = [block[key] for key in right if isinstance(right[key], str) and key in block]
    known = [line.split(",")[0] for line in files["orders.csv"].splitlines()[1:]]
    for key in LISTS:
        given, known = [*given, *block[key]], [*known, *right[key]]
    counts = share_of(checks) >= LEAST_TOLD
    yield check_names("only_asked_keys", block, right, counts=counts)
    yield check_names(
        "nothing_invented", given, known, same=mentions, weight_failed=14, counts=counts
    )


def list_facts(right: dict[str, Any]) -> Iterator[Fact]:
    for key, says, weight, tolerance in FACTS:
        units = next((units for word, units in UNITS.items() if word in says), ORDERS)
        owner = OWNERS.get(key, "").format(right[key])
        says = says.format(right[key])
        yield Fact(key, right[key], says, weight, tolerance, owner=owner, units=units)
    for number, (name, amount) in enumerate(right["customers"].items(), 1):
        says = f"the total amount of the customer {name} is {amount} euros"
        label = f"customer_{number}"
        yield Fact(f"customers.{name}", amount, says, name=label, units=EUROS)
    for number, (name, row) in enumerate(right["products"].items(), 1):
        for key, unit, units in (("units", "pieces", PIECES), ("amount", "euros", EUROS)):
            says = f"the {key} of the product {name} add up to {row[key]} {unit}"
            label = f"product_{number}_{key}"
            yield Fact(f"products.{name}.{key}", row[key], says, name=label, units=units)
    product, count = right["cancelled_product"], right["cancelled_product_orders"]
    says = f"{count} of the cancelled orders are for {product}"
    yield Fact("cancelled_product_orders", count, says, 4, owner="cancelled_product", units=ORDERS)
