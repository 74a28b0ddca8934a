"""Calls of tools: each part of the score by itself, and what a model cannot break."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.checks.scoring import score_reply
from assay.checks.tool_calls import ToolCalls
from assay.store.bodies import read_back, to_json
from assay.types import AnswerCheck, Answered, Case, Message, Score, ToolCall, ToolStep

WEATHER = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "default": 1},
            "where": {"type": "object", "properties": {"unit": {"default": "km"}}},
        },
        "required": ["city"],
    },
}
MAIL = {"type": "function", "function": {"name": "send_mail", "parameters": {"type": "object"}}}
LOME = {"name": "get_weather", "arguments": {"city": "Lomé"}}
ACCRA = {"name": "get_weather", "arguments": {"city": "Accra"}}


def a_check(expected: list[Any], results: Any = ()) -> ToolCalls:
    fields = {"tools": [WEATHER, MAIL], "expected_calls": expected, "tool_results": results}
    return ToolCalls.from_fields(fields)


def call(name: str, /, **arguments: Any) -> ToolCall:
    return ToolCall(name, json.dumps(arguments))


def scored(
    check: ToolCalls, *calls: ToolCall, text: str = "", steps: Any = (), **how: Any
) -> Score:
    case = Case(
        id="t", suite="s", category="c", messages=(Message("user", "Weather, Lomé?"),), check=check
    )
    reply = Answered(request_id="r", text=text, calls=calls, steps=tuple(steps), **how)
    score = score_reply(case, reply)
    assert score is not None
    return score


def parts(score: Score) -> dict[str, float]:
    return {part.name: part.value for part in score.parts}


@pytest.mark.parametrize(
    ("calls", "name", "arguments"),
    [
        ([call("get_weather", city="Lomé")], 1, 1),
        ([call("get_weather", city="Lome\u0301", days=1.0)], 1, 1),
        ([call("get_weather", city="Lomé", days=None, where=None)], 1, 1),
        ([call("get_weather", city="Lomé", days=2)], 1, 0),
        ([call("get_weather", city="Lomé", days="1")], 1, 0),
        ([call("get_weather", city="Lomé", days=True)], 1, 0),
        ([call("get_weather", city="lomé")], 1, 0),
        ([call("get_weather")], 1, 0),
        ([ToolCall("get_weather", '{"city": "Lomé"')], 1, 0),
        ([ToolCall("get_weather", '"Lomé"')], 1, 0),
        ([ToolCall("get_weather", "[" * 100_000)], 1, 0),
        ([ToolCall("get_weather", '{"city": NaN}')], 1, 0),
        ([call("send_mail", city="Lomé")], 0, 0),
        ([call("no_such_tool", city="Lomé")], 0, 0),
        ([call("get_weather", city="Lomé"), call("send_mail")], 0.5, 0.5),
        ([call("get_weather", city="Lomé")] * 1_000, 0.001, 0.001),
    ],
)
def test_name_and_arguments_are_two_parts(
    calls: list[ToolCall], name: float, arguments: float
) -> None:
    score = scored(a_check([LOME]), *calls)
    assert parts(score) == {"name": name, "arguments": arguments}
    assert score.value == pytest.approx((name + arguments) / 2)


def test_inner_objects_have_defaults_and_lists_an_order() -> None:
    wanted = {"city": "Lomé", "where": {"near": [1, 2.5]}}
    check = a_check([{"name": "get_weather", "arguments": wanted}])
    same = {"city": "Lomé", "where": {"near": [1.0, 2.5], "unit": "km"}}
    assert scored(check, call("get_weather", **same)).value == 1
    turned = {"city": "Lomé", "where": {"near": [2.5, 1]}}
    assert parts(scored(check, call("get_weather", **turned)))["arguments"] == 0


def test_several_calls_come_in_any_order_and_one_may_have_alternatives() -> None:
    check = a_check([LOME, [ACCRA, {"name": "send_mail"}]])
    lome = call("get_weather", city="Lomé")
    assert scored(check, ToolCall("send_mail", ""), lome).value == 1
    assert scored(check, call("get_weather", city="Accra"), lome).value == 1
    assert parts(scored(check, lome)) == {"name": 0.5, "arguments": 0.5}


def test_not_calling_is_a_figure_of_its_own() -> None:
    check = a_check([])
    assert parts(scored(check, text="Hello! I cannot help with that.")) == {"no_call": 1}
    assert parts(scored(check, call("send_mail"))) == {"no_call": 0}
    written = '{"name": "send_mail", "arguments": {}}'
    assert "written as text" in scored(check, text=written).explanation
    assert scored(check, text=written).value == 0
    silent = scored(check, text=" \n")
    assert (silent.no_answer, parts(silent)) == (True, {"no_call": 0})


ASKED = call("get_weather", city="Lomé")
STEP = ToolStep((ASKED,), ('{"sky": "clear", "temperature": 31}',))


@pytest.mark.parametrize(
    ("text", "calls", "result", "stop"),
    [
        ("It is 31 degrees.", [], 1, 1),
        ("It is nice.", [], 0, 1),
        ("Let me look.", [ASKED], 0, 0),
        ("31", [call("send_mail")], 1, 0),
    ],
)
def test_using_the_result_and_stopping_are_two_parts(
    text: str, calls: list[ToolCall], result: float, stop: float
) -> None:
    check = a_check([LOME], [{"result": json.loads(STEP.results[0]), "use": [["31", "thirty"]]}])
    found = parts(scored(check, *calls, text=text, steps=[STEP]))
    assert (found["result"], found["stop"]) == (result, stop)


def test_without_use_any_new_value_of_the_result_will_do() -> None:
    for results in ([{"sky": "clear", "temperature": 31}], {"get_weather": "31 °C, clear"}):
        check = a_check([LOME], results)
        assert scored(check, text="31!", steps=[STEP]).value == 1
        # Lomé is in the question: saying it shows nothing.
        assert parts(scored(check, text="In Lomé it is hot.", steps=[STEP]))["result"] == 0


def test_what_was_cut_or_never_reached_is_not_stopping() -> None:
    check = a_check([LOME], ["31"])
    assert parts(scored(check, text="31 31 31", steps=[STEP], truncated=True))["stop"] == 0
    assert parts(scored(check, text="About 31, I guess.")) == dict.fromkeys(
        ("name", "arguments", "result", "stop"), 0
    )


def test_results_are_sent_while_expected_calls_are_left_and_never_more() -> None:
    check = a_check([LOME, ACCRA], ["31", {"result": "29"}])
    accra = call("get_weather", city="Accra")
    assert check.results((accra, ASKED), ()) == ("29", "31")
    assert check.results((ASKED,), ()) == ("31",)
    first = ToolStep((ASKED,), ("31",))
    assert check.results((accra,), (first,)) == ("29",)
    assert check.results((ASKED,), (first, ToolStep((accra,), ("29",)))) == ()
    assert check.results((accra, call("send_mail")), ()) == ()
    assert check.results((ASKED,) * 3, ()) == ()
    # Wrong arguments have a result all the same: using it is another skill.
    assert a_check([LOME], ["31"]).results((accra,), ()) == ("31",)


def test_a_check_comes_back_from_the_store_as_it_was() -> None:
    check = a_check([LOME, [ACCRA, LOME]], [{"result": {"a": 1}, "use": ["1"]}, 2])
    assert read_back(AnswerCheck, to_json(check, AnswerCheck)) == check
    assert [*check.describe()][2:4] == [
        ("expected_calls", 'get_weather({"city": "Lomé"})'),
        ("expected_calls", 'get_weather({"city": "Accra"}) / get_weather({"city": "Lomé"})'),
    ]
