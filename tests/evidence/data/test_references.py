"""A right answer is found right, however it is laid out; one change costs one check."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from assay.fixtures import make
from tests.evidence.data.references import (
    FILTERS,
    GENERATORS,
    PHRASINGS,
    examine,
    failed,
    reference,
)

Change = Callable[[str, Any], str]


@pytest.mark.parametrize("phrasing", PHRASINGS)
@pytest.mark.parametrize("generator", GENERATORS)
def test_a_right_answer_passes_every_check_at_every_seed(generator: str, phrasing: str) -> None:
    for seed in range(10 if phrasing != "chatty" else 3):
        evidence = examine(generator, reference(generator, phrasing, seed), seed)
        assert failed(evidence) == set(), seed
        assert not evidence.notes


@pytest.mark.parametrize("generator", GENERATORS)
def test_the_answer_for_another_seed_scores_little(generator: str) -> None:
    found = [
        examine(generator, reference(generator, "tables", seed), seed + 1) for seed in range(6)
    ]
    assert sum(one.passed for one in found) <= 0.3 * sum(one.total for one in found)


@pytest.mark.parametrize("generator", GENERATORS)
def test_checks_have_the_same_names_at_every_seed_and_no_name_twice(generator: str) -> None:
    names = [[check.name for check in examine(generator, "", seed).checks] for seed in range(4)]
    assert names[1:] == names[:-1]
    assert len(set(names[0])) == len(names[0])


# ------------------------------------------------------------------------------------- mutants


def swap(one: str, other: str) -> Change:
    def change(answer: str, facts: Any) -> str:
        return _swapped(answer, one.format(**facts), other.format(**facts))

    return change


def _swapped(answer: str, one: str, other: str) -> str:
    assert one in answer
    assert other in answer
    return re.sub(
        f"{re.escape(one)}|{re.escape(other)}",
        lambda match: other if match[0] == one else one,
        answer,
    )


def put(old: Callable[[Any], str], new: Callable[[Any], str]) -> Change:
    def change(answer: str, facts: Any) -> str:
        assert answer.count(old(facts)) == 1, old(facts)
        return answer.replace(old(facts), new(facts))

    return change


def drop(part: Callable[[Any], str]) -> Change:
    """Without the one line that holds such words."""

    def change(answer: str, facts: Any) -> str:
        lines = answer.splitlines()
        kept = [line for line in lines if part(facts) not in line]
        assert len(kept) == len(lines) - 1
        return "\n".join(kept)

    return change


def add(line: Callable[[Any], str]) -> Change:
    return lambda answer, facts: f"{answer}\n\n{line(facts)}\n"


def _euro(value: Any) -> str:
    return FILTERS["euro"](value)


def _event(facts: Any, name: str) -> Any:
    return next(one["date"] for one in facts["events"] if one["event"] == name)


def _order(facts: Any, trouble: str) -> Any:
    return next(one for one in facts["orders"] if one["trouble"] == trouble)


def _turn_timeline(answer: str, facts: Any) -> str:
    head, rows, tail = re.split(r"(?<=---\|\n)(\| 2025.*?)(?=\n\n## 3)", answer, flags=re.DOTALL)
    return head + "\n".join(reversed(rows.splitlines())) + tail


def _sound_record(facts: Any) -> str:
    faulty = str([value for key, value in facts.items() if key != "records"])
    return next(record for record in facts["records"] if record not in faulty)


def _sound_product(facts: Any) -> str:
    short = [one["sku"] for one in facts["short"]]
    return next(one["sku"] for one in facts["products"] if one["sku"] not in short)


def _other(names: Any, name: str) -> str:
    return next(one for one in names if one != name)


def _change(facts: Any, key: str) -> Any:
    return next(line["change"] for line in facts["lines"] if line["name"] == facts[key])


SALES: dict[str, tuple[str, Change, set[str]]] = {
    "another total": (
        "tables", put(lambda f: _euro(f["total"]), lambda f: _euro(f["total"] + 100)),
        {"total amount"}),
    "another average": (
        "tables", put(lambda f: _euro(f["average"]), lambda f: _euro(f["average"] + 3)),
        {"average amount"}),
    "another median": (
        "prose", put(lambda f: "the median is " + FILTERS["euro_fr"](f["median"]),
                     lambda f: "the median is " + FILTERS["euro_fr"](f["median"] + 1)),
        {"median amount"}),
    "another number of orders": (
        "tables", put(lambda f: "orders | 24 |", lambda f: "orders | 25 |"), {"order count"}),
    "one customer's amount is off": (
        "tables", put(lambda f: f"| {_euro(f['customers'][2]['amount'])} |",
                      lambda f: f"| {_euro(f['customers'][2]['amount'] + 10)} |"),
        {"customer amount 3"}),
    "two customers change places": (
        "prose", swap("{customers[1][name]}", "{customers[2][name]}"),
        {"customer amount 2", "customer amount 3"}),
    "another top customer": (
        "tables", put(lambda f: f"is **{f['customers'][0]['name']}**",
                      lambda f: f"is **{f['customers'][1]['name']}**"),
        {"top customer"}),
    "the top product by amount is named the top by units": (
        "tables", put(lambda f: f"by units: {f['by_units']}",
                      lambda f: f"by units: {f['products'][0]['name']}"),
        {"top product by units"}),
    "no word on the cancelled amount": (
        "tables", drop(lambda f: "have a total amount of"), {"cancelled amount"}),
    "the count of a status is off": (
        "tables", put(lambda f: f"| pending | {f['statuses']['pending']} |",
                      lambda f: f"| pending | {f['statuses']['pending'] + 1} |"),
        {"status pending"}),
    "cancellations are put on another product": (
        "prose", put(lambda f: f"concentrated on the {f['cancelled']['product']}",
                     lambda f: "concentrated on the "
                     + _other([p["name"] for p in f["products"]], f["cancelled"]["product"])),
        {"cancellations on one product"}),
}  # fmt: skip
EMAILS: dict[str, tuple[str, Change, set[str]]] = {
    "two supplier's numbers change places": (
        "tables", swap("{orders[0][so]}", "{orders[1][so]}"),
        {"order 1 numbers", "order 2 numbers"}),
    "two consignments change places": (
        "tables", swap("{orders[1][consignment]}", "{orders[2][consignment]}"),
        {"order 2 consignment", "order 3 consignment"}),
    "yesterday is taken for the day of the e-mail": (
        "tables", put(lambda f: f"| {_event(f, 'collected')} |",
                      lambda f: f"| {_event(f, 'collected') + timedelta(days=1)} |"),
        {"event collected"}),
    "the number of missing pieces is off": (
        "tables", put(lambda f: f"{f['missing']} pieces missing",
                      lambda f: f"{f['missing'] + 1} pieces missing"),
        {"missing pieces"}),
    "the overcharge of one piece only": (
        "tables", put(lambda f: f"€{f['overcharge']} in all",
                      lambda f: f"€{f['charged'] - f['quoted']} in all"),
        {"overcharge"}),
    "a quantity is off": (
        "tables", put(lambda f: f"| {f['orders'][0]['quantity']} |",
                      lambda f: f"| {f['orders'][0]['quantity'] + 2} |"),
        {"order 1 quantity"}),
    "the wrong issue is open": ("tables", swap("| open |", "| resolved |"), {"open issue"}),
    "the timeline runs backwards": ("tables", _turn_timeline, {"timeline in order"}),
    "the short delivery is left out of the issues": (
        "prose", drop(lambda f: f"{_order(f, 'short')['po']} was delivered short"),
        {"missing pieces"}),
}  # fmt: skip
SOURCES: dict[str, tuple[str, Change, set[str]]] = {
    "a shortfall is off": (
        "tables", put(lambda f: f"| {f['short'][0]['shortfall']} |",
                      lambda f: f"| {f['short'][0]['shortfall'] + 1} |"),
        {"shortfall 1"}),
    "a late order is left out": ("tables", drop(lambda f: f["late"][1]), {"late order 2"}),
    "another supplier": (
        "tables", put(lambda f: f"{f['damage']['supplier']} is the supplier",
                      lambda f: _other(f["suppliers"], f["damage"]["supplier"])
                      + " is the supplier"),
        {"supplier behind the damage", "damage tickets"}),
    "the amount at risk counts an order twice": (
        "tables", put(lambda f: _euro(f["at_risk"]), lambda f: _euro(f["at_risk"] + 217)),
        {"amount at risk"}),
    "another customer": (
        "tables", put(lambda f: f"{f['most_tickets']['customer']} has the most",
                      lambda f: _other(f["customers"], f["most_tickets"]["customer"])
                      + " has the most"),
        {"customer with the most tickets", "most tickets"}),
    "a known order is called unknown": (
        "tables", put(lambda f: f"about {f['unknown_order']['order']}",
                      lambda f: f"about {f['orders'][3]}"),
        {"unknown order"}),
    "a sound product is called short": (
        "tables", add(lambda f: f"{_sound_product(f)} is short as well."), {"no false alarms"}),
}  # fmt: skip
RECORDS: dict[str, tuple[str, Change, set[str]]] = {
    "no word on the duplicate": (
        "prose", drop(lambda f: "exact copy"), {"duplicate record"}),
    "no word on the date": (
        "tables", drop(lambda f: f["impossible_date"]["record"]), {"impossible date"}),
    "no word on the order of dates": (
        "chatty", drop(lambda f: f["reversed_dates"]["record"]), {"delivered before ordered"}),
    "no word on the total": (
        "tables", drop(lambda f: f["wrong_total"]["record"]), {"wrong total", "right total"}),
    "the right total is wrong": (
        "chatty", put(lambda f: f"expected total {f['wrong_total']['right']}",
                      lambda f: f"expected total {f['wrong_total']['right'] + 7}"),
        {"right total"}),
    "the weight is shifted by another factor": (
        "tables", put(lambda f: f"Put {f['wrong_unit']['right']} kg",
                      lambda f: f"Put {f['wrong_unit']['right'].replace('.', '')} kg"),
        {"right weight"}),
    "another record is said to have a negative quantity": (
        "prose", put(lambda f: f"{f['negative_quantity']['record']} has a negative",
                     lambda f: f"{f['wrong_unit']['record']} has a negative"),
        {"negative quantity"}),
    "no word on the names": (
        "tables", drop(lambda f: f["near_duplicate_names"][0]), {"near-duplicate customers"}),
    "a sound record is called faulty": (
        "tables", add(lambda f: f"{_sound_record(f)} is suspicious too."), {"no false alarms"}),
}  # fmt: skip
QUARTER: dict[str, tuple[str, Change, set[str]]] = {
    "growth is called a fall": (
        "tables", put(lambda f: ", up ", lambda f: ", down "), {"revenue change"}),
    "the revenue of a line is off": (
        "tables", put(lambda f: f"${f['lines'][3]['revenue']:,}",
                      lambda f: f"${f['lines'][3]['revenue'] + 10_000:,}"),
        {"line revenue 4"}),
    "another line falls": (
        "chatty", put(lambda f: f"**{f['falling']}** revenue",
                      lambda f: f"**{f['best']}** revenue"),
        {"adverse trend", "change of the falling line"}),
    "the margins change places": (
        "tables", lambda answer, f: _swapped(
            answer, FILTERS["percent"](f["margin"]), FILTERS["percent"](f["previous_margin"])),
        {"margin", "previous margin"}),
    "a section is left out": (
        "tables", lambda answer, f: answer.replace("## Risks\n", ""), {"section risks"}),
    "a section is empty": (
        "tables", lambda answer, f: answer[: answer.index("## Recommendations") + 18],
        {"section recommendations"}),
    "customers lost are off": (
        "prose", put(lambda f: f"{f['lost']} customers lost",
                     lambda f: f"{f['lost'] + 4} customers lost"),
        {"customers lost"}),
    "the change of the best line is rounded wrongly": (
        "tables", put(lambda f: FILTERS["signed_percent"](_change(f, "best")),
                      lambda f: FILTERS["signed_percent"](_change(f, "best") + 1)),
        {"change of the best line"}),
}  # fmt: skip
EVENTS: dict[str, tuple[str, Change, set[str]]] = {
    "another lag": (
        "chatty", put(lambda f: f"rise **{f['lag']} day", lambda f: f"rise **{f['lag'] + 1} day"),
        {"echo of mailings"}),
    "the other segment declines": (
        "prose", put(lambda f: f"Orders of {f['declining']['segment']}",
                     lambda f: f"Orders of {f['steady'][0]}"),
        {"declining segment", "first week", "last week", "change of the segment",
         "no false patterns"}),
    "the forecast is given as known": (
        "prose", lambda answer, f: answer.replace("Forecast (not observed)", "Outlook")
        .replace("would place roughly", "place").replace(", if the straight line holds", ""),
        {"forecast is marked"}),
    "the forecast is twice too high": (
        "tables", lambda answer, f: re.sub(
            r"about (\d+)", lambda match: f"about {2 * int(match[1])}", answer),
        {"forecast"}),
    "the decline has become growth": (
        "tables", put(lambda f: FILTERS["signed_percent"](f["declining"]["change"]),
                      lambda f: FILTERS["signed_percent"](-f["declining"]["change"])),
        {"change of the segment"}),
    "the number of mailings is off": (
        "tables", put(lambda f: f"were {f['mailings']} mailings",
                      lambda f: f"were {f['mailings'] + 1} mailings"), {"mailings"}),
    "another weekday is the busiest": (
        "chatty", put(lambda f: f"Busiest day: **{f['peak']['day']}**",
                      lambda f: "Busiest day: **"
                      + _other(("Monday", "Friday"), f["peak"]["day"]) + "**"),
        {"busiest weekday"}),
    "a steady segment is said to decline": (
        "tables", add(lambda f: f"The {f['steady'][0]} fall too."), {"no false patterns"}),
}  # fmt: skip
MUTANTS = {
    "sales_table": SALES, "email_thread": EMAILS, "three_sources": SOURCES,
    "dirty_records": RECORDS, "quarter_figures": QUARTER, "customer_events": EVENTS,
}  # fmt: skip


@pytest.mark.parametrize(
    ("generator", "mutant"), [(name, mutant) for name, some in MUTANTS.items() for mutant in some]
)
def test_a_mutant_loses_the_checks_it_should_and_no_other(generator: str, mutant: str) -> None:
    phrasing, change, lost = MUTANTS[generator][mutant]
    for seed in (0, 4):
        answer = reference(generator, phrasing, seed)
        mutated = change(answer, make(generator, seed).facts)
        assert mutated != answer
        assert failed(examine(generator, mutated, seed)) == lost, seed


def test_what_is_wrong_and_what_is_missing_are_told_apart() -> None:
    facts = make("sales_table", 0).facts
    answer = reference("sales_table", "tables", 0)
    answer = answer.replace(_euro(facts["total"]), "€9,999.00")
    answer = drop(lambda f: "have a total amount of")(answer, facts)
    evidence = examine("sales_table", answer, 0)
    assert evidence.notes == (
        "1 claim is wrong: total amount.",
        "1 thing is missing: cancelled amount.",
    )
    said = {check.name: check.explanation for check in evidence.checks if not check.passed}
    assert said["total amount"].startswith("total amount: the answer says €9,999.00, the data")
    assert said["cancelled amount"].startswith("amount of cancelled orders: not stated")
