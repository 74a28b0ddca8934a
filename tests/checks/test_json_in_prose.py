"""JSON and function calls are found where they are, and prose about them is neither."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.json_in_prose import CallShape, find_function_call, find_json
from tests.conftest import no_hang

any_text = st.text(st.characters(codec=None), max_size=300)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": 1}', ({"a": 1},)),
        (" [1,2,3]\n", ([1, 2, 3],)),
        ('{"a":"}"}', ({"a": "}"},)),
        ("[]", ([],)),
        ('Here:\n```json\n{"a": 1}\n```\nDone.', ({"a": 1},)),
        ("~~~\n[1]\n~~~", ([1],)),
        ('```\n{"a": 1}', ({"a": 1},)),
        ("It is [1, 2, 3].", ([1, 2, 3],)),
        ('So {"a": {"b": [1]}} it is', ({"a": {"b": [1]}},)),
        ('{"a":1} and {"b":2}', ({"a": 1}, {"b": 2})),
        ('[see {"a": 1}]', ({"a": 1},)),
    ],
)
def test_json_is_found(text: str, values: tuple[object, ...]) -> None:
    assert find_json(text)[0] == [*values]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        '"text"',
        "Use {name} here",
        "{ return x; }",
        '{"a": [1, 2],}',
        '```json\n{"a": [1, 2],}\n```',
        '{"a": 1',
        "{'a': 1}",
        "as shown in [3]",
        "- [ ] to do",
        "the set {}",
    ],
)
def test_what_only_looks_like_json_is_not_found(text: str) -> None:
    assert find_json(text)[0] == []


def test_not_a_number_is_no_json_and_reported() -> None:
    assert find_json('{"a": NaN}') == ([], {"nan"})


def test_a_repeated_key_is_reported() -> None:
    assert find_json('{"a": 1, "a": 2}') == ([{"a": 2}], {"repeated_key"})


def test_nesting_too_deep_for_the_parser_is_reported() -> None:
    assert find_json("[" * 100_000 + "]" * 100_000)[1] == {"too_deep"}


def test_an_integer_too_long_for_python_is_still_json() -> None:
    assert len(find_json(f"[{'9' * 10_000}, 1]")[0]) == 1


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ('{"tool_calls":[{"function":{"name":"f","arguments":"{\\"a\\":1}"}}]}', "tool_calls"),
        ('{"tool_calls":[{"id":"1","function":{"name":"f","arguments":{}}}]}', "tool_calls"),
        ('{"function_call":{"name":"f","arguments":"{}"}}', "tool_calls"),
        ('<tool_call>\n{"name":"f","arguments":{"a":1}}\n</tool_call>', "tagged"),
        ('<tool_call>{"name":"f","arguments":{"a":1}}', "tagged"),
        ('<function_call>{"name":"f","arguments":{}}</function_call>', "tagged"),
        ("<function_call>f(a=1)</function_call>", "tagged"),
        ('<function=f>{"a":1}</function>', "tagged"),
        ("<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>", "tagged"),
        ('[TOOL_CALLS] [{"name":"f","arguments":{}}]', "tagged"),
        ('{"name":"f","arguments":{"a":1}}', "object"),
        ('Sure: {"name":"f","parameters":{"a":1}}', "object"),
        ('```json\n{"name":"f","arguments":"{}"}\n```', "object"),
        ('[{"name":"f","arguments":{}}]', "object"),
        ("[f(a=1), g.h(b='x')]", "python"),
        ("Calling:\n```tool_code\nprint(f(a=1))\n```", "python"),
    ],
)  # fmt: skip
def test_a_function_call_is_found_with_its_shape(text: str, shape: str) -> None:
    assert find_function_call(text) == shape


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A function call is written <function_call>.",
        "I would make a function call to f.",
        "f(x) is a function",
        'print("x")',
        "```python\nf(a=1)\n```",
        "[1, 2]",
        '{"name": "Ama", "age": 3}',
        '{"name": "Ama Mensah", "arguments": {}}',
        '{"name":"f","description":"d","parameters":{"type":"object","properties":{}}}',
        '{"tool_calls": []}',
        '{"tool_calls": null}',
    ],
)
def test_what_only_speaks_of_function_calls_is_none(text: str) -> None:
    assert find_function_call(text) is None


@pytest.mark.parametrize(
    ("text", "named", "unnamed"),
    [
        ("clock()", "python", None),
        ("Here: `clock()`", "python", None),
        ("```python\nnow = clock(zone='UTC')\n```", "python", None),
        ('{"name": "clock"}', "object", None),
        ('{"tool": "clock", "args": {}}', "object", "object"),
        ("Thought: I need it.\nAction: clock\nAction Input: {}", "react", "react"),
        ("Action: clock[UTC]", "react", "react"),
        ("Action: clock", "react", None),
        ("Action: get_time", "react", "react"),
        ("Thought: I need the time.\nAction: `get_time`", "react", "react"),
        ("Thought: I need it.\nAction: get_time\nObservation: 12:00", "react", "react"),
        ("Action: clock\nObservation: 12:00", "react", "react"),
        ("Action: I will look at the weather", None, None),
        ("Action: get_time tells the time.", None, None),
        ("Action: Wait.", None, None),
        ('<tool_call>{"name": "clock"}</tool_call>', "tagged", "tagged"),
        ("Look at the clock (on the wall).", None, None),
        ('{"name": "Rex"}', None, None),
        ("max(1, 2)", None, None),
        ("Action: go home", None, None),
    ],
)
def test_a_call_without_arguments_counts_where_the_function_was_named(
    text: str, named: str | None, unnamed: str | None
) -> None:
    assert find_function_call(text, "Use the tool clock.") == named
    assert find_function_call(text) == unnamed


@given(any_text)
def test_any_text_can_be_searched(text: str) -> None:
    assert all(isinstance(value, dict | list) for value in find_json(text)[0])
    assert find_function_call(text) in (None, *get_args(CallShape))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))  # fmt: skip
def test_every_object_and_array_written_as_json_is_read_back(value: object) -> None:
    found = find_json(json.dumps(value))[0]
    assert found == ([value] if isinstance(value, dict | list) else [])


@pytest.mark.parametrize(
    "junk",
    ["{", "[", '{"a', '["', "[1,", '{"a":', "```\n", "<tool_call>", "![", "(", "[f(", "{ "],
)
def test_junk_of_200_kilobytes_is_searched(junk: str) -> None:
    text = junk * (200_000 // len(junk))
    with no_hang():
        assert all(isinstance(value, dict | list) for value in find_json(text)[0])
        assert find_function_call(text) in (None, *get_args(CallShape))
