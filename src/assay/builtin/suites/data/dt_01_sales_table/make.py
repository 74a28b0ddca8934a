"""An order table. The product with the most units is not the one with the greatest amount, and all
but one of the cancelled orders are for one product.
"""

import json
from collections import Counter
from datetime import date, timedelta
from random import Random
from statistics import median
from typing import Any, NamedTuple

from assay.checking import state_lines

CUSTOMERS = (
    "Brackenfold", "Calder & Roe", "Dunmorrow", "Eastlathe", "Fennimore", "Garrowby", "Hollinstead",
    "Imberdale", "Jutland Row", "Kestrelby", "Larkspire", "Marrowfield",
)  # fmt: skip
CHEAP = ("desk mat", "cable tray", "pen rack", "foot rest")
DEAR = (
    "arm lamp", "drawer chest", "monitor arm", "task chair", "whiteboard", "filing cart",
    "wall clock",
)  # fmt: skip


class Order(NamedTuple):
    order: str
    date: date
    customer: str
    product: str
    quantity: int
    unit_price: int
    amount: int
    status: str


def make(seed: int) -> dict[str, Any]:
    rng = Random(f"sales_table:{seed}")
    orders = draw_orders(rng)
    while not has_clear_answers(orders):
        orders = draw_orders(rng)
    right = summarise(orders)
    rounded = {key: round(right[key], n) for key, n in (("average", 2), ("completed_share", 1))}
    lines = [",".join(map(str, row)) for row in (Order._fields, *orders)]
    return {
        "files": {"orders.csv": "\n".join(lines) + "\n"},
        "truth": {
            "right": right,
            "block": json.dumps(right | rounded, indent=2),
            "lines": state_lines(right | rounded),
        },
    }


def draw_orders(rng: Random) -> list[Order]:
    rows = rng.randrange(21, 28)
    customers = rng.sample(CUSTOMERS, rng.randrange(4, 7))
    cheap = rng.choice(CHEAP)
    dear = rng.sample(DEAR, rng.randrange(3, 5))
    prices = {cheap: rng.randrange(9, 17)} | dict(
        zip(dear, rng.sample(range(38, 130), len(dear)), strict=True)
    )
    goods = ([cheap] * 6 + dear * 6)[:rows]
    rng.shuffle(goods)
    statuses = draw_statuses(rng, goods, rng.choice(dear))
    day = date(2025, rng.choice((1, 4, 7, 10)), 1) + timedelta(days=rng.randrange(3))
    number = rng.randrange(2100, 7900)
    orders = []
    for thing, status in zip(goods, statuses, strict=True):
        quantity = rng.randrange(8, 19) if thing == cheap else rng.randrange(1, 8)
        amount = quantity * prices[thing]
        buyer = rng.choice(customers)
        orders.append(
            Order(f"A{number}", day, buyer, thing, quantity, prices[thing], amount, status)
        )
        number += rng.randrange(1, 6)
        day += timedelta(days=rng.randrange(1, 5))
    return orders


def draw_statuses(rng: Random, goods: list[str], shaky: str) -> list[str]:
    """Four or five cancelled orders, one of them not for the shaky product; some pending ones."""
    own = [place for place, name in enumerate(goods) if name == shaky]
    other = [place for place, name in enumerate(goods) if name != shaky]
    statuses = ["completed"] * len(goods)
    for place in [*rng.sample(own, min(len(own), rng.randrange(3, 5))), rng.choice(other)]:
        statuses[place] = "cancelled"
    free = [place for place, status in enumerate(statuses) if status == "completed"]
    for place in rng.sample(free, rng.randrange(6, 9)):
        statuses[place] = "pending"
    return statuses


def summarise(orders: list[Order]) -> dict[str, Any]:
    """The block that is asked for, its shares not yet rounded."""
    amounts = [order.amount for order in orders]
    statuses = Counter(order.status for order in orders)
    cancelled = [order for order in orders if order.status == "cancelled"]
    shaky, count = Counter(order.product for order in cancelled).most_common(1)[0]
    customers = add_up(orders, "customer", "amount")
    amount_of, units_of = (add_up(orders, "product", what) for what in ("amount", "quantity"))
    largest = max(orders, key=lambda order: order.amount)
    return {
        "orders": len(orders),
        "total": sum(amounts),
        "average": sum(amounts) / len(orders),
        "median": median(amounts),
        "largest_order": largest.order,
        "largest_amount": largest.amount,
        "customers": customers,
        "top_customer": max(customers, key=customers.__getitem__),
        "products": {
            name: {"units": units_of[name], "amount": amount_of[name]} for name in amount_of
        },
        "top_product_by_amount": max(amount_of, key=amount_of.__getitem__),
        "top_product_by_units": max(units_of, key=units_of.__getitem__),
        "completed": statuses["completed"],
        "pending": statuses["pending"],
        "cancelled": statuses["cancelled"],
        "completed_share": 100 * statuses["completed"] / len(orders),
        "cancelled_amount": sum(order.amount for order in cancelled),
        "cancelled_product": shaky,
        "cancelled_product_orders": count,
    }


def add_up(orders: list[Order], by: str, what: str) -> dict[str, int]:
    sums: Counter[str] = Counter()
    for order in orders:
        sums[getattr(order, by)] += getattr(order, what)
    return dict(sorted(sums.items()))


def has_clear_answers(orders: list[Order]) -> bool:
    facts = summarise(orders)
    customers = sorted(facts["customers"].values())
    products = list(facts["products"].values())
    amounts = sorted(order.amount for order in orders)
    units = sorted(one["units"] for one in products)
    buyers = Counter(order.customer for order in orders if order.status == "cancelled")
    return (
        len({*customers}) == len(customers) > 3
        and len({one["amount"] for one in products}) == len(products)
        and amounts[-2] < amounts[-1]
        and units[-2] < units[-1]
        and facts["top_product_by_units"] != facts["top_product_by_amount"]
        and 20 * customers[-1] > 21 * customers[-2]
        and abs(facts["median"] - facts["average"]) > 1
        and facts["cancelled_product_orders"] == facts["cancelled"] - 1 > 2
        and max(buyers.values()) <= facts["cancelled"] / 2  # they share no customer
    )
