"""--timeout is about silence, not about length: with servers that are slow, stall, drip or die."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from assay.errors import ServerGone
from assay.models.http.reading_speed import ReadingSpeed, estimate_tokens
from assay.models.ollama.client import OllamaAnswer
from assay.models.opening import open_model
from assay.types import Answered, Failed, ToAnswer
from assay.types.options import ServerOptions
from assay.types.scores import SilentProgress
from tests.models.asking import PLAIN, only, request_of, said
from tests.servers.recordings import load

IMPATIENT = ServerOptions(timeout=0.6, first_pause_s=0.01)
LONG = replace(PLAIN, max_tokens=200)
LONG_PROMPT = "Read this and say what you think of it. " * 20  # 320 tokens, 16 s at 20 tokens/s


@pytest.fixture(params=["ollama", "openai"])
def server(request):
    return request.getfixturevalue(f"{request.param}_server")


@pytest.fixture
def reply_of(server):
    """One request after another to one model, each with its text."""
    model = open_model(server.spec(), IMPATIENT)
    model.probe()

    def ask(text="Say something.", sampling=LONG):
        return only(model, ToAnswer(messages=said(text), sampling=sampling))

    yield ask
    model.close()


def test_an_answer_that_keeps_coming_may_take_many_times_the_limit(server, reply_of):
    server.answers({"*": "one two three four five six seven eight"})
    server.settings(token_ms=250)
    reply = reply_of()
    assert isinstance(reply, Answered), reply
    assert reply.total_s > 2 * IMPATIENT.timeout
    assert not reply.truncated


@pytest.mark.parametrize(
    ("kind", "details"),
    [("hang_mid_stream", {}), ("bytes_without_token", {"every": 0.05})],
)
def test_no_new_token_is_silence_whatever_bytes_come(server, reply_of, kind, details):
    server.answers({"*": "one two three four"})
    server.fault(kind, times=None, **details)
    reply = reply_of()
    assert isinstance(reply, Failed), reply
    assert reply.cause == "timeout"
    assert "silent for 0.6 s" in reply.reason
    assert reply.partial.startswith("one")


def test_a_long_prompt_has_time_to_be_read_and_a_short_one_has_not(server, reply_of):
    server.fault("delay", times=None, seconds=1.5)
    assert isinstance(reply_of(LONG_PROMPT), Answered)
    late = reply_of("Hi")
    assert isinstance(late, Failed)
    assert late.cause == "timeout"


def test_a_prompt_that_was_not_read_in_time_is_asked_again_with_more_of_it(ollama_server):
    """The questions of a judge about one answer: the first pays for a slow beginning."""
    ollama_server.fault("delay", times=None, seconds=2.4)
    model = open_model(ollama_server.spec(), IMPATIENT)
    works = [ToAnswer(messages=said("Is it so? " * 6 + str(n)), sampling=LONG) for n in range(3)]
    found = list(model.answer([request_of(work) for work in works]))
    model.close()
    assert [type(reply) for reply in found] == [Answered, Answered, Answered]
    assert len(ollama_server.asked) == 4


def test_the_slowest_reading_counts_since_a_kept_prompt_seems_fast():
    body = {"messages": [{"role": "user", "content": "x" * 1000}]}
    reading = ReadingSpeed()
    allowed = reading.allowance(body, 0.0)
    assert allowed() == 400 / 20, "nothing is known"
    reading.learn(body, 4.0)
    assert allowed() == 4.0
    reading.learn(body, 0.04)
    assert allowed() == 4.0, "read from the cache"
    reading.learn(body, 4.0, new=0.5)
    assert allowed() == 8.0, "half of it was kept, so the rest took all the time"
    reading.learn_late("x" * 1000, 4.0)
    assert allowed() == 8.0, "it had less than is known to be needed"
    reading.learn_late("x" * 1000, 8.0)
    assert allowed() == 16.0
    reading.learn({"prompt": "Hi"}, 60.0)
    assert allowed() == 16.0, "two letters are no reading"
    reading.learn(body, 86_400.0)
    assert allowed() == 200.0, "nobody reads below two tokens a second"


def test_letters_beyond_ascii_take_more_tokens():
    assert estimate_tokens("é" * 75) == 100
    assert estimate_tokens("e" * 75) == 30


# ----------------------------------------------------------------------------- answers in a loop

CIRCLE = "Open the door and look outside. " * 200
STUCK = "Yo! Yo! " + "）" * 40


def test_an_answer_that_repeats_itself_is_stopped_kept_and_counted_as_a_loop(server, reply_of):
    server.answers({"*": CIRCLE})
    reply = reply_of(sampling=replace(PLAIN, max_tokens=3000))
    assert isinstance(reply, Answered), reply
    assert (reply.finish, reply.truncated) == ("loop", True)
    assert CIRCLE.startswith(reply.text)
    assert 380 <= reply.output_tokens <= 420
    assert reply.dropped == (), "we left: what the server tells last was not awaited"


def test_it_runs_on_where_that_is_wanted(server, reply_of):
    server.answers({"*": CIRCLE})
    reply = reply_of(sampling=replace(PLAIN, max_tokens=1000, loop_stop=False))
    assert isinstance(reply, Answered), reply
    assert (reply.finish, reply.output_tokens) == ("length", 1000)


def test_a_server_that_repeats_a_token_without_end_is_left(ollama_server):
    ollama_server.fault("endless", times=None)
    model = open_model(ollama_server.spec(), IMPATIENT)
    reply = only(model, ToAnswer(messages=said("Go on."), sampling=LONG))
    model.close()
    assert isinstance(reply, Answered), reply
    assert reply.finish == "loop"
    ollama_server.wait_until(lambda server: server.asked[-1].ended == "cut")


def test_a_stream_that_the_server_ends_for_equal_tokens_is_a_loop_and_not_asked_again(
    server, reply_of
):
    server.answers({"*": STUCK})
    server.fault("ends_unsaid")
    reply = reply_of()
    assert isinstance(reply, Answered), reply
    assert (reply.text, reply.finish, reply.truncated) == (STUCK, "loop", True)
    assert reply.attempts == 1


def test_the_recorded_guard_of_ollama_is_read_as_a_loop():
    answer = OllamaAnswer()
    for _, line in load("0.17.4")["repeat-guard"].frames:
        answer.take(json.loads(line))
    assert not answer.done
    assert answer.ends_stuck()
    assert answer.finish == "loop"


# -------------------------------------------------------------------------- a server that is away


class Screen(SilentProgress):
    """Keeps what was said."""

    def __init__(self):
        self.notes, self.tokens = [], []

    def note(self, sentence):
        self.notes.append(sentence)

    def writing(self, spec, tokens, tokens_per_s, waited_s):
        self.tokens.append(tokens)


def ask_watched(model, count=6, **screened):
    """The replies to many requests, one after another, and what was on the screen."""
    screen = Screen()
    model.watched_by(screen, "m", **screened)
    works = [ToAnswer(messages=said(f"Question {n}"), sampling=LONG) for n in range(count)]
    return screen, model.answer([request_of(work) for work in works])


@pytest.mark.parametrize("scheme", ["ollama", "openai"])
def test_a_server_that_comes_back_is_waited_for_and_nothing_fails(request, scheme):
    start = request.getfixturevalue(f"start_{scheme}")
    server = start()
    patient = ServerOptions(timeout=30, first_pause_s=0.05, connections=1)
    model = open_model(server.spec(), patient)
    screen, coming = ask_watched(model)
    found = [next(coming)]
    server.kill()
    threading.Timer(1.0, lambda: start(port=server.port)).start()
    found += coming
    model.close()
    assert [type(reply) for reply in found] == [Answered] * 6
    away, back = screen.notes
    assert "waiting for it, up to 30 s" in away
    assert server.url in away
    assert back == f"{server.url} answers again"


def test_of_a_server_that_stays_away_nothing_more_is_asked_and_nothing_fails(start_ollama):
    server = start_ollama()
    model = open_model(server.spec(), IMPATIENT)
    _, coming = ask_watched(model, count=50)
    found = [next(coming)]
    server.kill()
    with pytest.raises(ServerGone, match=server.url):
        found.extend(coming)
    model.close()
    assert all(isinstance(reply, Answered) for reply in found)


# ------------------------------------------------------------------------------ on the screen


def test_the_tokens_of_an_answer_are_seen_while_it_comes(ollama_server):
    ollama_server.answers({"*": "one two three four five six seven eight nine ten"})
    ollama_server.settings(token_ms=300)
    model = open_model(ollama_server.spec(), IMPATIENT)
    screen, coming = ask_watched(model, count=1)
    assert isinstance(next(coming), Answered)
    model.close()
    assert screen.tokens == sorted(screen.tokens)
    assert len(set(screen.tokens)) > 3


def test_a_model_that_another_program_uses_is_named_with_the_wait(ollama_server):
    other = {"model": "stories:260k", "prompt": "Once", "keep_alive": "10m", "stream": False}
    ollama_server.ask("POST", "/api/generate", other)
    ollama_server.fault("hang", times=None)
    model = open_model(ollama_server.spec(), replace(IMPATIENT, timeout=1.2))
    screen, coming = ask_watched(model, count=1, shown_after_s=0.0, silent_s=0.3)
    reply = next(coming)
    model.close()
    (note,) = screen.notes
    assert "it also holds stories:260k, and may be busy with it for another program" in note
    assert isinstance(reply, Failed)
    assert "it also holds stories:260k" in reply.reason
