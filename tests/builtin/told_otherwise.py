# ruff: noqa: E501
"""Right reports that tell their figures in tables and in sentences, as models write them.

Each is written for the block of any data seed. A language model wrote them together with
the rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from assay.checkers import Made

Block = dict[str, Any]
Writer = Callable[[Block], str]


def block_of(made: Made) -> Block:
    truth = made.truth
    found = truth.get("block") or truth.get("right")
    found = found or {key: truth[key] for key in ("problems", "odd_but_sound", "sound_records")}
    read: Block = json.loads(found) if isinstance(found, str) else dict(found)
    return read


def answer_of(report: str, block: Block) -> str:
    return f"{report}\n\n```json\n{json.dumps(block)}\n```\n"


def table(header: str, rows: Iterator[tuple[Any, ...]] | list[tuple[Any, ...]]) -> str:
    heads = [one.strip() for one in header.split("|")]
    lines = [heads, ["---"] * len(heads), *([str(one) for one in row] for row in rows)]
    return "\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def sales_tables(b: Block) -> str:
    figures = [
        ("Number of orders", b["orders"]), ("Total amount", f"{b['total']:,} €"),
        ("Average order amount", f"{b['average']:.2f} €"), ("Median order amount", f"{b['median']} €"),
        ("Largest order", b["largest_order"]), ("Largest order amount", f"{b['largest_amount']} €"),
    ]  # fmt: skip
    return f"""\
# Sales report

## Summary

The table below sums up what the order file holds; a few large orders pull the average up.
{table("Figure | Value", figures)}
## Customers
{table("Customer | Total amount (€)", list(b["customers"].items()))}
The top customer is **{b["top_customer"]}**.

## Products
{
        table(
            "Product | Units | Amount",
            [(k, v["units"], v["amount"]) for k, v in b["products"].items()],
        )
    }
By amount the top product is {b["top_product_by_amount"]}. By units the top product is
{b["top_product_by_units"]}.

## Status
{
        table(
            "Status | Orders | Share",
            [
                ("Completed", b["completed"], f"{b['completed_share']} %"),
                ("Pending", b["pending"], ""),
                ("Cancelled", b["cancelled"], ""),
            ],
        )
    }
The cancelled orders are worth {b["cancelled_amount"]} euros.

## Insight

Most cancelled orders are for one product, {b["cancelled_product"]}: {b["cancelled_product_orders"]}
of the cancelled orders are for that product. Check its price and stock.
"""


def sales_sentences(b: Block) -> str:
    customers = " ".join(f"{name} ordered for {x:,} euros." for name, x in b["customers"].items())
    products = " ".join(
        f"Of the {name}, {row['units']} units were sold for {row['amount']:,} euros."
        for name, row in b["products"].items()
    )
    return f"""\
## Summary
The supplier had {b["orders"]} orders with a total of {b["total"]:,} euros. The average order is
{b["average"]:.2f} euros, while the median is {b["median"]} euros. The largest order is
{b["largest_order"]}; its amount, the largest of all, is {b["largest_amount"]} euros.

## Customers
{customers} The top customer is therefore {b["top_customer"]}.

## Products
{products} The top product by amount is {b["top_product_by_amount"]}, and the top product by units is
{b["top_product_by_units"]}.

## Status
Of these orders {b["completed"]} are completed, {b["pending"]} are pending and {b["cancelled"]} are
cancelled. The completed share is {b["completed_share"]} %. The cancelled amount is
{b["cancelled_amount"]} euros.

## Insight
Most of the cancelled orders concern the product {b["cancelled_product"]}: {b["cancelled_product_orders"]}
of the cancelled orders are for this product. Ask the customers why.
"""


def sales_one_table(b: Block) -> str:
    """Every figure in one table, with notes that have numbers."""
    rows = [(key.replace("_", " "), value, f"row {at} of the sheet")
            for at, (key, value) in enumerate(b.items(), 1) if not isinstance(value, dict)]  # fmt: skip
    rows += [(f"customer {name}", value, "row 30") for name, value in b["customers"].items()]
    rows += [(f"{name} {key}", value, "row 40") for name, row in b["products"].items()
             for key, value in row.items()]  # fmt: skip
    words = (
        "All of it was computed from the rows of the file; what is cancelled counts as an order."
    )
    return "\n".join(
        f"## {one}\n\n{words}\n"
        for one in ("Summary", "Customers", "Products", "Status", "Insight")
    ) + table("Key | Value | Where", rows)


def sales_french(b: Block) -> str:
    """French prose, with the keys as they are in its tables."""
    rows = [(number, key, str(value).replace(".", ","))
            for number, (key, value) in enumerate(b.items(), 1) if not isinstance(value, dict)]  # fmt: skip
    rows += [(30, name, f"{value:,} €".replace(",", " ")) for name, value in b["customers"].items()]
    rows = [(at, *row[1:]) for at, row in enumerate(rows, 1)]
    return f"""\
## Summary

Le tableau suivant résume les commandes du fournisseur ; la médiane est bien plus basse que la
moyenne, parce que quelques commandes sont très grandes.
{table("N° | Nom | Valeur", rows)}
## Customers

Voir le tableau ci-dessus pour chaque client.

## Products
{table("Produit | units | amount", [(k, v["units"], v["amount"]) for k, v in b["products"].items()])}
## Status

Voir le tableau.

## Insight

La plupart des commandes annulées concernent un seul produit ; il faut en chercher la cause.
"""


def mail_tables(b: Block) -> str:
    orders = [(po, r["so"], r["consignment"], r["goods"], r["room"], r["quantity"])
              for po, r in b["orders"].items()]  # fmt: skip
    return f"""\
## Orders
{table("PO | SO | Consignment | Goods | Room | Quantity", orders)}
## Timeline
{
        table(
            "Date | Event",
            [
                (b["ordered_on"], "Orders placed; all ordered"),
                (b["collected_on"], "Collected by the carrier"),
                (b["shortage_noticed_on"], f"Shortage noticed for {b['short_po']}"),
                (b["damage_noticed_on"], f"Damage noticed for {b['damaged_po']}"),
                (b["rest_arrived_on"], "The rest arrived"),
            ],
        )
    }
## Issues
{
        table(
            "Issue | Order | Figure | Status",
            [
                (
                    "Short delivery",
                    b["short_po"],
                    f"{b['missing_pieces']} pieces missing",
                    "resolved",
                ),
                ("Damage", b["damaged_po"], f"{b['damaged_pieces']} pieces damaged", "open"),
                ("Overcharge", b["overcharged_po"], f"{b['overcharge']} euros", "open"),
            ],
        )
    }
The missing pieces travelled with consignment {
        b["rest_consignment"]
    }. Somebody should answer the buyer
before the invoice is paid, since nothing was promised in writing so far.
"""


def mail_sentences(b: Block) -> str:
    orders = "\n".join(
        f"- {po} has the supplier's number {r['so']} and travelled first with the consignment "
        f"{r['consignment']}. {po} is for {r['goods']}, quantity {r['quantity']}, room {r['room']}."
        for po, r in b["orders"].items()
    )
    return f"""\
## Orders
{orders}

## Timeline
1. The orders were placed on {b["ordered_on"]}.
2. They were collected by the carrier on {b["collected_on"]}.
3. The shortage was noticed on {b["shortage_noticed_on"]}.
4. The damage was noticed on {b["damage_noticed_on"]}.
5. The rest arrived on {b["rest_arrived_on"]}.

## Issues
{b["short_po"]} was delivered short, with {b["missing_pieces"]} pieces missing. The rest came with the
consignment {b["rest_consignment"]}. {b["damaged_po"]} had {b["damaged_pieces"]} damaged pieces.
{b["overcharged_po"]} was overcharged by {b["overcharge"]} euros.
"""


def sources_sentences(b: Block) -> str:
    short = " ".join(f"The shortfall of {sku} is {n} pieces." for sku, n in b["shortfalls"].items())
    return f"""\
## Shortages
{short}
## Late orders
The late orders are {", ".join(b["late_orders"])}, which nobody has told the customers yet.
## Damage
The supplier behind most damage tickets is {b["damage_supplier"]}. There are {b["damage_tickets"]} damage
tickets in all. Of these, {b["damage_supplier_tickets"]} damage tickets are about products of this supplier.
## Broken references
The ticket {b["unknown_order_ticket"]} names the unknown order {b["unknown_order"]}.
The order {b["unknown_sku_order"]} is for the unknown product (sku) {b["unknown_sku"]}.
## Lost shipment
The lost order is {b["lost_order"]}: it was shipped, and has not arrived.
## Amount at risk
The amount at risk is {b["amount_at_risk"]:,} euros.
## Customers
The customer with the most tickets is {b["most_tickets_customer"]}, with {b["most_tickets"]} tickets.
## Conclusions
Order what is short, write to the customers, and look for the parcel. Nothing here can wait.
"""


def sources_tables(b: Block) -> str:
    rows = [
        ("Late orders", ", ".join(b["late_orders"]), 1), ("Damage supplier", b["damage_supplier"], 2),
        ("Damage tickets of that supplier", b["damage_supplier_tickets"], 3),
        ("Damage tickets", b["damage_tickets"], 4), ("Unknown order", b["unknown_order"], 5),
        ("Unknown order: ticket", b["unknown_order_ticket"], 6), ("Unknown SKU", b["unknown_sku"], 7),
        ("Unknown SKU: order", b["unknown_sku_order"], 8), ("Lost order", b["lost_order"], 9),
        ("Amount at risk", f"€{b['amount_at_risk']:,}", 10),
        ("Customer with most tickets", b["most_tickets_customer"], 11),
        ("Most tickets", b["most_tickets"], 12),
    ]  # fmt: skip
    names = ("Shortages", "Late orders", "Damage", "Broken references", "Lost shipment",
             "Amount at risk", "Customers", "Conclusions")  # fmt: skip
    prose = (
        "Whoever orders should look here first, since stock, parcels and complaints hang together."
    )
    return "\n".join([
        *(f"## {one}\n\n{prose}\n" for one in names),
        table("SKU | Shortfall | Supplier", [(k, n, "see stock") for k, n in b["shortfalls"].items()]),
        table("Finding | Result | No.", rows),
    ])  # fmt: skip


def records_table(b: Block) -> str:
    rows = [(", ".join(one["records"]), one["kind"], "" if one["value"] is None else one["value"],
             "compare it with the delivery note") for one in b["problems"]]  # fmt: skip
    odd = [
        (", ".join(one["records"]), one["reason"].replace("_", " ")) for one in b["odd_but_sound"]
    ]
    return f"""\
## Problems
{table("Records | Kind | Right value | Correction", rows)}
## Odd but sound
{table("Records | Why they are sound", odd)}
## Prevention
All other {b["sound_records"]} records are sound. Compute the totals, use date fields and warn when a
record is typed twice; choose customers from the list and refuse quantities below one.
"""


def records_sentences(b: Block) -> str:
    lines = []
    for kind in dict.fromkeys(one["kind"] for one in b["problems"]):
        names = " and ".join(
            r for one in b["problems"] if one["kind"] == kind for r in one["records"]
        )
        lines.append(f"{kind.replace('_', ' ').capitalize()} was found with {names}.")
    for one in b["problems"]:
        if one["kind"] == "wrong_total":
            lines.append(f"The right total of {one['records'][0]} is {one['value']} euros.")
        if one["kind"] == "wrong_unit":
            lines.append(f"The right weight of {one['records'][0]} is {one['value']} kg.")
    odd = [f"{' and '.join(one['records'])} look odd: {one['reason'].replace('_', ' ')} is the reason."
           for one in b["odd_but_sound"]]  # fmt: skip
    problems = "\n\n".join(lines)
    sound = "\n\n".join(odd)
    return f"""\
## Problems

{problems}

## Odd but sound

{sound}

## Prevention

There are {b["sound_records"]} sound records. Types and lists of choices prevent most mistakes before
anybody saves them; a second pair of eyes finds the others.
"""


def quarter_tables(b: Block) -> str:
    return f"""\
# Quarterly report
## Executive summary
Sales grew, while one line shrinks behind the growing total; more customers leave than before.
## Key metrics
{
        table(
            "Metric | Quarter | Previous quarter | Change",
            [
                (
                    "Revenue",
                    f"${b['revenue']:,}",
                    f"${b['previous_revenue']:,}",
                    f"{b['revenue_change_percent']} %",
                ),
                (
                    "Gross margin",
                    f"{b['gross_margin_percent']} %",
                    f"{b['previous_gross_margin_percent']} %",
                    "",
                ),
                ("Customers at end", b["customers_at_end"], "", ""),
                ("Customers lost", b["customers_lost"], b["previous_customers_lost"], ""),
            ],
        )
    }
{table("Line | Revenue", [(k, f"${v:,}") for k, v in b["revenue_by_line"].items()])}
## What changed
{
        table(
            "Finding | Line | Change",
            [
                (
                    "Fastest growing line",
                    b["fastest_growing_line"],
                    f"{b['fastest_growing_line_change_percent']} %",
                ),
                ("Declining line", b["declining_line"], f"{b['declining_line_change_percent']} %"),
            ],
        )
    }
The declining line fell {
        b["declining_line_months"]
    } times in a row. Without the declining line the change
would be {b["change_without_declining_line_percent"]} %.
## Risks
It may go on falling, and the loss of customers may become faster over the winter.
## Recommendations
Ask those who left, and decide about that line until spring.
"""


def quarter_sentences(b: Block) -> str:
    lines = " ".join(f"The revenue of {k} was ${v:,}." for k, v in b["revenue_by_line"].items())
    return f"""\
## Executive summary
Revenue was ${b["revenue"]:,}. The previous revenue was ${b["previous_revenue"]:,}. That is a revenue
change of {b["revenue_change_percent"]} %.
## Key metrics
The gross margin was {b["gross_margin_percent"]} %. The previous gross margin was
{b["previous_gross_margin_percent"]} %. {lines} We had {b["customers_at_end"]} customers at the end.
We lost {b["customers_lost"]} customers. In the previous quarter {b["previous_customers_lost"]} customers
were lost.
## What changed
The fastest growing line is {b["fastest_growing_line"]}. The fastest growing line changed by
{b["fastest_growing_line_change_percent"]} %. The declining line is {b["declining_line"]}. The declining
line fell by {abs(b["declining_line_change_percent"])} %. The declining line fell
{b["declining_line_months"]} times in a row. The change without the declining line is
{b["change_without_declining_line_percent"]} %.
## Risks
Customers leave.
## Recommendations
Call them.
"""


def patterns_tables(b: Block) -> str:
    week = b["week_7"]
    return f"""\
## Weekly pattern
{
        table(
            "Pattern | Result | Unit",
            [
                ("Busiest weekday", b["busiest_weekday"], ""),
                ("Average of the busiest weekday", b["busiest_weekday_average"], "orders a day"),
                ("Average of the other days", b["other_days_average"], "orders a day"),
            ],
        )
    }
## Segments
{table("Segment | Change by week 6", [(k, f"{v} %") for k, v in b["change_by_segment"].items()])}
The declining segment is {b["declining_segment"]}. This declining segment had {
        b["declining_week_1"]
    }
orders in week 1. The declining segment had {b["declining_week_6"]} orders in week 6.
## Mailings
There were {b["mailings"]} mailings. The lag is {
        b["lag_days"]
    } days. Contacts after a mailing average
{b["contacts_after_mailing_average"]}. Contacts on all other days average {
        b["contacts_other_days_average"]
    }.
The unrelated peaks were on {" and ".join(b["unrelated_peaks"])}.
## Forecast
{
        table(
            "Week | Segment | Orders | Status",
            [("week 7", week["segment"], week["orders"], week["status"])],
        )
    }
## Advice
Plan more people for that day, and ask those who no longer order why they stay away.
"""


def patterns_german(b: Block) -> str:
    """German prose around a table with the keys."""
    rows = [(at, key, str(value).replace(".", ","), "Zeile 12")
            for at, (key, value) in enumerate(b.items(), 1)
            if not isinstance(value, dict | list)]  # fmt: skip
    rows += [(20, f"Segment {k}", f"{v} %", "Zeile 30") for k, v in b["change_by_segment"].items()]
    rows += [(30, f"week 7 {k}", v, "geschätzt") for k, v in b["week_7"].items()]
    rows = [(at, *row[1:]) for at, row in enumerate(rows, 1)]
    prose = ("Die Zahlen stehen in der Tabelle am Ende; sie folgen aus den Daten der sechs Wochen, und "
             "keine davon ist geschätzt, außer der letzten.")  # fmt: skip
    names = ("Weekly pattern", "Segments", "Mailings", "Forecast", "Advice")
    return "\n".join(f"## {one}\n\n{prose}\n" for one in names) + table(
        "Nr. | Name | Wert | Ort", rows
    )


def as_labels(b: Block) -> str:
    """Lines whose names have more words than the key."""
    lines = [f"- **The {key.replace('_', ' ')} of the file**: {value}" for key, value in b.items()
             if not isinstance(value, dict | list)]  # fmt: skip
    lines += [f"- {name} (customer) spent {value} euros" for name, value in b["customers"].items()]
    prose = "Each of these was computed from the rows; whoever doubts one can count again by hand."
    names = ("Summary", "Customers", "Products", "Status", "Insight")
    return "\n".join(f"## {one}\n\n{prose}\n" for one in names) + "\n".join(lines)


def quarter_html(b: Block) -> str:
    rows = "".join(
        f"<tr><td>{number}</td><td>{key.replace('_', ' ')}</td><td>{value}</td></tr>\n"
        for number, (key, value) in enumerate(b.items(), 1)
        if not isinstance(value, dict)
    )
    names = ("Executive summary", "Key metrics", "What changed", "Risks", "Recommendations")
    prose = (
        "The table has it all; sales grew, one line falls, and more customers leave than last time."
    )
    head = "<tr><th>No</th><th>Name</th><th>Value</th></tr>\n"
    return (
        "\n".join(f"## {one}\n\n{prose}\n" for one in names) + f"\n<table>\n{head}{rows}</table>\n"
    )


def quarter_across(b: Block) -> str:
    """Names in the header, values in one row."""
    flat = {key.replace("_", " "): value for key, value in b.items() if not isinstance(value, dict)}
    names = ("Executive summary", "Key metrics", "What changed", "Risks", "Recommendations")
    prose = "Ventes en hausse, une ligne en baisse, et davantage de clients perdus qu'au trimestre passé."
    lines = table(" | ".join(b["revenue_by_line"]), [tuple(b["revenue_by_line"].values())])
    return (
        "\n".join(f"## {one}\n\n{prose}\n" for one in names)
        + table(" | ".join(flat), [tuple(flat.values())])
        + lines
    )


def mail_ewe(b: Block) -> str:
    """Ewe prose, tables with the keys."""
    prose = ("Nya siawo katã tso agbalẽa me, eye xexlẽdzesi ɖesiaɖe le eƒe teƒe. Ele be woakpɔ nu si "
             "gblẽ la gbã, eye emegbe woagblɔe na amesiwo katã le dɔa wɔm fifia.")  # fmt: skip
    rows = [(at, key, value, f"nya {at}") for at, (key, value) in enumerate(b.items())
            if not isinstance(value, dict | list)]  # fmt: skip
    orders = [(po, r["so"], r["consignment"], r["goods"], r["room"], r["quantity"])
              for po, r in b["orders"].items()]  # fmt: skip
    return "\n".join([
        *(f"## {one}\n\n{prose}\n" for one in ("Orders", "Timeline", "Issues")),
        table("x | ŋkɔ | asixɔxɔ | teƒe", rows),
        table("po | so | consignment | goods | room | quantity", orders),
    ])  # fmt: skip


REPORTS: dict[str, tuple[str, Writer]] = {
    "sales, tables": ("dt_01_sales_table", sales_tables),
    "sales, sentences": ("dt_01_sales_table", sales_sentences),
    "sales, one table": ("dt_01_sales_table", sales_one_table),
    "sales, French": ("dt_01_sales_table", sales_french),
    "sales, longer names": ("dt_01_sales_table", as_labels),
    "e-mails, tables": ("dt_02_email_thread", mail_tables),
    "e-mails, sentences": ("dt_02_email_thread", mail_sentences),
    "e-mails, Ewe": ("dt_02_email_thread", mail_ewe),
    "sources, sentences": ("dt_03_three_sources", sources_sentences),
    "sources, tables": ("dt_03_three_sources", sources_tables),
    "records, table": ("dt_04_data_validation", records_table),
    "records, sentences": ("dt_04_data_validation", records_sentences),
    "quarter, tables": ("dt_05_quarterly_report", quarter_tables),
    "quarter, sentences": ("dt_05_quarterly_report", quarter_sentences),
    "quarter, HTML": ("dt_05_quarterly_report", quarter_html),
    "quarter, across": ("dt_05_quarterly_report", quarter_across),
    "patterns, tables": ("dt_06_patterns", patterns_tables),
    "patterns, German": ("dt_06_patterns", patterns_german),
}
