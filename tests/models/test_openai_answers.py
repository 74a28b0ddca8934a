"""openai: answers in words, and what the server dropped of what was asked."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from assay.types import Answered, Failed, Sampling, ToAnswer
from tests.models.asking import PLAIN, QUICK, answered, last_body, only, request_of, said

pytestmark = pytest.mark.usefixtures("planted_key")


SCHEMA = '{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}'


def test_an_answer_is_streamed_with_every_sampling_field(openai_server, opened):
    openai_server.answers({"*": "Four of them."})
    answer = answered(opened(), sampling=replace(PLAIN, stop=("END",)))
    assert answer.text == "Four of them."
    assert answer.finish == "stop"
    assert not answer.truncated
    assert answer.output_tokens == 4
    assert answer.prompt_tokens
    assert answer.total_s is not None
    assert answer.first_token_s is not None
    assert answer.first_token_s <= answer.total_s
    assert answer.timing is None
    assert answer.dropped == ()
    body = last_body(openai_server)
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert body["stop"] == ["END"]
    assert body["repeat_penalty"] == body["repetition_penalty"] == 1.0
    assert (body["temperature"], body["seed"], body["top_k"]) == (0.0, 0, 0)


def test_the_servers_own_sampling_leaves_only_temperature_and_seed(openai_server, opened):
    theirs = Sampling(
        temperature=0.3, seed=5, max_tokens=9, top_p=None, top_k=None, min_p=None,
        repeat_penalty=None, presence_penalty=None, frequency_penalty=None,
    )  # fmt: skip
    answered(opened(), sampling=theirs)
    body = last_body(openai_server)
    assert {name for name in body if name not in ("model", "messages")} == {
        "temperature", "seed", "max_tokens", "stream", "stream_options",
    }  # fmt: skip


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thoughts_are_kept_apart_from_the_answer(openai_server, opened, field):
    openai_server.settings(reasoning=True, reasoning_field=field)
    openai_server.answers({"*": {"text": "Lomé.", "thinking": "Togo, so"}})
    answer = answered(opened())
    assert answer.text == "Lomé."
    assert answer.reasoning == "Togo, so"
    assert answer.first_token_s is not None
    assert answer.first_answer_s is not None
    assert answer.first_token_s <= answer.first_answer_s


def test_thinking_that_takes_all_the_tokens_is_no_answer(openai_server, opened):
    openai_server.settings(reasoning=True)
    answer = answered(opened(), sampling=replace(PLAIN, max_tokens=3))
    assert answer.text == ""
    assert answer.reasoning_unclosed
    assert answer.truncated


def test_a_level_of_thinking_is_sent_as_reasoning_effort(openai_server, opened):
    answered(opened(), sampling=replace(PLAIN, think="low"))
    assert last_body(openai_server)["reasoning_effort"] == "low"


def test_thinking_on_is_refused_by_a_server_that_cannot_be_told(openai_server, opened):
    openai_server.settings(features={"unknown": "reject"})
    model = opened()
    reply = only(model, ToAnswer(messages=said("Hi"), sampling=replace(PLAIN, think="on")))
    assert isinstance(reply, Failed)
    assert reply.cause == "refused"
    assert "low, medium or high" in reply.reason


def test_a_schema_is_sent_in_its_own_order_and_kept_to(openai_server, opened):
    answer = answered(opened(), schema=SCHEMA)
    assert list(json.loads(answer.text)) == ["z", "a"]
    sent = last_body(openai_server)["response_format"]["json_schema"]
    assert sent["name"] == "answer"
    assert sent["strict"] is True
    assert list(sent["schema"]["properties"]) == ["z", "a"]
    assert answer.dropped == ()


def test_a_schema_that_is_ignored_is_recorded(openai_server, opened):
    openai_server.settings(features={"unknown": "drop", "response_format": "drop"})
    model = opened()
    assert answered(model, schema=SCHEMA).dropped == ("response_format",)
    answered(model, schema=SCHEMA)
    assert len([n for n in model.observed().notes if "response_format" in n]) == 1


def test_a_schema_that_is_refused_fails_the_request(openai_server, opened):
    openai_server.settings(features={"unknown": "drop", "response_format": "reject"})
    reply = only(opened(), ToAnswer(messages=said("Hi"), sampling=PLAIN, schema=SCHEMA))
    assert isinstance(reply, Failed)
    assert reply.cause == "refused"


def test_tokens_that_are_not_counted_are_unknown_and_recorded(openai_server, opened):
    openai_server.settings(features={"unknown": "drop", "usage": "drop"})
    answer = answered(opened())
    assert (answer.prompt_tokens, answer.output_tokens) == (None, None)
    assert answer.dropped == ("usage",)


def test_a_server_that_refuses_stream_options_is_asked_without(openai_server, opened):
    openai_server.settings(features={"unknown": "drop", "stream_options": "reject"})
    model = opened()
    assert answered(model).dropped == ("usage",)
    asked_before = len(openai_server.asked)
    answered(model)
    assert len(openai_server.asked) == asked_before + 1


def test_a_temperature_refused_for_one_request_is_not_taken_from_the_others(opened, peculiar):
    def habit(path, body):
        if body["temperature"] > 1:
            return 400, {"error": {"message": "temperature must be at most 1"}}
        choice = {"index": 0, "message": {"content": "Yes"}, "finish_reason": "stop"}
        return 200, {"choices": [choice]}

    model = opened(spec=f"openai:m@{peculiar(habit)}")
    hot = ToAnswer(messages=said("Hi"), sampling=replace(PLAIN, temperature=1.5))
    reply = only(model, hot)
    assert isinstance(reply, Failed)
    assert reply.cause == "refused"
    assert "temperature" not in answered(model).dropped


def yes(text="Yes"):
    return 200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}


def test_a_length_refused_for_one_request_fails_it_and_changes_no_other(opened, peculiar):
    seen: list[dict[str, Any]] = []

    def habit(path, body):
        seen.append(body)
        if body.get("max_tokens", 1000) > 512:
            return 400, {"error": {"message": "max_tokens must be <= 512"}}
        return yes()

    model = opened(spec=f"openai:m@{peculiar(habit)}")
    long = ToAnswer(messages=said("Hi"), sampling=replace(PLAIN, max_tokens=600))
    reply = only(model, long)
    assert isinstance(reply, Failed)
    assert reply.cause == "refused"
    assert "max_tokens must be <= 512" in reply.reason
    assert answered(model).text == "Yes"
    assert all("max_completion_tokens" not in body for body in seen)


def test_a_server_that_writes_no_less_is_still_asked_for_what_a_test_says(opened, peculiar):
    seen: list[dict[str, Any]] = []

    def habit(path, body):
        seen.append(body)
        if body["max_tokens"] < 16:
            return 400, {"error": {"message": "max_tokens: Expected a value >= 16, which is the "
                                   "minimum value"}}  # fmt: skip
        return yes()

    model = opened(spec=f"openai:m@{peculiar(habit)}")
    assert [body["max_tokens"] for body in seen] == [1, 256]
    assert answered(model).text == "Yes"
    assert seen[-1]["max_tokens"] == 40
    short = ToAnswer(messages=said("Hi"), sampling=replace(PLAIN, max_tokens=4))
    reply = only(model, short)
    assert isinstance(reply, Failed)
    assert reply.cause == "refused"
    assert [body["max_tokens"] for body in seen[3:]] == [4]


SEVERAL = replace(PLAIN, temperature=0.8, predictions=3, seed=4)


def test_several_answers_are_drawn_with_distinct_seeds(openai_server, opened):
    model = opened()
    before = len(openai_server.asked)
    answer = answered(model, sampling=SEVERAL)
    assert len(set(answer.predictions)) == 3
    assert answer.prediction_method == "sampled"
    assert answer.text == answer.predictions[0]
    assert len({r.body["seed"] for r in openai_server.asked[before:]}) == 3


def test_eight_requests_are_under_way_at_once_unless_told_otherwise(openai_server, opened):
    openai_server.settings(delay_ms=200)
    works = [ToAnswer(messages=said(f"{n}"), sampling=PLAIN) for n in range(16)]
    assert len(list(opened().answer([request_of(work) for work in works]))) == 16
    assert openai_server.max_at_once == 8
    openai_server.reset()
    openai_server.settings(delay_ms=50)
    list(opened(replace(QUICK, connections=2)).answer([request_of(work) for work in works]))
    assert openai_server.max_at_once == 2


def test_closing_early_gives_up_what_is_under_way_and_the_model_can_be_asked_again(
    openai_server, opened
):
    model = opened()
    openai_server.fault("hang", when="hang", times=None)
    works = [ToAnswer(messages=said(text), sampling=PLAIN) for text in ("quick", "hang")]
    replies = model.answer([request_of(work) for work in works])
    assert isinstance(next(replies), Answered)
    openai_server.wait_until(lambda server: any(r.fault == "hang" for r in server.asked))
    replies.close()  # type: ignore[attr-defined]
    openai_server.wait_until(lambda server: any(r.ended == "cut" for r in server.asked))
    assert answered(model).text
