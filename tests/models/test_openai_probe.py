"""openai: what one token tells of a server, and how its refusals are understood."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.errors import ModelUnavailable
from assay.models.opening import open_model
from assay.types import Answered, ChoiceLikelihoods, Message, ToAnswer
from tests.models.asking import (
    CHAT,
    KEY,
    PLAIN,
    QUICK,
    TEXT,
    answered,
    choose,
    last_body,
    only,
    said,
)

pytestmark = pytest.mark.usefixtures("planted_key")


def fine(text="Yes", **more):
    choice = {"index": 0, "message": {"content": text}, "finish_reason": "stop", **more}
    return 200, {"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}


def test_a_server_that_takes_everything_is_probed_with_one_token(openai_server, opened):
    model = opened()
    (probe,) = openai_server.asked
    sent = {
        "max_tokens": 1, "temperature": 0.0, "seed": 0, "top_p": 1.0, "top_k": 0, "min_p": 0.0,
        "repeat_penalty": 1.0, "repetition_penalty": 1.0, "presence_penalty": 0.0,
        "frequency_penalty": 0.0, "logprobs": True, "top_logprobs": 20,
    }  # fmt: skip
    assert {name: probe.body[name] for name in sent} == sent
    assert "stream" not in probe.body
    assert model.facts.capabilities == {"generate", "structured_output", "tools", "top_logprobs"}
    assert model.observed().notes == ()


def test_fields_the_server_refuses_are_left_out_and_no_others(openai_server, opened):
    openai_server.settings(features={"unknown": "drop", "top_k": "reject", "min_p": "reject"})
    model = opened()
    answer = answered(model)
    body = last_body(openai_server)
    assert not {"top_k", "min_p"} & set(body)
    assert {"repeat_penalty", "repetition_penalty", "seed", "top_p"} <= set(body)
    assert answer.dropped == ()
    (note,) = model.observed().notes
    assert "min_p, top_k" in note


def test_a_seed_that_is_refused_is_recorded_with_every_answer(openai_server, opened):
    openai_server.settings(features={"unknown": "drop", "seed": "reject"})
    model = opened()
    assert answered(model).dropped == ("seed",)
    assert "seed" in model.observed().notes[0]


def test_a_server_with_the_newer_length_field_gets_it(openai_server, opened):
    openai_server.settings(features={"unknown": "drop", "max_tokens": "reject"})
    answered(opened())
    body = last_body(openai_server)
    assert body["max_completion_tokens"] == 40
    assert "max_tokens" not in body


@pytest.mark.parametrize("way", ["drop", "reject"])
def test_log_probabilities_that_do_not_come_are_not_claimed(openai_server, opened, way):
    openai_server.settings(features={"unknown": "drop", "logprobs": way})
    assert "top_logprobs" not in opened().facts.capabilities


def test_an_ollama_behind_it_is_recognised_and_its_native_spec_given(openai_server, opened):
    openai_server.settings(fingerprint="fp_ollama")
    model = opened()
    native = f"ollama:test-model@{openai_server.url.removesuffix('/v1')}"
    assert model.facts.about["native"] == native
    assert model.facts.about["server"] == "Ollama"


def test_a_server_without_chat_is_asked_for_completions(openai_server, opened):
    openai_server.fault("http_404", path=CHAT, times=None)
    model = opened()
    assert not model.facts.is_chat
    assert model.facts.thinks == ()
    openai_server.answers({"Once": "upon a time"})
    reply = only(model, ToAnswer(messages=(Message("system", "S"), *said("Once")), sampling=PLAIN))
    assert isinstance(reply, Answered)
    assert reply.text == "upon a time"
    assert openai_server.asked[-1].path == TEXT
    assert last_body(openai_server)["prompt"] == "S\n\nOnce"


@pytest.mark.parametrize(
    ("form", "missing", "said"),
    [
        ("chat", CHAT, "has completions, and no chat"),
        ("completions", TEXT, "answers as a chat"),
    ],
)
def test_a_form_that_is_named_is_not_changed_for_another(openai_server, form, missing, said):
    openai_server.fault("http_404", path=missing, times=None)
    model = open_model(openai_server.spec(), replace(QUICK, form=form))
    with pytest.raises(ModelUnavailable, match=said) as refused:
        model.probe()
    model.close()
    assert refused.value.hint == f"leave out --api {form}"


def test_a_form_that_is_named_and_no_other_one_either_is_refused_as_it_was(openai_server):
    openai_server.fault("http_404", path=CHAT, times=None)
    openai_server.fault("http_404", path=TEXT, times=None)
    model = open_model(openai_server.spec(), replace(QUICK, form="completions"))
    with pytest.raises(ModelUnavailable, match="404"):
        model.probe()
    model.close()


def test_a_server_that_can_do_neither_is_refused_before_the_run(openai_server):
    openai_server.fault("http_404", path="/v1/c", times=None)
    model = open_model(openai_server.spec(), QUICK)
    with pytest.raises(ModelUnavailable):
        model.probe()
    model.close()


def test_a_key_refused_by_the_probe_is_not_repeated(openai_server):
    openai_server.fault("auth_401", times=None)
    model = open_model(openai_server.spec(), QUICK)
    with pytest.raises(ModelUnavailable) as missing:
        model.probe()
    model.close()
    assert KEY not in missing.value.message + missing.value.hint


# --------------------------------------------------------------------- servers with peculiar habits


def test_fields_are_found_out_one_by_one_where_a_refusal_names_none(opened, peculiar):
    seen: list[dict[str, Any]] = []

    def habit(path, body):
        seen.append(body)
        if {"min_p", "repetition_penalty"} & set(body):
            return 422, {"detail": [{"loc": ["body", "min_p"], "msg": "Extra inputs"}]}
        return fine()

    model = opened(spec=f"openai:m@{peculiar(habit)}")
    assert model.facts.context_length == 99
    assert answered(model).text == "Yes"
    assert {"top_k", "repeat_penalty"} <= set(seen[-1])
    assert not {"min_p", "repetition_penalty"} & set(seen[-1])


def test_top_k_is_switched_off_in_the_servers_own_way(opened, peculiar):
    seen: list[dict[str, Any]] = []

    def habit(path, body):
        seen.append(body)
        if body.get("top_k") == 0:
            return 400, {"message": "top_k must be -1 (disable), or at least 1, got 0."}
        return fine()

    assert answered(opened(spec=f"openai:m@{peculiar(habit)}")).text == "Yes"
    assert seen[-1]["top_k"] == -1


def test_fewer_likelihoods_are_asked_for_where_twenty_are_too_many(opened, peculiar):
    entry = {"token": "B", "logprob": -0.1}
    told = {"content": [{**entry, "top_logprobs": [entry, {"token": "A", "logprob": -2.5}]}]}

    def habit(path, body):
        if body.get("top_logprobs", 0) > 5:
            return 400, {"error": {"message": "top_logprobs must be at most 5"}}
        return fine("B", logprobs=told)

    model = opened(spec=f"openai:m@{peculiar(habit)}")
    assert "top_logprobs" in model.facts.capabilities
    reply = only(model, choose(letters="AB"))
    assert isinstance(reply, ChoiceLikelihoods)
    assert reply.log_likelihoods == (-2.5, -0.1)


def test_a_model_that_must_think_first_is_given_room_for_it(opened, peculiar):
    def habit(path, body):
        if "max_tokens" in body:
            return 400, {
                "error": {
                    "message": "Unsupported parameter: 'max_tokens' is not "
                    "supported. Use 'max_completion_tokens' instead."
                }
            }
        if body["max_completion_tokens"] < 16:
            return 400, {
                "error": {
                    "message": "Could not finish the message because "
                    "max_tokens or model output limit was reached. "
                    "Please try again with higher "
                    "max_completion_tokens."
                }
            }
        if "temperature" in body:
            return 400, {
                "error": {
                    "message": "Unsupported value: 'temperature' does not "
                    "support 0 with this model."
                }
            }
        return fine()  # fmt: skip

    model = opened(spec=f"openai:m@{peculiar(habit)}")
    answer = answered(model)
    assert answer.text == "Yes"
    assert answer.dropped == ("temperature",)


@pytest.mark.parametrize(
    "numbers",
    [[float("nan"), -1.0], [-1.0, "x"], [2.0, -1.0], [None, -1.0], [-1.0], [-1.0, True],
     [-1.0, -(10**400)], [10**400, -1.0], [-1e308, -1.0], [0.0] * 6, [-0.5] * 6, [-2.0] * 6,
     [-0.1, -0.2, -0.3]],
)  # fmt: skip
def test_likelihoods_that_cannot_be_are_not_claimed(opened, peculiar, numbers):
    model = opened(
        spec=f"openai:m@{peculiar(lambda path, body: fine('B', logprobs=told(numbers)))}"
    )
    assert "top_logprobs" not in model.facts.capabilities


def told(numbers):
    top = [{"token": str(place), "logprob": value} for place, value in enumerate(numbers)]
    return {"content": [{"token": "B", "logprob": -0.1, "top_logprobs": top}]}


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "reasoning_content": "Okay"},
        {"content": "", "reasoning": "Okay"},
        {"content": None, "reasoning_content": ""},
        {"content": "<think>"},
        {"content": "<think>\nOkay</think>B"},
        {"content": "[THINK]"},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Okay"}]}]},
        {"content": "B", "hidden": 40},
        {"content": "B"},
    ],
)
def test_a_model_that_thinks_first_tells_no_choice_with_its_first_token(opened, peculiar, message):
    hidden = {"completion_tokens_details": {"reasoning_tokens": message.get("hidden", 0)}}

    def habit(path, body):
        choice = {"index": 0, "message": message, "finish_reason": "length",
                  "logprobs": told([-0.1, -3.0])}  # fmt: skip
        counts = {"prompt_tokens": 3, "completion_tokens": 1, **hidden}
        return 200, {"choices": [choice], "usage": counts}

    model = opened(spec=f"openai:m@{peculiar(habit)}")
    assert ("top_logprobs" in model.facts.capabilities) == (message == {"content": "B"})
