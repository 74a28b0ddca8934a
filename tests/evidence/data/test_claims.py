"""A figure counts for the thing it is said of."""

from __future__ import annotations

from decimal import Decimal

import pytest

from assay.evidence.claims import Fact, check_facts, take_apart
from assay.evidence.false_alarms import alarms
from assay.evidence.findings import Finding, check_findings, check_sections
from assay.evidence.named_things import Named, check_named
from assay.evidence.passages import read_groups, read_lines, read_passages
from assay.evidence.phrases import Dimension

_REGIONS = Dimension(
    name="region", phrases={name: (name,) for name in ("North", "South", "East", "West")}
)
_MEASURES = Dimension(
    name="measure",
    owns_one=True,
    phrases={"orders": ("orders",), "sales": ("sales", "revenue"), "average": ("average",)},
    kinds={"orders": ("count",), "sales": ("money",), "average": ("money",)},
)


def _state(answer: str, value: int, kind: str, *, signed: bool = False, **names: str) -> str:
    fact = Fact(
        name="x", shown="x", value=Decimal(value), currency="$", names=names, signed=signed,
        kind="money" if kind == "$" else "percent" if kind == "%" else "count",
        optional=frozenset({"measure"} if len(names) > 1 else ()),
    )  # fmt: skip
    (outcome,) = check_facts(take_apart(answer, ()), [fact], (_REGIONS, _MEASURES))
    return outcome.state


@pytest.mark.parametrize(
    "answer",
    [
        "North made $1,200 in 14 orders, South $900 in 10.",
        "South made $900 and North $1,200.",
        "$900 came from South and $1,200 from North.",
        "North ($1,200), South ($900)",
        "| Region | Sales |\n|---|---|\n| North | $1,200 |\n| South | $900 |",
        "| | North | South |\n|---|---|---|\n| Sales | 1,200 | 900 |",
        "### North\n- Orders: 14\n- Sales: **$1 200,00**\n### South\n- Sales: $900",
        "Sales by region:\n- South: 900 $\n- North: 1.200 $",
        "1. **North**\n   - Revenue: `$1.2k`\n2. **South**\n   - Revenue: $0.9k",
        "North is the first region. It made $1,200.",
    ],
)
def test_each_region_has_its_own_sales_in_any_layout(answer: str) -> None:
    assert _state(answer, 1200, "$", region="North", measure="sales") == "right"
    assert _state(answer, 900, "$", region="North", measure="sales") != "right"


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("North sales: $1,300", "wrong"), ("Sales were good.", "missing"), ("", "missing"),
        ("North sales: €1,200", "missing"), ("North sales: 1,200 %", "missing"),
        ("North sales: $1,300, or rather $1,200", "right"),
        ("North sales: $1 $2 $3 $4 $5 $6 $7 $1,200", "wrong"),
    ],
)  # fmt: skip
def test_wrong_and_missing_are_two_things(answer: str, state: str) -> None:
    assert _state(answer, 1200, "$", region="North", measure="sales") == state


def test_a_share_is_no_count_and_an_average_no_total() -> None:
    answer = "North: 14 orders, sales $1,200, average $86, 12% of all"
    assert _state(answer, 14, "n", region="North", measure="orders") == "right"
    assert _state(answer, 86, "$", region="North", measure="average") == "right"
    assert _state(answer, 12, "n", region="North", measure="orders") == "wrong"
    assert _state(answer, 86, "$", region="North", measure="sales") == "wrong"


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("North fell by 12%.", "right"), ("North: −12 %", "right"), ("North: (12%)", "right"),
        ("North grew by 12%.", "wrong"), ("North: +12%", "wrong"), ("North is down 12 %", "right"),
        ("| Region | Change |\n|---|---|\n| North | -12% |", "right"),
        ("While South grew, North dropped 12%", "right"),
    ],
)  # fmt: skip
def test_a_fall_is_negative_whether_by_sign_or_by_word(answer: str, state: str) -> None:
    assert _state(answer, -12, "%", signed=True, region="North") == state


# ----------------------------------------------------------------------------- names, findings


def _named(answer: str) -> str:
    fact = Named(name="x", shown="x", right="North", dimension=_REGIONS,
                 cues=(("best", "strongest"),))  # fmt: skip
    return check_named(take_apart(answer, ()), [fact])[0].state


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("North is the best region.", "right"), ("Best region: **North**", "right"),
        ("| Best | North |", "right"), ("The best is South.", "wrong"), ("North, South", "missing"),
        ("North is the best, while South is last.", "right"),
        ("## North\n- the best one", "right"),
        ("The best is North. The best is South. The best is East.", "wrong"),
    ],
)  # fmt: skip
def test_what_is_called_the_best_is_the_name_beside_the_word(answer: str, state: str) -> None:
    assert _named(answer) == state


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("A1 is late, A2 is lost.", True), ("A2 is lost; A1 comes too late.", True),
        ("A1 is lost, A2 is late.", False), ("Late: A1. Lost: A2.", True),
        ("Late are A2, lost A1.", False), ("## A1\n- comes late\n## A2\n- lost", True),
        ("A1, A2 and A3 are late.", False), ("late", False), ("A1", False), ("A11 is late", False),
    ],
)  # fmt: skip
def test_a_finding_is_about_one_thing(answer: str, found: bool) -> None:
    finding = Finding(name="x", shown="x", needs=(("A1",), ("late",)), rivals=("A2", "A3"))
    assert check_findings(take_apart(answer, ()), [finding])[0].check.passed is found


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ("North is short.", {"North"}), ("North is short, South has enough.", set()),
        ("North has not enough.", {"North"}), ("## Short\n- North: 5", {"North"}),
        ("| Region | Short by |\n|---|---|\n| North | 5 |\n| South | 0 |\n| East | - |", {"North"}),
        ("North is fine.", set()),
    ],
)  # fmt: skip
def test_an_alarm_is_what_stands_beside_the_word_and_is_not_taken_back(
    answer: str, named: set[str]
) -> None:
    words, clears = ("short", "not enough"), ("enough", "fine")
    assert alarms(take_apart(answer, ()), _REGIONS, words, clears) == named


@pytest.mark.parametrize(
    "answer",
    ["## Risks\n\nWe may run out of paper soon.", "**Risks**\nWe may run out of paper soon.",
     "Risks\n-----\nWe may run out of paper soon.", "1. **Risks**\n\n- We may run out of paper."],
)  # fmt: skip
def test_a_section_is_a_heading_with_something_under_it(answer: str) -> None:
    sections = {"risks": ("risk",), "summary": ("summary",)}
    states = [one.state for one in check_sections(take_apart(answer, ()), sections)]
    assert states == ["right", "missing"]
    empty = take_apart("## Risks\n## Other\nrisks are words in a line", ())
    assert [one.state for one in check_sections(empty, sections)] == ["missing", "missing"]


# ------------------------------------------------------------------------------------ passages


def test_what_is_deeper_stands_under_what_is_above_it() -> None:
    lines = read_lines("# A\n**B:**\n1. C\n   - d\n   - e. F is g.\n- h\nwords")
    contexts = {one.text: one.context for one in read_passages(lines)}
    assert contexts["d"] == ("C", "B:", "A")
    assert contexts["F is g."] == ("C", "B:", "A")
    assert contexts["words"] == ("B:", "A")
    assert "C\nd\ne. F is g.\nh" in read_groups(lines)


def test_lines_of_the_source_are_no_claims_in_any_layout() -> None:
    source = ["id,name,amount\n1,North,500\n"]
    answer = "| 1 | North | 500 |\n1, North, 500\n- 1 **North** 500\nNorth: 500"
    assert [line.text for line in read_lines(answer, source)] == ["North: 500"]


def test_a_cell_knows_its_header() -> None:
    (row,) = read_lines("| Region | *Sales* |\n|:--|--:|\n| **North** | `5` |")
    assert [(row.text[cell.start : cell.end], cell.header) for cell in row.cells] == [
        ("North", "Region"),
        ("5", "Sales"),
    ]
