"""The plain server does what its flags say, and is right where it claims to be."""

import json

import pytest

QUESTION = "Where is the bridge?"
CHOICE = "Which metal floats?\nA. Iron\nB. Lead\nC. Lithium\nAnswer with one letter."


def chat(server, question=QUESTION, **fields):
    messages = [{"role": "user", "content": question}]
    body = {"model": "test-model", "temperature": 0, "messages": messages, **fields}
    return server.ask("POST", "/v1/chat/completions", body)


def complete(server, prompt, **fields):
    body = {"model": "test-model", "temperature": 0, "prompt": prompt, **fields}
    return server.ask("POST", "/v1/completions", body)


def texts(answer):
    status, document = answer
    assert status == 200, document
    return [c["message"]["content"] if "message" in c else c["text"] for c in document["choices"]]


def events(answer):
    lines = [line.removeprefix("data: ") for line in answer[1].split("\n") if line]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def test_the_models_are_listed(openai_server):
    listed = openai_server.ask("GET", "/v1/models")[1]["data"]
    assert [model["id"] for model in listed] == ["test-model", "other-model"]
    assert openai_server.ask("GET", "/v1/models/test-model")[1]["id"] == "test-model"
    assert chat(openai_server, model="missing")[0] == 404


def test_a_stream_holds_what_the_whole_answer_holds(openai_server):
    openai_server.answers({"bridge": "Over there."})
    whole = chat(openai_server)[1]
    parts = events(chat(openai_server, stream=True, stream_options={"include_usage": True}))
    said = "".join(c["delta"].get("content", "") for p in parts for c in p["choices"])
    assert said == whole["choices"][0]["message"]["content"] == "Over there."
    assert parts[-1]["usage"] == whole["usage"]
    assert [c["finish_reason"] for p in parts for c in p["choices"]][-1] == "stop"
    assert "usage" not in events(chat(openai_server, stream=True))[-1]


def test_a_text_completion_can_be_streamed(openai_server):
    openai_server.answers({"bridge": "Over there."})
    parts = events(complete(openai_server, QUESTION, stream=True))
    assert "".join(c["text"] for p in parts for c in p["choices"]) == "Over there."


def test_several_answers_differ_and_a_seed_repeats_them(openai_server):
    first = texts(chat(openai_server, n=3, seed=5, temperature=0.8))
    assert len(set(first)) == 3
    assert texts(chat(openai_server, n=3, seed=5, temperature=0.8)) == first


@pytest.mark.parametrize(
    ("field", "value"),
    [("n", 2), ("seed", 3), ("logprobs", True), ("response_format", {"type": "json_object"}),
     ("top_k", 5)],
)  # fmt: skip
def test_every_field_can_be_dropped_or_rejected(openai_server, field, value):
    openai_server.settings(features={field: "drop"})
    status, told = chat(openai_server, **{field: value})
    assert status == 200
    assert len(told["choices"]) == 1
    assert told["choices"][0]["logprobs"] is None
    assert not told["choices"][0]["message"]["content"].startswith("{")
    openai_server.settings(features={field: "reject"})
    status, told = chat(openai_server, **{field: value})
    assert status == 400
    assert told["error"]["message"] == f"Unrecognized request argument supplied: {field}"


def test_a_dropped_seed_is_no_seed(openai_server):
    openai_server.settings(features={"seed": "drop"})
    drawn = {texts(chat(openai_server, seed=1, temperature=0.8))[0] for _ in range(5)}
    assert len(drawn) > 1


def test_unknown_fields_are_dropped_unless_told_otherwise(openai_server):
    assert chat(openai_server, repeat_penalty=1.0)[0] == 200
    openai_server.settings(features={"unknown": "reject"})
    assert chat(openai_server, repeat_penalty=1.0)[0] == 400


def test_usage_can_be_left_out(openai_server):
    openai_server.settings(features={"usage": "drop"})
    assert "usage" not in chat(openai_server)[1]


def test_a_key_is_asked_for(start_openai):
    server = start_openai(key="secret")
    assert chat(server)[0] == 401
    status, told = server.ask("GET", "/v1/models", headers={"Authorization": "Bearer wrong"})
    assert (status, told["error"]["code"]) == (401, "invalid_api_key")
    assert server.ask("GET", "/v1/models", headers={"Authorization": "Bearer secret"})[0] == 200


def test_thoughts_have_a_field_of_their_own(openai_server):
    openai_server.settings(reasoning=True)
    openai_server.answers({"*": {"text": "Four.", "thinking": "Two and two."}})
    message = chat(openai_server)[1]["choices"][0]["message"]
    assert (message["reasoning_content"], message["content"]) == ("Two and two.", "Four.")
    parts = events(chat(openai_server, stream=True))
    thought = [c["delta"].get("reasoning_content", "") for p in parts for c in p["choices"]]
    assert "".join(thought) == "Two and two."


def test_a_schema_is_met(openai_server):
    schema = {"type": "object", "properties": {"b": {"type": "integer"}, "a": {"enum": ["x"]}}}
    wish = {"type": "json_schema", "json_schema": {"name": "s", "schema": schema}}
    assert json.loads(texts(chat(openai_server, response_format=wish))[0]) == {"b": 1, "a": "x"}


def test_the_first_token_of_a_choice_has_the_letters_among_its_best(openai_server):
    openai_server.answers({"metal": "C"})
    told = chat(openai_server, CHOICE, logprobs=True, top_logprobs=5, max_tokens=1)[1]
    first = told["choices"][0]["logprobs"]["content"][0]
    assert first["token"] == first["top_logprobs"][0]["token"] == "C"
    assert {"A", "B", "C"} <= {entry["token"] for entry in first["top_logprobs"]}


def test_a_prompt_too_long_is_refused(start_openai):
    status, told = chat(start_openai(context=64), "word " * 100)
    assert (status, told["error"]["code"]) == (400, "context_length_exceeded")


# ------------------------------------------------------------------------ reading a text


def read(server, text, **fields):
    told = complete(server, text, **{"max_tokens": 0, "echo": True, "logprobs": 1, **fields})
    return told[1]["choices"][0]


def test_an_echoed_text_has_the_likelihoods_it_was_written_with(openai_server):
    openai_server.answers({"capital of France": " Paris is big."})
    prompt = "The capital of France is"
    written = complete(openai_server, prompt, max_tokens=3, logprobs=1)[1]["choices"][0]
    echoed = read(openai_server, prompt + written["text"])
    assert echoed["text"] == prompt + written["text"]
    assert "".join(echoed["logprobs"]["tokens"]) == echoed["text"]
    assert echoed["logprobs"]["token_logprobs"][0] is None
    assert echoed["logprobs"]["token_logprobs"][-3:] == written["logprobs"]["token_logprobs"]
    offsets = echoed["logprobs"]["text_offset"]
    pieces = [echoed["text"][a:b] for a, b in zip(offsets, [*offsets[1:], None], strict=True)]
    assert pieces == echoed["logprobs"]["tokens"]


def test_the_expected_word_is_likelier_than_another(openai_server):
    openai_server.answers({"capital of France": " Paris"})
    right, wrong = (
        read(openai_server, f"The capital of France is {city}")["logprobs"]["token_logprobs"][-1]
        for city in ("Paris", "Rome")
    )
    assert right > wrong


def test_a_server_may_be_one_token_off(openai_server):
    text = "The capital of France is Paris"
    right = read(openai_server, text)["logprobs"]["token_logprobs"]
    openai_server.settings(features={"echo": "off_by_one"})
    assert read(openai_server, text)["logprobs"]["token_logprobs"] == [*right[1:], None]


def test_a_dropped_echo_tells_nothing_of_the_prompt(openai_server):
    openai_server.settings(features={"echo": "drop"})
    choice = read(openai_server, "The capital of France is", max_tokens=1)
    assert choice["text"] == "This"
    assert choice["logprobs"]["tokens"] == ["This"]
