"""Draws the orders that the prompt shows, and others that only the checker sees."""

import random

REGIONS = ("North", "South", "East", "West", "Coast")


def make(seed: int) -> dict[str, object]:
    """The same seed gives the same orders."""
    draw = random.Random(seed)
    rows = draw_orders(draw, draw.randint(12, 18))
    sums = sum_by_region(rows)
    lines = ["id,region,status,amount", *(",".join(map(str, row)) for row in rows)]
    return {
        "files": {"orders.csv": "\n".join(lines)},
        "truth": {
            "rows": rows,
            "hidden_rows": draw_orders(draw, draw.randint(20, 40)),
            "top_region": sums[0][0],
            "top_amount": sums[0][2],
            "paid_orders": sum(orders for _, orders, _ in sums),
        },
    }


def draw_orders(draw: random.Random, count: int) -> list[list[object]]:
    """Orders in which no two regions have the same sum, and a cancelled one is the largest."""
    while True:
        rows: list[list[object]] = [
            [number, draw.choice(REGIONS), draw.choice(("paid", "paid", "cancelled")), 10 * number]
            for number in draw.sample(range(1, 200), count)
        ]
        rows.append([200, draw.choice(REGIONS), "cancelled", 5000])
        draw.shuffle(rows)
        sums = [amount for _, _, amount in sum_by_region(rows)]
        if len(sums) > 2 and len(set(sums)) == len(sums):
            return rows


def sum_by_region(rows: list[list[object]]) -> list[tuple[str, int, int]]:
    """What the query should give: region, paid orders, amount; the largest amount first."""
    found: dict[str, list[int]] = {}
    for _, region, status, amount in rows:
        if status == "paid":
            found.setdefault(str(region), []).append(int(str(amount)))
    sums = [(region, len(amounts), sum(amounts)) for region, amounts in found.items()]
    return sorted(sums, key=lambda each: -each[2])
