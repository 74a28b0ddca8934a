"""Calls that an answer has as text, read back."""

import json

import pytest

from assay.text.written_calls import offered_functions, read_written_calls

OFFERED = {"get_weather": {"city": "string", "days": "integer"}, "now": {}}
ACCRA = ("get_weather", {"city": "Accra"})


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_weather", "arguments": {"city": "Accra"}}',
        'Sure!\n```json\n{"name": "get_weather", "parameters": {"city": "Accra"}}\n```',
        '<tool_call>\n{"name": "get_weather", "arguments": "{\\"city\\": \\"Accra\\"}"}',
        '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Accra"}}]',
        '{"tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": "Accra"}}}]}',
        '{"function_call": {"name": "get_weather", "arguments": {"city": "Accra"}}}',
        '{"get_weather": {"city": "Accra"}}',
        '<function=get_weather>{"city": "Accra"}</function>',
        "<function=get_weather>\n<parameter=city>\nAccra\n</parameter>\n</function>",
        'Action: get_weather\nAction Input: {"city": "Accra"}\nObservation: …',
        'get_weather(city="Accra")',
        "```tool_code\nprint(get_weather('Accra'))\n```",
        '[get_weather(city="Accra")]',
        "get_weather(city: Accra)",
        'get_weather({"city": "Accra"})',
        '<|python_tag|>get_weather.call(city="Accra")',
        "{'name': 'get_weather', 'arguments': {'city': 'Accra'}}",
        '{"tool": "get_weather", "city": "Accra"}',
        '[TOOL_CALLS]get_weather[ARGS]{"city": "Accra"}',
        'to=functions.get_weather <|constrain|>json<|message|>{"city": "Accra"}',
        "<get_weather><city>Accra</city></get_weather>",
        '<invoke name="get_weather"><parameter name="city">Accra</parameter></invoke>',
        '<tool name="get_weather" city="Accra"/>',
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Accra</arg_value>\n</tool_call>",
        "Tool: get_weather\n- **city**: Accra\n",
        'get_weather city="Accra"',
        "¤ get_weather ¤ city → Accra ¤ fin ¤",
        "(fcall get_weather :city Accra)",
        "$ get_weather --city Accra",
        "| tool | get_weather |\n|---|---|\n| city | Accra |",
        "RUN get_weather WITH\ncity = 'Accra' END",
        "<start_function_call>call:get_weather{city:<escape>Accra<escape>}<end_function_call>",
        "[call]get_weather{city: Accra}[/call]",
        "get_weather{city=[str]Accra[/str]}",
        "<|call|>get_weather{<q>city<q>: <|s|>Accra<|e|>}",
        "call get_weather(city=<value>Accra</value>)",
        "call get_weather({city: <v>Accra</v>})",
        "get_weather{city: “Accra”}",
        "get_weather(city=«Accra»)",
        "get_weather{city: `Accra`}",
    ],
)
def test_every_shape_gives_the_same_call(text: str) -> None:
    (call,) = read_written_calls(text, OFFERED)
    assert (call.name, json.loads(call.arguments)) == ACCRA


@pytest.mark.parametrize(
    "text",
    [
        "It is warm in Accra.",
        "get_weather(city) says how warm it is.",
        "I would ask get_weather. It takes a city.",
        'def get_weather(city="Accra"):\n    return 31',
        '{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {}}}}',
        'The function get_weather is not needed here, for it is warm. {"city": "Accra"}',
        "I do not know what now means.",
        "get_weather needs a city — which one?",
        "get_weather wants the city, Accra or another.",
        "get_weather({1, 2})",
        "get_weather('a', 1, 2, 3)",
        "get_weather(",
        '{"city": "Accra"}',
        "other(city='Accra')",
    ],
)
def test_what_is_no_call_for_certain_is_none(text: str) -> None:
    assert read_written_calls(text, OFFERED) == ()


def test_several_calls_keep_their_order_and_have_a_limit() -> None:
    text = '{"name": "now"}\n{"name": "get_weather", "arguments": {"city": "Accra"}}'
    assert [call.name for call in read_written_calls(text, OFFERED)] == ["now", "get_weather"]
    assert len(read_written_calls('{"name": "now"} ' * 500, OFFERED)) == 50


def test_functions_are_read_from_the_tools_of_a_request() -> None:
    tools = [
        {"type": "function", "function": {"name": "f", "parameters": {"properties": {"a": {}}}}}
    ]
    assert offered_functions(json.dumps(tools)) == {"f": {"a": ""}}
    assert offered_functions("") == {}


@pytest.mark.parametrize("text", ["now()", "Action: now", "<tool_call>now</tool_call>", "`now`"])
def test_a_function_that_takes_nothing_is_called_by_its_name_alone(text: str) -> None:
    (call,) = read_written_calls(text, OFFERED)
    assert (call.name, call.arguments) == ("now", "{}")


def test_a_value_in_marks_is_a_text_where_the_function_wants_one() -> None:
    marked = "<get_weather><city>7</city><days>7</days></get_weather>"
    (call,) = read_written_calls(marked, OFFERED)
    assert json.loads(call.arguments) == {"city": "7", "days": 7}


def test_an_object_without_quotes_is_read_by_the_form_of_its_values() -> None:
    offered = {"book": {"name": "string", "code": "string", "rooms": "array", "guests": "object"}}
    text = (
        "call:book{name:<q>Ama, {and} Kofi's<q>,code:0042,rooms:[{no:7,quiet:true},{no:8.5}],"
        "guests:{names:[<q>Ama<q>,Kofi],children:null}}"
    )
    first, second = read_written_calls(f"<a>{text}<b><a>{text}<b>", offered)
    assert first == second
    assert json.loads(first.arguments) == {
        "name": "Ama, {and} Kofi's",
        "code": "0042",
        "rooms": [{"no": 7, "quiet": True}, {"no": 8.5}],
        "guests": {"names": ["Ama", "Kofi"], "children": None},
    }


@pytest.mark.parametrize(
    "text",
    [
        "get_weather { city: Accra, and then",
        "get_weather { place: Accra }",
        "get_weather { return 31; }",
        "get_weather{city:<q>Accra",
    ],
)
def test_what_is_no_object_without_quotes_is_no_call(text: str) -> None:
    calls = read_written_calls(text, {"get_weather": {"city": "string"}})
    assert not [each for each in calls if json.loads(each.arguments) == {"city": "Accra"}]
