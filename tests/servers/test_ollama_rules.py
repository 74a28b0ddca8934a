"""Where nothing was recorded the server keeps to what the recordings teach."""

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import islice

import pytest

from tests.servers.recordings import FOLDER

CHAT = "smollm2:135m-instruct-q4_1"
THINKING = "smollm2-think:135m"


def ask(server, question="Where is the bridge?", path="/api/chat", **fields):
    options = {"temperature": 0, "seed": 0, "num_ctx": 2048, **fields.pop("options", {})}
    body = {"model": CHAT, "stream": False, "options": options, **fields}
    body.setdefault("messages", [{"role": "user", "content": question}])
    if path == "/api/generate":
        body["prompt"] = body.pop("messages")[-1]["content"]
    return server.ask("POST", path, body)


def content(answer):
    return answer[1]["message"]["content"]


CHOICE = "Which metal floats?\nA. Iron\nB. Lead\nC. Lithium\nD. Gold\nAnswer with one letter."


def test_a_test_decides_what_is_said(ollama_server):
    ollama_server.answers({"bridge": "Over there.", "twice": ["One", "Two"], "*": "What?"})
    assert content(ask(ollama_server)) == "Over there."
    assert [content(ask(ollama_server, "twice")) for _ in range(3)] == ["One", "Two", "Two"]
    assert content(ask(ollama_server, "else")) == "What?"


def test_a_seed_decides_at_a_temperature_and_only_there(ollama_server):
    def drawn(seed, temperature):
        return content(ask(ollama_server, options={"seed": seed, "temperature": temperature}))

    assert drawn(1, 0.8) == drawn(1, 0.8) != drawn(2, 0.8)
    assert drawn(1, 0) == drawn(2, 0)


@pytest.mark.parametrize(
    ("version", "options", "is_letter"),
    [
        ("0.17.4", {}, False),
        ("0.17.4", {"repeat_penalty": 1.1}, False),
        ("0.17.4", {"repeat_penalty": 1.0}, True),
        ("0.34.0", {}, True),
    ],
)
def test_the_penalty_keeps_the_letter_away(start_ollama, version, options, is_letter):
    server = start_ollama(version=version)
    server.answers({"metal": "C"})
    first = content(ask(server, CHOICE, options={"num_predict": 1, **options}))
    assert (first == "C") is is_letter


def test_log_probabilities_are_told_for_every_token(ollama_server):
    ollama_server.answers({"metal": {"text": "C", "logprobs": {"C": -0.1, "A": -2.5}}})
    options = {"num_predict": 1, "repeat_penalty": 1.0}
    told = ask(ollama_server, CHOICE, logprobs=True, top_logprobs=20, options=options)[1]
    best = told["logprobs"][0]["top_logprobs"]
    assert [(b["token"], b["logprob"]) for b in best] == [("C", -0.1), ("A", -2.5)]
    ollama_server.answers({"metal": ""})
    assert "logprobs" not in ask(ollama_server, CHOICE, logprobs=True, options=options)[1]


def test_the_old_version_ignores_what_it_does_not_know(start_ollama):
    server = start_ollama(version="0.11.10")
    long = "word " * 500
    status, told = ask(server, long, truncate=False, logprobs=True, options={"num_ctx": 128})
    assert (status, told["prompt_eval_count"]) == (200, 128)
    assert "logprobs" not in told


def test_a_prompt_too_long_is_cut_without_a_word_unless_forbidden(ollama_server):
    long = "word " * 500
    for path in ("/api/chat", "/api/generate"):
        status, told = ask(ollama_server, long, path, options={"num_ctx": 128})
        assert (status, told["prompt_eval_count"]) == (200, 128)
        status, told = ask(ollama_server, long, path, truncate=False, options={"num_ctx": 128})
        assert (status, told["error"]) == (400, "the input length exceeds the context length")
    turns = [{"role": "user", "content": "some words here"}] * 40
    told = ask(ollama_server, messages=turns, options={"num_ctx": 128})[1]
    assert 100 < told["prompt_eval_count"] < 128


def test_without_a_shift_the_answer_ends_where_the_context_does(ollama_server):
    ollama_server.answers({"*": "word " * 500})
    told = ask(ollama_server, shift=False, options={"num_ctx": 128})[1]
    assert told["eval_count"] == 128 - told["prompt_eval_count"] + 1
    assert told["done_reason"] == "length"
    told = ask(ollama_server, options={"num_ctx": 128, "num_predict": 300})[1]
    assert told["eval_count"] == 300


def test_loading_costs_time_when_cold_and_when_the_context_changes(ollama_server):
    def load_s(**options):
        return ask(ollama_server, options=options)[1]["load_duration"] / 1e9

    assert load_s() > 0.2
    assert load_s() < 0.2
    assert load_s(num_ctx=1024) > 0.2
    ollama_server.ask("POST", "/api/generate", {"model": CHAT, "keep_alive": 0})
    assert load_s(num_ctx=1024) > 0.2


def test_keep_alive_of_zero_unloads_after_the_answer(ollama_server):
    ask(ollama_server, keep_alive=0)
    assert ollama_server.ask("GET", "/api/ps")[1] == {"models": []}
    ask(ollama_server, keep_alive=-1)
    assert ollama_server.ask("GET", "/api/ps")[1]["models"][0]["expires_at"].startswith("2318")


def test_thoughts_come_apart_and_eat_the_limit(ollama_server):
    ollama_server.answers({"*": {"text": "Four.", "thinking": "Two and two."}})
    told = ask(ollama_server, model=THINKING)[1]["message"]
    assert (told["thinking"], told["content"]) == ("Two and two.", "Four.")
    told = ask(ollama_server, model=THINKING, options={"num_predict": 2})[1]
    assert (told["message"]["content"], told["done_reason"]) == ("", "length")
    assert "thinking" not in ask(ollama_server, model=THINKING, think=False)[1]["message"]


def test_a_stop_sequence_ends_the_answer(ollama_server):
    ollama_server.answers({"*": "one two three"})
    assert content(ask(ollama_server, options={"stop": ["three"]})) == "one two "


def test_a_schema_is_met_by_whatever_is_said(ollama_server):
    schema = {
        "type": "object",
        "properties": {
            "why": {"type": "string", "maxLength": 9},
            "points": {"type": "array", "items": {"type": "integer", "enum": [3, 4]}},
            "ok": {"type": "boolean"},
        },
    }
    text = content(ask(ollama_server, format=schema))
    assert json.loads(text) == {"why": "This is a", "points": [3], "ok": True}
    ollama_server.answers({"*": '{"why": "x"}'})
    assert content(ask(ollama_server, format=schema)) == '{"why": "x"}'


def test_the_newest_version_tells_what_was_cached(start_ollama):
    server = start_ollama(version="0.34.0")
    assert "prompt_eval_cached_count" not in ask(server)[1]
    second = ask(server)[1]
    assert second["prompt_eval_cached_count"] == second["prompt_eval_count"] - 1


# ------------------------------------------------------------------------ the queue


def left_over_s(told):
    parts = ("load_duration", "prompt_eval_duration", "eval_duration")
    return (told["total_duration"] - sum(told[part] for part in parts)) / 1e9


@contextmanager
def busy(server):
    """Someone computes, until the block ends."""
    server.fault("hang_mid_stream", when="for long")
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        body = {"model": CHAT, "messages": [{"role": "user", "content": "for long"}]}
        sent = json.dumps(body).encode()
        connection.sendall(b"POST /api/chat HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(sent))
        connection.sendall(sent)
        assert connection.recv(1) == b"H"
        yield


def test_one_computes_and_the_other_waits_and_only_the_total_tells_it(ollama_server):
    with ThreadPoolExecutor(1) as pool:
        with busy(ollama_server):
            waiting = pool.submit(ask, ollama_server)
            ollama_server.wait_until(lambda s: len(s.asked) == 2)
            time.sleep(0.1)
            assert not waiting.done()
        waited, at_once = waiting.result()[1], ask(ollama_server)[1]
    assert left_over_s(waited) > left_over_s(at_once)
    assert ollama_server.max_at_once == 2


def test_two_slots_serve_two(ollama_server):
    ollama_server.settings(slots=2)
    with busy(ollama_server):
        assert ask(ollama_server)[0] == 200


def test_another_model_has_slots_of_its_own(ollama_server):
    with busy(ollama_server):
        assert ask(ollama_server, model=THINKING)[0] == 200


def test_beyond_the_queue_the_server_is_busy(ollama_server):
    ollama_server.settings(queue=1)
    with ThreadPoolExecutor(4) as pool:
        with busy(ollama_server):
            jobs = [pool.submit(ask, ollama_server) for _ in range(4)]
            refused = [job.result() for job in islice(as_completed(jobs), 3)]
        assert sorted(job.result()[0] for job in jobs) == [200, 503, 503, 503]
    recorded = json.loads((FOLDER / "0.17.4" / "queue-full.json").read_text("utf-8"))
    message = json.loads(recorded["response"]["frames"][0][1])
    assert refused == [(503, message)] * 3


def give_up_on_a_prefill(server, seconds):
    server.fault("slow_prefill", when="long", seconds=seconds)
    connection = HTTPConnection("127.0.0.1", server.port)
    body = {"model": CHAT, "messages": [{"role": "user", "content": "long text"}]}
    connection.request("POST", "/api/chat", json.dumps(body))
    server.wait_until(lambda s: bool(s.asked))
    connection.close()


def test_a_prefill_that_nobody_waits_for_ends_some_day(ollama_server):
    give_up_on_a_prefill(ollama_server, seconds=0.3)
    assert ask(ollama_server)[0] == 200


def test_only_an_unload_ends_a_prefill_at_once(ollama_server):
    give_up_on_a_prefill(ollama_server, seconds=3600)
    with ThreadPoolExecutor(1) as pool:
        next_one = pool.submit(ask, ollama_server)
        ollama_server.wait_until(lambda s: len(s.asked) == 2)
        time.sleep(0.1)
        assert not next_one.done()
        assert ollama_server.max_at_once == 1
        status, told = ollama_server.ask("POST", "/api/generate", {"model": CHAT, "keep_alive": 0})
        assert (status, told["done_reason"]) == (200, "unload")
        status, told = next_one.result()
    assert status == 200
    assert told["load_duration"] > 200_000_000
    assert [r.ended for r in ollama_server.asked] == ["cut", "complete"]


# ------------------------------------------------------------------------ flags


def test_other_models_can_be_installed(start_ollama):
    server = start_ollama(also=["llama3.2:3b=2019393189", "gemma:2b"], cloud=["big:120b-cloud"])
    tags = {tag["name"]: tag for tag in server.ask("GET", "/api/tags")[1]["models"]}
    assert tags["llama3.2:3b"]["size"] == 2019393189
    assert len({tag["digest"] for tag in tags.values()}) == len(tags)
    assert tags["big:120b-cloud"]["remote_host"]
    assert ask(server, model="gemma:2b")[1]["model"] == "gemma:2b"


def test_a_share_of_a_model_can_lie_on_a_graphics_card(ollama_server):
    ollama_server.settings(offload=0.5)
    ask(ollama_server)
    loaded = ollama_server.ask("GET", "/api/ps")[1]["models"][0]
    assert 0 < loaded["size_vram"] < loaded["size"]


def test_a_book_can_come_from_a_file(start_ollama, tmp_path):
    book = tmp_path / "book.json"
    book.write_text('{"bridge": {"by_seed": ["left", "right"]}}', "utf-8")
    server = start_ollama(answers=book)
    drawn = [content(ask(server, options={"temperature": 0.8, "seed": n})) for n in range(3)]
    assert drawn == ["left", "right", "left"]


def test_recorded_delays_can_be_had(start_ollama):
    server = start_ollama(speed=1000)
    messages = [{"role": "user", "content": "Name three fruits."}]
    text = ask(server, messages=messages, stream=True, options={"num_predict": 48})[1]
    assert [json.loads(line)["done"] for line in text.splitlines()] == [False] * 48 + [True]
