"""`--think off` reaches every server that can be told, and models that cannot think take part."""

from __future__ import annotations

import pytest

from assay import api
from assay.errors import AssayError
from tests.servers.llama_cpp import llama_cpp_server

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


# What is told to a real template: it begins the answer with another word.
THINKS = (
    "{{ bos_token }}{% if enable_thinking is defined and not enable_thinking %}Lily and Tom were"
    "{% else %}Once upon a time{% endif %}"
)


def test_off_reaches_the_template_of_a_real_llama_cpp(weights, bench, suite):
    with llama_cpp_server(weights, THINKS) as port:
        url = f"http://127.0.0.1:{port}"
        spoken, silent = (
            api.run([url], suites=[suite], out=bench.out, max_tokens=12, think=think)
            for think in ("on", "off")
        )
    answers = [run.models[0].suites[0].tests[0].answer for run in (spoken, silent)]
    assert answers[0].startswith(", there was a little girl")
    assert answers[0] != answers[1]
    assert not [note for note in silent.models[0].observed.notes if "does not think" in note]


def test_a_mixed_comparison_runs_whoever_serves_the_models(
    llama_cpp, ollama_server, openai_server, bench, suite
):
    """Native think, chat_template_kwargs and effort, a template without thinking, a script."""
    plain = f"http://127.0.0.1:{llama_cpp}"
    thinks = ollama_server.spec("smollm2-think:135m")
    script = bench.script("able", default="yes")
    specs = [plain, thinks, openai_server.spec(), script]
    report = api.run(specs, suites=[suite], out=bench.out, think="off", max_tokens=5)
    left_out = "--think off was left out"
    notes = [model.observed.notes if model.observed else () for model in report.models]
    told = [any(left_out in note for note in each) for each in notes]
    assert told == [True, False, False, True]


def test_thinking_itself_is_still_refused_where_a_model_cannot(ollama_server, bench, suite):
    with pytest.raises(AssayError, match="cannot be asked to think 'on'"):
        api.run([ollama_server.spec()], suites=[suite], out=bench.out, think="on")
