"""The shipped suite `tools`: forty tests with one right reading each."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from assay import api
from assay.checks.tool_calls import ToolCalls
from assay.suites.load import find, load_all
from assay.text.json_schema import find_breach
from assay.types import Suite


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_all([find("tools")])[0]


def checks(suite: Suite) -> dict[str, ToolCalls]:
    return {case.id: case.check for case in suite.cases if isinstance(case.check, ToolCalls)}


def test_there_are_forty_tests_of_every_kind(suite):
    assert {each.name: len(each.cases) for each in suite.categories} == {
        "arguments": 8, "no_call": 8, "parallel": 6, "results": 10, "single": 8,
    }  # fmt: skip
    assert len(checks(suite)) == 40
    prompts = Counter(case.prompt for case in suite.cases)
    assert prompts.most_common(1)[0][1] == 1


def test_every_expected_call_keeps_to_the_schema_of_its_tool(suite):
    for name, check in checks(suite).items():
        schemas = {tool.name: tool.parameters for tool in check.tools}
        for calls in check.expected_calls:
            for call in calls:
                assert find_breach(schemas[call.name], call.arguments) == "", name


def test_every_value_to_be_used_is_in_a_result_and_not_in_the_question(suite):
    for case in suite.cases:
        assert isinstance(case.check, ToolCalls)
        for result in case.check.tool_results:
            for item in result.use or ():
                assert not any(word in case.prompt for word in item if word != "running"), case.id


def perfect(check: ToolCalls) -> list[str]:
    """Calls of two steps one after the other, all others together, then what is to be stated."""
    calls = [
        {"name": each[0].name, "arguments": each[0].arguments} for each in check.expected_calls
    ]
    if not calls:
        return ["Could you tell me more?"]
    chained = calls[0]["name"] in ("find_customer", "find_service_on_port")
    turns = [[call] for call in calls] if chained else [calls]
    said = [word[0] for result in check.tool_results for word in result.use or ()]
    return [json.dumps({"tool_calls": turn}) for turn in turns] + [" and ".join(said) or "Done."]


def test_a_perfect_model_has_every_point_and_one_that_never_calls_only_those_for_that(suite, bench):
    able = bench.script("able", answers={n: perfect(c) for n, c in checks(suite).items()})
    idle = bench.script("idle", default="I do not know.")
    report = api.run([able, idle], suites=["tools"], out=bench.out)
    first, second = report.models
    assert first.suites[0].score.value == 100
    figures = ("name", "arguments", "no_call", "result", "stop")
    assert [first.measurements[f"tool_calls/{name}"].value for name in figures] == [1] * 5
    assert [second.measurements[f"tool_calls/{name}"].value for name in figures] == [0, 0, 1, 0, 0]
    assert second.suites[0].categories["no_call"].value == 1
    assert second.suites[0].score.value == 20
