"""Checks what an answer made of the e-mail thread.

In: an answer and what `fixtures.email_thread` made. Out: Evidence: the numbers of each order
connected, quantities, what went wrong with which order, the days on which things happened, and what
is still open.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from assay.evidence.claims import (
    Answer,
    Fact,
    Outcome,
    check_facts,
    evidence_of,
    outcome,
    take_apart,
)
from assay.evidence.dates import read_dates
from assay.evidence.findings import Finding, check_findings
from assay.evidence.named_things import Named, check_named
from assay.evidence.passages import Passage
from assay.evidence.phrases import Dimension, any_of, find_labels
from assay.fixtures import Made
from assay.messages import tr
from assay.types.judgements import Evidence

if TYPE_CHECKING:
    from assay.sandbox import Sandbox

_MEASURES = Dimension(
    name="measure",
    owns_one=True,
    kinds={"overcharge": ("money",), "price": ("money",)}
    | dict.fromkeys(("quantity", "delivered", "missing", "damaged"), ("count",)),
    phrases={
        "quantity": ("quantity", "qty", "ordered", "pieces ordered", "order quantity", "units"),
        "delivered": ("delivered", "received", "counted", "arrived", "came"),
        "missing": ("missing", "short", "shortage", "shortfall", "undelivered", "not delivered",
                    "too few", "fewer", "short by", "pieces missing", "pieces short", "lack*",
                    "did not arrive", "not arrived", "not received", "less than ordered", "gap",
                    "left behind", "left on the dock", "outstanding", "remaining", "rest"),
        "damaged": ("damaged", "damage", "wet", "water damage", "water damaged", "stood in water",
                    "pieces damaged", "damaged pieces", "pieces wet", "wet pieces", "got wet",
                    "standing in water", "soaked", "spoiled", "spoilt"),
        "overcharge": ("overcharge", "overcharged", "overcharged by", "too much", "overbilled",
                       "total overcharge", "in all", "excess", "overcharge in all", "in total",
                       "total",
                       "altogether", "overall", "overpaid", "extra"),
        "price": ("per piece", "a piece", "each", "quoted", "quote", "charged", "invoiced",
                  "unit price", "per unit", "instead of", "quoted price", "billed"),
    },
)  # fmt: skip
_SHORT = (
    "short*",
    "missing",
    "too few",
    "fewer",
    "incomplete",
    "not all",
    "undelivered",
    "lack*",
    "less than ordered",
    "not delivered",
    "partial*",
    "only",
)
_DAMAGE = ("damage*", "wet", "water*", "soaked", "moisture", "spoil*")
_PRICE = ("overcharg*", "price", "invoice*", "billed", "charged", "overbill*")
_PRICE_WRONG = (
    "overcharg*", "wrong", "higher", "too high", "instead of", "incorrect*", "differ*", "quote*",
    "mismatch", "discrepancy", "overbill*", "error", "rather than", "too much", "excess*",
)  # fmt: skip
_OPEN = (
    "open", "unresolved", "not resolved", "not yet resolved", "unsolved", "still waiting",
    "not closed", "unsettled", "not settled", "still outstanding", "remains outstanding",
    "is outstanding", "issue outstanding", "outstanding issue", "pending", "ongoing",
)  # fmt: skip
_TIMELINE = ("timeline", "chronolog*", "sequence of events", "time line")
_EVENT_WORDS = {
    "ordered": ("order*", "placed", "place"),
    "collected": ("collect*", "picked up", "pick up", "pickup", "shipped", "dispatched"),
    "short_noticed": (*_SHORT, "deliver*", "arriv*", "counted", "received", "came"),
    "damage_noticed": _DAMAGE,
    "rest_arrived": ("rest", "remaining", "remainder", "balance", "missing", "second delivery",
                     "outstanding", "final", "other * pieces", "backorder*", "follow-up delivery"),
}  # fmt: skip


def examine(answer: str, made: Made, sandbox: Sandbox | None = None) -> Evidence:
    """What the answer connects, against what belongs together."""
    facts = made.facts
    parts = take_apart(answer, made.files.values())
    orders = Dimension(name="order", phrases=_order_phrases(facts))
    return evidence_of(
        [
            *check_findings(parts, _connections(facts)),
            *check_facts(parts, _figures(facts), (orders, _MEASURES)),
            *check_findings(parts, _issues(facts, orders)),
            *(_event(parts, event, orders, facts["year"]) for event in facts["events"]),
            _in_order(parts, facts["year"]),
            *check_named(parts, [_open(facts, orders)]),
        ]
    )


def _order_phrases(facts: Any) -> dict[str, tuple[str, ...]]:
    """All the names that an order goes by."""
    return {
        one["po"]: (
            *_written(one["po"]), *_written(one["so"]), *_written(one["consignment"]),
            *(_written(facts["resent"]) if one["trouble"] == "short" else ()),
            one["item"], one["noun"], one["room"], f"{one['colour']} ones",
            f"{one['colour']} {one['item']}", f"{one['colour']} {one['noun']}",
        )
        for one in facts["orders"]
    }  # fmt: skip


def _written(number: str) -> tuple[str, ...]:
    """A number as it stands, without its blank or hyphen, and without its letters."""
    digits = "".join(one for one in number if one.isdigit())
    return (number, number.replace(" ", "").replace("-", ""), digits)


def _connections(facts: Any) -> list[Finding]:
    findings = []
    for number, one in enumerate(facts["orders"], 1):
        others = [other for other in facts["orders"] if other is not one]
        for name, key in (("numbers", "so"), ("consignment", "consignment")):
            rivals = tuple(
                way for other in others for part in ("po", key) for way in _written(other[part])
            )
            findings.append(
                Finding(
                    name=f"order {number} {name}",
                    shown=tr("{first} and {second} belong together",
                             first=one["po"], second=one[key]),
                    needs=(_written(one["po"]), _written(one[key])),
                    rivals=rivals,
                    group="connections",
                )
            )  # fmt: skip
    return findings


def _with(facts: Any, trouble: str) -> Any:
    return next(one for one in facts["orders"] if one["trouble"] == trouble)


def _figures(facts: Any) -> list[Fact]:
    optional = frozenset({"measure"})
    figures = [
        Fact(name=f"order {number} quantity", shown=tr("pieces ordered with {order}",
                                                       order=one["po"]),
             value=Decimal(one["quantity"]), kind="count",
             names={"order": one["po"], "measure": "quantity"}, optional=optional)
        for number, one in enumerate(facts["orders"], 1)
    ]  # fmt: skip
    for name, trouble, shown in (
        ("missing", "short", tr("missing pieces")),
        ("damaged", "damage", tr("damaged pieces")),
    ):
        figures.append(
            Fact(name=f"{name} pieces", shown=shown, value=Decimal(facts[name]), kind="count",
                 names={"order": _with(facts, trouble)["po"], "measure": name})
        )  # fmt: skip
    figures.append(
        Fact(name="overcharge", shown=tr("overcharge in all"), value=Decimal(facts["overcharge"]),
             kind="money", currency="€",
             names={"order": _with(facts, "price")["po"], "measure": "overcharge"})
    )  # fmt: skip
    return figures


def _issues(facts: Any, orders: Dimension) -> list[Finding]:
    wanted = (
        ("issue short delivery", "short", (_SHORT,), tr("a short delivery")),
        ("issue damage", "damage", (_DAMAGE,), tr("damage in transit")),
        ("issue price", "price", (_PRICE, _PRICE_WRONG), tr("a wrong price on the invoice")),
    )
    findings = []
    for name, trouble, words, shown in wanted:
        order = _with(facts, trouble)["po"]
        rivals = tuple(
            phrase for po, phrases in orders.phrases.items() if po != order for phrase in phrases
        )
        findings.append(
            Finding(
                name=name,
                shown=tr("{issue} of {order}", issue=shown, order=order),
                needs=(orders.phrases[order], *words),
                rivals=rivals,
            )
        )
    return findings


def _open(facts: Any, orders: Dimension) -> Named:
    return Named(
        name="open issue",
        shown=tr("order with an open issue"),
        right=_with(facts, facts["open"])["po"],
        dimension=orders,
        cues=(_OPEN,),
        never_over=("resolved", "closed", "settled"),
        alone=True,
    )


# ------------------------------------------------------------------------------------ timeline


def _event(parts: Answer, event: Any, orders: Dimension, year: int) -> Outcome:
    """Whether the event stands with its day; with another day it is wrong."""
    name = f"event {event['event'].replace('_', ' ')}"
    shown = _event_shown(event["event"])
    words = any_of(_EVENT_WORDS[event["event"]])
    stated: list[str] = []
    for passage in parts.passages:
        days = _days_of(passage, year)
        if not days or not words.search(passage.text):
            continue
        said_here = f"{passage.before} {passage.text}"
        named = {key for label in find_labels(said_here, orders) for key in label.keys}
        if event["order"] is not None and event["order"] not in named:
            continue
        if event["date"] in days:
            said = tr("{fact}: stated, {value}.", fact=shown, value=event["date"].isoformat())
            return outcome(name, "right", said, "timeline")
        if len(days) == 1 and _is_timeline(passage):
            stated.append(days[0].isoformat())
    value = event["date"].isoformat()
    if event["order"] is None or not stated:
        said = tr("{fact}: not stated; the data give {value}.", fact=shown, value=value)
        return outcome(name, "missing", said, "timeline")
    said = tr(
        "{fact}: the answer says {stated}, the data give {value}.",
        fact=shown, stated=", ".join(dict.fromkeys(stated)), value=value,
    )  # fmt: skip
    return outcome(name, "wrong", said, "timeline")


def _event_shown(event: str) -> str:
    return {
        "ordered": tr("day of the orders"),
        "collected": tr("day of the collection"),
        "short_noticed": tr("day of the short delivery"),
        "damage_noticed": tr("day on which the damage was noticed"),
        "rest_arrived": tr("day on which the rest arrived"),
    }[event]


def _days_of(passage: Passage, year: int) -> list[date]:
    for text in (passage.text, passage.before, *passage.context[:1]):
        days = [day for found in read_dates(text, year) for day in found.days]
        if days:
            return days
    return []


def _is_timeline(passage: Passage) -> bool:
    return any(any_of(_TIMELINE).search(text) for text in passage.context)


def _in_order(parts: Answer, year: int) -> Outcome:
    """Whether the days of the timeline follow each other."""
    days: list[date] = []
    for passage in parts.passages:
        found = read_dates(passage.text, year) if _is_timeline(passage) else ()
        if found:
            later = [day for day in found[0].days if not days or day >= days[-1]]
            days.append(min(later) if later else found[0].days[0])
    name = "timeline in order"
    if len(days) < 4:
        return outcome(name, "missing", tr("There is no timeline with dates."), "timeline")
    if days == sorted(days):
        return outcome(name, "right", tr("The timeline is in order."), "timeline")
    return outcome(name, "wrong", tr("The timeline is not in order."), "timeline")
