"""Draws the orders that the prompt shows, others that only the checker sees, and what is asked.

The rule comes from the seed too: a query that was right for another seed is wrong for this one.
"""

import random
from typing import Any

REGIONS = ("North", "South", "East", "West", "Coast")
STATES = ("paid", "shipped", "packed", "returned", "cancelled")


def make(seed: int) -> dict[str, Any]:
    """The same seed gives the same orders and the same rule."""
    draw = random.Random(seed)
    rule = {
        "status": draw.choice(STATES),
        "least": 10 * draw.randint(11, 59),
        "first": draw.choice(("largest", "smallest")),
    }
    rows = draw_orders(draw, draw.randint(16, 22), rule)
    sums = sum_by_region(rows, rule)
    lines = ["id,region,status,amount", *(",".join(map(str, row)) for row in rows)]
    return {
        "files": {"orders.csv": "\n".join(lines), "rule.md": describe(rule)},
        "truth": {
            **rule,
            "rows": rows,
            "hidden_rows": draw_orders(draw, draw.randint(30, 50), rule),
            "direction": "DESC" if rule["first"] == "largest" else "ASC",
            "other_direction": "ASC" if rule["first"] == "largest" else "DESC",
            "first_region": sums[0][0],
            "first_amount": sums[0][2],
            "orders": sum(orders for _, orders, _ in sums),
        },
    }


def describe(rule: dict[str, Any]) -> str:
    """What counts, as the prompt says it."""
    return (
        f"Only orders with the status {rule['status']} and an amount of at least {rule['least']} "
        f"euros count. The {rule['first']} sum comes first."
    )


def draw_orders(draw: random.Random, count: int, rule: dict[str, Any]) -> list[list[Any]]:
    """Orders in which no two regions have the same sum, and one that does not count is largest."""
    other = next(state for state in STATES if state != rule["status"])
    while True:
        rows: list[list[Any]] = [
            [number, draw.choice(REGIONS), draw.choice((rule["status"], draw.choice(STATES))),
             10 * number]
            for number in draw.sample(range(1, 200), count)
        ]  # fmt: skip
        rows.append([200, draw.choice(REGIONS), other, 5000])
        draw.shuffle(rows)
        sums = [amount for _, _, amount in sum_by_region(rows, rule)]
        if len(sums) > 2 and len(set(sums)) == len(sums):
            return rows


def sum_by_region(rows: list[list[Any]], rule: dict[str, Any]) -> list[tuple[str, int, int]]:
    """What the query should give: region, number of orders, amount, in the order asked for."""
    found: dict[str, list[int]] = {}
    for _, region, status, amount in rows:
        if status == rule["status"] and amount >= rule["least"]:
            found.setdefault(region, []).append(amount)
    sums = [(region, len(amounts), sum(amounts)) for region, amounts in found.items()]
    return sorted(sums, key=lambda each: each[2], reverse=rule["first"] == "largest")
