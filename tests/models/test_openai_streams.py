"""openai: event streams as servers really send them, and what is in them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from assay.types import Failed, ToAnswer, ToolCall
from tests.models.asking import PLAIN, QUICK, answered, only, request_of, said

pytestmark = pytest.mark.usefixtures("planted_key")

DONE = "data: [DONE]\n\n"
HUGE = 10**400


def event(**document):
    return f"data: {json.dumps(document)}\n\n"


def chunk(delta, finish=None, **more):
    return event(choices=[{"index": 0, "delta": delta, "finish_reason": finish}], **more)


GOOD = chunk({"content": "Good day."}, "stop") + DONE


@pytest.fixture
def answer_to(openai_server, opened):
    """The answer to a stream that a test writes."""

    def asked(stream, **more):
        openai_server.reset()
        model = opened()
        openai_server.fault("garbage", times=None, body=stream, content_type="text/event-stream")
        return only(model, ToAnswer(messages=said("Hi"), sampling=PLAIN, **more))

    return asked


@pytest.mark.parametrize("place", [{"index": 1}, {}])
def test_a_call_comes_in_pieces_its_name_perhaps_again_its_index_perhaps_never(answer_to, place):
    again = {"name": "f"} if place else {}
    pieces = [{"name": "f", "arguments": ""}, {"arguments": '{"a"', **again}, {"arguments": ": 1}"}]
    deltas = [{"content": None, "tool_calls": [{**place, "function": each}]} for each in pieces]
    stream = "".join(map(chunk, deltas)) + chunk({}, "tool_calls") + DONE
    reply = answer_to(stream, tools='[{"type": "function"}]')
    assert (reply.text, reply.calls) == ("", (ToolCall("f", '{"a": 1}'),))


# --------------------------------------------------------------------------------------- the events


def test_streams_are_read_to_their_end_so_that_one_connection_carries_them_all(
    openai_server, opened
):
    model = opened(replace(QUICK, connections=1))
    works = [ToAnswer(messages=said(str(n)), sampling=PLAIN) for n in range(6)]
    assert len(list(model.answer([request_of(work) for work in works]))) == 6
    assert len(openai_server.log()) == 10
    assert len({received.client_port for received in openai_server.log()}) == 1


SPELLINGS = {
    "no empty lines between": GOOD.replace("\n\n", "\n"),
    "carriage returns": GOOD.replace("\n", "\r\n"),
    "empty data": "data:\n\ndata: \n\n" + GOOD,
    "a ping": 'event: ping\ndata: {"type": "ping"}\n\n' + GOOD,
    "a ping that is no JSON": "event: ping\ndata: still here\n\n" + GOOD,
    "an event of another kind": event(type="session.created", id=7) + GOOD,
    "choices of null": event(choices=None) + GOOD,
    "no choices": event(choices=[]) + GOOD,
    "a delta of null": chunk(None) + GOOD,
    "an end without a line end": GOOD.rstrip(),
    "more behind the end": GOOD + chunk({"content": " Or night."}, "stop"),
    "no end": GOOD.removesuffix(DONE),
    "a named event": "event: message\n" + GOOD,
    "a comment in an event": ": hello\n" + GOOD,
    "the text twice over": event(
        choices=[{"text": "Good day.", "delta": {"content": "Good day."}, "finish_reason": "stop"}]
    )
    + DONE,
}


@pytest.mark.parametrize("stream", SPELLINGS.values(), ids=SPELLINGS)
def test_a_stream_may_be_spelt_in_many_ways(answer_to, stream):
    reply = answer_to(stream)
    assert not isinstance(reply, Failed), reply
    assert reply.text == "Good day."
    assert reply.attempts == 1


@pytest.mark.parametrize(
    "data", [{"message": "out of memory"}, {"error": {"message": "out of memory"}}]
)
def test_an_event_named_error_is_one(answer_to, data):
    reply = answer_to(f"event: error\ndata: {json.dumps(data)}\n\n" + GOOD)
    assert isinstance(reply, Failed)
    assert reply.cause == "server_error"
    assert "out of memory" in reply.reason


# ------------------------------------------------------------------------------------------ the end


def test_done_is_the_end_where_no_reason_is_told(answer_to):
    reply = answer_to(chunk({"content": "Good day."}) + DONE)
    assert (reply.text, reply.finish, reply.truncated) == ("Good day.", "", False)


def test_a_whole_document_is_complete_where_no_reason_is_told(opened, peculiar):
    def habit(path, body):
        return 200, {"choices": [{"message": {"content": "Good day."}}]}

    answer = answered(opened(spec=f"openai:m@{peculiar(habit)}"))
    assert (answer.text, answer.finish) == ("Good day.", "")


@pytest.mark.parametrize("delta", [{}, {"content": ""}])
def test_nothing_said_and_no_reason_told_is_no_answer(answer_to, delta):
    reply = answer_to(chunk(delta) + DONE)
    assert isinstance(reply, Failed)
    assert reply.cause == "unreadable"


def test_an_answer_that_the_servers_filter_held_back_is_no_answer(answer_to):
    thinking = chunk({"content": "<think>Hm.</think>"})
    for stream in (chunk({"content": ""}), thinking):
        reply = answer_to(stream + chunk({}, "content_filter") + DONE)
        assert isinstance(reply, Failed)
        assert reply.cause == "refused"
        assert "filter withheld the answer" in reply.reason


def test_an_answer_that_the_filter_cut_short_is_still_one(answer_to):
    reply = answer_to(chunk({"content": "Good day."}, "content_filter") + DONE)
    assert (reply.text, reply.finish) == ("Good day.", "content_filter")


def test_an_end_for_an_error_is_no_answer(answer_to):
    reply = answer_to(chunk({"content": "Good "}, "error") + DONE)
    assert isinstance(reply, Failed)
    assert (reply.cause, reply.partial) == ("server_error", "Good ")


# ----------------------------------------------------------------------------------------- thoughts


PARTS: list[Any] = [
    {"type": "thinking", "thinking": [{"type": "text", "text": "Morning, so"}]},
    {"type": "text", "text": "Good day."},
]


@pytest.mark.parametrize(
    "stream",
    [
        chunk({"content": PARTS[:1]}) + chunk({"content": PARTS[1:]}, "stop") + DONE,
        chunk({"content": PARTS[:1]}) + chunk({"content": "Good day."}, "stop") + DONE,
        chunk({"content": PARTS}, "stop") + DONE,
        json.dumps({"choices": [{"message": {"content": PARTS}, "finish_reason": "stop"}]}),
    ],
)
def test_parts_that_are_thoughts_are_kept_apart(answer_to, stream):
    reply = answer_to(stream)
    assert (reply.text, reply.reasoning) == ("Good day.", "Morning, so")
    assert reply.first_token_s <= reply.first_answer_s


def test_thoughts_whose_tags_were_left_in_are_not_lost(answer_to):
    reply = answer_to(chunk({"reasoning": "<think>Morning, so"}) + GOOD)
    assert (reply.text, reply.reasoning) == ("Good day.", "Morning, so")


# ------------------------------------------------------------------------------ what cannot be true


@pytest.mark.parametrize("number", [HUGE, -HUGE, float("nan"), -1, True, "7", 1e999, None, [], {}])
def test_no_number_of_a_server_ends_a_run(answer_to, number):
    details = {"prompt_tokens_details": {"cached_tokens": number},
               "completion_tokens_details": {"reasoning_tokens": number}}  # fmt: skip
    counts = {"prompt_tokens": number, "completion_tokens": number, **details}
    times = dict.fromkeys(("prompt_ms", "predicted_ms", "predicted_n", "cache_n"), number)
    reply = answer_to(chunk({"content": "Good day."}, "stop", usage=counts, timings=times) + DONE)
    assert reply.text == "Good day."
    assert (reply.prompt_tokens, reply.output_tokens) == (None, None)
    assert reply.timing is None


@pytest.mark.parametrize("index", [HUGE, -1, 1.5, "0", [0]])
def test_an_index_that_cannot_be_is_unreadable(answer_to, index):
    reply = answer_to(event(choices=[{"index": index, "delta": {"content": "x"}}]))
    assert isinstance(reply, Failed)
    assert reply.cause == "unreadable"


@pytest.mark.parametrize("code", [HUGE, -HUGE, float("nan"), True, "429", [], {"a": {}}])
def test_an_error_with_any_code_is_an_error(answer_to, code):
    reply = answer_to(event(error={"message": "out of memory", "code": code}))
    assert isinstance(reply, Failed)
    assert "out of memory" in reply.reason


def test_half_a_character_reaches_no_store(answer_to):
    half = "\ud83d"
    reply = answer_to(chunk({"reasoning": half, "content": f"a{half}"}, f"st{half}op") + DONE)
    json.dumps([reply.text, reply.reasoning, reply.finish], ensure_ascii=False).encode()
    assert reply.text == "a\ufffd"
    broken = answer_to(chunk({"content": f"a{half}"}) + event(error=f"no{half}"))
    assert isinstance(broken, Failed)
    assert broken.partial == "a\ufffd"
    broken.reason.encode()


def test_lists_in_lists_without_end_are_an_outcome(openai_server, opened):
    model = opened()
    for deep in ('{"choices": ' + "[" * 900 + "]" * 900 + "}", '{"error": ' + "[" * 5000):
        openai_server.fault("garbage", times=None, body=deep)
        reply = only(model, ToAnswer(messages=said("Hi"), sampling=PLAIN))
        assert isinstance(reply, Failed)
        assert reply.cause in ("unreadable", "server_error")
        openai_server.reset()
