"""Shipment records with faults of eight kinds, and sound records that look faulty."""

from datetime import date, timedelta
from random import Random
from typing import Any

from assay.checking import state_lines

Row = dict[str, Any]

FIRMS = (
    ("Hartwell Printing", "Hartwel Printing"), ("Osgood Ceramics", "Osgod Ceramics"),
    ("Lindrum Optics", "Lyndrum Optics"), ("Peverell Tools", "Peverel Tools"),
    ("Marchbank Paper", "Marchbanks Paper"), ("Rosslyn Textiles", "Roslyn Textiles"),
    ("Quarrie Glass", "Quarry Glass"), ("Stennard Pumps", "Stenard Pumps"),
)  # fmt: skip
CITIES = ("Leith", "Bergen", "Ghent", "Turku", "Porto", "Graz", "Lund", "Brno")
COLUMNS = ("record", "customer", "ordered", "delivered", "weight_kg", "quantity", "unit_price",
           "total")  # fmt: skip
ROW_FAULTS = ("duplicate_record", "impossible_date", "delivered_before_ordered", "wrong_total",
              "wrong_unit", "unknown_customer", "impossible_quantity")  # fmt: skip


def make(seed: int) -> dict[str, Any]:
    rng = Random(f"data_validation:{seed}")
    customers, twins = draw_customers(rng)
    listed = [one["customer"] for one in customers]
    rows = draw_rows(rng, listed)
    odd = plant_lookalikes(rng, rows)
    used = [row for _, some in odd for row in some]
    faults = plant_faults(rng, rows, used, listed)
    first = rng.randrange(3, 60) * 10
    for place, row in enumerate(rows):
        row["record"] = f"R{first + place:03d}"
    problems = [
        {"records": [row["record"] for row in some], "kind": kind, "value": value}
        for kind, some, value, _ in faults
    ]
    problems.append({"records": twins, "kind": "duplicate_customer", "value": None})
    lookalikes = [
        {"records": sorted(row["record"] for row in some), "reason": reason} for reason, some in odd
    ]
    faulty = {id(row) for _, some, _, _ in faults for row in some}
    block = {
        "problems": problems,
        "odd_but_sound": lookalikes,
        "sound_records": len(rows) - len(faulty),
    }
    stated = [fault[3] for fault in faults] + [None]
    named: dict[str, Any] = {}
    for kind, some, value, _ in faults:
        named[kind] = [*named.get(kind, []), *(row["record"] for row in some)]
        if key := {"wrong_total": "right_total", "wrong_unit": "right_weight"}.get(kind):
            named[f"{key}, {some[0]['record']}"] = value
    named["duplicate_customer"] = twins
    odd_named: dict[str, Any] = {}
    for reason, some in odd:
        odd_named[reason] = [*odd_named.get(reason, []), *(row["record"] for row in some)]
    return {
        "files": {"shipments.csv": write_csv(rows), "customers.csv": write_csv(customers)},
        "truth": {
            **block,
            "problem_lines": "\n".join(state_lines(named).values()),
            "odd_lines": "\n".join(state_lines(odd_named).values()),
            "records": [row["record"] for row in rows],
            "customers": listed,
            # For the wrong answers.
            "as_stated": [
                one | {"value": value} for one, value in zip(problems, stated, strict=True)
            ],
            "with_lookalikes": [
                *problems,
                {"records": lookalikes[0]["records"], "kind": "duplicate_record", "value": None},
                {"records": lookalikes[1]["records"], "kind": "impossible_date", "value": None},
            ],
        },
    }


def draw_customers(rng: Random) -> tuple[list[Row], list[str]]:
    firms, cities = rng.sample(FIRMS, 6), rng.sample(CITIES, 6)
    customers: list[Row] = [
        {"customer": "", "name": firm[0], "city": city}
        for firm, city in zip(firms, cities, strict=True)
    ]
    customers.append({"customer": "", "name": firms[0][1], "city": cities[0]})
    twins = [customers[0], customers[-1]]
    rng.shuffle(customers)
    for one, number in zip(customers, sorted(rng.sample(range(11, 89), 7)), strict=True):
        one["customer"] = f"C{number}"
    return customers, sorted(one["customer"] for one in twins)


def draw_rows(rng: Random, customers: list[str]) -> list[Row]:
    """Sound records around the end of February in a leap year."""
    day = date(rng.choice((2020, 2024)), 1, 25) + timedelta(days=rng.randrange(14))
    rows = []
    for _ in range(rng.randrange(19, 25)):
        quantity, price = rng.randrange(2, 25), rng.randrange(8, 90)
        late = rng.randrange(2, 9)
        if is_leap_day(day):
            day += timedelta(days=1)
        late += is_leap_day(day + timedelta(days=late))
        fields: tuple[Any, ...] = ("", rng.choice(customers), day, day + timedelta(days=late))
        fields += (rng.randrange(40, 390) / 10, quantity, price, quantity * price)
        rows.append(dict(zip(COLUMNS, fields, strict=True)))
        day += timedelta(days=rng.randrange(2, 6))
    return rows


def is_leap_day(day: date) -> bool:
    return (day.month, day.day) == (2, 29)


def plant_lookalikes(rng: Random, rows: list[Row]) -> list[tuple[str, list[Row]]]:
    """Sound records that a hasty reader calls faulty."""
    leap_day = date(rows[0]["ordered"].year, 2, 29)
    leap = rng.choice([row for row in rows if 2 <= (leap_day - row["ordered"]).days <= 8])
    leap["delivered"] = leap_day
    first, again, *quick = rng.sample([row for row in rows if row is not leap], rng.randrange(3, 5))
    for field in ("customer", "weight_kg", "quantity", "unit_price", "total"):
        again[field] = first[field]
    for row in quick:
        row["delivered"] = row["ordered"]
    return [
        ("repeat_order", [first, again]),
        ("leap_day", [leap]),
        *(("same_day", [row]) for row in quick),
    ]


def plant_faults(
    rng: Random, rows: list[Row], used: list[Row], customers: list[str]
) -> list[tuple[str, list[Row], Any, Any]]:
    """Faults in rows of their own: kind, rows, the right value and the stated one."""
    kinds = [*ROW_FAULTS, *rng.sample(ROW_FAULTS, 2)]
    free = [row for row in rows if not any(row is one for one in used)]
    faults = []
    for kind, row in zip(kinds, rng.sample(free, len(kinds)), strict=True):
        field = {"wrong_total": "total", "wrong_unit": "weight_kg"}.get(kind)
        right = row[field] if field else None
        some = [row]
        if kind == "duplicate_record":
            some.append(dict(row))
            place = next(n for n, one in enumerate(rows) if one is row)
            rows.insert(min(place + rng.randrange(2, 6), len(rows)), some[1])
        else:
            spoil(rng, row, kind, customers)
        faults.append((kind, some, right, row[field] if field else None))
    return faults


def spoil(rng: Random, row: Row, kind: str, customers: list[str]) -> None:
    ordered: date = row["ordered"]
    match kind:
        case "impossible_date":
            # A day after the order, so that nothing else is wrong with it.
            days = [f"{ordered.year}-{end}" for end in ("02-30", "02-31", "04-31", "06-31")]
            row["delivered"] = rng.choice([day for day in days if day > ordered.isoformat()][:2])
        case "delivered_before_ordered":
            row["delivered"] = ordered - timedelta(days=rng.randrange(3, 12))
            if is_leap_day(row["delivered"]):
                row["delivered"] -= timedelta(days=1)
        case "wrong_total":
            row["total"] += rng.choice((10, 20, 30, 45, 54)) * rng.choice((1, -1, 1))
            row["total"] += 90 * (row["total"] <= 0)
        case "wrong_unit":
            row["weight_kg"] = round(row["weight_kg"] * 1000, 1)
        case "unknown_customer":
            row["customer"] = f"C{rng.randrange(90, 99)}"
        case "impossible_quantity":
            row["quantity"] *= rng.choice((-1, -1, 0))
            row["total"] = row["quantity"] * row["unit_price"]


def write_csv(rows: list[Row]) -> str:
    return "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)])
