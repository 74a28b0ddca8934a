"""Checks an analysis of the order table.

In: an answer and what `fixtures.sales_table` made. Out: Evidence: a check for each figure and each
name that the task asks for.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from assay.evidence.claims import Fact, check_facts, evidence_of, take_apart
from assay.evidence.findings import Finding, check_findings
from assay.evidence.named_things import Named, check_named
from assay.evidence.phrases import Dimension
from assay.fixtures import Made
from assay.messages import tr
from assay.types.judgements import Evidence

if TYPE_CHECKING:
    from assay.sandbox import Sandbox

_IN_ALL = (
    "combined value", "combined amount", "combined total", "combined", "altogether", "in all",
    "in total", "overall", "sum", "add up to", "adds up to", "amount to", "amounting to",
    "amounts to", "come to", "comes to", "totalling", "totaling", "sums to", "sum to", "together",
    "taken together",
)  # fmt: skip
_MEASURES = Dimension(
    name="measure",
    owns_one=True,
    kinds={"orders": ("count",), "units": ("count",), "share": ("percent",)}
    | dict.fromkeys(("total", "amount", "average", "median", "largest", "smallest"), ("money",)),
    phrases={
        "orders": (
            "orders", "order", "number of orders", "order count", "total orders", "count",
            "total number of orders",
        ),
        "total": (
            "total", "total amount", "grand total", "total revenue", "total sales", "overall total",
            "total value", "total order amount", "total order value", "sum of all orders",
            "total turnover", "amount of all orders", "total amount of all orders",
            *_IN_ALL,
        ),
        "amount": (
            "amount", "revenue", "sales", "spend", "spending", "spent", "total", "total amount",
            "total spend", "total spent", "total revenue", "total sales", "turnover", "value",
            "total value", "worth", "lost revenue", "income", "brought in", "earned", *_IN_ALL,
        ),
        "average": (
            "average", "mean", "average amount", "average order amount", "average order value",
            "mean order amount", "mean amount", "average order", "avg", "avg order amount",
            "mean order value", "average amount per order", "average revenue per order",
        ),
        "median": ("median", "median amount", "median order amount", "median order value",
                   "median order"),
        "largest": (
            "largest order", "biggest order", "highest order", "maximum", "max", "largest amount",
            "highest amount", "maximum amount", "largest single order", "largest order amount",
            "highest order amount", "highest order value", "largest order value", "largest",
            "biggest", "biggest single order", "highest single order", "largest individual order",
            "highest value order", "single largest order", "top order", "most expensive order",
            "most valuable order", "most valuable one",
        ),
        "units": ("units", "units sold", "quantity", "qty", "pcs", "pieces", "items", "items sold",
                  "quantity sold", "total quantity", "total units", "total units sold", "sold",
                  "volume"),
        "share": ("share", "percentage", "percent", "proportion", "rate", "completion rate"),
        "smallest": ("smallest order", "lowest order", "minimum", "min"),
    },
)  # fmt: skip
_TOP = ("top", "best", "highest", "largest", "biggest", "most", "leading", "greatest", "strongest",
        "number one", "first", "lead*", "outsell*", "outsold", "maximum", "no. 1", "winner",
        "more than any", "more than anyone", "more than anybody", "more than all other*",
        "more than every*")  # fmt: skip
_FOR_AMOUNT = ("amount", "revenue", "sales", "value", "turnover", "earn*", "€", "euro", "money",
               "worth", "income", "monetary", "spend*")  # fmt: skip
_FOR_UNITS = ("unit", "quantity", "piece", "volume", "item", "units sold", "number sold")
_FOR_CUSTOMERS = ("customer", "client", "spend*", "spent", "buy*", "bought", "purchas*")
_NO_PRODUCT = (  # what else in a sentence with a product can be the greatest
    "cancel*", "customer", "client", "buyer",
    *(f"{top} {order}" for top in ("top", "largest", "biggest", "highest", "greatest", "maximum")
      for order in ("order", "* order", "order amount", "order value")),
)  # fmt: skip
_SPELLED = {number: (str(number), word) for number, word in enumerate(
    ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight"))}  # fmt: skip
_EURO = "€"


def examine(answer: str, made: Made, sandbox: Sandbox | None = None) -> Evidence:
    """What the answer says of the orders, against what is so."""
    facts = made.facts
    parts = take_apart(answer, made.files.values())
    customers = Dimension(name="customer", phrases=_by_name(facts["customers"]))
    products = Dimension(name="product", phrases=_by_name(facts["products"]))
    status = Dimension(
        name="status",
        phrases={
            "completed": ("completed", "complete", "completion"),
            "pending": ("pending",),
            "cancelled": ("cancelled", "canceled", "cancellation", "cancelling"),
        },
    )
    outcomes = [
        *check_facts(parts, _figures(facts), (customers, products, status, _MEASURES)),
        *check_named(parts, _names(facts, customers, products)),
        *check_findings(parts, [_cancellations(facts)]),
    ]
    return evidence_of(outcomes)


def _by_name(things: list[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    return {one["name"]: (one["name"],) for one in things}


def _figures(facts: Any) -> list[Fact]:
    figures = [
        Fact(name="order count", shown=tr("number of orders"), value=Decimal(facts["orders"]),
             kind="count", names={"measure": "orders"}),
        _money("total amount", tr("total amount"), facts["total"], {"measure": "total"}),
        _money("average amount", tr("average amount"), facts["average"], {"measure": "average"}),
        _money("median amount", tr("median amount"), facts["median"], {"measure": "median"}),
        _money("largest order", tr("amount of the largest order"), facts["largest"]["amount"],
               {"measure": "largest"}),
    ]  # fmt: skip
    optional = frozenset({"measure"})
    for number, one in enumerate(facts["customers"], 1):
        shown = tr("amount of customer {name}", name=one["name"])
        names = {"customer": one["name"], "measure": "amount"}
        figures.append(_money(f"customer amount {number}", shown, one["amount"], names, optional))
    for number, one in enumerate(facts["products"], 1):
        shown = tr("amount of product {name}", name=one["name"])
        names = {"product": one["name"], "measure": "amount"}
        figures.append(_money(f"product amount {number}", shown, one["amount"], names, optional))
    units = next(one["units"] for one in facts["products"] if one["name"] == facts["by_units"])
    figures.append(
        Fact(name="most units", shown=tr("units of product {name}", name=facts["by_units"]),
             value=Decimal(units), kind="count",
             names={"product": facts["by_units"], "measure": "units"})
    )  # fmt: skip
    for status, count in facts["statuses"].items():
        figures.append(
            Fact(name=f"status {status}", shown=tr("orders with status {status}", status=status),
                 value=Decimal(count), kind="count",
                 names={"status": status, "measure": "orders"}, optional=optional)
        )  # fmt: skip
    figures.append(
        Fact(name="completed share", shown=tr("share of completed orders"),
             value=facts["completed_share"], kind="percent",
             names={"status": "completed", "measure": "share"}, optional=optional)
    )  # fmt: skip
    shown = tr("amount of cancelled orders")
    names = {"status": "cancelled", "measure": "amount"}
    figures.append(_money("cancelled amount", shown, facts["cancelled_amount"], names, optional))
    return figures


def _money(
    name: str,
    shown: str,
    value: int | Decimal,
    names: dict[str, str],
    optional: frozenset[str] = frozenset(),
) -> Fact:
    return Fact(
        name=name, shown=shown, value=Decimal(value), kind="money", names=names,
        optional=optional, currency=_EURO,
    )  # fmt: skip


def _names(facts: Any, customers: Dimension, products: Dimension) -> list[Named]:
    return [
        Named(
            name="top customer",
            shown=tr("customer with the greatest amount"),
            right=facts["customers"][0]["name"],
            dimension=customers,
            cues=(_TOP, _FOR_CUSTOMERS),
        ),
        Named(
            name="top product by amount",
            shown=tr("product with the greatest amount"),
            right=facts["products"][0]["name"],
            dimension=products,
            cues=(_TOP, _FOR_AMOUNT),
            against=_FOR_UNITS,
            never=_NO_PRODUCT,
        ),
        Named(
            name="top product by units",
            shown=tr("product with the most units"),
            right=facts["by_units"],
            dimension=products,
            cues=(_TOP, _FOR_UNITS),
            against=_FOR_AMOUNT,
            never=_NO_PRODUCT,
        ),
    ]


def _all_but_one(product: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """Ways to make an exception from what is said of all orders. It must be another product, or an
    order of which nothing is said: who excepts the product itself says the contrary.
    """
    ways: list[str] = []
    for but in ("exception of", "except", "except for", "apart from", "aside from", "other than"):
        ways += [
            f"{but} {lead}{other}"
            for other in others
            for lead in ("", "* ", "* * ", "* order for a ", "* order for the ", "* order of ")
        ]
        ways += [
            f"{lead} {product}*{mark} {but} {one}"
            for lead in ("for", "for the", "for a", "of")
            for mark in ("", ",")
            for one in ("one", "a single")
        ]
        ways += [
            f"{but} {one} order, {all_}" for one in ("one", "a single") for all_ in ("all", "every")
        ]
    return tuple(ways)


def _cancellations(facts: Any) -> Finding:
    """Nearly all cancelled orders are for one product."""
    cancelled = facts["cancelled"]
    count, every = _SPELLED[cancelled["count"]], _SPELLED[cancelled["all"]]
    product, cancel = (cancelled["product"],), ("cancel*",)
    others = tuple(one["name"] for one in facts["products"] if one["name"] != cancelled["product"])
    return Finding(
        name="cancellations on one product",
        shown=tr("most cancelled orders are for {name}", name=cancelled["product"]),
        needs=(
            product,
            cancel,
            (
                *(f"{one} of" for one in count), *(f"{one} out of" for one in count),
                f"{count[0]}/{every[0]}", "80%", "80 %", "most", "mostly", "nearly all",
                "almost all", "majority", "concentrat*", "cluster*", "all but", "main*", "dominat*",
                "predominant*", "primarily", "chiefly", "largely", "overwhelming*", "80 percent",
                "80 per cent",
            ),
        ),
        or_else=(
            (product, cancel, count, every),  # of five cancelled orders, four were for it
            (product, cancel, ("all", "every"), _all_but_one(product[0], others)),
        ),
        rivals=others,
        most_rivals=1,
    )  # fmt: skip
