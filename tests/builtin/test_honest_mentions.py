"""Right reports that also speak of other quantities keep all they have; those that give their own
names other values do not.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from assay.checkers import fill, gather, make_files
from assay.sandbox import open_sandbox
from assay.suites.test_folder import read_reference
from assay.types.tests import SHIPPED_SUITES

DATA = SHIPPED_SUITES / "data"
# Another period, a partial sum, a threshold, a part of the whole, a count beside a list.
HONEST = {
    "dt_01_sales_table": """\
- Completed orders: {completed}
- Orders above 500 euros: 7
- Orders in April: 12
- Total of the top three customers: 5,551 euros
- Total without cancelled orders: 6,904 euros
- Average amount of a completed order: 401.30 euros
- Second-largest order: A0001
- Share of the filing carts: 29 %

The average is {average} euros and the median {median}; {cancelled} of {orders} orders were
cancelled.
Of these orders 4 came late. An average of 300 euros would be too low a total for a profit.

| Status | Orders | Share |
|---|---|---|
| Completed | {completed} | {completed_share} % |
| Pending | {pending} | 20.1 % |

| Customer | Orders | Total |
|---|---|---|
| Anna | 5 | 1,000 |
| Bert | 3 | 700 |
""",
    "dt_02_email_thread": """\
| Date | Event |
|---|---|
| {collected_on} | Collected by the carrier |
| 2031-01-02 | Rest announced |

- Missing: {missing_pieces} of 99 pieces
- Delivered at first: 13 pieces

The overcharge of {overcharge} euros is 9 euros a piece.
Damage was noticed 3 days after the shortage.
""",
    "dt_03_three_sources": """\
- Damage tickets: T-561, T-577 and others, {damage_tickets} in all
- Tickets of other customers: 3

The amount at risk is {amount_at_risk} euros. The most tickets of a day were 2.
""",
    "dt_05_quarterly_report": """\
- Revenue in October: $372,000
- Gross margin of one line: 31.0 %
- Customers lost per month: 15, 20 and 23
- Revenue: up {revenue_change_percent} % on the previous quarter

| Metric | Quarter | Previous |
|---|---|---|
| Revenue | ${revenue} | ${previous_revenue} |
| Customers lost | {customers_lost} | {previous_customers_lost} |

Customers lost rose again. Without the declining line revenue would have been higher by 3 %.
""",
    "dt_06_patterns": """\
- Mailings in week 3: 1
- Busiest weekday: {busiest_weekday}
- Orders on other days: {other_days_average}

Contacts rise {lag_days} days after each of the {mailings} mailings; without one they are near 4.
""",
}


def values_of(truth: dict[str, Any]) -> dict[str, Any]:
    block = truth.get("block") or truth["right"]
    found: dict[str, Any] = json.loads(block) if isinstance(block, str) else block
    return found


@pytest.mark.parametrize("name", HONEST)
@pytest.mark.parametrize("seed", range(3))
def test_a_right_report_may_speak_of_other_quantities(name: str, seed: int) -> None:
    (made,) = make_files(DATA / name, [seed], None)
    answer = fill(read_reference(DATA / name), made.files, made.truth)
    said = HONEST[name].format(**values_of(dict(made.truth)))
    if name == "dt_05_quarterly_report":
        said = said.replace("{", "")
    report, fence, block = answer.rpartition("```json")
    (found,) = gather(DATA / name, [(f"{report}\n{said}\n{fence}{block}", made)], open_sandbox())
    assert not found.missing
    wrong = [(one.name, one.explanation) for one in found.checks if not one.passed]
    assert wrong == []


LINE = re.compile(r"^- (?P<name>[\w, &'.-]+?): (?P<value>\S.*)$", re.MULTILINE)


@pytest.mark.parametrize("name", ["dt_01_sales_table", "dt_05_quarterly_report"])
def test_what_is_not_read_in_a_right_report_costs_no_more_than_itself(name: str) -> None:
    (made,) = make_files(DATA / name, [1], None)
    answer = fill(read_reference(DATA / name), made.files, made.truth)
    report, fence, block = answer.rpartition("```json")
    first, rest = report.split("\n\n", 1)
    table = LINE.sub(r"| \g<name> | \g<value> | from the file |", report)
    table = re.sub(r"(?m)(?<!\|\n)^(?=\| )", "| Figure | Value | How |\n|---|---|---|\n", table)
    ways = {
        "note": f"{first}\n\nSee[^1].\n\n[^1]: The middle of the sorted amounts.\n\n{rest}",
        "small": f"{first}\n\n<small>Source: the file, own calculation.</small>\n\n{rest}",
        "columns": table,
    }
    items = [(f"{text}\n{fence}{block}", made) for text in ways.values()]
    found = gather(DATA / name, items, open_sandbox())
    assert {way: one.share for way, one in zip(ways, found, strict=True)} == dict.fromkeys(ways, 1)


@pytest.mark.parametrize("name", ["dt_02_email_thread", "dt_04_data_validation"])
def test_what_goes_on_below_a_value_belongs_to_it_unless_it_is_a_sentence(name: str) -> None:
    (made,) = make_files(DATA / name, [2], None)
    answer = fill(read_reference(DATA / name), made.files, made.truth)
    report, fence, block = answer.rpartition("```json")
    items = [
        (LINE.sub(rf"\g<0>\n  {more}", report) + fence + block, made)
        for more in ("minus 7", "This was worked out from all of the records above.")
    ]
    few, sentence = gather(DATA / name, items, open_sandbox())
    assert (few.share or 0) < 0.31
    assert sentence.share == 1


def other(text: str) -> str:
    """Another value in the same form."""
    if re.search(r"\d", text):
        return re.sub(r"\d", lambda one: str((int(one[0]) + 3) % 10), text)
    return "Norwick"


CYRILLIC = str.maketrans("aeopc", "аеорс")
WAYS = {
    "corrected": "- {name} (corrected): {other}",
    "real": "- real {name}: {other}",
    "correct before": "- correct: {name}: {other}",
    "arrow": "- {name} → {other}",
    "equals": "- {name} = {other}",
    "a colon of another kind": "- {name}ː {other}",
    "long dash": "- {name}—{other}",
    "other letters": "- {cyrillic}: {other}",
    "unseen letters": "- {unseen}: {other}",
    "backwards direction": "- {name}: {other}\u202a",
    "third column": "\n|#|name|value|\n|---|---|---|\n|1|{name}|{other}|\n",
    "heading": "\n### {name}\n\n{other}\n",
    "definition": "\n{name}\n: {other}\n",
    "below": "- {name}\n  - {other}",
    "break": "- {name}<br>{other}",
    "comment": "<!-- {name}: {other} -->",
    "fence": "```text\n{name} = {other}\n```",
    "header of one row": "\n|{name}|x|\n|---|---|\n|{other}|y|\n",
}


@pytest.mark.parametrize("name", ["dt_01_sales_table", "dt_02_email_thread", "dt_06_patterns"])
def test_another_value_of_a_name_takes_it_back_in_whatever_form(name: str) -> None:
    (made,) = make_files(DATA / name, [2], None)
    answer = fill(read_reference(DATA / name), made.files, made.truth)
    report, fence, block = answer.rpartition("```json")
    items = []
    for form in WAYS.values():
        said = [
            form.format(
                name=one["name"],
                other=other(one["value"]),
                cyrillic=one["name"].translate(CYRILLIC),
                unseen=one["name"][0] + "\u034f\u3164" + one["name"][1:],
            )
            for one in LINE.finditer(report)
        ]
        items.append((report + "\n\n" + "\n".join(said) + "\n\n" + fence + block, made))
    found = gather(DATA / name, items, open_sandbox())
    shares = {way: float(one.share or 0) for way, one in zip(WAYS, found, strict=True)}
    assert {way: share for way, share in shares.items() if share > 0.25} == {}
