"""Orders, stock and a support log: what matters shows only when they are joined.

The log repeats a ticket of one order and names an order that does not exist; one order is for a
product that is not in the stock; a damage ticket never says "damage". Fine products may have a next
delivery after an order is due, and large orders of short products may be due late enough.
"""

import json
from collections import Counter
from datetime import date, timedelta
from random import Random
from typing import Any

from assay.checking import state_lines

NAMES = (
    "camp stove", "trail lamp", "water filter", "pack frame", "rain cover", "tent pole",
    "ice axe", "map case", "bike pump", "rope bag",
)  # fmt: skip
SUPPLIERS = ("Vantor", "Ostmere", "Kilbride", "Sundale", "Torvik", "Halbrand")
CUSTOMERS = (
    "Peakhouse", "Greywater Sports", "Lodestone", "Fellside Rentals", "Blue Cairn", "Moorgate Club",
    "Northpaw", "Ridgeway Scouts",
)  # fmt: skip
DAMAGES = (
    "lid cracked on arrival", "frame was bent in the box", "two pieces dented",
    "hinge broken when unpacked", "casing split along the seam", "glass shattered",
)  # fmt: skip
NOT_ARRIVED = "has not arrived"
QUESTIONS = ("asks for a copy of the invoice", "wants to change the delivery address")
Row = dict[str, Any]


def make(seed: int) -> Row:
    rng = Random(f"three_sources:{seed}")
    right: Row = {}
    while not right:
        today = date(2025, rng.randrange(3, 11), rng.randrange(8, 15))
        orders, stock, texts = draw_orders(rng, today)
        tickets = draw_tickets(rng, orders, texts, today)
        rng.shuffle(stock)
        orders.sort(key=lambda one: str(one["order"]))
        right = join(orders, stock, tickets)
    lines = [",".join(orders[0]), *(",".join(map(str, one.values())) for one in orders)]
    files = {
        "orders.csv": "\n".join(lines) + "\n",
        "stock.json": "[\n" + ",\n".join(" " + json.dumps(one) for one in stock) + "\n]\n",
        "support.log": "".join(" ".join(one.values()) + "\n" for one in tickets),
    }
    truth = {
        "right": right,
        "block": json.dumps(right, indent=2),
        "lines": state_lines(right),
        "total": sum(one["amount"] for one in orders),
        "suppliers": sorted({one["supplier"] for one in stock}),
        "orders": [one["order"] for one in orders],
    }
    return {"files": files, "truth": truth}


def draw_orders(rng: Random, today: date) -> tuple[list[Row], list[Row], list[str]]:
    """Orders, stock, and what was said about the first of the orders. The first two products, of
    one supplier, are those that arrive broken.
    """
    letters = rng.choice(("LK", "FD", "GR", "MW"))
    *skus, unknown = [f"{letters}-{number}" for number in rng.sample(range(110, 980), 7)]
    names, suppliers = rng.sample(NAMES, 6), rng.sample(SUPPLIERS, 3)
    price = {sku: rng.randrange(17, 95) for sku in (*skus, unknown)}
    short = [skus[n] for n in rng.choice(([2, 4], [3, 5], [2, 5], [2, 3, 4]))]
    fine = [sku for sku in skus[2:] if sku not in short]
    broken = rng.randrange(3, 5)
    plan = [
        *((skus[n % 2], "shipped") for n in range(broken)),
        (fine[0], "shipped"),  # broken too, of another supplier
        (fine[-1], "shipped"),  # has not arrived
        *((rng.choice(fine), "open") for _ in range(rng.randrange(3, 5))),
        (unknown, "open"),
        *((sku, "open") for sku in short * 2),
    ]
    texts = [*rng.sample(DAMAGES, broken + 1), NOT_ARRIVED, *QUESTIONS]
    first, second, *others = rng.sample(CUSTOMERS, len(texts) - 3)
    buyers = [first] * 3 + [second] * 2 + others
    rng.shuffle(buyers)
    buyers += [rng.choice((second, *others)) for _ in plan]
    numbers = rng.sample(range(1200, 1290), len(plan))
    early = [True, False, *(rng.random() < 0.5 for _ in short * 2)]
    orders: list[Row] = []
    for (sku, status), buyer, number in zip(plan, buyers, numbers, strict=False):
        quantity = rng.randrange(6, 13) if sku in short else rng.randrange(2, 8)
        days = rng.randrange(2, 6) if sku in short and early.pop(0) else rng.randrange(16, 27)
        due = today + timedelta(days=days if status == "open" else -rng.randrange(1, 8))
        orders.append(
            {
                "order": f"O-{number}", "customer": buyer, "sku": sku, "quantity": quantity,
                "amount": quantity * price[sku], "due": str(due), "status": status,
            }
        )  # fmt: skip
    wanted = count_open(orders)
    stock = []
    for n, sku in enumerate(skus):
        days = rng.randrange(8, 14) if sku in short else rng.randrange(5, 30)
        on_hand = rng.randrange(2, 6) if sku in short else wanted[sku] + rng.randrange(6, 30)
        stock.append(
            {
                "sku": sku, "name": names[n], "supplier": suppliers[n // 2], "on_hand": on_hand,
                "next_delivery": str(today + timedelta(days=days)),
            }
        )  # fmt: skip
    return orders, stock, texts


def draw_tickets(
    rng: Random, orders: list[Row], texts: list[str], today: date
) -> list[dict[str, str]]:
    known = {one["order"] for one in orders}
    ghost = rng.choice([f"O-{n}" for n in range(1201, 1289) if f"O-{n}" not in known])
    states = [("open", "closed")[n % 2] for n in range(len(texts))]
    rng.shuffle(states)
    said = [(one["order"], *both) for one, *both in zip(orders, states, texts, strict=False)]
    again = next(order for order, state, _ in said if state == "open")
    said.append((ghost, rng.choice(("open", "closed")), "asks when it will be sent"))
    rng.shuffle(said)
    said.append((again, "open", "asks for an answer"))
    times = sorted(
        f"{today - timedelta(days=rng.randrange(1, 7))} {rng.randrange(8, 18):02d}:{minute}"
        for minute in rng.sample(range(10, 60), len(said))
    )
    number = rng.randrange(210, 870)
    tickets = []
    for time, (order, state, text) in zip(times, said, strict=True):
        tickets.append(
            {"time": time, "ticket": f"T-{number}", "order": order, "state": state, "text": text}
        )
        number += rng.randrange(1, 7)
    return tickets


def count_open(orders: list[Row]) -> Counter[str]:
    """Pieces in open orders, by SKU."""
    wanted: Counter[str] = Counter()
    for one in orders:
        wanted[one["sku"]] += one["quantity"] * (one["status"] == "open")
    return wanted


def join(orders: list[Row], stock: list[Row], tickets: list[dict[str, str]]) -> Row:
    """The block that is asked for; empty where two customers have the most tickets."""
    stock_of = {one["sku"]: one for one in stock}
    order_of = {one["order"]: one for one in orders}
    wanted = count_open(orders)
    known = [one for one in tickets if one["order"] in order_of]
    damaged = Counter(
        stock_of[order_of[one["order"]]["sku"]]["supplier"]
        for one in known
        if one["text"] in DAMAGES
    )
    supplier, damage_tickets = damaged.most_common(1)[0]
    counts = Counter(order_of[one["order"]]["customer"] for one in known).most_common(2)
    ghost = next(one for one in tickets if one["order"] not in order_of)
    stray = next(one for one in orders if one["sku"] not in stock_of)
    troubled = {one["order"] for one in tickets if one["state"] == "open"}
    return {} if counts[0][1] == counts[1][1] else {
        "shortfalls": {
            sku: wanted[sku] - one["on_hand"]
            for sku, one in stock_of.items()
            if wanted[sku] > one["on_hand"]
        },
        "late_orders": [
            one["order"]
            for one in orders
            if one["status"] == "open" and one is not stray
            and one["quantity"] > stock_of[one["sku"]]["on_hand"]
            and one["due"] < stock_of[one["sku"]]["next_delivery"]
        ],
        "damage_supplier": supplier,
        "damage_supplier_tickets": damage_tickets,
        "damage_tickets": damaged.total(),
        "unknown_order": ghost["order"],
        "unknown_order_ticket": ghost["ticket"],
        "unknown_sku": stray["sku"],
        "unknown_sku_order": stray["order"],
        "lost_order": next(one["order"] for one in tickets if one["text"] == NOT_ARRIVED),
        "amount_at_risk": sum(one["amount"] for one in orders if one["order"] in troubled),
        "most_tickets_customer": counts[0][0],
        "most_tickets": counts[0][1],
    }  # fmt: skip
