"""`assay attack` and the short form of it in `assay validate --allow-code-execution`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay import api
from assay.checkers import fill, make_files
from assay.errors import UsageError
from assay.reports.json_documents import run_json
from assay.types.tests import SHIPPED_SUITES
from assay.workflow.commands.cheats import Given, list_cheats

WEAK_CHECK = """
from assay.checking import Check, json_block

def check(answer, truth, files):
    yield Check("written", bool(answer), "something is written")
    yield Check("kind", json_block(answer) is not None, "there is a block")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return api.new_test("sales", suite=tmp_path / "mine", judged=True)


def test_a_folder_as_it_is_written_gives_no_cheat_more_than_a_quarter(folder: Path) -> None:
    found = api.attack(folder.parent, allow_code_execution=True)
    assert found.above == ()
    (test,) = found.tests
    names = {one.cheat for one in test.results}
    assert {"the answer of another seed", "claims without work", "an empty frame"} <= names
    assert test.highest.share == max(one.share for one in test.results)
    assert 1.8 <= found.lifted == found.to_dict()["overall_if_judged_10"] <= 4.0
    assert json.loads((folder.parent / "suite.json").read_text())["language"] == "en"


def test_a_weak_checker_is_found_out(folder: Path) -> None:
    (folder / "check.py").write_text(WEAK_CHECK)
    (folder / "make.py").write_text(
        "def make(seed):\n    return {'files': {'orders.csv': 'a', 'rule.md': 'b'}, 'truth': {}}\n"
    )
    found = api.attack(folder.parent, allow_code_execution=True)
    assert [test.test_id for test in found.above] == ["sales_001"]
    assert found.tests[0].highest.share == 0.5
    assert not found.to_dict()["passed"]
    said = [str(one) for one in api.validate([folder.parent], allow_code_execution=True)]
    assert any("make(seed) gives the same for every seed" in one for one in said)
    assert any("checks that no answer in wrong/ fails: written" in one for one in said)
    assert any("an empty answer gets 0.50 of the checks" in one for one in said)


def test_what_only_a_judge_can_read_is_told_apart(tmp_path: Path) -> None:
    """A folder whose check looks for the value anywhere takes it from hidden reports as well."""
    folder = api.new_test("sales", suite=tmp_path / "mine", judged=True)
    (folder / "check.py").write_text(
        "from assay.checking import Check, Fact, ReportText, check_facts, json_block\n"
        "def check(answer, truth, files):\n"
        "    fact = Fact('total', truth['total'], 'the total')\n"
        "    yield from check_facts(json_block(answer), [fact])\n"
        "    told = str(truth['total']) in answer if truth['loose'] else "
        "ReportText(answer).states(fact)\n"
        "    yield Check('told', told, 'the report has it', weight=2)\n"
    )
    (folder / "reference.md").write_text(
        '## Sales\n\n- total: {{truth.total}}\n\n```json\n{"total": {{truth.total}}}\n```\n'
    )
    (folder / "prompt.md").write_text("State the total of {{orders.csv}}\n")
    for loose, above in ((False, False), (True, True)):
        (folder / "make.py").write_text(
            "def make(seed):\n    return {'files': {'orders.csv': f'id,{seed}'}, "
            f"'truth': {{'total': 917 + seed, 'loose': {loose}}}}}\n"
        )
        found = api.attack(folder.parent, allow_code_execution=True)
        (test,) = found.tests
        hidden = next(one for one in test.denials if one.cheat == "a report in <details>")
        assert hidden.is_above(found.max_share) is above
        assert bool(found.above) is above
        assert [one.share for one in test.judged] == [1, 1]
        told = found.to_dict()["tests"][0]
        assert len(told["around_a_right_block"]) == len(test.denials) > 10
        assert {one["share"] for one in told["left_to_a_judge"]} == {1}


def test_a_judge_that_always_says_10_lifts_no_cheat_above_4(tmp_path: Path) -> None:
    folder = SHIPPED_SUITES / "data" / "dt_06_patterns"
    made, other = make_files(folder, [0, 77], None)
    reference = (folder / "reference.md").read_text("utf-8")
    given = Given(
        prompt=fill((folder / "prompt.md").read_text("utf-8"), made.files, made.truth),
        files=dict(made.files),
        reference=fill(reference, made.files, made.truth),
        other=fill(reference, other.files, other.truth),
        statements=("Every pattern",),
    )
    cheats = list_cheats(given)
    assert len(cheats) > 15
    for number, answer in enumerate(cheats.values()):
        (tmp_path / f"{number}.json").write_text(
            json.dumps({"answers": {"DT-06": answer}, "default": "x"})
        )
    scores = dict.fromkeys(("correctness", "completeness", "insight_quality"), 10)
    judge = tmp_path / "judge.json"
    judge.write_text(json.dumps({"answers": {}, "default": json.dumps(scores)}))
    done = api.run(
        [f"scripted:{tmp_path / f'{number}.json'}" for number in range(len(cheats))],
        suites=["data"],
        categories=["reporting"],
        judges=[f"scripted:{judge}"],
        out=tmp_path / "out",
    )
    found = [test["overall"] for model in run_json(done)["judged"]["models"]
             for test in model["tests"] if test["test"] == "DT-06"]  # fmt: skip
    assert len(found) == len(cheats)
    assert max(found) <= 4.0


def test_attack_asks_for_leave_and_for_test_folders(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="runs the checkers"):
        api.attack(folder.parent)
    with pytest.raises(UsageError, match="has no test folder"):
        api.attack("example", allow_code_execution=True)


def test_validate_names_a_value_that_the_truth_has_not(folder: Path) -> None:
    reference = folder / "reference.md"
    reference.write_text(reference.read_text() + "\n{{truth.totl}}\n")
    said = [str(one) for one in api.validate([folder.parent], allow_code_execution=True)]
    assert any("reference.md" in one and "has no 'totl'" in one for one in said)
