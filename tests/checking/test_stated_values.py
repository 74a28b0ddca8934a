"""What a line of a report states, and what takes it back."""

import time

import pytest

from assay.checking import PERCENT, Fact, ReportText, check_facts, json_block
from assay.checking.comparing import EUROS
from assay.checking.stating import read_lines

TOTAL = Fact("total", 9173, "the total is 9,173 euros", units=EUROS)
SHARE = Fact("share", -4.25, "the share fell by 4.25 %", tolerance=0.005, units=PERCENT)
TOP = Fact("top", "Calder & Roe", "Calder & Roe is the top customer")
DAY = Fact("day", "2025-03-07", "it came on 7 March 2025")
LATE = Fact("late", ["O-1", "O-2"], "O-1 and O-2 are late")


@pytest.mark.parametrize(
    ("value", "fact"),
    [
        ("9173", TOTAL), ("9,173", TOTAL), ("9.173,00 €", TOTAL), ("EUR 9’173.00", TOTAL),
        ("**9 173** Euros.", TOTAL), ("€ 9,173", TOTAL), ("9\u202f173 €", TOTAL),
        ("−4.25 %", SHARE), ("–4,25%", SHARE), ("- 4.25 percent", SHARE), ("-4.250", SHARE),
        ("Calder & Roe", TOP), ("**calder &  roe**", TOP), ("“Calder &amp; Roe”.", TOP),
        ("2025-03-07", DAY), ("7 March 2025", DAY), ("March 7, 2025", DAY), ("`2025-03-07`", DAY),
        ("O-2, O-1", LATE), ("`O-1`; `O-2`", LATE), ("O-1 and O-2", LATE), ("[O-1, O-2]", LATE),
    ],
)  # fmt: skip
def test_a_value_counts_in_any_format(value, fact):
    assert ReportText(f"- {fact.key}: {value}").states(fact)


@pytest.mark.parametrize(
    ("value", "fact"),
    [
        ("9,173 pieces", TOTAL), ("9,173 kg", TOTAL), ("about 9,173", TOTAL), ("~9,173", TOTAL),
        ("9,173 nay", TOTAL), ("9,173 ❌", TOTAL), ("≠ 9,173", TOTAL), ("9,173?", TOTAL),
        ("9̶1̶7̶3̶", TOTAL), ("9,173 €, or not", TOTAL), ("9,173 (9,200)", TOTAL), ("9.173k", TOTAL),
        ("91,73", TOTAL), ("9,1,73", TOTAL), ("9²173", TOTAL), ("$9,173$", TOTAL),
        ("09,173", TOTAL),
        ("--9,173", TOTAL), ("- -9,173", TOTAL), ("9,173 9,173", TOTAL), ("9.173.000", TOTAL),
        ("4.25 %", SHARE), ("-4.25 euros", SHARE), ("-4.2 %", SHARE), ("-4 %", SHARE),
        ("Calder & Roe?", TOP), ("not Calder & Roe", TOP), ("Calder & Roe (no)", TOP),
        ("¬Calder & Roe", TOP), ("C̶alder & Roe", TOP), ("Calder & Roe!", TOP),
        ("2025-03-07 08", DAY), ("2025-03-07?", DAY), ("2025-03-08", DAY), ("-2025-03-07", DAY),
        ("O-1", LATE), ("O-1, O-2, O-3", LATE), ("O-1, not O-2", LATE), ("O-1, O-2?", LATE),
    ],
)  # fmt: skip
def test_a_value_with_anything_else_does_not_count(value, fact):
    assert not ReportText(f"- {fact.key}: {value}").states(fact)


@pytest.mark.parametrize(
    ("name", "is_name"),
    [
        ("rows, Anna-Lee & Co, day_1", True), ("**Rows, Anna-Lee & Co**, `day 1`", True),
        (r"rows, anna-lee & co, day\_1", True), ("rows.Anna-Lee & Co.day_1", True),
        ("r̶o̶w̶s, Anna-Lee & Co, day_1", False), ("¬rows, Anna-Lee & Co, day_1", False),
        ("❌ rows, Anna-Lee & Co, day_1", False), ("rows, Anna-Lee & Co, day_1?", False),
        ("not rows, Anna-Lee & Co, day_1", False), ("rows, Anna-Lee Co, day_1", False),
        ("~rows, Anna-Lee & Co, day_1", False), ("(rows, Anna-Lee & Co, day_1)", False),
        ("> rows, Anna-Lee & Co, day_1", False), ("[ ] rows, Anna-Lee & Co, day_1", False),
    ],
)  # fmt: skip
def test_a_name_is_its_key_and_marks_alone(name, is_name):
    fact = Fact("rows.Anna-Lee & Co.day_1", 7, "")
    assert ReportText(f"- {name}: 7").states(fact) is is_name


@pytest.mark.parametrize(
    ("rows", "counts"),
    [
        ("| total | 9,173 | from the rows |", True), ("| total | 9,173 | |", True),
        ("| total | 9,173 | the sum of all 24 rows |", True), ("| x | total | 9,173 |", False),
        ("| total | 9,173 | 11,204 |", False), ("| total | 9,173 | truly 11,204 euros |", False),
        ("| total | 9,173 | from the rows |\n| top | Anna | 5 |", False),
    ],
)  # fmt: skip
def test_a_table_may_have_notes_behind_its_values_but_no_other_values(rows, counts):
    answer = f"| Figure | Value | How |\n|---|---|---|\n{rows}\n"
    assert ReportText(answer).states(TOTAL) is counts


@pytest.mark.parametrize(
    ("lines", "counts"),
    [
        ("half of what I would call the\ntotal: 9,173", False),
        ("so: not the\ntotal: 9,173", False),
        ("- twice the\n  total: 9,173", False),
        ("half of it all\\\ntotal: 9,173", True), ("half of it all<br>\ntotal: 9,173", True),
        ("half of it all\n- total: 9,173", True), ("top: Calder & Roe\ntotal: 9,173", True),
        ("top: Anna\ntotal: 9,173", True), ("<!-- x -->\ntotal: 9,173", True),
        ("top: half of what I would call a\nshare of the\ntotal: 9,173", False),
    ],
)  # fmt: skip
def test_a_line_counts_only_where_it_is_shown_as_one(lines, counts):
    assert ReportText(f"Said.\n\n{lines}\n").states(TOTAL, [TOTAL, TOP]) is counts


@pytest.mark.parametrize(
    ("value", "wanted", "counts"),
    [
        ("382,210", 382.21, False), ("382.210", 382.21, True), ("382,21", 382.21, True),
        ("382,214", 382.214, True),
        ("382,214", 382.2142, True), ("382,215", 382.2142, False), ("382,210", 382210, True),
        ("382.210", 382210, True),
        ("\u0663\u0668\u0662", 382, True), ("3\u0668\u0662", 382, False),
        ("\u0e53\u0668\u0662", 382, False), ("3\u06dd82", 382, False), ("\u0600382", 382, False),
        ("3\u200b82", 382, True), ("\u061c382 210", 382210, False),
    ],
)  # fmt: skip
def test_a_number_has_one_reading(value, wanted, counts):
    fact = Fact("total", wanted, "", tolerance=0.001)
    assert ReportText(f"- total: {value}").states(fact) is counts


BLOCK = '\n```json\n{"total": 9173, "top": "Calder & Roe"}\n```\n'


@pytest.mark.parametrize(
    ("beside", "contradicts"),
    [
        ("", False), ("- total: 9,200", True), ("| total | 9,200 |", True), ("Total: 9200 €", True),
        ("## Total:", False), ("**Total:** it grew again this year", False),
        ("Total: see the block", False), ('```json\n{"total": 9200}\n```', True),
        ('```json\n{"total": 9173}\n```', False), ('```\n"total": 9200, // right\n```', True),
        ("```yaml\ntotal: 9200\n```", True), ("```python\ntotal = 9200 * 2\n```", False),
        ('As said:\n\n{"total": 9200}\n', True), ("<details>\n\n- total: 9,200", True),
        ("# total: 9,200", True),
        ("- total: 8,123 euros as counted again by both of us", True),
        ("1. **total** = 8,123 as both of us counted it all again", True),
        ("| total | 8,123 euros as counted again by both of us |", True),
        ("- total: 9,173 euros, and 8,123 before both of us counted again", False),
        ("- as both of us counted again, the total is 8,123 euros: too much", False),
        ("- total of all that both of us counted again: 8,123 euros", False),
        ("> total: 9,200", True), ("- <b>total</b>: <b>9,173</b><br>", False),
        ("(total): 9,200", True), ("{\n- total: 9,200\n}\n", True),
        ("<a href='x'>\n\n- total: 9,200", True), ("~~- total: 9,200~~ ", False),
    ],
)  # fmt: skip
def test_another_value_anywhere_takes_the_block_back(beside, contradicts):
    answer = f"- total: 9,173\n\n{beside}\n{BLOCK}"
    checks = list(check_facts(json_block(BLOCK), [TOTAL, TOP]))
    total, top = ReportText(answer).withdraw(checks, [TOTAL, TOP])
    assert total.passed is not contradicts
    assert ("another value as well" in total.why) is contradicts
    assert top.passed


@pytest.mark.parametrize(("extra", "left"), [(0, 2), (1, 1), (2, 0), (3, 0)])
def test_each_member_that_an_object_has_not_takes_back_one_that_it_has(extra, left):
    facts = [Fact(f"short.{name}", count, "") for name, count in (("F-1", 3), ("F-2", 4))]
    lines = "".join(f"- short, X-{number}: 7\n" for number in range(extra))
    answer = f'- short, F-1: 3\n- short, F-2: 4\n{lines}\n{{"short": {{"F-1": 3, "F-2": 4}}}}'
    block = json_block('```json\n{"short": {"F-1": 3, "F-2": 4}}\n```')
    checks = [*ReportText(answer).withdraw(check_facts(block, facts), facts)]
    assert sum(one.passed is True for one in checks) == left
    told = [one.why for one in checks if not one.passed]
    assert all(why.startswith("not counted, since the answer also names x") for why in told)


@pytest.mark.parametrize("fence", ["text", "python", "json", ""])
def test_lines_in_a_fence_are_no_report(fence):
    assert not ReportText(f"```{fence}\n- total: 9,173\n```\n").states(TOTAL)
    assert ReportText("```markdown\n- total: 9,173\n```\n").states(TOTAL)


def test_plain_tags_around_a_value_do_not_contradict_it():
    report = ReportText(
        "- <b>top</b>: <em>Calder &amp; Roe</em><br>\n- top: Calder & Roe<!-- x -->"
    )
    assert report.states(TOP)


def test_comments_make_another_block_of_it_only_where_they_are_allowed():
    text = '```json\n{"total": 9173, // not at all\n "url": "http://x", }\n```'
    assert json_block(text) == {"total": 9173, "url": "http://x"}
    assert json_block(text, comments=False) is None
    assert json_block('```json\n{"a": [1, 2,],}\n```', comments=False) == {"a": [1, 2]}


def test_what_counts_with_another_fact_counts_only_if_all_of_them_are_right():
    facts = [Fact("a", 1, ""), Fact("b", 2, "", owner="a"), Fact("c", 3, "", owner="b"),
             Fact("d", 4, "", owner="d")]  # fmt: skip
    for block, passed in (
        ({"a": 1, "b": 2, "c": 3, "d": 4}, [True] * 4),
        ({"a": 0, "b": 2, "c": 3, "d": 4}, [False, False, False, True]),
        ({"a": 1, "b": 0, "c": 3}, [True, False, False, False]),
    ):
        found = list(check_facts(block, facts))
        assert [one.passed for one in found] == passed
    assert found[2].why == "c is 3 in the block, but b is wrong; "


FLOODS = {
    "colons": ":", "names": "- total: 9\n", "blanks": " ", "entities": "&nbsp;", "braces": "{\n",
    "closed": "{\n}\n", "quotes": '{"\\"', "dashes": " - ", "tags": "<b>", "open tags": "<a ",
    "comments": "<!--", "pictures": "![", "links": "](", "struck": "~~ ", "tildes": "~a ",
    "ticks": "`a", "fences": "```\n", "headings": "# Summary\n# Customers\n", "bars": "|",
    "dollars": "$$", "formulas": r"\[", "phantoms": r"\phantom{", "numbers": "1 ", "bold": "**",
    "commas": ", ", "definitions": "[a]: ", "emphasis": "*_`", "text": "a", "digits": "1",
}  # fmt: skip


@pytest.mark.parametrize("unit", FLOODS.values(), ids=FLOODS)
def test_the_time_to_read_an_answer_grows_as_its_length(unit):
    """Sixteen times the length: a square takes 256 times as long, and 64 leaves room for noise."""

    def used(length: int) -> float:
        text = f"- total:{unit * (length // len(unit))}x"
        least = []
        for _ in range(2):
            start = time.process_time()
            report = ReportText(text)
            report.states(TOTAL)
            report.section("Summary", ["Customers"])
            report.count_words([], ["Summary"])
            list(read_lines(text))
            json_block(text, comments=False)
            least.append(time.process_time() - start)
        return min(least)

    assert used(80_000) < 64 * max(used(5_000), 0.002)
