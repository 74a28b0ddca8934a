"""How many requests a server gets at once, and what its queue does to silence and times."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from assay.models.http.deadlines import CONNECT_S
from assay.models.http.slots import ServerSlots
from assay.models.opening import open_model
from assay.types import Answered, ChoiceLikelihoods, Failed, Model, Reply, ToAnswer
from tests.models.asking import PLAIN, QUICK, choose, request_of, said
from tests.servers.fixtures import Server

TOKEN_MS = 40.0
TEXT = "one two three four five six seven eight"
IMPATIENT = replace(QUICK, timeout=0.7)


@pytest.fixture
def slow_server(openai_server: Server) -> Server:
    openai_server.answers({"*": TEXT})
    openai_server.settings(token_ms=TOKEN_MS)
    return openai_server


def ask_many(model: Model, count: int) -> list[Reply]:
    works = [ToAnswer(messages=said(f"Hi {n}"), sampling=PLAIN) for n in range(count)]
    return list(model.answer([request_of(work) for work in works]))


def seconds(replies: Sequence[Reply], name: str) -> list[float]:
    assert all(isinstance(reply, Answered) for reply in replies), replies
    return [getattr(reply, name) for reply in replies]


@pytest.mark.parametrize("slots", [1, 2, 4])
def test_a_server_that_tells_its_slots_gets_as_many_requests_at_once(slow_server, opened, slots):
    slow_server.settings(slots=slots, props={"total_slots": slots})
    model = opened()
    assert model.facts.slots == slots
    assert len(ask_many(model, 6)) == 6
    assert slow_server.max_at_once == slots


def test_slots_are_counted_where_a_server_only_lists_them(slow_server, opened):
    slow_server.settings(props={"build_info": "b1"}, listed_slots=[{"id": 0}, {"id": 1}])
    assert opened().facts.slots == 2


def test_a_server_that_declares_nothing_gets_eight_requests_at_once(slow_server, opened):
    assert len(ask_many(opened(), 20)) == 20
    assert slow_server.max_at_once == 8


def test_waiting_in_the_queue_of_a_hidden_slot_is_not_silence(slow_server, opened):
    """Eight on one slot: the last waits seven answers, three times what silence may last."""
    slow_server.settings(slots=1)
    replies = ask_many(opened(IMPATIENT), 16)
    assert slow_server.max_at_once == 8
    assert {type(reply) for reply in replies} == {Answered}


def test_an_answer_that_never_comes_is_silence_whatever_comes_beside_it(slow_server, opened):
    model = opened(IMPATIENT)
    slow_server.fault("hang", when="Hi 3", times=None)
    replies = ask_many(model, 10)
    (lost,) = (reply for reply in replies if isinstance(reply, Failed))
    assert lost.cause == "timeout"


def test_a_request_waits_for_older_ones_and_for_those_that_overtook_it():
    slots, called_off = ServerSlots(), threading.Event()
    with slots.taken(called_off) as first, slots.taken(called_off) as second:
        assert (first.waits(), second.waits()) == (False, True)
        second.count_token()
        assert (first.waits(), second.waits()) == (True, False)
        second.sent += CONNECT_S
        assert not first.waits(), "so much later is no race to the server"


def test_choices_go_eight_at_once_too_and_none_is_lost(start_ollama):
    server = start_ollama(delay_ms=300)
    name = server.spec().removeprefix("ollama:").partition("@")[0]
    model = open_model(f"openai:{name}@{server.url}/v1", replace(QUICK, timeout=1.0))
    model.probe()
    replies = list(model.answer([request_of(choose(f"{n} A B C D?")) for n in range(9)]))
    model.close()
    assert {type(reply) for reply in replies} <= {ChoiceLikelihoods, Answered}
    assert max(asked.at_once for asked in server.asked) == 8


@pytest.mark.parametrize("props", [{"total_slots": 1}, {}], ids=["declared", "seen"])
def test_the_time_in_a_queue_is_no_answering_time(slow_server, opened, props):
    slow_server.settings(slots=1, props=props)
    alone = max(seconds(ask_many(opened(replace(QUICK, connections=1)), 2), "total_s"))
    replies = ask_many(opened(replace(QUICK, connections=6)), 12)
    assert max(seconds(replies, "queue_s")) > 2 * alone, "the last of six waits for five"
    assert max(seconds(replies, "total_s")) < 2 * alone


def test_shares_of_wall_time_add_up_to_the_time_that_passed(
    slow_server: Server, opened: Callable[..., Model]
):
    replies = ask_many(opened(replace(QUICK, connections=4)), 8)
    wall, answering = sum(seconds(replies, "wall_s")), sum(seconds(replies, "total_s"))
    times = [entry.time for entry in slow_server.asked]
    ended = [entry.finished for entry in slow_server.asked]
    assert wall == pytest.approx(max(ended) - min(times), rel=0.3)
    assert answering > 2 * wall, "four at once"


def test_a_server_with_more_slots_than_it_says_is_not_held_to_its_word(slow_server, opened):
    slow_server.settings(props={"total_slots": 1})
    replies = ask_many(opened(replace(QUICK, connections=4)), 8)
    assert max(seconds(replies, "queue_s")) < max(seconds(replies, "total_s"))
