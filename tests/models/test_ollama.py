"""ollama: against a server process that behaves as the recorded one did."""

from __future__ import annotations

import itertools
import json

import pytest

from assay.errors import ModelUnavailable, ServerGone, UsageError
from assay.models.address import ollama_url
from assay.models.opening import open_model
from assay.types import (
    Answered,
    ChoiceLikelihoods,
    Failed,
    Message,
    Request,
    Sampling,
    ToAnswer,
    ToChoose,
    ToRead,
)
from assay.types.options import ServerOptions

CHAT = "smollm2:135m-instruct-q4_1"
THINKING = "smollm2-think:135m"
BASE = "stories:260k"
QUICK = ServerOptions(timeout=30, first_pause_s=0.01)
PLAIN = Sampling(temperature=0.0, seed=0, max_tokens=40)
_numbers = itertools.count()


def asked(text="Say something.", *, sampling=PLAIN, system=None, schema=None, messages=None):
    said = messages or ((Message("system", system),) if system else ()) + (Message("user", text),)
    work = ToAnswer(messages=tuple(said), sampling=sampling, schema=schema)
    return request_of(work)


def letters_of(text, letters="ABCD"):
    return request_of(
        ToChoose(messages=(Message("user", text),), continuations=tuple(letters), otherwise=PLAIN)
    )


def request_of(work):
    return Request(id=f"r{next(_numbers)}", suite="s", test_id="t", turn=0, repeat=0, work=work)


def replies(server, *requests, model=CHAT, settings=QUICK):
    opened = open_model(server.spec(model), settings)
    try:
        return list(opened.answer(requests))
    finally:
        opened.close()


def only(server, request, **how):
    (reply,) = replies(server, request, **how)
    return reply


def sent(server, path="/api/chat"):
    return server.log(path)[-1].body


# ------------------------------------------------------------------------------ what is known


def test_the_digest_stands_for_the_model_and_the_rest_is_told(ollama_server):
    model = open_model(ollama_server.spec(CHAT))
    facts = model.facts
    model.close()
    assert facts.fingerprint == (
        "ollama:53417bcd4b1ca50cd31effef16347c6aea5ef60dd23eee9146049985c81f1971"
    )
    assert not facts.fingerprint_is_weak
    assert facts.parameters == 134515008
    assert facts.context_length == 8192
    assert facts.is_chat
    assert facts.predicts_by == "sampled"
    assert facts.about["server"] == "Ollama 0.17.4"
    assert facts.about["quantisation"] == "Q4_1"
    assert {"generate", "structured_output", "top_logprobs"} <= facts.capabilities
    assert [request.path for request in ollama_server.log()] == [
        "/api/version", "/api/tags", "/api/show",
    ]  # fmt: skip


def test_an_old_server_tells_no_likelihoods(start_ollama):
    model = open_model(start_ollama(version="0.11.10").spec(CHAT))
    assert "top_logprobs" not in model.facts.capabilities
    model.close()


def test_a_model_without_a_template_is_a_base_model_and_gets_the_bare_text(ollama_server):
    reply = only(ollama_server, asked("Once upon a time", system="Be brief."), model=BASE)
    assert isinstance(reply, Answered)
    body = sent(ollama_server, "/api/generate")
    unload = body if body.get("keep_alive") == 0 else None
    body = ollama_server.asked[-1].body if unload else body
    assert body["raw"] is True
    assert body["prompt"] == "Be brief.\n\nOnce upon a time"


def test_a_model_that_is_not_there_is_named_with_the_command_that_gets_it(ollama_server):
    with pytest.raises(ModelUnavailable) as refused:
        open_model(ollama_server.spec("llama9:70b"))
    assert "llama9:70b" in refused.value.message
    assert ollama_server.url in refused.value.message
    assert "ollama pull llama9:70b" in refused.value.hint
    assert CHAT in refused.value.hint


def test_nobody_there_names_the_url_and_what_to_do(start_ollama):
    server = start_ollama()
    spec = server.spec(CHAT)
    server.kill()
    with pytest.raises(ModelUnavailable) as refused:
        open_model(spec)
    assert refused.value.message.count(server.url) == 1
    assert "ollama serve" in refused.value.hint


def test_a_server_that_is_no_ollama_is_said_to_be_none(openai_server):
    url = openai_server.url.removesuffix("/v1")
    with pytest.raises(ModelUnavailable) as refused:
        open_model(f"ollama:x@{url}")
    assert url in refused.value.message
    assert "Ollama" in refused.value.hint


@pytest.mark.parametrize(
    ("told", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("box", "http://box:11434"),
        ("box:1", "http://box:1"),
        ("http://box", "http://box"),
        ("https://box/", "https://box"),
        ("http://0.0.0.0:5", "http://127.0.0.1:5"),
        ("[::]:5", "http://[::1]:5"),
        ("[::1]", "http://[::1]:11434"),
        (":9", "http://127.0.0.1:9"),
        ('"box:1"', "http://box:1"),
    ],
)
def test_ollama_host_is_read_as_ollama_reads_it(monkeypatch, told, url):
    monkeypatch.setenv("OLLAMA_HOST", told)
    assert ollama_url() == url


@pytest.mark.parametrize("url", ["http://h:1/v1", "http://h/?key=secret", "http://[bad", "http://"])
def test_a_url_that_cannot_be_ollamas_is_refused_before_anything_is_asked(url):
    with pytest.raises(UsageError) as refused:
        ollama_url(url)
    assert "secret" not in refused.value.message


# ------------------------------------------------------------------------------ what is sent


def test_every_sampling_field_is_sent_and_penalties_are_off(ollama_server):
    only(ollama_server, asked(sampling=Sampling(temperature=0.3, seed=7, max_tokens=9)))
    assert ollama_server.asked[0].body["options"] == {
        "num_ctx": 2048,
        "num_predict": 9,
        "temperature": 0.3,
        "seed": 7,
        "top_p": 1.0,
        "top_k": 0,
        "min_p": 0.0,
        "repeat_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
    }


def test_the_servers_own_sampling_sends_temperature_and_seed_alone(ollama_server):
    own = Sampling(
        temperature=0.3, seed=7, max_tokens=9, top_p=None, top_k=None, min_p=None,
        repeat_penalty=None, presence_penalty=None, frequency_penalty=None,
    )  # fmt: skip
    only(ollama_server, asked(sampling=own))
    assert ollama_server.asked[0].body["options"] == {
        "num_ctx": 2048, "num_predict": 9, "temperature": 0.3, "seed": 7,
    }  # fmt: skip


def test_with_penalties_off_a_letter_comes_first_where_the_default_gave_a_word(ollama_server):
    question = "Which planet is red?\nA. Venus\nB. Mars\nC. Saturn\nD. Earth"
    with_ours = only(ollama_server, asked(question))
    own = Sampling(
        temperature=0.0, seed=0, max_tokens=40, top_p=None, top_k=None, min_p=None,
        repeat_penalty=None, presence_penalty=None, frequency_penalty=None,
    )  # fmt: skip
    with_theirs = only(ollama_server, asked(question, sampling=own))
    assert with_ours.text.strip(". )") in tuple("ABCD")
    assert len(with_theirs.text) > 5


def test_a_tests_stops_come_beside_the_models_own(ollama_server):
    only(ollama_server, asked(sampling=Sampling(temperature=0, seed=0, max_tokens=9, stop=("X",))))
    assert ollama_server.asked[0].body["options"]["stop"] == ["<|im_start|>", "<|im_end|>", "X"]


def test_the_context_is_sent_and_is_the_same_for_all_so_that_nothing_reloads(ollama_server):
    long = "word " * 3000
    replies(ollama_server, asked("short"), asked(long), asked("short again"))
    contexts = {request.body["options"]["num_ctx"] for request in ollama_server.asked}
    assert len(contexts) == 1
    assert contexts.pop() >= 6000


def test_a_context_beyond_the_models_own_is_not_asked_for(ollama_server):
    only(ollama_server, asked("word " * 9000))
    assert ollama_server.asked[0].body["options"]["num_ctx"] == 8192


def test_the_users_context_is_the_one_that_is_sent(ollama_server):
    settings = ServerOptions(num_ctx=512, timeout=30)
    only(ollama_server, asked(), settings=settings)
    assert ollama_server.asked[0].body["options"]["num_ctx"] == 512


def test_a_schema_is_sent_with_its_order_and_the_answer_meets_it(ollama_server):
    schema = {
        "type": "object",
        "properties": {"zebra": {"type": "string"}, "apple": {"type": "integer"}},
        "required": ["zebra", "apple"],
    }
    reply = only(ollama_server, asked(schema=json.dumps(schema)))
    assert list(ollama_server.asked[0].body["format"]["properties"]) == ["zebra", "apple"]
    assert list(json.loads(reply.text)) == ["zebra", "apple"]


def test_one_request_at_a_time_unless_told_otherwise(start_ollama):
    server = start_ollama(slots=4, delay_ms=30)
    replies(server, *(asked(str(number)) for number in range(6)))
    assert server.max_at_once == 1
    server.reset()
    settings = ServerOptions(connections=4, timeout=30)
    replies(server, *(asked(str(number)) for number in range(12)), settings=settings)
    assert server.max_at_once == 4


def test_one_connection_carries_all_requests(ollama_server):
    replies(ollama_server, *(asked(str(number)) for number in range(5)))
    assert len({request.client_port for request in ollama_server.log("/api/chat")}) == 1


def test_a_model_is_loaded_as_it_will_be_asked(ollama_server):
    only(ollama_server, asked())
    (load,) = [r for r in ollama_server.log("/api/generate") if r.body["keep_alive"] != 0]
    asked_for = ollama_server.asked[0].body
    assert load.body["options"]["num_ctx"] == asked_for["options"]["num_ctx"]
    assert load.body["shift"] is asked_for["shift"] is False
    assert asked_for["truncate"] is False


def test_a_model_is_unloaded_when_it_is_done_and_never_loaded_for_nothing(ollama_server):
    model = open_model(ollama_server.spec(CHAT), QUICK)
    model.close()
    assert "/api/generate" not in [request.path for request in ollama_server.log()]
    only(ollama_server, asked())
    assert ollama_server.log()[-1].body == {"model": CHAT, "keep_alive": 0, "stream": False}
    assert ollama_server.ask("GET", "/api/ps")[1]["models"] == []


# --------------------------------------------------------------------------------- what comes back


def test_an_answer_says_where_its_time_went(ollama_server):
    first, second = replies(ollama_server, asked("one"), asked("two"))
    assert first.timing.cold is True
    assert second.timing.cold is False
    for reply in (first, second):
        assert reply.prompt_tokens > 0
        assert reply.output_tokens > 0
        assert reply.timing.prefill_s > 0
        assert reply.timing.decode_s > 0
        assert reply.timing.other_s >= 0
        assert 0 <= reply.first_token_s <= reply.total_s
        assert reply.finish == "stop"
        assert reply.attempts == 1


def test_a_model_that_is_in_memory_already_is_warm_from_the_first_answer(ollama_server):
    load = {"model": CHAT, "stream": False, "options": {"num_ctx": 2048}}
    assert ollama_server.ask("POST", "/api/generate", load)[0] == 200
    reply = only(ollama_server, asked())
    assert reply.timing.cold is False
    other = {"model": CHAT, "stream": False, "options": {"num_ctx": 4096}}
    assert ollama_server.ask("POST", "/api/generate", other)[0] == 200
    assert only(ollama_server, asked()).timing.cold is True, "another context is a reload"


def test_waiting_behind_others_is_told_apart(start_ollama):
    server = start_ollama(slots=1, delay_ms=150)
    settings = ServerOptions(connections=3, timeout=60)
    found = replies(server, asked("a"), asked("b"), asked("c"), settings=settings)
    waits = sorted(reply.timing.other_s for reply in found)
    assert waits[-1] > 0.1
    assert waits[0] < waits[-1]


def test_a_newer_server_tells_which_tokens_it_did_not_compute_again(start_ollama):
    server = start_ollama(version="0.34.0")
    found = replies(server, asked("the same"), asked("the same"))
    assert found[1].timing.cached_tokens > 0
    older = only(start_ollama(version="0.17.4"), asked("the same"))
    assert older.timing.cached_tokens is None


def test_what_is_on_the_gpu_is_seen(start_ollama):
    server = start_ollama(offload=0.5)
    model = open_model(server.spec(CHAT), QUICK)
    list(model.answer([asked()]))
    seen = model.observed()
    model.close()
    assert seen.memory_bytes > seen.gpu_bytes > 0
    assert seen.context_length == 2048


def test_a_context_the_server_did_not_give_is_noted(ollama_server):
    settings = ServerOptions(num_ctx=40_000_000, timeout=30)
    model = open_model(ollama_server.spec(CHAT), settings)
    list(model.answer([asked()]))
    notes = " ".join(model.observed().notes)
    model.close()
    assert "8192" in notes
    assert "40000000" in notes


def test_thoughts_come_in_a_field_of_their_own(ollama_server):
    ollama_server.answers({"*": {"text": "Four.", "thinking": "Two and two."}})
    reply = only(ollama_server, asked("2+2?"), model=THINKING)
    assert reply.text == "Four."
    assert reply.reasoning == "Two and two."
    assert ollama_server.asked[0].body["think"] is True
    assert reply.first_token_s <= reply.first_answer_s


def test_thinking_is_switched_off_on_demand_and_never_mentioned_to_others(ollama_server):
    quiet = Sampling(temperature=0, seed=0, max_tokens=40, think="off")
    reply = only(ollama_server, asked(sampling=quiet), model=THINKING)
    assert ollama_server.asked[0].body["think"] is False
    assert reply.reasoning == ""
    ollama_server.reset()
    only(ollama_server, asked())
    assert "think" not in ollama_server.asked[0].body


def test_all_tokens_spent_on_thinking_is_no_answer(ollama_server):
    ollama_server.answers({"*": {"text": "Four.", "thinking": "word " * 50}})
    short = Sampling(temperature=0, seed=0, max_tokens=5)
    reply = only(ollama_server, asked(sampling=short), model=THINKING)
    assert reply.text == ""
    assert reply.reasoning_unclosed
    assert reply.truncated


def test_thinking_that_leaks_into_the_answer_is_split_off(ollama_server):
    ollama_server.answers({"*": "<think>hm</think>Paris"})
    reply = only(ollama_server, asked())
    assert (reply.text, reply.reasoning) == ("Paris", "hm")


def test_letters_are_chosen_by_the_first_token_and_the_missing_are_bounded(ollama_server):
    told = {"B": -0.5, " B": -3.0, "A": -1.5, "The": -2.0, "Mars": -9.0}
    ollama_server.answers({"*": {"text": "B", "logprobs": told}})
    reply = only(ollama_server, letters_of("Which?\nA. x\nB. y\nC. z\nD. w"))
    assert isinstance(reply, ChoiceLikelihoods)
    assert reply.method == "first_token"
    assert reply.bounded == (False, False, True, True)
    a, b, c, d = reply.log_likelihoods
    assert b == pytest.approx(-0.4211, abs=1e-3)
    assert a == -1.5
    assert c == d == -9.0
    assert ollama_server.asked[0].body["top_logprobs"] == 20
    assert ollama_server.asked[0].body["options"]["num_predict"] == 1


def test_where_no_letter_is_told_the_answer_is_read_instead(ollama_server):
    ollama_server.answers({"*": {"text": "Surely C.", "logprobs": {"Surely": -0.1, "Well": -3.0}}})
    reply = only(ollama_server, letters_of("Which?\nA. x\nB. y\nC. z\nD. w"))
    assert isinstance(reply, Answered)
    assert reply.text == "Surely C."


def test_an_old_server_that_is_asked_for_likelihoods_all_the_same_is_read(start_ollama):
    server = start_ollama(version="0.11.10")
    server.answers({"*": "B"})
    reply = only(server, letters_of("Which?\nA. x\nB. y\nC. z\nD. w"))
    assert isinstance(reply, Answered)
    assert reply.text == "B"


def test_the_k_best_are_k_samples_with_seeds_of_their_own(ollama_server):
    ollama_server.answers({"*": {"by_seed": ["one", "two", "three"], "text": "one"}})
    hot = Sampling(temperature=0.7, seed=5, max_tokens=9, predictions=3)
    reply = only(ollama_server, asked(sampling=hot))
    seeds = [request.body["options"]["seed"] for request in ollama_server.asked]
    assert len(set(seeds)) == 3
    assert seeds[0] == 5
    assert len(reply.predictions) == 3
    assert reply.prediction_method == "sampled"


def test_a_line_break_that_is_no_line_end_stays_in_the_text(ollama_server):
    text = "one\u2028two\x85three\x0bfour"
    ollama_server.answers({"*": text})
    assert only(ollama_server, asked()).text == text


def test_the_likelihood_of_a_text_is_refused_not_made_up(ollama_server):
    reply = only(ollama_server, request_of(ToRead(text="hello")))
    assert isinstance(reply, Failed)
    assert reply.cause == "refused"


# ------------------------------------------------------------------------ prompts that do not fit


def facts_prompt(count):
    return " ".join(f"Fact {n}: the port {3000 + n} is service {n}." for n in range(count))


@pytest.mark.parametrize("version", ["0.17.4", "0.11.10"])
@pytest.mark.parametrize("model", [CHAT, BASE])
def test_a_prompt_that_does_not_fit_is_a_failure_on_any_server(start_ollama, version, model):
    settings = ServerOptions(num_ctx=256, timeout=30)
    reply = only(
        start_ollama(version=version), asked(facts_prompt(200)), model=model, settings=settings
    )
    assert isinstance(reply, Failed)
    assert reply.cause == "prompt_too_long"
    assert "256" in reply.reason or "context" in reply.reason


def test_old_messages_that_an_old_server_drops_in_silence_are_missed(start_ollama):
    settings = ServerOptions(num_ctx=256, timeout=30)
    turns = [Message("system", "Be brief.")]
    for number in range(60):
        turns += [
            Message("user", f"Remember number {number}: {number * 7}."),
            Message("assistant", "Noted."),
        ]
    turns.append(Message("user", "Which numbers?"))
    reply = only(start_ollama(version="0.11.10"), asked(messages=turns), settings=settings)
    assert isinstance(reply, Failed)
    assert reply.cause == "prompt_too_long"


def test_a_prompt_that_fits_is_never_accused(start_ollama):
    server = start_ollama(version="0.11.10")
    found = replies(server, *(asked(facts_prompt(count)) for count in (1, 5, 20, 60, 100)))
    assert all(isinstance(reply, Answered) for reply in found)


# ------------------------------------------------------------------------------------------ faults

ONCE = [
    ("http_429", {"retry_after": 0}),
    ("http_500", {"message": "llama runner process has terminated: signal: killed"}),
    ("http_502", {}),
    ("http_503", {"message": "server busy, please try again."}),
    ("error_mid_stream", {}),
    ("ends_without_done", {}),
    ("closes_mid_chunk", {}),
    ("garbage", {}),
    ("html", {}),
    ("latin1", {}),
    ("wrong_shape", {}),
    ("empty_body", {}),
    ("not_http", {}),
]


@pytest.mark.parametrize(("kind", "details"), ONCE, ids=[kind for kind, _ in ONCE])
def test_a_passing_fault_is_tried_again_and_the_tries_are_counted(ollama_server, kind, details):
    ollama_server.answers({"*": "fine"})
    ollama_server.fault(kind, times=1, **details)
    reply = only(ollama_server, asked())
    assert isinstance(reply, Answered), reply
    assert reply.text == "fine"
    assert reply.attempts == 2


FOR_EVER = [
    ("http_429", "rate_limited"),
    ("http_500", "server_error"),
    ("http_503", "server_error"),
    ("error_mid_stream", "server_error"),
    ("ends_without_done", "broken_stream"),
    ("closes_mid_chunk", "broken_stream"),
    ("garbage", "unreadable"),
    ("html", "unreadable"),
    ("latin1", "unreadable"),
    ("wrong_shape", "unreadable"),
    ("empty_body", "broken_stream"),
    ("not_http", "unreachable"),
    ("redirect", "refused"),
    ("auth_401", "refused"),
]


@pytest.mark.parametrize(("kind", "cause"), FOR_EVER, ids=[kind for kind, _ in FOR_EVER])
def test_a_lasting_fault_is_an_outcome_and_never_an_answer(ollama_server, kind, cause):
    ollama_server.fault(kind, times=None)
    reply = only(ollama_server, asked())
    assert isinstance(reply, Failed), reply
    assert reply.cause == cause
    assert ollama_server.url in reply.reason
    assert reply.total_s is not None


def test_a_stream_that_ends_early_keeps_what_had_come(ollama_server):
    ollama_server.answers({"*": "one two three four five six"})
    ollama_server.fault("ends_without_done", times=None)
    reply = only(ollama_server, asked())
    assert isinstance(reply, Failed)
    assert reply.partial
    assert "one two three four five six".startswith(reply.partial)


def test_a_500_that_stays_so_is_not_tried_again(ollama_server):
    ollama_server.fault("http_500", times=None, message="invalid format: expected a JSON schema")
    reply = only(ollama_server, asked())
    assert isinstance(reply, Failed)
    assert len(ollama_server.asked) == 1


def test_a_broken_model_fails_its_requests_with_the_servers_words(ollama_server):
    reply = only(ollama_server, asked(), model="broken:latest")
    assert isinstance(reply, Failed)
    assert "exceeds file size" in reply.reason
    assert reply.attempts == 1


@pytest.mark.parametrize("kind", ["hang", "hang_mid_stream", "drip_headers", "drip_body"])
def test_a_deadline_ends_a_request_and_the_model_is_unloaded_before_the_next(ollama_server, kind):
    ollama_server.answers({"*": "fine and rather long " * 40})
    ollama_server.fault(kind, when="slow", times=1)
    settings = ServerOptions(timeout=3.0)
    slow, quick = replies(ollama_server, asked("slow"), asked("quick"), settings=settings)
    assert isinstance(slow, Failed)
    assert slow.cause == "timeout"
    assert "silent for 3" in slow.reason
    assert isinstance(quick, Answered), quick
    paths = [
        (request.path, (request.body or {}).get("keep_alive"))
        for request in ollama_server.log()[3:]
        if request.path != "/api/ps"
    ]
    first = paths.index(("/api/chat", "30m"))
    assert paths[first + 1] == ("/api/generate", 0)
    assert paths[first + 2] == ("/api/generate", "30m")  # loaded again, outside of anyone's time
    assert quick.timing.cold is True


def test_a_slow_prefill_that_only_an_unload_ends_does_not_hold_the_next_request(ollama_server):
    ollama_server.fault("slow_prefill", when="slow", times=1, seconds=600)
    settings = ServerOptions(timeout=3.0)
    slow, quick = replies(ollama_server, asked("slow"), asked("quick"), settings=settings)
    assert isinstance(slow, Failed)
    assert slow.cause == "timeout"
    assert isinstance(quick, Answered), quick


def test_a_server_that_times_out_again_and_again_is_not_asked_for_ever(ollama_server):
    ollama_server.fault("hang", times=None)
    model = open_model(ollama_server.spec(CHAT), ServerOptions(timeout=0.3))
    found = []
    with pytest.raises(ServerGone, match="5 requests in a row timed out"):
        found.extend(model.answer([asked(str(n)) for n in range(12)]))
    model.close()
    assert all(isinstance(reply, Failed) and reply.cause == "timeout" for reply in found)
    assert len(ollama_server.asked) == 5


def test_a_full_queue_is_waited_for(start_ollama):
    server = start_ollama(slots=1, queue=1, delay_ms=20)
    settings = ServerOptions(connections=6, timeout=30, first_pause_s=0.05)
    found = replies(server, *(asked(str(number)) for number in range(12)), settings=settings)
    answered = [reply for reply in found if isinstance(reply, Answered)]
    assert len(answered) >= 6
    assert all(reply.cause == "server_error" for reply in found if isinstance(reply, Failed))


def test_a_request_that_was_told_to_come_later_is_asked_again(ollama_server):
    ollama_server.fault("http_429", times=1, retry_after=1)
    settings = ServerOptions(connections=2, timeout=30, first_pause_s=0.01)
    found = replies(ollama_server, asked("a"), asked("b"), asked("c"), settings=settings)
    assert all(isinstance(reply, Answered) for reply in found)
    assert sorted(request.status for request in ollama_server.asked) == [200, 200, 200, 429]


def test_a_server_that_wants_an_hour_is_not_waited_for(ollama_server):
    ollama_server.fault("http_429", times=None, retry_after=3600)
    reply = only(ollama_server, asked())
    assert isinstance(reply, Failed)
    assert reply.cause == "rate_limited"
    assert "3600" in reply.reason


def test_a_line_without_end_is_left(ollama_server):
    ollama_server.fault("huge_line", times=None)
    settings = ServerOptions(timeout=3.0, first_pause_s=0.01)
    reply = only(ollama_server, asked(), settings=settings)
    assert isinstance(reply, Failed)
    assert reply.cause in ("unreadable", "timeout")


@pytest.mark.parametrize("kind", ["nulls", "nan", "negative", "duplicate_done"])
def test_nonsense_beside_a_text_leaves_the_text_and_no_nonsense(ollama_server, kind):
    ollama_server.answers({"*": "fine"})
    ollama_server.fault(kind, times=1)
    reply = only(ollama_server, asked())
    assert isinstance(reply, Answered), reply
    assert reply.text == "fine"
    figures = [reply.timing.load_s, reply.timing.prefill_s, reply.timing.decode_s]
    assert all(figure is None or 0 <= figure < 1e6 for figure in figures)


def test_closing_early_ends_what_is_under_way(ollama_server):
    ollama_server.fault("hang", when="slow", times=None)
    model = open_model(ollama_server.spec(CHAT), QUICK)
    coming = model.answer([asked("quick"), asked("slow"), asked("slow")])
    assert isinstance(next(coming), Answered)
    coming.close()
    model.close()
    assert ollama_server.log()[-1].body["keep_alive"] == 0


def test_a_password_in_the_url_is_used_and_never_shown(ollama_server):
    spec = ollama_server.spec(CHAT).replace("http://", "http://me:s3cr3t-word@")
    ollama_server.fault("auth_401", times=None)
    model = open_model(spec, QUICK)
    (reply,) = model.answer([asked()])
    model.close()
    assert isinstance(reply, Failed)
    assert "s3cr3t-word" not in repr(reply)
    assert "s3cr3t-word" not in repr(model.facts)
    assert ollama_server.asked[0].headers["authorization"].startswith("Basic ")
