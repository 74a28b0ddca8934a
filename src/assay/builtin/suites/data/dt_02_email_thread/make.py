"""An e-mail thread about orders that nobody calls by the same name.

The buyer writes purchase order numbers, the supplier its own, the carrier consignments, people on
site the colour or the room. No message holds both numbers of an order. The carrier's plan for the
collection may differ from what it did.
"""

import json
from datetime import date, timedelta
from random import Random
from typing import Any

from assay.checking import state_lines

COMPANIES = ("Tarnbrook Hotels", "Mellish College", "Corvane Clinics", "Ostrey Museum")
SUPPLIERS = ("Pellworth Furnishing", "Addlebourne Contract", "Quillon Interiors")
CARRIERS = ("Swiftmoor Freight", "Harl & Daughters", "Northline Haulage")
PEOPLE = (
    "Ines Carrow", "Tomas Welk", "Bela Strand", "Rhona Pike", "Dario Venn", "Petra Lyle",
    "Osric Hale", "Mina Dorr", "Ravi Tolland", "Greta Sund",
)  # fmt: skip
ITEMS = (
    ("stacking chairs", "chairs"), ("oak tables", "tables"), ("steel cabinets", "cabinets"),
    ("reading lamps", "lamps"), ("wall shelves", "shelves"), ("bar stools", "stools"),
    ("folding screens", "screens"), ("bench seats", "benches"),
)  # fmt: skip
COLOURS = ("blue", "green", "grey", "red", "black", "white")
ROOMS = ("library", "canteen", "entrance", "workshop", "staff room", "gallery", "annexe")
Row = dict[str, Any]


def make(seed: int) -> Row:
    rng = Random(f"email_thread:{seed}")
    orders = draw_orders(rng, rng.randrange(3, 5))
    short, damage, price = rng.sample(orders, 3)
    missing, damaged = rng.sample(range(2, 9), 2)
    quoted, too_much, days_ago = rng.randrange(41, 88), rng.randrange(6, 15), rng.randrange(1, 3)
    rest = f"{short['consignment'][:3]}{rng.randrange(7000, 7999)}"
    still_open = rng.choice((["damage"], ["overcharge"], ["damage", "overcharge"]))
    start = date(2025, rng.randrange(2, 11), rng.randrange(3, 9))
    monday = start - timedelta(days=start.weekday())
    people = rng.sample(PEOPLE, 5)
    buyer, desk, driver, porter, clerk = (person.split()[0] for person in people)
    wanted = "; ".join(
        f"{o['po']}: {o['quantity']} {o['goods']} in {o['colour']}, for the {o['room']}"
        for o in orders
    )
    booked = ", ".join(f"the {o['noun']} are {o['so']}" for o in orders)
    travels = ", ".join(f"{o['so']} as {o['consignment']}" for o in (*orders[1:], orders[0]))
    wet = f"The wet ones in the {damage['room']} " + (
        "are still standing there and nobody has said when they will be replaced."
        if "damage" in still_open
        else "were exchanged at the same time."
    )
    invoice = "are still waiting for" if "overcharge" in still_open else "have"
    messages = [  # from, to, days after the first, subject, text
        (0, 1, 0, "New orders", f"Dear {desk},\nplease take these orders. {wanted}. Prices as in "
         f"your quote.\n{buyer}"),
        (1, 0, 1, "Re: New orders", f"Dear {buyer},\nall booked with us: {booked}. The carrier "
         f"wants to collect them on Thursday.\n{desk}"),
        (2, 1, 4, "Collection", f"{desk}, all of yours were collected "
         f"{('yesterday', 'the day before yesterday')[days_ago - 1]}: {travels}.\n{driver}"),
        (3, 0, 4, "Delivery", f"{buyer}, the {short['colour']} ones are here since this morning. "
         f"I counted them twice: {short['quantity'] - missing}. The others are not here yet.\n"
         f"{porter}"),
        (2, 1, 7, "Delivery note", f"{desk}, a note from my colleague on the road: with "
         f"{damage['consignment']}, handed over today, {damaged} pieces had stood in water. The "
         f"customer signed with a remark.\n{driver}"),
        (4, 1, 8, "Invoice", f"{desk}, your invoice for the {price['room']} has "
         f"{quoted + too_much} euros a piece. The quote said {quoted}. Please look into it; the "
         f"other invoices are fine.\n{clerk}"),
        (1, 0, 9, "Re: Delivery", f"{buyer}, sorry for the gap. What you did not get of "
         f"{short['so']} was left on our dock and goes out as {rest}. About the invoice and the "
         f"wet pieces I will ask.\n{desk}"),
        (0, 1, 14, "Re: Delivery", f"{desk}, the rest of the {short['colour']} ones came today, so "
         f"the {short['room']} is done. {wet} Accounts {invoice} a corrected invoice for the "
         f"{price['room']}.\n{buyer}"),
    ]  # fmt: skip
    company = rng.choice(COMPANIES)
    firms = (company, rng.choice(SUPPLIERS), rng.choice(CARRIERS), company, company)
    address = [
        f"{person} <{person.split()[0].lower()}@{firm.split()[0].lower()}.example>"
        for person, firm in zip(people, firms, strict=True)
    ]
    thread = [
        f"From: {address[sender]}\nTo: {address[reader]}\n"
        f"Date: {write_date(monday + timedelta(days=days))} {8 + place % 4 * 2:02d}:"
        f"{rng.randrange(10, 60)}:00 +0000\nSubject: {subject}\n\n{text}\n"
        for place, (sender, reader, days, subject, text) in enumerate(messages)
    ]
    days_after = {
        "ordered_on": 0, "collected_on": 4 - days_ago, "shortage_noticed_on": 4,
        "damage_noticed_on": 7, "rest_arrived_on": 14,
    }  # fmt: skip
    shown = ("so", "consignment", "goods", "room", "quantity")
    right = {
        "orders": {o["po"]: {key: o[key] for key in shown} for o in orders},
        **{key: str(monday + timedelta(days=days)) for key, days in days_after.items()},
        "short_po": short["po"],
        "missing_pieces": missing,
        "rest_consignment": rest,
        "damaged_po": damage["po"],
        "damaged_pieces": damaged,
        "overcharged_po": price["po"],
        "overcharge": price["quantity"] * too_much,
        "open_issues": still_open,
    }
    truth = {
        "right": right,
        "block": json.dumps(right, indent=2),
        "lines": state_lines(right),
        "goods": {o["po"]: name_goods(**o) for o in orders},
        "first_consignment": short["consignment"],
        "overcharge_a_piece": too_much,
    }
    return {"files": {"thread.txt": ("=" * 20 + "\n").join(thread)}, "truth": truth}


def draw_orders(rng: Random, count: int) -> list[Row]:
    letters = rng.choice(("KX", "HN", "VD", "TB"))
    columns: dict[str, list[Any]] = {
        "po": [f"PO {number}" for number in rng.sample(range(4100, 4990), count)],
        "so": [f"SO-{number}" for number in rng.sample(range(60100, 89990), count)],
        "consignment": [f"{letters}-{number}" for number in rng.sample(range(2100, 6990), count)],
        "colour": rng.sample(COLOURS, count),
        "item": rng.sample(ITEMS, count),
        "room": rng.sample(ROOMS, count),
        "quantity": rng.sample(range(18, 64), count),
    }
    rows = [{key: column[n] for key, column in columns.items()} for n in range(count)]
    return [row | dict(zip(("goods", "noun"), row["item"], strict=True)) for row in rows]


def name_goods(goods: str, noun: str, colour: str, **others: Any) -> list[str]:
    """What an answer may call them."""
    return [goods, noun, f"{colour} {goods}", f"{goods} in {colour}", f"{colour} {noun}"]


def write_date(day: date) -> str:
    """As RFC 5322 wants it, whatever the machine's language."""
    weekday = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[day.weekday()]
    month = "JanFebMarAprMayJunJulAugSepOctNovDec"[3 * day.month - 3 : 3 * day.month]
    return f"{weekday}, {day.day:02d} {month} {day.year}"
