"""Two quarters of a firm's figures: the total grows, and one line of goods falls behind it."""

from random import Random
from typing import Any

from assay.checking import state_lines

Row = dict[str, Any]

LINES = (
    "Roofing", "Glazing", "Flooring", "Heating", "Lighting", "Fencing", "Plumbing", "Insulation",
)  # fmt: skip
STEPS = {"best": (55, 85), "falling": (-75, -45), "steady": (-8, 16), "rising": (4, 16)}  # ‰


def make(seed: int) -> dict[str, Any]:
    """Draw figures until each statement about them is clear."""
    rng = Random(f"quarterly_report:{seed}")
    while True:
        last = 3 * rng.randrange(2, 5)
        year = rng.choice((2024, 2025))
        months = [f"{year}-{month:02d}" for month in range(last - 5, last + 1)]
        sales, customers = draw_sales(rng, months), draw_customers(rng, months)
        facts, changes = find_facts(sales, customers)
        low, *middle, second, best = sorted(changes.values())
        if (
            3 < facts["revenue_change_percent"] < 14
            and low < -8
            and min(*middle, second) > -2
            and best - second > 4
            and abs(facts["gross_margin_percent"] - facts["previous_gross_margin_percent"]) > 0.2
        ):
            break
    shown = {
        key: round(value, 1) if isinstance(value, float) else value for key, value in facts.items()
    }
    return {
        "files": {"sales.csv": write_csv(sales), "customers.csv": write_csv(customers)},
        "truth": {"facts": facts, "block": shown, "lines": state_lines(shown)},
    }


def draw_sales(rng: Random, months: list[str]) -> list[Row]:
    lines = rng.sample(LINES, rng.randrange(4, 6))
    parts = ["best", "falling", *["steady"] * (len(lines) - 2)]
    levels = [100 * rng.randrange(900, 1300), *(100 * rng.randrange(380, 820) for _ in lines[1:])]
    costs = [rng.randrange(540, 700) for _ in lines]  # ‰ of revenue
    turn = rng.randrange(1, 4)  # the first month of the fall
    order = rng.sample(range(len(lines)), len(lines))
    rows = []
    for number, month in enumerate(months):
        for place in order:
            part = parts[place]
            if part == "falling" and number < turn:
                part = "rising"
            step = rng.randrange(*STEPS[part]) if number else 0
            levels[place] = levels[place] * (1000 + step) // 100_000 * 100
            cost = levels[place] * (costs[place] + rng.randrange(-8, 9) + 2 * number)
            row = {"month": month, "line": lines[place], "revenue": levels[place]}
            rows.append(row | {"cost": cost // 100_000 * 100})
    return rows


def draw_customers(rng: Random, months: list[str]) -> list[Row]:
    count = rng.randrange(420, 690)
    rows = []
    for number, month in enumerate(months):
        new, lost = rng.randrange(21, 38), rng.randrange(9, 14) + 2 * number
        rows.append({"month": month, "at_start": count, "new": new, "lost": lost})
        count += new - lost
    return rows


def find_facts(sales: list[Row], customers: list[Row]) -> tuple[Row, dict[str, float]]:
    """The keys of the block with exact values, and the change of each line in percent."""
    turn = customers[3]["month"]

    def total(field: str, *, now: bool, line: str = "") -> int:
        return sum(
            row[field]
            for row in sales
            if (row["month"] >= turn) == now and line in ("", row["line"])
        )

    names = sorted({row["line"] for row in sales})
    revenue, previous = total("revenue", now=True), total("revenue", now=False)
    now = {name: total("revenue", now=True, line=name) for name in names}
    before = {name: total("revenue", now=False, line=name) for name in names}
    changes = {name: change(now[name], before[name]) for name in names}
    best, falling = (pick(changes, key=lambda name: changes[name]) for pick in (max, min))
    levels = [row["revenue"] for row in sales if row["line"] == falling]
    falls = next((n for n in range(5) if levels[-1 - n] >= levels[-2 - n]), 5)
    end = customers[-1]
    facts = {
        "revenue": revenue,
        "previous_revenue": previous,
        "revenue_change_percent": change(revenue, previous),
        "gross_margin_percent": -change(total("cost", now=True), revenue),
        "previous_gross_margin_percent": -change(total("cost", now=False), previous),
        "revenue_by_line": now,
        "fastest_growing_line": best,
        "fastest_growing_line_change_percent": changes[best],
        "customers_at_end": end["at_start"] + end["new"] - end["lost"],
        "customers_lost": sum(row["lost"] for row in customers[3:]),
        "previous_customers_lost": sum(row["lost"] for row in customers[:3]),
        "declining_line": falling,
        "declining_line_change_percent": changes[falling],
        "declining_line_months": falls,
        "change_without_declining_line_percent": change(
            revenue - now[falling], previous - before[falling]
        ),
    }
    return facts, changes


def change(now: int, before: int) -> float:
    return 100 * (now - before) / before


def write_csv(rows: list[Row]) -> str:
    return "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)])
