"""A fault costs what a reader takes for it, and one more never gives points back."""

from __future__ import annotations

import re

import pytest

from assay.checkers import Made, fill, gather, make_files
from assay.sandbox import open_sandbox
from assay.types.tests import SHIPPED_SUITES


def shares(name: str, seed: int, *answers: str) -> list[float]:
    folder = SHIPPED_SUITES / "coding" / name
    (made,) = make_files(folder, [seed], None)
    items = [(fill(one, made.files, made.truth), made) for one in answers]
    return [float(found.share or 0) for found in gather(folder, items, open_sandbox())]


def reference(name: str) -> str:
    return (SHIPPED_SUITES / "coding" / name / "reference.md").read_text("utf-8")


def documented(made: Made, text: str) -> str:
    """The reference with one text for all functions, and its examples."""
    whole = fill(reference("ct_05_documentation"), made.files, made.truth)
    for one in made.truth["functions"]:
        name = one["name"]
        says = text.format(name=name.replace("_", " "))
        whole = re.sub(rf'(?m)(^def {name}\(.*\n    """).*', rf"\g<1>{says}", whole)
    return whole


@pytest.mark.parametrize("seed", range(2))
def test_documentation_without_its_lines_on_names_loses_their_share_alone(seed: int) -> None:
    name = "ct_05_documentation"
    (made,) = make_files(SHIPPED_SUITES / "coding" / name, [seed], None)
    right = fill(reference(name), made.files, made.truth)
    none = right.replace("differs:", "otherwise:")
    one = right.replace("differs:", "otherwise:", 1)
    same = documented(made, "Compute the {name} of what is given.").replace("differs:", "so:")
    whole, without_one, without, stub = shares(name, seed, right, one, none, same)
    assert whole == 1
    assert 0.7 < without < 0.8 < without_one < 0.95
    assert stub <= 0.25  # the name put into one text makes no text of its own


def test_a_client_with_more_faults_never_has_more_points() -> None:
    right = reference("ct_06_api_client")
    faults = (
        ('1 if verb == "POST" else self.attempts', "self.attempts"),  # sends a POST again
        ('urllib.parse.quote(id, safe="")', "str(id)"),
        ('"""Delete a record."""', "pass"),
        ("wait *= 2", "pass"),
    )
    answers = [right]
    for old, new in faults:
        assert old in answers[-1], old
        answers.append(answers[-1].replace(old, new))
    found = shares("ct_06_api_client", 0, *answers)
    assert found[0] == 1
    assert found == sorted(found, reverse=True)
    assert 0.65 < found[1] < 0.75
    assert found[-1] < found[1] - 0.1
    fewer = right
    for old, new in faults[1:]:
        fewer = fewer.replace(old, new)
    assert shares("ct_06_api_client", 0, fewer)[0] > found[-1] + 0.1  # without the first fault


LOOP = re.compile(r"    while low < high:.*?(?=    position)", re.DOTALL)
ANY = """    while low < high:
        middle = (low + high) // 2
        if {{truth.sequence}}[middle] == {{truth.wanted}}:
            return middle + {{truth.base}}
        if {{truth.sequence}}[middle] {{truth.before}} {{truth.wanted}}:
            low = middle + 1
        else:
            high = middle
"""


@pytest.mark.parametrize("seed", range(2))
def test_a_search_that_finds_any_of_equal_items_has_less_than_half_and_more_than_a_third(
    seed: int,
) -> None:
    right = reference("ct_01_binary_search")
    assert LOOP.search(right)
    wrong = LOOP.sub(lambda _: ANY, right)
    whole, found, without_block = shares(
        "ct_01_binary_search", seed, right, wrong, wrong.partition("```json")[0]
    )
    assert whole == 1
    assert 0.4 <= found <= 0.55
    assert without_block < found


def test_fast_code_with_one_rule_wrong_keeps_what_its_operations_are_worth() -> None:
    name = "ct_02_performance"
    fast = "```python\n{{truth.near_miss}}\n```\n"
    block = reference(name).partition("```json")
    stub = "```python\ndef {{truth.function}}({{truth.parameters}}):\n    return []\n```\n"
    answers = [one + "".join(block[1:]) for one in (fast, stub)]
    for seed in (0, 1, 3):
        near, nothing = shares(name, seed, *answers)
        assert 0.25 < near < 0.4
        assert nothing < 0.2
