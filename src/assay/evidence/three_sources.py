"""Checks what an answer found by joining orders, stock and support log.

In: an answer and what `fixtures.three_sources` made. Out: Evidence: products that are short, orders
that will be late, the supplier behind the damage, references that lead nowhere, sums over joined
files; and that nothing sound is called short or late.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from assay.evidence.claims import Answer, Fact, check_facts, evidence_of, take_apart
from assay.evidence.false_alarms import alarms, check_alarms, told_nothing
from assay.evidence.findings import Finding, check_findings
from assay.evidence.named_things import Named, check_named
from assay.evidence.phrases import Dimension
from assay.fixtures import Made
from assay.messages import tr
from assay.types.judgements import Evidence

if TYPE_CHECKING:
    from assay.sandbox import Sandbox

_SERVED = tuple(
    f"{can} {done}" for can in ("can be", "can still be", "will be", "will still be")
    for done in ("met", "served", "filled", "fulfilled")
)  # fmt: skip
_BADLY_SERVED = tuple(  # what sounds like good news at first
    f"{served} {how}" for served in _SERVED
    for how in ("late", "too late", "only", "partly", "partially", "in part")
)  # fmt: skip
_SHORT = (
    "short", "shortfall", "shortage", "not enough", "insufficient", "exceed*", "lack*", "deficit",
    "oversold", "undersupplied", "out of stock",
    "understocked", "too little stock", "cannot be filled", "short by",
)  # fmt: skip
_LATE = (
    "late", "not in time", "misses", "missed", "will miss", "miss its", "miss their",
    "miss the", "not on time", "delay*", "too late", "cannot be delivered", "overdue",
    "cannot ship", "before the next delivery", "arrives after",
)  # fmt: skip
_NOWHERE = (
    "not in", "unknown", "no such", "missing", "not found", "does not exist", "doesn't exist",
    "no matching", "no match", "orphan*", "unmatched", "absent", "non-existent", "nonexistent",
    "not listed", "no record", "no entry", "without", "nowhere", "does not appear", "no stock",
    "no order", "not appear", "non-existing", "not stocked", "not known", "not recorded",
    "not be found", "cannot be found", "not exist", "no longer", "cannot be matched", "not match*",
    "invalid", "unlisted", "not part of", "dangling", "not contain*", "no product", "not present",
)  # fmt: skip
_NOT_ARRIVED = (
    "not arrived", "never arrived", "has not arrived", "not received", "lost", "undelivered",
    "did not arrive", "not delivered", "hasn't arrived", "never came", "not arrive",
    "not reach*", "never reach*", "waiting for", "non-delivery", "astray", "non-arrival",
    "never received", "never delivered", "not turned up", "never turned up", "not shown up",
)  # fmt: skip
_DAMAGE = ("damage*", "broken", "breakage", "defect*", "faulty", "broke")
_MOST = (
    "most", "highest", "top", "largest", "greatest", "lead*", "more ticket", "more than any",
    "customers:", "biggest", "maximum", "more than anyone", "more than anybody",
    "more than all other*", "more than every*",
)  # fmt: skip
_CLEARS = (
    "not affected", "on time", "in time",
    "enough", "sufficient", "fine", "ok", "covered", "zero", "0", "surplus", "unaffected", "none",
    "neither",
    "after the next delivery", "no problem", "no issue", *_SERVED,
    *(f"{due} after {whose} deliver*" for due in ("due", "due *", "due * *")
      for whose in ("the", "its", "their", "these", "both")),
)  # fmt: skip
_MOST_ALARMS = 6  # sound things that are called short or late; from there on nothing was told apart
_MEASURES = Dimension(
    name="measure",
    owns_one=True,
    kinds={"at_risk": ("money",)}
    | dict.fromkeys(("shortfall", "on_hand", "open", "damage", "tickets"), ("count",)),
    phrases={
        "shortfall": ("shortfall", "short", "short by", "shortage", "deficit", "lack*", "missing",
                      "gap", "too few", "short of", "more than on hand", "shortfall of"),
        "on_hand": ("on hand", "in stock", "stock", "available"),
        "open": ("ordered", "required", "require", "call for", "open orders", "open quantity",
                 "open order quantity", "demand", "open",
                 "on order", "needed"),
        "at_risk": ("at risk", "open ticket", "value at risk", "amount at risk", "total at risk",
                    "with an open ticket", "orders with open tickets", "amount with open tickets"),
        "damage": ("damage ticket", "damage", "damage report", "damage complaint", "damaged",
                   "of the 5 damage tickets", "of the five damage tickets", "of 5 damage tickets",
                   "of five damage tickets", "broken", "of the 5", "of the five", "of 5",
                   "of five", "out of 5", "out of five", "out of the five"),
        "tickets": ("ticket", "support ticket", "complaint", "number of tickets"),
    },
)  # fmt: skip


def examine(answer: str, made: Made, sandbox: Sandbox | None = None) -> Evidence:
    """What the answer found, against what the joined files show."""
    facts = made.facts
    parts = take_apart(answer, made.files.values())
    products = Dimension(
        name="product", phrases={one["sku"]: (one["sku"], one["name"]) for one in facts["products"]}
    )
    suppliers = _plain("supplier", facts["suppliers"])
    customers = _plain("customer", facts["customers"])
    orders = _plain("order", facts["orders"])
    dimensions = (products, suppliers, customers, orders, _MEASURES)
    findings = check_findings(parts, _findings(facts, products))
    false = _false_alarms(parts, facts, products, orders)
    if len(false) >= _MOST_ALARMS:
        findings = told_nothing(findings)
    found = sum(bool(one.check.passed) for one in findings)
    shown = tr("products and orders wrongly called short or late")
    return evidence_of(
        [
            *findings,
            *check_facts(parts, _figures(facts), dimensions),
            *check_named(parts, _names(facts, suppliers, customers)),
            check_alarms(false, found, len(findings), shown, "no false alarms"),
        ]
    )


def _plain(name: str, keys: list[str]) -> Dimension:
    return Dimension(name=name, phrases={key: (key,) for key in keys})


def _findings(facts: Any, products: Dimension) -> list[Finding]:
    short = [one["sku"] for one in facts["short"]]
    sound = tuple(
        phrase for sku, phrases in products.phrases.items() if sku not in short
        for phrase in phrases
    )  # fmt: skip
    findings = [
        Finding(name=f"short product {number}", shown=tr("{product} is short", product=sku),
                needs=(products.phrases[sku], _SHORT), rivals=sound)
        for number, sku in enumerate(short, 1)
    ]  # fmt: skip
    others = tuple(one for one in facts["orders"] if one not in facts["late"])
    findings += [
        Finding(name=f"late order {number}", shown=tr("{order} cannot be on time", order=order),
                needs=((order,), _LATE), rivals=others)
        for number, order in enumerate(facts["late"], 1)
    ]  # fmt: skip
    ghost, stray = facts["unknown_order"]["order"], facts["unknown_sku"]["sku"]
    findings += [
        Finding(name="unknown order", shown=tr("a ticket names the unknown order {order}",
                                               order=ghost),
                needs=((ghost,), _NOWHERE), rivals=tuple(facts["orders"])),
        Finding(name="unknown product", shown=tr("an order names the unknown product {product}",
                                                 product=stray),
                needs=((stray,), _NOWHERE), rivals=tuple(products.phrases)),
        Finding(name="lost shipment", shown=tr("{order} was shipped and did not arrive",
                                               order=facts["lost"]),
                needs=((facts["lost"],), _NOT_ARRIVED),
                rivals=tuple(one for one in facts["orders"] if one != facts["lost"])),
    ]  # fmt: skip
    return findings


def _figures(facts: Any) -> list[Fact]:
    figures = [
        Fact(name=f"shortfall {number}", shown=tr("shortfall of {product}", product=one["sku"]),
             value=Decimal(one["shortfall"]), kind="count",
             names={"product": one["sku"], "measure": "shortfall"})
        for number, one in enumerate(facts["short"], 1)
    ]  # fmt: skip
    damage, most = facts["damage"], facts["most_tickets"]
    return [
        *figures,
        Fact(name="damage tickets", shown=tr("damage tickets of the supplier"),
             value=Decimal(damage["tickets"]), kind="count",
             names={"supplier": damage["supplier"], "measure": "damage"}),
        Fact(name="amount at risk", shown=tr("amount of orders with an open ticket"),
             value=Decimal(facts["at_risk"]), kind="money", currency="€",
             names={"measure": "at_risk"}),
        Fact(name="most tickets", shown=tr("tickets of {name}", name=most["customer"]),
             value=Decimal(most["tickets"]), kind="count",
             names={"customer": most["customer"], "measure": "tickets"}),
    ]  # fmt: skip


def _names(facts: Any, suppliers: Dimension, customers: Dimension) -> list[Named]:
    return [
        Named(
            name="supplier behind the damage",
            shown=tr("supplier of most damaged goods"),
            right=facts["damage"]["supplier"],
            dimension=suppliers,
            cues=(_DAMAGE, ("supplier", "supplied", "source", *facts["suppliers"])),
        ),
        Named(
            name="customer with the most tickets",
            shown=tr("customer with the most tickets"),
            right=facts["most_tickets"]["customer"],
            dimension=customers,
            cues=(_MOST, ("ticket", "complain*", "contacts", "support")),
        ),
    ]


def _false_alarms(parts: Answer, facts: Any, products: Dimension, orders: Dimension) -> set[str]:
    short = alarms(parts, products, (*_SHORT, *_BADLY_SERVED), _CLEARS)
    late = alarms(parts, orders, (*_LATE, *_BADLY_SERVED), _CLEARS)
    short -= {one["sku"] for one in facts["short"]}
    late -= {*facts["late"], facts["lost"]}
    return short | late
