"""A real server with a real model: llama.cpp, from the wheel xllamacpp, serving stories260K.

Its texts and log-probabilities are checked against reference values that come from another program
(the model's README beside it): what we ask for is what the server computes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.models.opening import open_model
from assay.types import (
    Answered,
    ChoiceLikelihoods,
    Failed,
    Message,
    Model,
    Reply,
    Request,
    Sampling,
    ToAnswer,
    ToChoose,
    ToRead,
    Work,
)
from assay.types.options import ServerOptions
from tests.conftest import no_hang

pytest.importorskip("xllamacpp", reason="the wheel is made for Linux only")

# Flash attention off and a cache in 32 bits: with the defaults one text in five differs.
SERVE = """
import os
import sys
from xllamacpp import CommonParams, Server, ggml_type, llama_flash_attn_type
p = CommonParams()
p.model.path = sys.argv[1]
p.n_ctx = 512
p.cpuparams.n_threads = 1
p.hostnames = ["127.0.0.1"]
p.port = 0
p.flash_attn_type = llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
p.cache_type_k = p.cache_type_v = ggml_type.GGML_TYPE_F32
p.chat_template = "{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"
server = Server(p)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)
"""
GREEDY = Sampling(temperature=0.0, seed=0, max_tokens=120)
AGREES = 3.3e-3  # between two programs that compute the same model
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"animal": {"enum": ["dog", "cat"]}, "big": {"type": "boolean"}},
        "required": ["animal", "big"],
        "additionalProperties": False,
    }
)


@pytest.fixture(scope="module")
def stories(shared: Path) -> Path:
    return shared / "models" / "stories260K"


@pytest.fixture(scope="module")
def reference(stories: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((stories / "reference.json").read_text("utf-8"))
    return document


@pytest.fixture(scope="module")
def url(stories: Path) -> Iterator[str]:
    """A process of its own: it ends with its standard input, so that it cannot outlive us."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(stories / "gguf" / "stories260K-f32.gguf")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with no_hang():
            address = next((line for line in process.stdout if line.startswith("http")), "")
        assert address, "llama.cpp did not start"
        yield address.strip() + "/v1"
        process.stdin.close()


@pytest.fixture(scope="module")
def model(url: str) -> Iterator[Model]:
    opened = open_model(f"openai:stories260K@{url}")
    opened.probe()
    yield opened
    opened.close()


def test_tools_that_the_template_drops_are_noticed(model: Model) -> None:
    tool = {"name": "get_weather", "description": "The weather in a city. " * 9, "parameters": {}}
    tools = json.dumps([{"type": "function", "function": tool}])
    (reply,) = asked(model, ToAnswer(messages=said("Hello"), sampling=GREEDY, tools=tools))
    assert isinstance(reply, Failed)
    assert reply.reason.startswith("the server ignored the tools")


def said(prompt: str) -> tuple[Message, ...]:
    return (Message("user", prompt),)


def asked(model: Model, *works: Work) -> list[Reply]:
    """The replies in the order of the works."""
    requests = [
        Request(id=str(n), suite="s", test_id="t", turn=0, repeat=0, work=work)
        for n, work in enumerate(works)
    ]
    return sorted(model.answer(requests), key=lambda reply: int(reply.request_id))


def written(model: Model, prompt: str, sampling: Sampling, **more: Any) -> Answered:
    (reply,) = asked(model, ToAnswer(messages=said(prompt), sampling=sampling, **more))
    assert isinstance(reply, Answered), reply
    return reply


def test_any_name_is_the_one_model_it_serves_and_its_facts_are_known_at_opening(url):
    opened = open_model(f"openai:whatever@{url}")
    opened.close()
    facts = opened.facts
    assert facts.name == "whatever"
    assert facts.parameters == 260_032
    assert facts.context_length == 512
    assert facts.about["server"] == "llama.cpp"
    assert facts.fingerprint_is_weak


def test_the_probe_finds_log_probabilities_and_no_field_refused(model):
    assert model.facts.capabilities == {"generate", "structured_output", "tools", "top_logprobs"}
    assert model.facts.is_chat
    assert not [note for note in model.observed().notes if "left out" in note]


def test_greedy_texts_are_those_of_the_reference(model, reference):
    """Every sampling field is sent: with the server's own (top_k 40, min_p 0.05) nothing greedy
    would change, but with its penalties of other versions it would.
    """
    works = [ToAnswer(messages=said(prompt), sampling=GREEDY) for prompt in reference["greedy"]]
    replies = asked(model, *works)
    for reply, (prompt, text) in zip(replies, reference["greedy"].items(), strict=True):
        assert isinstance(reply, Answered)
        assert reply.output_tokens == 120
        assert len(reply.text) > 200
        assert text.startswith(prompt + reply.text)


def test_a_stream_tells_tokens_times_and_why_it_ended(model):
    answer = written(model, "Once upon a time", GREEDY)
    assert answer.prompt_tokens == 5
    assert answer.truncated
    assert answer.finish == "length"
    assert answer.first_token_s is not None
    assert answer.total_s is not None
    assert 0 < answer.first_token_s <= answer.total_s
    assert answer.timing is not None
    assert answer.timing.prefill_s is not None
    assert answer.timing.decode_s is not None
    assert answer.timing.cached_tokens is not None
    assert answer.dropped == ()


def test_one_token_has_no_time_of_decoding(model):
    """The server names a microsecond for it, which would be a million tokens a second."""
    answer = written(model, "Once upon a time", replace(GREEDY, max_tokens=1))
    assert answer.output_tokens == 1
    assert answer.timing is not None
    assert answer.timing.decode_s is None


def test_the_same_seed_draws_the_same_text_and_another_seed_another(model):
    drawn = replace(GREEDY, temperature=1.0, max_tokens=30)
    first, again, other = (
        written(model, "Once upon a time", replace(drawn, seed=seed)).text for seed in (7, 7, 8)
    )
    assert first == again
    assert first != other


def test_a_stop_sequence_ends_an_answer(model):
    answer = written(model, "Once upon a time", replace(GREEDY, stop=("Lily",)))
    assert answer.text == ", there was a little girl named "
    assert answer.finish == "stop"


def test_a_schema_is_kept_to_even_by_a_model_that_knows_no_json(model):
    answer = written(model, "Once upon a time", GREEDY, schema=SCHEMA)
    document = json.loads(answer.text)
    assert document["animal"] in ("dog", "cat")
    assert isinstance(document["big"], bool)
    assert answer.dropped == ()


def test_likelihoods_of_first_tokens_are_those_of_the_reference(model, reference):
    """Where a continuation is several tokens, its first one is compared."""
    known = {
        (entry["context"], entry["continuation"].strip()): entry["token_logprobs"][0]
        for entry in reference["loglikelihood"]
    }
    little, very = "Once upon a time, there was a little", "Lily was very"
    letters = ToChoose(messages=said(little), continuations=("g", "b", "c"), otherwise=GREEDY)
    words = ToChoose(messages=said(very), continuations=("happy", "sad"), otherwise=GREEDY)
    first, second = asked(model, letters, words)
    assert isinstance(first, ChoiceLikelihoods)
    assert isinstance(second, ChoiceLikelihoods)
    assert first.method == second.method == "first_token"
    expected = [known[little, word] for word in ("girl", "boy", "car")]
    assert first.log_likelihoods == pytest.approx(expected, abs=AGREES)
    assert first.bounded == (False, False, False)
    assert second.log_likelihoods[0] == pytest.approx(known[very, "happy"], abs=AGREES)
    assert second.bounded == (False, True)
    assert second.log_likelihoods[1] < second.log_likelihoods[0]


def test_several_answers_are_drawn_with_distinct_seeds(model):
    drawn = replace(GREEDY, temperature=1.0, max_tokens=40, predictions=3)
    answer = written(model, "Once upon a time", drawn)
    assert len(set(answer.predictions)) == 3
    assert answer.prediction_method == "sampled"
    assert answer.text == answer.predictions[0]


def test_a_prompt_that_does_not_fit_is_refused_and_not_cut(model):
    (reply,) = asked(model, ToAnswer(messages=said("a dog " * 600), sampling=GREEDY))
    assert isinstance(reply, Failed)
    assert reply.cause == "prompt_too_long"


def test_completions_write_the_same_text_and_score_none_since_echo_is_not_honoured(url, reference):
    opened = open_model(f"openai:stories260K@{url}", ServerOptions(form="completions"))
    opened.probe()
    assert opened.facts.capabilities == {"generate"}
    assert not opened.facts.is_chat
    prompt = "Lily and Tom were"
    answer, unread = asked(
        opened, ToAnswer(messages=said(prompt), sampling=GREEDY), ToRead(text=prompt)
    )
    opened.close()
    assert isinstance(answer, Answered)
    assert reference["greedy"][prompt].startswith(prompt + answer.text)
    assert answer.output_tokens == 120
    assert isinstance(unread, Failed)
    assert unread.cause == "refused"


def test_the_command_marks_what_it_really_writes(bench, url):
    tests = [
        {
            "id": "story_001",
            "prompt": "Once upon a time",
            "eval_method": "keywords",
            "expected_keywords": ["little girl", "Lily"],
            "temperature": 0,
            "max_tokens": 30,
        },
        {
            "id": "story_002",
            "prompt": "Lily and Tom were",
            "eval_method": "keywords",
            "expected_keywords": ["submarine"],
            "temperature": 0,
            "max_tokens": 30,
        },
    ]
    bench.environment = {**os.environ, "OPENAI_BASE_URL": url}
    done = bench.document("run", "openai:stories260K", "-s", bench.suite({"story": tests}))
    (suite,) = done["models"][0]["suites"]
    assert [test["outcome"] for test in suite["tests"]] == ["pass", "fail"]
    assert suite["tests"][0]["answer"].startswith(", there was a little girl named Lily.")
