"""What a task demands beside code, and each explicit rule, costs what a reader takes for it."""

from __future__ import annotations

import json
import re

import pytest

from assay.checkers import fill, make_files
from assay.types.tests import SHIPPED_SUITES
from tests.builtin.test_one_fault_costs_once import reference, shares

WALK = """        if {{truth.sequence}}[middle] == {{truth.wanted}}:
            while STAYS:
                middle STEP 1
            return middle + {{truth.base}}
"""


@pytest.mark.parametrize("seed", range(2))
def test_a_search_that_walks_over_equal_items_loses_four_points(seed: int) -> None:
    name = "ct_01_binary_search"
    (made,) = make_files(SHIPPED_SUITES / "coding" / name, [seed], None)
    right = reference(name)
    first = "middle and {{truth.sequence}}[middle - 1] == {{truth.wanted}}", "-="
    last = (
        "middle + 1 < len({{truth.sequence}}) "
        "and {{truth.sequence}}[middle + 1] == {{truth.wanted}}",
        "+=",
    )
    stays, step = first if made.truth["pick"] == "first" else last
    walk = WALK.replace("STAYS", stays).replace("STEP", step)
    line = "        middle = (low + high) // 2\n"
    assert line in right
    whole, found = shares(name, seed, right, right.replace(line, line + walk))
    assert whole == 1
    assert 0.5 < found < 0.65


def review(seed: int, right: int, wrong: int) -> str:
    """So many faults, each described, and so many pieces of sound code that are blamed."""
    name = "ct_04_code_review"
    (made,) = make_files(SHIPPED_SUITES / "coding" / name, [seed], None)
    whole = fill(reference(name), made.files, made.truth)
    block = json.loads(whole.partition("```json")[2].partition("```")[0])["findings"]
    sound = [one for one in made.truth["places"] if not one["kinds"]]
    rows = block[:right] + [
        {"line": one["line"], "kind": "security", "why": f"Number {at} may be attacked"}
        for at, one in enumerate(sound[:wrong], 1)
    ]
    lines = [one for one in whole.splitlines() if one.startswith("- Line ")][:right]
    return "\n".join(lines) + f"\n\n```json\n{json.dumps({'findings': rows})}\n```"


def test_a_review_that_is_half_false_has_less_than_three_right_findings_alone() -> None:
    few, half, most, whole = shares(
        "ct_04_code_review", 0, review(0, 3, 0), review(0, 6, 6), review(0, 6, 2), review(0, 8, 0)
    )
    assert whole == 1
    assert 0.4 < few < 0.5
    assert 0.35 < half < 0.45
    assert 0.55 < most < 0.65


def test_each_broken_rule_of_a_client_and_what_it_lacks_beside_costs_more_than_two_points() -> None:
    name = "ct_06_api_client"
    right = reference(name)
    code = right.partition("How it is used")[0]
    raw = re.sub(r"        except OSError as problem:\n.*\n", "", right)
    slash = right.replace('urllib.parse.quote(id, safe="")', "urllib.parse.quote(id)")
    bare = re.sub(r' *"""(?:Return|Create|Change|Delete).*"""\n', "", raw)
    no_text = right.partition("What happens on failures")[0]
    assert len({right, code, raw, slash, bare, no_text}) == 6
    found = shares(name, 0, right, code, raw, slash, bare, no_text)
    whole, alone, escapes, encoded, undocumented, silent = found
    assert whole == 1
    assert 0.65 < alone < 0.8 < silent < 0.9
    assert 0.6 < escapes < 0.75
    assert 0.65 < encoded < 0.8
    assert 0.5 < undocumented < escapes - 0.08


def test_a_use_of_the_client_counts_where_its_exception_is_caught() -> None:
    name = "ct_06_api_client"
    right = reference(name)
    before, _, after = right.partition("How it is used")
    session = "\n".join(
        f"{'...' if one[:1].isspace() or one.startswith('except') else '>>>'} {one}"
        for one in after.partition("```python\n")[2].partition("```")[0].splitlines()
    )
    rest = after.partition("```python")[2].partition("```")[2]
    shown = f"{before}\n```python\n{session}\n```\n{rest}"
    broad = before + after.replace("except {{truth.error}} as", "except Exception as")
    shell, caught_all = shares(name, 0, shown, broad)
    assert shell == 1
    assert 0.85 < caught_all < 0.9


def test_a_module_without_bugs_loses_a_third_without_its_report_and_a_share_for_each_item() -> None:
    name = "ct_03_bug_fixing"
    (made,) = make_files(SHIPPED_SUITES / "coding" / name, [0], None)
    right = fill(reference(name), made.files, made.truth)
    start = right.index("```python")
    code = right[start:]
    no_calls = re.sub(r"`\w+\(.*?` shows it", "An input shows it", right)
    named = re.sub(r"(?m)^(- `\w+`): .*", r"\1", right)
    first = re.sub(r"(?m)^- `\w+`: .*\n", "", right, count=1)
    other = right.replace(
        "`parse_amount('abc')` shows it", "Of `['abc']` it makes a number, and that shows it"
    )
    assert len({right, no_calls, named, first, other}) == 5
    whole, alone, unseen, listed, less, value = shares(
        name, 0, right, code, no_calls, named, first, other
    )
    assert whole == value == 1
    assert 0.55 < alone == listed < 0.7
    assert 0.8 < unseen < 0.88
    assert 0.92 < less < 0.96


def test_each_right_function_that_is_changed_costs_and_each_that_is_spoiled_costs_much() -> None:
    name = "ct_03_bug_fixing"
    (made,) = make_files(SHIPPED_SUITES / "coding" / name, [0], None)
    right = fill(reference(name), made.files, made.truth)
    recoded = right.replace("def is_closed(state):", "def is_closed(state: str) -> bool:")
    one = right.replace("1000 * part / whole", "round(1000 * part / whole, 2)")
    two = one.replace("    basket.append(name)\n    return basket", "    return [*basket, name]")
    assert len({right, recoded, one, two}) == 4
    whole, changed, first, second = shares(name, 0, right, recoded, one, two)
    assert whole == 1
    assert 0.9 < changed < 0.95
    assert 0.65 < first < 0.75
    assert 0.5 < second < 0.6


@pytest.mark.parametrize("seed", [0, 2])
def test_fast_code_without_its_explanation_docstrings_and_a_gain_that_follows_loses_shares(
    seed: int,
) -> None:
    name = "ct_02_performance"
    right = reference(name)
    start = right.index("```python")
    code = right[start:]
    uncited = re.sub(r"(?m)^- `(.*?)`", r"- \1", right)
    (made,) = make_files(SHIPPED_SUITES / "coding" / name, [seed], None)
    bare = re.sub(r' *"""(?s:.*?)"""\n', "", fill(right, made.files, made.truth))
    gain = right.replace('"gain_100000": 50000', '"gain_100000": 20000')
    sorts = re.sub(r'"time_after".*\}', GAINS_OF_SORTING, right)
    all_three = re.sub(r' *"""(?s:.*?)"""\n', "", fill(code, made.files, made.truth)).replace(
        '"gain_100000": 50000', '"gain_100000": 20000'
    )
    found = shares(name, seed, right, code, uncited, bare, gain, sorts, all_three)
    whole, alone, spoken, undocumented, off, slower, nothing = found
    assert whole == slower == 1
    assert 0.78 < alone == spoken < 0.85
    assert 0.85 < undocumented < 0.92
    assert 0.92 < off < 0.97
    assert 0.55 < nothing < 0.68


GAINS_OF_SORTING = (
    '"time_after": "O(n log n)", "memory_after": "O(n)", "gain_1000": 100, "gain_100000": 6000}'
)
