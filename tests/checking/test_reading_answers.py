"""Reading and comparing what an answer gives; nothing here runs code."""

import ast
from datetime import date
from itertools import pairwise

import pytest

from assay.checking import (
    Fact,
    ReportText,
    check_facts,
    check_names,
    check_report,
    choose_code,
    code_blocks,
    compare_rows,
    draw_for,
    facts,
    find_obstacle,
    json_block,
    list_checks,
    list_named,
    mentions,
    missing_block,
    missing_package,
    read_number,
    same,
    same_date,
    same_number,
    same_set,
    same_text,
    share_of,
    spell_keys,
    state_lines,
)
from assay.checking.blocks import CUT_BLOCK, INVALID_BLOCK, NO_BLOCK
from assay.types.judging import judgements
from assay.types.judging.judgements import EvidenceCheck


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (5, 5), (5.5, 5.5), ("5,400.00", 5400), ("€5,400.00", 5400), ("5.400,00 €", 5400),
        ("1 234 567 units", 1234567), ("34.2 %", 34.2), ("-€12.50", -12.5), ("\u22125", -5),
        ("EUR 7", 7), ("USD7", 7), ("5.4k", 5400), ("1.2M", 1.2e6), ("12 h", 12), ("about 3", 3),
        ("1e3", 1000), ("5.400", 5.4), ("0,5", 0.5), ("1,234", 1234),
        (True, None), ([5], None), ("5-6", None), ("5 or 6", None), ("5, 6", None), ("> 5", None),
        ("not 5", None), ("5 is wrong", None), ("anything but 5", None), ("5 wrong", None),
        ("less than 5", None), ("I don't know 5", None), ("5?", None), ("12 pieces", 12),
        ("NOT 5", None), ("XYZ 5", None), ("5 bn", 5e9), ("5 Mio.", 5e6), ("3 kg", 3),
        ("Q3", None), ("", None), ("none", None), ("2025-01-03", None), ("1,234,56", None),
        (10**400, None), (float("nan"), None), ("9" * 500, None), ("1e999", None), ({}, None),
    ],
)  # fmt: skip
def test_one_number_is_read_and_several_are_none(value, number):
    assert read_number(value) == number


def test_values_are_compared_without_raising():
    assert same_number("5,399.996", 5400, tolerance=0.005)
    assert not same_number([5400], 5400)
    assert same_number(103, 100, relative=0.03)
    assert same_text(" **Anna  Müller**. ", "anna müller")
    assert not same_text(["anna"], "anna")
    assert same_date("7 March 2025", "2025-03-07")
    assert same_date("2025-03-07T10:00:00Z", date(2025, 3, 7))
    assert not same_date("03/07/2025", "2025-03-07")
    assert same_set(["b", "A"], {"a", "b"})
    assert not same_set(["a", "a"], ["a", "b"])
    assert not same_set("ab", ["a", "b"])
    assert not same(10**400, 1.5)
    assert not same(True, 1)
    assert same([1, (2.0,)], [1, (2,)])


def test_names_are_spelt_as_in_the_data_and_inventions_found():
    assert spell_keys({"anna ": 1, "Bo": 2, "BO": 3}, ["Anna", "Bo"]) == {"Anna": 1, "Bo": [2, 3]}
    assert spell_keys([1], ["Anna"]) == {}
    known = ["task chair", "PO 41"]
    assert check_names("n", ["Task chairs", "po-41", None], known, same=mentions).passed
    found = check_names("n", ["chair", ["PO 41"]], known, same=mentions, weight_failed=9)
    assert (found.passed, found.weight) == (False, 9)
    assert "'chair'; not a single name: ['PO 41']" in found.why


def test_tables_are_compared_row_by_row():
    expected = [{"id": "A1", "sum": 5}, {"id": "A2", "sum": 6}]
    assert compare_rows([{"id": "a2", "sum": "6"}, {"id": "A1", "sum": 5.0}], expected, "id") == ""
    found = compare_rows(
        [{"id": "A1", "sum": 7}, {"id": "A1", "sum": 5}, {"id": "A9", "sum": 1}], expected, "id"
    )
    assert found == (
        "A1: sum is 7, not 5; not in the data, or repeated: 'A1'; "
        "not in the data, or repeated: 'A9'; missing: a2"
    )
    assert compare_rows("A1", expected, "id") == "it is no list of objects"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('x\n```json\n{"a": 1}\n```\n', {"a": 1}),
        ('```json\n{"a": 1}\n```\nthen\n```\n{"a": 2}\n```\n', {"a": 2}),
        ('```json\n{"a": 1, // one\n "b": ["//", 2,],}\n```', {"a": 1, "b": ["//", 2]}),
        ('{"a": {"b": 1}}', {"a": {"b": 1}}),
        ('As asked:\n\n{"a": 1}\n', {"a": 1}),
        ('```json\n{"a": 1, "a": 2}\n```', {"a": [1, 2]}),
        ('```json\n{"a": NaN}\n```', None),
        ('```json\n{"a": 1e999}\n```', None),
        ('```json\n{"a": ' + "9" * 5000 + "}\n```", None),
        ('```json\n{"a": ' + "[" * 90000 + "]" * 90000 + "}\n```", None),
        ("```json\n[1, 2]\n```", None),
        ("no block", None),
    ],
)
def test_a_json_block_is_an_object_or_nothing(answer, found):
    assert json_block(answer) == found


def test_a_block_is_told_as_missing_cut_or_invalid():
    for answer, why in (
        ("", NO_BLOCK), ("{a} is no block", NO_BLOCK), ("```python\nx = 1\n```", NO_BLOCK),
        ('```json\n{"total": 9173, "top": "Cal', CUT_BLOCK),
        ('```json\n{"total": 9173,\n```\n', CUT_BLOCK),
        ('Here:\n{"total": 9173, "top"', CUT_BLOCK),
        ('```json\n{"rows": [\n  {"line": 1},\n  {"li', CUT_BLOCK),
        ("```json\n[1, 2]\n```", f"{INVALID_BLOCK}: it is no object"),
        ('```json\n{"a": 1e999}\n```',
         f"{INVALID_BLOCK}: what it holds cannot be taken"),
        ('```json\n{"a": 1\n "b": 2}\n```', f"{INVALID_BLOCK}: expecting ',' delimiter in line 2"),
        ('```json\n{"a": NaN}\n```', f"{INVALID_BLOCK}: it holds what is no JSON, or is too deep"),
    ):  # fmt: skip
        assert json_block(answer) is None
        assert missing_block(answer) == why, answer
        facts = [Fact("total", 9173, "")]
        (found,) = ReportText(answer).withdraw(check_facts(None, facts), facts)
        assert (found.passed, found.why) == (None, why)
    assert (CUT_BLOCK, INVALID_BLOCK) == (judgements.CUT_BLOCK, judgements.INVALID_BLOCK)


def test_a_list_of_known_names_is_not_told_as_unknown():
    found = check_names("n", [["Anna", "Ben"], "Cleo"], ["Anna", "Ben"])
    assert found.why == (
        "neither asked for nor in the data: 'Cleo'; not a single name: ['Anna', 'Ben']"
    )
    assert check_names("n", ["Anna"], ["Anna", "Ben"]).passed


def test_facts_of_a_block_become_checks():
    facts = [
        Fact("total", 5400, "the total is 5,400", weight=2, tolerance=0.5),
        Fact("largest.id", "A1", "the largest order is A1"),
        Fact("late", True, "the order is late"),
    ]
    found = [*check_facts({"total": "5,400.2", "largest": {"id": "a1"}, "late": 1}, facts)]
    assert [one.passed for one in found] == [True, True, False]
    found = [*check_facts({"total": [5400, 1], "late": True}, facts)]
    assert [one.passed for one in found] == [False, False, True]
    found = [*check_facts(None, facts)]
    assert [one.passed for one in found] == [None] * 3
    assert [one.fact for one in found] == [fact.says for fact in facts]


def test_the_code_that_is_meant_is_chosen():
    answer = (
        "```python\ndef f(x):\n    ...\n```\nBetter:\n```python\nfrom helper import g\n"
        "def f(x):\n    return g(x)\n```\n```python\ndef g(x):\n    return x\n```\n"
    )
    code = choose_code(answer, ["f"])
    assert code is not None
    assert "return g(x)" in code.sources[-1]
    assert "import" not in "".join(code.sources)
    assert missing_package(code) == ""
    code = choose_code("```\nimport numpy as np\ndef f(x):\n    return x\n```", ["f"])
    assert code is not None
    assert missing_package(code) == "numpy"
    assert find_obstacle("", code) == (
        "the code imports numpy, and the task allows only the standard library"
    )
    covered = "try:\n    import numpy\nexcept ImportError:\n    numpy = None\ndef f(x): pass\n"
    code = choose_code(f"```py\n{covered}\ndef f(x): return 1\n```", ["f"])
    assert code is not None
    assert missing_package(code) == ""
    assert choose_code("```python\ndef f(x:\n```", ["f"]) is None
    assert code_blocks("```sql\nSELECT 1\n```\n```python\n1\n```", "sql") == ["SELECT 1\n"]


FIGURES = [
    Fact("orders", 24, "there are 24 orders"),
    Fact("total", 9173, "the total is 9,173 euros"),
    Fact("top", "Calder & Roe", "Calder & Roe is the top customer"),
    Fact("share", 45.8, "45.8 percent are completed", tolerance=0.05),
]
BLOCK = '\n```json\n{"orders": 24, "total": 9173, "top": "Calder & Roe", "share": 45.8}\n```\n'
REPORT = """## Summary

- orders: 24
- **Total**: 9,173 euros
| share | 45.8 % |

Nearly half of what was ordered in this quarter is done, which is less than in the one before.

## Customers

- top: Calder & Roe

This firm buys more than anybody else, so we should look after it before others do.
"""
VALUES = "24, 9173, Calder & Roe, 45.8"


def share_of_report(text: str) -> float:
    checks = list(check_facts(json_block(text + BLOCK), FIGURES))
    checks += check_report(text + BLOCK, checks, FIGURES, ("Summary", "Customers"))
    return share_of(checks)


def test_a_report_that_says_its_figures_has_every_point():
    assert share_of_report(REPORT) == 1
    table = REPORT.replace(
        "- top: Calder & Roe", "| name | value |\n|---|---|\n| top | Calder & Roe |"
    )
    assert share_of_report(table) == 1


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("- total: 9173", True), ("1. total = €9.173,00", True), ("**total:** `9,173`", True),
        ("| total | 9 173 euros |", True), ("- total – 9,173", True), ("TOTAL: 9173.0", True),
        ("- total: not 9,173", False), ("- total: NOT 9173", False), ("- total: 9,173 bn", False),
        ("- total: 9,173,999", False), ("- total: 9.173,1", False),
        ("- total: 9,173 or 9,200", False),
        ("- total: 9,200", False),
        ("- total: 9,173\n\n- total: 9,200", False), ("- total: 9,173 (which is wrong)", False),
        ("- total: -9,173", False), ("The total is 9,173 euros.", False), ("- sum: 9,173", False),
        ("| total | 9,173 | 9,200 |", False), ("- total:", False), ("- total: ~~9,173~~", False),
    ],
)  # fmt: skip
def test_a_figure_counts_on_lines_that_name_it_and_say_nothing_else(line, counts):
    assert ReportText(f"Summary\n\n{line}\n\nmore").states(FIGURES[1]) == counts


def test_lines_hold_names_dates_and_lists():
    text = ReportText(
        "- late: O-2, O-1\n- none_left: none\n- rows, Anna & Co, day: 7 March 2025\n- room: hall"
    )
    told = [
        Fact("late", ["O-1", "O-2"], ""), Fact("none_left", [], ""),
        Fact("rows.Anna & Co.day", "2025-03-07", ""),
        Fact("room", ("hall", "the hall"), "", same=lambda given, names: given in names),
    ]  # fmt: skip
    assert all(map(text.states, told))
    assert not text.states(Fact("late", ["O-1"], ""))
    assert not text.states(Fact("late", ["O-1", "O-2", "O-3"], ""))
    assert state_lines({"late": ["O-1", "O-2"], "none_left": [], "rows": {"A": {"day": 7}}}) == {
        "late": "- late: O-1, O-2",
        "none_left": "- none_left: none",
        "rows": "- rows, A, day: 7",
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"## Summary\n\n{VALUES}\n\n## Customers\n\n{VALUES}\n",
        f"## Summary\n\nx\n\n## Customers\n\ny\n\n## Appendix\n\n{VALUES}\n",
        f"<!--\n{REPORT}\n-->",
        f"## Summary\n\n[](http://x/ '{VALUES}') as asked\n\n## Customers\n\nas asked\n",
        "\n".join(f"~~{line}~~" if line else "" for line in REPORT.split("\n")),
        f"<span title='{VALUES}'>Summary</span>",
        "## Summary\n\nAll figures are in the block below.\n\n## Customers\n\nSee the block too.\n",
        REPORT.replace(": ", ": not ").replace("| 45.8", "| not 45.8"),
        REPORT.replace(": ", ": NOT ").replace("| 45.8", "| NOT 45.8"),
        "".join(f"Bananas weigh {one} stones in the wet season of a long year. " for one in
                ("24", "9173", "Calder & Roe", "45.8")) + " ".join(f"x{chr(97 + at)}yz" for at in
                range(20)),
    ],
    ids=["none", "list", "appendix", "comment", "link", "struck", "title", "frame",
         "denials", "denials in capitals",
         "values beside other words"],
)  # fmt: skip
def test_a_right_block_without_a_report_that_can_be_read_stays_below_three_tenths(text):
    """So that a judge that says 10 of everything leaves it at 3.8: 2, 5 and 5."""
    assert 0 < share_of_report(text) < 0.3


def test_figures_in_sentences_earn_two_thirds_and_the_reason_says_so():
    text = REPORT.replace(": ", " is ").replace("| share | 45.8 % |", "The share is 45.8 %.")
    assert 0.6 < share_of_report(text) < 0.8
    checks = list(check_facts(json_block(text + BLOCK), FIGURES))
    found = {one.name: one.why for one in check_report(text + BLOCK, checks, FIGURES, ("Summary",))}
    assert "4 told in sentences, not on lines, which counts two thirds" in found["report_untold"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (REPORT, "4 of 4 values are right in the block and in the report, on a line that names "
                 "them, 100 % by weight"),
        ("", "there is no report beside the block; not so: orders, total, top, share"),
        ("## Summary\n\n24 pieces are many.\n\n## Customers\n\nNone is new.",
         "0 of 4 values are right in the block and in the report, on a line that names them, 0 % "
         "by weight; not so: orders, total, top, share"),
    ],
    ids=["report", "none", "few words"],
)  # fmt: skip
def test_a_report_is_told_with_the_one_reason_that_holds(text, why):
    checks = list(check_facts(json_block(text + BLOCK), FIGURES))
    sections = ("Summary", "Customers")
    found = {one.name: one.why for one in check_report(text + BLOCK, checks, FIGURES, sections)}
    assert found["report_told"] == why


def test_values_count_by_the_words_that_are_beside_them_without_a_step():
    words = [f"w{chr(97 + at)}rd" for at in range(20)]
    lines = "\n".join(line for line in REPORT.split("\n") if line.startswith("- "))
    shares = [share_of_report(f"{lines}\n\n{' '.join(words[:count])}.") for count in (4, 8, 14, 20)]
    assert shares == sorted(shares)
    assert shares[0] < 0.5 < shares[-1]
    assert max(b - a for a, b in pairwise(shares)) < 0.35


def test_to_invent_nothing_earns_nothing_where_nothing_is_right():
    assert not check_names("n", ["Anna"], ["Anna"], counts=False).passed
    assert check_names("n", ["Anna"], ["Anna"]).passed


def test_hidden_values_are_the_same_again_for_an_answer_and_others_for_the_next():
    first = draw_for("def f():\n    return 1").random()
    assert draw_for("def f():\n\n  return 1\n").random() == first
    assert draw_for("def f():\n    return 2").random() != first


def test_reports_know_how_a_checker_says_that_something_is_not_counted():
    assert facts.UNCOUNTED == judgements.UNCOUNTED
    (found,) = list_checks({"lists": (1, "The lists")}, "not counted, since the code is slow")
    assert found.why == "not counted, since the code is slow: the lists"
    told = EvidenceCheck(name=found.name, passed=found.passed, explanation=found.why)
    assert not told.is_counted
    assert told.told == "lists: not counted, since the code is slow: the lists"


def test_numbers_and_texts_of_code_are_those_that_it_names_or_computes():
    tree = ast.parse(
        'def f(x):\n    """Not 31."""\n    if x == 40 * 10 + 7 or x == "pear" or len(x) == 2**12:\n'
        "        return -5\n    return x % 97 == 60 or x > 1e6 or x == 1 << 3 or x == int('88')\n"
    )
    found = list_named(tree, draw_for("any"))
    assert {407, 4096, -5, 1_000_000, 8, 88} <= {*found.numbers}
    assert [one for one in found.numbers if one > 97 and one % 97 == 60]
    assert found.texts == ("88", "pear") or found.texts == ("pear", "88")
    assert 31 not in found.numbers
    assert list_named(tree, draw_for("any")) == found
    many = ast.parse("x = " + repr([*range(500)]))
    assert len(list_named(many, draw_for("any")).numbers) == 40
