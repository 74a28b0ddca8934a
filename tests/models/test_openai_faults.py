"""openai: whatever goes wrong is an outcome, and never an answer."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from assay.models.opening import open_model
from assay.types import Failed, ToAnswer
from tests.models.asking import KEY, PLAIN, QUICK, answered, only, said

pytestmark = pytest.mark.usefixtures("planted_key")


SSE = {"content_type": "text/event-stream"}


def event(**document):
    return f"data: {json.dumps(document)}\n\n"


def chunk(**choice):
    return event(object="chat.completion.chunk", choices=[{"index": 0, **choice}])


FAULTS: list[tuple[str, str, dict[str, Any], str]] = [
    ("a hang", "hang", {}, "timeout"),
    ("a hang in the middle", "hang_mid_stream", {}, "timeout"),
    ("a slow drip", "drip_body", {"every": 0.5}, "timeout"),
    ("a reset", "reset", {}, "unreachable"),
    ("an end before the answer", "closes", {}, "unreachable"),
    ("an end inside a chunk", "closes_mid_chunk", {}, "broken_stream"),
    ("another protocol", "not_http", {}, "unreachable"),
    ("no status 200", "http_500", {}, "server_error"),
    ("a busy server", "http_503", {}, "server_error"),
    ("too many requests", "http_429", {}, "rate_limited"),
    ("a wrong request", "http_400", {}, "refused"),
    ("a key echoed in a 401", "auth_401", {}, "refused"),
    ("a redirect", "redirect", {}, "refused"),
    ("garbage", "garbage", {}, "unreadable"),
    ("a web page", "html", {}, "unreadable"),
    ("another JSON", "wrong_shape", {}, "unreadable"),
    ("an empty body", "empty_body", {}, "unreadable"),
    ("bytes that are no UTF-8", "latin1", {}, "unreadable"),
    ("an error in mid-stream", "error_mid_stream", {}, "server_error"),
    ("an error under 200", "garbage", {"body": {"error": {"message": f"no {KEY}"}}},
     "server_error"),
    ("a plain error under 200", "garbage", {"body": {"error": f"no {KEY}"}}, "server_error"),
    ("an error with a code under 200", "garbage",
     {"body": {"error": {"message": f"no {KEY}", "code": 400}}}, "refused"),
    ("an old error under 200", "garbage", {"body": {"object": "error", "message": KEY}},
     "server_error"),
    ("no choices", "garbage", {"body": {"choices": []}}, "unreadable"),
    ("choices of another type", "garbage", {"body": {"choices": {"0": KEY}}}, "unreadable"),
    ("a choice of another type", "garbage", {"body": {"choices": [KEY]}}, "unreadable"),
    ("a content of another type", "garbage",
     {"body": {"choices": [{"message": {"content": 7}, "finish_reason": "stop"}]}}, "unreadable"),
    ("an index of another type", "garbage",
     {"body": {"choices": [{"index": "x", "message": {"content": "no"}}]}}, "unreadable"),
    ("a content of null", "garbage",
     {"body": {"choices": [{"message": {"content": None}, "finish_reason": "stop"}]}},
     "unreadable"),
    ("tokens counted and none shown", "garbage",
     {"body": {"choices": [{"message": {"content": None}, "finish_reason": "stop"}],
               "usage": {"prompt_tokens": 3, "completion_tokens": 9}}}, "unreadable"),
    ("a tool called", "garbage",
     {"body": {"choices": [{"message": {"content": None, "tool_calls": [{"id": "1"}]},
                            "finish_reason": "tool_calls"}]}}, "unreadable"),
    ("a stream without any end", "garbage",
     {"body": chunk(delta={"content": "Half an ans"}), **SSE}, "broken_stream"),
    ("an end without an answer", "garbage", {"body": "data: [DONE]\n\n", **SSE}, "unreadable"),
    ("garbage in a stream", "garbage",
     {"body": chunk(delta={"content": "Half"}) + "data: {no JSON\n\n", **SSE}, "unreadable"),
    ("a bare error in a stream", "garbage",
     {"body": chunk(delta={"content": "Half"}) + '{"error": "out of memory"}\n', **SSE},
     "server_error"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "details", "cause"),
    [fault[1:] for fault in FAULTS],
    ids=[fault[0] for fault in FAULTS],
)
def test_a_fault_is_an_outcome_and_never_an_answer(openai_server, kind, details, cause):
    slow = cause == "timeout"
    model = open_model(openai_server.spec(), replace(QUICK, timeout=0.5 if slow else 30.0))
    openai_server.fault(kind, times=None, **details)
    reply = only(model, ToAnswer(messages=said("Say something."), sampling=PLAIN))
    model.close()
    assert isinstance(reply, Failed), reply
    assert reply.cause == cause
    assert reply.reason
    assert reply.attempts >= 1
    assert KEY not in repr(reply)
    assert KEY not in repr(model.observed())


def test_what_had_come_of_a_broken_stream_is_kept_and_not_marked(openai_server, opened):
    openai_server.answers({"*": "One two three four five six"})
    model = opened()
    openai_server.fault("closes_mid_chunk", times=None)
    reply = only(model, ToAnswer(messages=said("Count."), sampling=PLAIN))
    assert isinstance(reply, Failed)
    assert reply.partial.startswith("One two")
    assert reply.attempts == 4


def test_a_fault_that_passes_costs_a_try_and_no_answer(openai_server, opened):
    model = opened()
    openai_server.fault("http_503", times=2)
    answer = answered(model)
    assert answer.attempts == 3
    assert answer.text


def test_a_prompt_that_does_not_fit_is_called_so_and_no_field_is_blamed(openai_server, opened):
    model = opened()
    openai_server.settings(context=30)
    reply = only(model, ToAnswer(messages=said("word " * 60), sampling=PLAIN))
    assert isinstance(reply, Failed)
    assert reply.cause == "prompt_too_long"
    assert model.observed().notes == ()


@pytest.mark.parametrize("kind", ["nulls", "negative", "nan"])
def test_counts_that_make_no_sense_are_as_if_not_told(openai_server, opened, kind):
    model = opened()
    openai_server.fault(kind, times=None)
    answer = answered(model)
    assert answer.text
    assert answer.output_tokens is None
    assert answer.dropped == ("usage",)


@pytest.mark.parametrize("kind", ["ends_without_done", "duplicate_done"])
def test_a_reason_to_finish_is_end_enough(openai_server, opened, kind):
    model = opened()
    openai_server.fault(kind)
    assert answered(model).finish == "stop"


def test_comments_carriage_returns_and_other_fields_of_a_stream_are_read_over(
    openai_server, opened
):
    model = opened()
    lines = [
        ": keep-alive", "event: message", "id: 7", "retry: 10",
        chunk(delta={"role": "assistant", "content": None}).strip(),
        chunk(delta={"content": "Good "}).strip().replace("data: ", "data:"), "", ":", "",
        chunk(delta={"content": "day\u2028."}).strip(),
        chunk(delta=None, finish_reason="stop").strip(), "data: [DONE]", "", "data: {rubbish",
    ]  # fmt: skip
    openai_server.fault("garbage", body="\r\n".join(lines), **SSE)
    answer = answered(model)
    assert answer.text == "Good day\u2028."
    assert answer.attempts == 1


def test_a_server_that_does_not_stream_is_understood(openai_server, opened):
    model = opened()
    openai_server.settings(features={"unknown": "drop", "stream": "drop"})
    openai_server.answers({"*": "All at once."})
    assert answered(model).text == "All at once."


def test_a_model_that_ends_at_once_has_given_an_empty_answer(openai_server, opened):
    """llama.cpp streams null for it, and counts the one token that ended it."""
    model = opened()
    body = (
        chunk(delta={"role": "assistant", "content": None})
        + chunk(delta={}, finish_reason="stop")
        + event(choices=[], usage={"prompt_tokens": 2, "completion_tokens": 1})
        + "data: [DONE]\n\n"
    )
    openai_server.fault("garbage", body=body, **SSE)
    answer = answered(model)
    assert answer.text == ""
    assert answer.finish == "stop"


def test_a_refusal_of_the_model_is_its_answer(openai_server, opened):
    model = opened()
    message = {"content": None, "refusal": "I cannot help with that."}
    openai_server.fault(
        "garbage", body={"choices": [{"message": message, "finish_reason": "stop"}]}
    )
    assert answered(model).text == "I cannot help with that."


def test_what_nobody_foresaw_costs_one_test_and_not_the_run(opened):
    """Here our own schema is no JSON; a reply that breaks our reading ends in the same place."""
    model = opened()
    reply = only(model, ToAnswer(messages=said("Hi"), sampling=PLAIN, schema="{"))
    assert isinstance(reply, Failed)
    assert reply.cause == "other"
    assert "JSONDecodeError" in reply.reason
    assert answered(model).text
