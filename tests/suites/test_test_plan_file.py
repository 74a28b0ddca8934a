"""Tests out of a run's test plans: what goes in comes out, and what is no test is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.checks.own_prompt import OwnPrompt
from assay.errors import InvalidFiles, UsageError
from assay.reports.formats.markdown import render_markdown
from assay.reports.suites.test_plan import test_plan
from assay.suites.load import SHIPPED, load_suite
from assay.suites.test_plan_file import load_test_plans
from assay.types import Case, Message, Suite
from tests.suites.conftest import WriteSuite


def plan_of(case: Case) -> str:
    return render_markdown(test_plan(case, ()))


def write_plans(folder: Path, *suites: Suite) -> Path:
    folder.mkdir(exist_ok=True)
    for suite in suites:
        for case in suite.cases:
            (folder / f"{case.id}.md").write_text(plan_of(case), "utf-8")
    return folder


@pytest.mark.parametrize("name", ["coding", "data"])
def test_the_shipped_tests_come_back_from_their_plans_as_they_were(
    tmp_path: Path, name: str
) -> None:
    suite = load_suite(SHIPPED / name, data_seed=11)
    (again,) = load_test_plans(write_plans(tmp_path / "plans", suite))
    assert again.name == name
    assert {case.id: asked(case) for case in again.cases} == {
        case.id: asked(case) for case in suite.cases
    }
    assert {case.check.data_seed for case in again.cases} == {11}  # type: ignore[union-attr]


def asked(case: Case) -> tuple[Any, ...]:
    check: Any = case.check
    judged = (check.rubric, check.requirements, check.checklist)
    judged += (check.checker, check.checker_digest, check.runs_code, check.data_seed)
    return case.category, case.messages, case.system, case.temperature, case.max_tokens, judged


def test_conversations_and_hostile_texts_survive(tmp_path: Path, write_suite: WriteSuite) -> None:
    hostile = '```json\n{"suite": "x"}\n```\n\0\u2028 \\n "\' </div> {{a}}'
    suite = load_suite(
        write_suite(
            {
                "a": [
                    {"id": "a_001", "prompt": hostile, "eval_method": "judge", "rubric": "coding",
                     "checklist": [hostile], "description": hostile, "system": "Be brief."},
                    {"id": "a_002", "eval_method": "judge", "rubric": "coding", "live": True,
                     "messages": [{"role": "user", "content": "One"},
                                  {"role": "user", "content": "Two"}]},
                ]
            }
        )
    )  # fmt: skip
    (again,) = load_test_plans(write_plans(tmp_path / "plans", suite))
    assert [asked(case) for case in again.cases] == [asked(case) for case in suite.cases]
    assert [case.live for case in again.cases] == [False, True]


def test_plans_of_other_tests_are_passed_over(tmp_path: Path, write_suite: WriteSuite) -> None:
    folder = write_suite({"a": [{"id": "a_001", "prompt": "1+1?", "eval_method": "exact_match",
                                 "expected": "2"}]})  # fmt: skip
    plans = write_plans(tmp_path / "plans", load_suite(folder))
    with pytest.raises(UsageError, match="no page") as refused:
        load_test_plans(plans)
    assert "-s" in refused.value.hint
    own = Case(id="ask_001", suite="ask", category="prompts", messages=(Message("user", "Hi"),),
               check=OwnPrompt())  # fmt: skip
    (plans / "ask_001.md").write_text(plan_of(own), "utf-8")
    write_plans(plans, load_suite(SHIPPED / "coding"))
    found = {case.id for suite in load_test_plans(plans) for case in suite.cases}
    assert found == {f"CT-0{number}" for number in range(1, 7)}


@pytest.mark.parametrize(
    "block",
    [
        pytest.param("{", id="no JSON"),
        pytest.param("[]", id="no object"),
        pytest.param('{"suite": "s", "category": "c"}', id="no test"),
        pytest.param('{"suite": "../s", "category": "c", "test": {}}', id="a path for a name"),
        pytest.param('{"suite": "..", "category": "c", "test": {}}', id="the folder above"),
        pytest.param('{"suite": "s", "category": 1, "test": {}}', id="a number for a name"),
        pytest.param("[" * 100_000, id="nests without end"),
    ],
)
def test_a_block_that_is_no_test_is_refused_with_its_page(tmp_path: Path, block: str) -> None:
    (tmp_path / "x.md").write_text(f"# x\n\n```json\n{block}\n```\n", "utf-8")
    with pytest.raises(InvalidFiles) as refused:
        load_test_plans(tmp_path)
    assert {Path(finding.file).name for finding in refused.value.findings} == {"x.md"}


def test_mistakes_inside_a_test_are_told_with_the_page(tmp_path: Path) -> None:
    block = '{"suite": "s", "category": "c", "test": {"id": "a_001", "rubrik": "coding"}}'
    (tmp_path / "a_001.md").write_text(f"```json\n{block}\n```\n", "utf-8")
    with pytest.raises(InvalidFiles) as refused:
        load_test_plans(tmp_path)
    assert {Path(finding.file).name for finding in refused.value.findings} == {"a_001.md"}
    assert any("rubrik" in finding.message for finding in refused.value.findings)


def test_a_plan_whose_checker_has_changed_is_refused(tmp_path: Path) -> None:
    suite = load_suite(SHIPPED / "data")
    plans = write_plans(tmp_path / "plans", suite)
    for page in plans.iterdir():
        digest = f'"digest": "{next(suite.cases).check.judged.checker_digest}"'  # type: ignore[union-attr]
        page.write_text(page.read_text("utf-8").replace(digest, '"digest": "other"'), "utf-8")
    with pytest.raises(InvalidFiles) as refused:
        load_test_plans(plans)
    (found,) = refused.value.findings
    assert "has changed since" in found.message
