"""`--think off` reaches every server that can be told, and models that cannot think take part."""

from __future__ import annotations

import pytest

from assay import api
from assay.errors import AssayError

YES = {
    "id": "say_001", "prompt": "Say yes.", "expected": "yes", "eval_method": "exact_match",
}  # fmt: skip


def bodies(server):
    return [each.body for each in server.asked if "Say yes." in str(each.body) and each.status]


@pytest.fixture
def suite(bench):
    return bench.suite({"say": [YES]})


def test_off_is_said_to_the_template_and_as_effort(openai_server, bench, suite):
    openai_server.settings(features={"unknown": "drop"})
    api.run([openai_server.spec()], suites=[suite], out=bench.out, think="off")
    last = bodies(openai_server)[-1]
    assert last["chat_template_kwargs"] == {"enable_thinking": False}
    assert last["reasoning_effort"] == "none"


def test_what_a_server_refuses_is_left_out_and_told(openai_server, bench, suite):
    openai_server.settings(features={"unknown": "reject", "reasoning_effort": "reject"})
    report = api.run([openai_server.spec()], suites=[suite], out=bench.out, think="off")
    last = bodies(openai_server)[-1]
    assert last.keys().isdisjoint({"chat_template_kwargs", "reasoning_effort"})
    assert any("chat_template_kwargs" in note for note in report.models[0].observed.notes)


def test_a_model_that_cannot_think_takes_part_and_says_so(ollama_server, bench, suite):
    thinks, plain = ollama_server.spec("smollm2-think:135m"), ollama_server.spec()
    report = api.run([thinks, plain], suites=[suite], out=bench.out, think="off")
    assert [each.body.get("think") for each in ollama_server.asked] == [False, None]
    told = [note for note in report.models[1].observed.notes if "does not think" in note]
    assert told == ["this model does not think: --think off was left out"]
    assert not [note for note in report.models[0].observed.notes if "does not think" in note]


def test_thinking_itself_is_still_refused_where_a_model_cannot(ollama_server, bench, suite):
    with pytest.raises(AssayError, match="cannot be asked to think 'on'"):
        api.run([ollama_server.spec()], suites=[suite], out=bench.out, think="on")
