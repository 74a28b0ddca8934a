"""ollama: against servers that say what no recording has, and a user in odd company."""

from __future__ import annotations

import json

import pytest

from assay.errors import UsageError
from assay.models.address import ollama_url
from assay.models.opening import open_model
from assay.types import Answered, Failed
from assay.types.options import ServerOptions
from tests.models.odd_ollama import OddOllama
from tests.models.test_ollama import CHAT, QUICK, asked, letters_of, only, replies


@pytest.fixture
def odd_ollama():
    odd = OddOllama()
    yield odd
    odd.close()


HUGE = 10**400


@pytest.mark.parametrize(
    "nonsense",
    [
        {"total_duration": HUGE, "eval_duration": HUGE},
        {"prompt_eval_count": HUGE, "eval_count": -HUGE},
        {"done_reason": "st\ud800op"},
        {"load_duration": "soon", "prompt_eval_duration": True},
        {"message": {"role": "assistant", "content": "x\ud83d"}},
    ],
    ids=["durations", "counts", "half a letter in the reason", "types", "half a letter at the end"],
)
def test_whatever_a_server_tells_beside_its_text_ends_no_run(odd_ollama, nonsense):
    reply = odd_ollama.reply(final=nonsense)
    assert isinstance(reply, Answered)
    reply.text.encode()
    reply.finish.encode()
    assert reply.timing.decode_s is None or reply.timing.decode_s < 1e9


def test_half_a_letter_before_a_cut_is_kept_as_text(odd_ollama):
    reply = odd_ollama.reply(lines=['{"message":{"content":"x\\ud83d"},"done":false}'], cut=True)
    assert isinstance(reply, Failed)
    reply.partial.encode()


def test_likelihoods_that_are_no_numbers_are_read_over(odd_ollama):
    told = [{"token": "A", "logprob": -HUGE}, {"token": "B", "logprob": "x"}]
    final = {"logprobs": [{"token": "A", "logprob": 0, "top_logprobs": told}]}
    assert isinstance(odd_ollama.reply(letters_of("Which?"), final=final), Answered)


def test_sizes_and_digests_that_cannot_be_are_as_if_not_told(odd_ollama):
    odd_ollama.tags = {"models": [{"name": "m:latest", "digest": "d\ud800", "size": HUGE}]}
    odd_ollama.show |= {"system": "\ud800", "template": 5, "parameters": ["x"]}
    reply = odd_ollama.reply()
    assert isinstance(reply, Answered)
    assert "size" not in odd_ollama.facts.about


def test_a_word_of_loading_is_no_answer(odd_ollama):
    final = {"message": {"content": ""}, "done_reason": "load"}
    reply = odd_ollama.reply(final=final)
    assert isinstance(reply, Failed)
    assert reply.cause == "broken_stream"


def test_an_answer_to_nothing_is_not_taken_for_the_next_one(odd_ollama):
    odd_ollama.stale = True
    first, second = odd_ollama.replies(2)
    assert isinstance(first, Answered)
    assert not isinstance(second, Answered) or second.text != "STALE"


def test_a_model_that_was_pulled_anew_during_the_run_is_not_asked_on(odd_ollama):
    odd_ollama.loaded = {"models": [{"name": "m:latest", "digest": "other", "context_length": 1}]}
    reply = odd_ollama.reply()
    assert isinstance(reply, Failed)
    assert "has changed" in reply.reason


def test_a_load_that_fails_for_good_is_tried_once_for_all_tests(odd_ollama):
    odd_ollama.load_status = 500
    found = odd_ollama.replies(20)
    assert all(isinstance(reply, Failed) for reply in found)
    assert odd_ollama.loads == 1


def test_a_load_by_the_server_itself_is_cold(odd_ollama):
    odd_ollama.loaded = {"models": [{"name": "m:latest", "digest": "d", "context_length": 2048}]}
    reply = odd_ollama.reply(final={"load_duration": 5_000_000_000})
    assert reply.timing.cold is True
    assert odd_ollama.reply(final={"load_duration": 50_000_000}).timing.cold is False


def test_a_thought_is_no_choice(odd_ollama):
    told = [{"token": "We", "logprob": -0.01}, {"token": "A", "logprob": -1.0}]
    line = {
        "message": {"content": "", "thinking": "We"},
        "logprobs": [{"token": "We", "logprob": -0.01, "top_logprobs": told}],
        "done": False,
    }
    reply = odd_ollama.reply(letters_of("Which?"), lines=[json.dumps(line)])
    assert isinstance(reply, Answered)


@pytest.mark.parametrize(
    "told",
    [{"<think>": -0.001, "C": -2.0}, {"The": -0.005, "A": -6.0, "B": -7.0}],
    ids=["opens a thought", "is about to write"],
)
def test_a_first_token_that_chooses_nothing_is_not_read_as_a_choice(ollama_server, told):
    ollama_server.answers({"*": {"text": "B", "logprobs": told}})
    reply = only(ollama_server, letters_of("Which?\nA. x\nB. y\nC. z\nD. w"))
    assert isinstance(reply, Answered)
    assert reply.text == "B"


def test_gpt_oss_thinks_whatever_is_said_and_is_read(odd_ollama):
    odd_ollama.show |= {
        "capabilities": ["completion", "thinking"],
        "details": {"family": "gptoss"},
    }
    odd_ollama.reply()
    assert odd_ollama.facts.thinks == ("low", "medium", "high")
    assert "top_logprobs" not in odd_ollama.facts.capabilities
    assert odd_ollama.asked[0]["think"] == "medium"


def test_a_short_password_stays_in_answers_and_leaves_errors(ollama_server):
    ollama_server.answers({"*": "def f():\n    qwert"})
    spec = ollama_server.spec(CHAT).replace("http://", "http://me:qwert@")
    model = open_model(spec, QUICK)
    (reply,) = model.answer([asked()])
    ollama_server.fault("http_400", times=None, message="your password is qwert")
    (failed,) = model.answer([asked()])
    model.close()
    assert reply.text == "def f():\n    qwert"
    assert "qwert" not in failed.reason


@pytest.mark.parametrize("host", ["exämple..b", "a..b", "x" * 70, "."])
def test_a_host_that_is_none_is_refused_in_words(host):
    with pytest.raises(UsageError, match="not a host name"):
        ollama_url(f"http://{host}")


def test_many_stalls_at_once_are_one(start_ollama):
    server = start_ollama(slots=8)
    server.fault("hang", times=8)
    settings = ServerOptions(connections=8, timeout=5.0, first_pause_s=0.01)
    found = replies(server, *(asked(str(n)) for n in range(40)), settings=settings)
    assert sum(isinstance(reply, Failed) for reply in found) <= 16, "the rest was asked"
