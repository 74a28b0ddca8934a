"""Tools sent natively to real server processes, results sent back, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay import api
from assay.errors import Refusals, UsageError

TOOL = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}
LOME = {"name": "get_weather", "arguments": {"city": "Lomé"}}
TESTS = [
    {
        "id": "weather_001",
        "prompt": "How warm is it in Lomé?",
        "eval_method": "tool_calls",
        "tools": [TOOL],
        "expected_calls": [LOME],
        "tool_results": [{"result": {"celsius": 31}, "use": ["31"]}],
    },
    {
        "id": "weather_002",
        "prompt": "How are you?",
        "eval_method": "tool_calls",
        "tools": [TOOL],
        "expected_calls": [],
    },
]
CALL = json.dumps({"tool_calls": [LOME]})
GOOD = {"Lomé": [CALL, "It is 31 °C there."], "How are you": "Fine, thank you."}


@pytest.fixture(params=["ollama", "openai"])
def server(request, start_ollama, openai_server):
    if request.param == "openai":
        return openai_server
    return start_ollama(also=["caller"])


def run(server, bench, **options):
    spec = server.spec("caller" if server.scheme == "ollama" else None)
    tests = [test | {"max_tokens": 7_000} for test in TESTS]
    return api.run([spec], suites=[bench.suite({"weather": tests})], out=bench.out, **options)


def test_a_call_its_result_and_the_answer_are_one_conversation(server, bench):
    server.answers(GOOD)
    report = run(server, bench)
    (model,) = report.models
    assert model.suites[0].score.value == 100
    figures = {name.partition("/")[2]: each for name, each in model.measurements.items()}
    assert {name: figures[name].value for name in ("name", "arguments", "no_call", "result", "stop")
            } == dict.fromkeys(("name", "arguments", "no_call", "result", "stop"), 1)  # fmt: skip
    assert model.suites[0].tests[0].answer == (
        '{"tool_calls": [{"name": "get_weather", "arguments": {"city": "Lomé"}}]}\n'
        '→ {"celsius": 31}\nIt is 31 °C there.'
    )
    asked = [each.body for each in server.asked if each.body.get("tools")]
    assert asked[0]["tools"][0]["function"]["name"] == "get_weather"
    _, called, result = next(body["messages"] for body in asked if len(body["messages"]) == 3)
    (sent,) = called["tool_calls"]
    arguments = sent["function"]["arguments"]
    if server.scheme == "openai":
        assert result["tool_call_id"] == sent["id"]
        arguments = json.loads(arguments)
    assert (arguments, result["role"], result["content"]) == (
        {"city": "Lomé"}, "tool", '{"celsius": 31}',
    )  # fmt: skip
    before = len(server.asked)
    assert run(server, bench).models[0].suites == model.suites
    assert len(server.asked) == before + (server.scheme == "openai")  # its probe


def test_hostile_calls_cost_points_and_nothing_else(server, bench):
    endless = {"tool_calls": [LOME] * 150}
    for call in (
        {"tool_calls": [{"name": "get_weather", "arguments": '{"city": '}]},
        {"tool_calls": [{"name": "rm", "arguments": {"x": "y"}}]},
        {"tool_calls": [{"name": None, "arguments": None}]},
        endless,
    ):
        server.answers({"Lomé": json.dumps(call), "How are you": json.dumps(endless)})
        report = run(server, bench, fresh=True)
        assert report.exit_code == 0
        scores = [row.score for row in report.models[0].suites[0].tests]
        assert scores[0] <= 0.5
        assert scores[1] == 0


def test_a_model_that_calls_for_ever_is_left_after_the_expected_calls(server, bench):
    server.answers({"Lomé": CALL, "How are you": "Fine."})
    first = run(server, bench).models[0].suites[0].tests[0]
    assert first.score == 0.5
    assert "stop: it called get_weather" in first.explanation
    assert sum("Lomé" in str(each.body) for each in server.asked) == 2


def test_a_model_that_cannot_call_tools_is_refused_before_it_is_asked(ollama_server, bench):
    with pytest.raises((UsageError, Refusals)) as refused:
        api.run([ollama_server.spec()], suites=[bench.suite({"weather": TESTS})], out=bench.out)
    assert "cannot be given tools, and weather_001 (2 in all) needs them" in str(refused.value)
    assert ollama_server.asked == []


def test_tools_that_a_server_drops_in_silence_are_no_mistake_of_the_model(openai_server, bench):
    openai_server.settings(features={"tools": "drop", "unknown": "drop"})
    report = run(openai_server, bench)
    assert report.exit_code == 3
    assert {row.explanation.partition(":")[0] for row in report.models[0].suites[0].tests} == {
        "the server ignored the tools"
    }


def test_a_script_calls_by_a_json_text(bench):
    script = bench.script("able", answers={"weather_001": GOOD["Lomé"], "weather_002": "Fine."})
    report = api.run([script], suites=[bench.suite({"weather": TESTS})], out=bench.out)
    assert report.models[0].suites[0].score.value == 100


def test_mistakes_in_the_fields_are_shown_together(bench):
    wrong = [
        TESTS[0] | {"expected_calls": [{"name": "get_whether", "arguments": {}}]},
        TESTS[1] | {"tool_results": [1], "tools": [TOOL, TOOL]},
    ]
    found = [finding.message for finding in api.validate([Path(bench.suite({"weather": wrong}))])]
    assert found == [
        "'get_whether' is not one of the tools",
        "there are two tools 'get_weather'",
        "'tool_results' has a result that belongs to no expected call",
    ]
