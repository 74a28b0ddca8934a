"""No answer that a model gives stops a run: each is a score or a failed request, is stored, and can
be shown.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.api.rendering import render
from assay.types import OutcomeKind
from tests.models.conftest import Habit

DEEP = 20_000  # brackets inside each other
HALF = "\ud800"  # of a surrogate pair
TEXTS = (
    HALF,
    f'{{"city": "\\ud800", "{HALF}": 1}}',
    "a\x00b\x1b[31m",
    "",
    " \u200b\ufeff",
    "\u2028\x85",
    "[" * DEEP,
    '{"a":' * DEEP,
    "(" * DEEP,
    "**" * DEEP,
    "<think>" * 900,
    "</think>" * DEEP,
    "<|channel|>" * 900,
    "```json\n" + "{" * DEEP,
    "1" * 6000,
    "1e999",
    "-1e-999",
    "1e" + "9" * 5000,
    "10**10**10",
    "1," * 5000,
    "0x" + "f" * 6000,
    '{"a": NaN, "b": 1e999}',
    "\u00bd \u00b2 \u0663 \u4e94 \u221e",
    "A" * 200_000,
    "e\u0301" * 20_000,
    "\\boxed{" * 4000,
    "$" * 20_000,
    "weather(1e999)",
    "weather({1})",
    "weather(b'x', 1j)",
    f'weather("{HALF}")',
    "weather(**{'a': 1})",
    "weather(" * 2000,
    "weather(city=" + "[" * 3000 + "]" * 3000 + ")",
    "weather(city=" + "-" * 3900 + "1)",
    '{"name": "weather", "arguments": ' + "[" * DEEP,
    "<tool_call>" + "[" * DEEP,
    '{"name": "weather", "arguments": ' + '{"a":' * 900 + "1" + "}" * 900 + "}",
    '{"name": "weather", "arguments": {"city": ' + "9" * 5000 + "}}",
    '{"name": "weather", "arguments": {"city": "\\ud800"}}',
    '{"name": ["weather"], "arguments": [1]}',
    '{"tool_calls": [1, null, [], {"function": null}]}',
    "<weather>" * 3000,
    "<weather><city>" * 3000,
    "<weather " + "city='" * 3000,
    "weather " * 9000,
    "Action: weather\nAction Input: " + "[" * DEEP,
    "weather\ncity: " + "x " * 9000,
)
ARGUMENTS = (
    None, False, 5, [], ["a"], {"city": [1]}, "[1]", "null", "5", '"x"', "[" * DEEP, '{"a":' * DEEP,
    '{"city": "\\ud800"}', f'{{"city": "{HALF}"}}', '{"city": NaN}', '{"city": 1e999}',
    '{"city": ' + "9" * 6000 + "}", '{"city":' + "[" * 900 + "]" * 900 + "}",
    '{"city": "Lomé", "city": "Accra"}', "\x00",
)  # fmt: skip
CALLS: tuple[Any, ...] = (
    *([{"function": {"name": "weather", "arguments": each}}] for each in ARGUMENTS),
    "weather", 5, [1], [None], [[]], [{}], [{"function": None}], [{"function": "weather"}],
    [{"function": {"name": 5}}], [{"function": {"name": ["a"], "arguments": {"a": 1}}}],
    [{"function": {"name": f"weather{HALF}", "arguments": "{}"}}],
    [{"index": -1, "function": {"name": "weather"}}],
    [{"index": 10**30, "function": {"name": "weather"}}],
    [{"function": {"name": "weather", "arguments": "{}"}}] * 300,
)  # fmt: skip
ODD: tuple[dict[str, Any], ...] = (
    *({"content": each} for each in TEXTS),
    *({"reasoning_content": each} for each in TEXTS[:8]),
    *({"content": "Lomé", "reasoning_content": each} for each in (5, [1], {"a": 1}, ["x"], HALF)),
    *({"content": each} for each in (5, True, {"a": 1}, [1], [[]], [{"type": "image"}])),
    *({"content": None, "tool_calls": each} for each in CALLS),
    *({"content": "It is sunny.", "tool_calls": each} for each in CALLS),
)
TOOLS = [
    {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    }
]
METHODS: dict[str, dict[str, Any]] = {
    "tool_calls": {
        "tools": TOOLS,
        "expected_calls": [{"name": "weather", "arguments": {"city": "Lomé"}}],
        "tool_results": [{"result": {"degrees": 31}}],
    },
    "exact_match": {"expected": "31"},
    "multiple_choice": {"expected": "B", "choices": ["12", "31", "40"]},
    "composite": {
        "expected_keywords": ["sun"],
        "expected_format": {"json": True, "max_sentences": 2, "language": "fr",
                            "json_schema": {"type": "object", "required": ["city"]}},
    },
    "command_sequence": {"expected_commands": ["ls", "cd /tmp"]},
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_no_answer_of_a_model_stops_a_run(
    method: str, peculiar: Callable[[Habit], str], tmp_path: Path
) -> None:
    def habit(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        asked = json.dumps(body["messages"])
        number = asked.partition("[[")[2].partition("]]")[0]
        message = ODD[int(number)] if number else {"content": "yes"}
        return 200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    suite = tmp_path / "odd"
    suite.mkdir()
    tests = [
        {"id": f"odd_{n:03d}", "prompt": f"[[{n}]] What is the weather in Lomé?",
         "eval_method": method, **METHODS[method]}
        for n in range(len(ODD))
    ]  # fmt: skip
    (suite / "all.json").write_text(json.dumps(tests))
    report = assay.run(f"openai:m@{peculiar(habit)}", suites=suite, out=tmp_path / "out",
                       first_pause_s=0.01)  # fmt: skip
    (summary,) = report.models[0].suites
    assert len(summary.tests) == len(ODD)
    unscored = [each for each in summary.tests if each.outcome is OutcomeKind.UNSCORED]
    assert unscored == []
    unforeseen = [each for each in summary.tests if "unexpected answer" in each.explanation]
    assert unforeseen == []
    for form in ("text", "md", "json", "html"):
        assert render(report, form, verbose=True).encode(), "half a pair has no encoding"
