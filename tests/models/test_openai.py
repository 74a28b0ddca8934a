"""openai: where a server is, who asks it, and whether the model is there."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack
from dataclasses import replace

import pytest

from assay.errors import ModelUnavailable, UsageError
from assay.models.address import openai_url
from assay.models.openai.model import Key, key_for, sent_in_the_clear
from assay.models.opening import open_model
from assay.types import Failed, ToAnswer
from assay.types.options import ServerOptions
from tests.models.asking import KEY, PLAIN, QUICK, answered, only, request_of, said

pytestmark = pytest.mark.usefixtures("planted_key")


# -------------------------------------------------------------------------------------- the address


def test_no_url_at_all_is_wrong_usage_and_says_where_to_put_one():
    with pytest.raises(UsageError) as refused:
        open_model("openai:some-model")
    assert "OPENAI_BASE_URL" in refused.value.hint
    assert "openai:NAME@" in refused.value.hint


def test_the_url_defaults_to_openai_base_url(monkeypatch, openai_server):
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.url + "/")
    model = open_model("openai:test-model")
    model.close()
    assert model.facts.spec == "openai:test-model"
    assert openai_server.url in model.facts.fingerprint


@pytest.mark.parametrize("tail", ["?api_key=hidden-thing", "#hidden-thing"])
def test_a_query_or_fragment_is_refused_without_printing_it(tail):
    with pytest.raises(UsageError) as refused:
        openai_url("http://127.0.0.1:1/v1" + tail)
    assert "hidden-thing" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize(
    "url", ["http://me:hidden-thing@:0/v1", "http://me:hidden-thing@h:port/v1", "http://a b/v1"]
)
def test_what_is_no_url_is_refused_without_its_password(url):
    with pytest.raises(UsageError) as refused:
        openai_url(url)
    assert "hidden-thing" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize("host", ["a..b", "a" * 64])
def test_a_host_that_no_network_can_know_is_refused(host):
    with pytest.raises(UsageError, match="is not a host name"):
        openai_url(f"http://me:hidden-thing@{host}/v1")


def test_a_context_size_is_refused_since_such_a_server_takes_none(openai_server):
    with pytest.raises(UsageError, match="takes no context size"):
        open_model(openai_server.spec(), ServerOptions(num_ctx=4096))
    assert openai_server.log() == []


# ------------------------------------------------------------------------------------------ the key


def test_the_key_goes_into_one_header_and_nowhere_else(openai_server, opened):
    model = opened()
    answered(model)
    for received in openai_server.log():
        assert received.headers["authorization"] == f"Bearer {KEY}"
        others = {name: v for name, v in received.headers.items() if name != "authorization"}
        assert KEY not in json.dumps([received.path, received.body, others])
    assert KEY not in repr([model.facts, model.observed()])


def test_the_key_of_another_variable_is_taken_where_it_is_named(monkeypatch, openai_server):
    monkeypatch.setenv("OTHER_KEY", "another-key-123")
    openai_server.settings(key="another-key-123")
    open_model(openai_server.spec(), replace(QUICK, api_key_env="OTHER_KEY")).close()
    assert openai_server.log("/v1/models")[-1].status == 200


def test_without_a_key_no_header_is_sent(monkeypatch, openai_server):
    monkeypatch.delenv("OPENAI_API_KEY")
    open_model(openai_server.spec()).close()
    assert "authorization" not in openai_server.log()[-1].headers


@pytest.mark.parametrize("key", ["sk-a b", "sk-a\nX-Evil: 1", "sk-clé", "sk-abc\n"])
def test_a_key_that_no_header_can_hold_is_refused_without_printing_it(monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError) as refused:
        key_for("http://127.0.0.1/v1", QUICK)
    assert "OPENAI_API_KEY" in refused.value.message
    assert "sk-" not in refused.value.message + refused.value.hint


def test_a_variable_that_is_named_and_not_set_is_wrong_usage(openai_server):
    with pytest.raises(UsageError, match="--api-key-env"):
        open_model(openai_server.spec(), replace(QUICK, api_key_env="NO_SUCH_KEY"))


@pytest.mark.parametrize(
    "pasted",
    ["sk-proj-Zx81", "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ", "0123456789abcdef0123456789abcdef",
     "A_" * 25 + "B", "two words"],
)  # fmt: skip
def test_a_key_given_in_place_of_its_variable_is_not_printed(openai_server, pasted):
    with pytest.raises(UsageError) as refused:
        open_model(openai_server.spec(), replace(QUICK, api_key_env=pasted))
    assert pasted not in refused.value.message + refused.value.hint
    assert "name of an environment variable" in refused.value.message


def test_a_password_in_the_url_is_sent_and_never_stored(openai_server):
    spec = openai_server.spec().replace("http://", "http://me:hidden-thing@")
    model = open_model(spec)
    model.close()
    assert openai_server.log()[-1].headers["authorization"].startswith("Basic ")
    assert "hidden-thing" not in repr(model.facts)


def test_a_key_and_a_password_together_are_refused(openai_server):
    spec = openai_server.spec().replace("http://", "http://me:hidden-thing@")
    with pytest.raises(UsageError, match="password"):
        open_model(spec, replace(QUICK, api_key_env="OPENAI_API_KEY"))


def test_a_key_that_leaves_this_machine_unencrypted_is_told():
    key = Key(KEY, "OPENAI_API_KEY")
    told = sent_in_the_clear("http://10.1.2.3:8000/v1", key)
    assert told is not None
    assert "10.1.2.3" in told
    assert KEY not in told
    assert sent_in_the_clear("https://10.1.2.3/v1", key) is None
    assert sent_in_the_clear("http://127.0.0.1:8000/v1", key) is None
    assert sent_in_the_clear("http://10.1.2.3/v1", Key("", "OPENAI_API_KEY")) is None


def test_a_placeholder_for_a_key_is_not_cut_out_of_answers(monkeypatch, openai_server, opened):
    monkeypatch.setenv("OPENAI_API_KEY", "ollama")
    openai_server.answers({"*": "Type ollama run."})
    assert answered(opened()).text == "Type ollama run."


@pytest.mark.parametrize("key", ["pass", "Password", "admin", "secret", "123456", "changeme", "x"])
def test_a_word_that_is_no_secret_is_left_in_errors_too(monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert key_for("http://127.0.0.1/v1", QUICK).secrets == ()


def test_a_short_key_is_removed_from_errors_and_left_in_answers(monkeypatch, openai_server, opened):
    monkeypatch.setenv("OPENAI_API_KEY", "gr71x")
    openai_server.answers({"*": "A gr71x tree."})
    model = opened()
    assert answered(model).text == "A gr71x tree."
    openai_server.fault("auth_401", times=None)
    reply = only(model, ToAnswer(messages=said("Hi"), sampling=PLAIN))
    assert isinstance(reply, Failed)
    assert "gr71x" not in reply.reason
    assert "[removed]" in reply.reason


def test_a_key_that_an_answer_repeats_is_removed_from_it(openai_server, opened):
    openai_server.answers({"*": f"Your key is {KEY}, is it not?"})
    assert answered(opened()).text == "Your key is [removed], is it not?"


# ------------------------------------------------------------------------------------------ opening


def test_opening_asks_for_the_list_and_the_slots_and_nothing_else(openai_server):
    model = open_model(openai_server.spec())
    model.close()
    assert [(r.method, r.path) for r in openai_server.log()] == [
        ("GET", "/v1/models"),
        ("GET", "/props"),
        ("GET", "/api/version"),
    ]
    assert model.facts.fingerprint == f"openai:{openai_server.url} test-model"
    assert model.facts.fingerprint_is_weak
    assert model.facts.predicts_by == "sampled"
    assert model.facts.thinks == ("low", "medium", "high")


def test_a_server_that_is_not_there_is_named_with_what_to_do(start_openai):
    server = start_openai()
    server.stop()
    with pytest.raises(ModelUnavailable) as missing:
        open_model(server.spec())
    assert server.url in missing.value.message
    assert "OPENAI_BASE_URL" in missing.value.hint


def test_a_wrong_key_names_its_variable_and_is_not_repeated(openai_server):
    openai_server.settings(key="the-right-one")
    with pytest.raises(ModelUnavailable) as missing:
        open_model(openai_server.spec())
    assert "OPENAI_API_KEY" in missing.value.hint
    assert "401" in missing.value.message
    assert KEY not in missing.value.message + missing.value.hint


def test_a_missing_key_is_said_to_be_missing(monkeypatch, openai_server):
    monkeypatch.delenv("OPENAI_API_KEY")
    openai_server.settings(key="the-right-one")
    with pytest.raises(ModelUnavailable) as missing:
        open_model(openai_server.spec())
    assert "OPENAI_API_KEY is not set" in missing.value.hint


def test_a_model_that_is_not_there_is_named_with_those_near_it(openai_server):
    with pytest.raises(ModelUnavailable) as missing:
        open_model(openai_server.spec("tset-model"))
    assert "tset-model" in missing.value.message
    assert "test-model" in missing.value.hint


@pytest.mark.parametrize("status", [404, 405])
def test_a_server_without_a_list_of_models_is_tolerated(openai_server, opened, status):
    openai_server.fault("http_404", path="/v1/models", status=status, times=None)
    assert answered(opened()).text


def test_a_key_that_may_not_see_the_list_may_still_ask(openai_server, opened):
    openai_server.fault("http_400", path="/v1/models", status=403, times=None)
    assert answered(opened()).text


@pytest.mark.parametrize(("kind", "details"), [("http_503", {}), ("http_429", {"retry_after": 0})])
def test_a_server_too_busy_for_its_list_is_asked_again(openai_server, opened, kind, details):
    openai_server.fault(kind, path="/v1/models", times=3, **details)
    assert opened().facts.name == "test-model"
    assert [r.status for r in openai_server.log("/v1/models")][-1] == 200
    assert len(openai_server.log("/v1/models")) == 4


def test_a_server_that_stays_too_busy_for_its_list_is_given_up(openai_server):
    openai_server.fault("http_429", path="/v1/models", times=None)
    with pytest.raises(ModelUnavailable, match="429") as missing:
        open_model(openai_server.spec(), QUICK)
    assert "later" in missing.value.hint
    assert len(openai_server.log()) == 4


def test_a_model_may_be_named_with_the_provider_that_is_to_serve_it(start_openai):
    server = start_openai(model=["Qwen/Qwen3-8B", "Qwen/Qwen3-8B:free"])
    for name in ("Qwen/Qwen3-8B:nebius", "Qwen/Qwen3-8B:free"):
        model = open_model(server.spec(name))
        model.close()
        assert model.facts.name == name
    with pytest.raises(ModelUnavailable):
        open_model(server.spec("Qwen/Qwen3-9B:nebius"))


def test_a_plain_server_asked_over_https_is_told_apart(peculiar):
    url = peculiar(lambda path, body: (200, {}))
    with pytest.raises(ModelUnavailable) as missing:
        open_model(f"openai:m@{url}".replace("http://", "https://"), QUICK)
    assert "speaks plain http" in missing.value.message
    assert f"try openai:m@{url}" in missing.value.hint


@pytest.mark.parametrize("number", [10**400, -1, float("nan"), True, "7", [], None])
def test_no_number_in_a_list_ends_a_run(openai_server, number):
    entry = {"id": "test-model", "max_model_len": number, "owned_by": [number],
             "meta": {"n_params": number, "n_ctx": number}}  # fmt: skip
    openai_server.fault("garbage", path="/v1/models", body={"data": [entry]})
    model = open_model(openai_server.spec())
    model.close()
    assert (model.facts.parameters, model.facts.context_length) == (None, None)


def test_names_that_are_no_text_are_shown_as_far_as_they_are(openai_server):
    listed = {"data": [{"id": "other\ud83d-model"}, {"id": "n" * 290 + KEY}]}
    openai_server.fault("garbage", path="/v1/models", body=json.dumps(listed))
    with pytest.raises(ModelUnavailable) as missing:
        open_model(openai_server.spec("none"))
    missing.value.hint.encode()
    assert KEY[:8] not in missing.value.hint


def test_stopping_gives_up_what_is_under_way(openai_server, opened):
    model = opened()
    openai_server.fault("hang", times=None)
    replies = model.answer([request_of(ToAnswer(messages=said("Hi"), sampling=PLAIN))])
    stopper = threading.Thread(
        target=lambda: (
            openai_server.wait_until(lambda server: any(r.fault == "hang" for r in server.asked)),
            model.stop(),
        )
    )
    stopper.start()
    (reply,) = replies
    stopper.join()
    assert isinstance(reply, Failed)
    assert reply.cause == "other"


@pytest.mark.parametrize("document", [{"object": "list", "data": []}, {"data": None}, [], {}])
def test_an_empty_or_odd_list_is_tolerated(openai_server, opened, document):
    openai_server.fault("garbage", path="/v1/models", body=document, times=None)
    assert answered(opened()).text


@pytest.mark.parametrize("kind", ["http_404", "html"])
def test_a_url_without_its_v1_is_told_so(openai_server, kind):
    openai_server.fault(kind, path="/models", times=None)
    root = openai_server.url.removesuffix("/v1")
    with pytest.raises(ModelUnavailable) as missing, ExitStack() as ends:
        model = open_model(f"openai:test-model@{root}")
        ends.callback(model.close)
        model.probe()
    assert f"openai:test-model@{root}/v1" in missing.value.hint


def test_a_web_page_is_no_server_of_models(openai_server):
    openai_server.fault("html", path="/", times=None)
    with pytest.raises(ModelUnavailable, match="unreadable response"):
        open_model(openai_server.spec())


# -------------------------------------------------------------------------------------- the command


def test_a_run_asks_a_served_model_and_its_key_is_found_nowhere_afterwards(bench, openai_server):
    openai_server.settings(key=KEY)
    openai_server.answers({"2 and 2": "4", "3 and 3": f"5, and the key is {KEY}"})
    tests = [
        {"id": f"sum_{n:03d}", "prompt": f"What is {n} and {n}?", "eval_method": "exact_match",
         "expected": str(2 * n)}
        for n in (2, 3)
    ]  # fmt: skip
    done = bench.assay(
        "run", openai_server.spec(), "-s", bench.suite({"sum": tests}), "--json",
        OPENAI_API_KEY=KEY,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (suite,) = json.loads(done.stdout)["models"][0]["suites"]
    assert [test["outcome"] for test in suite["tests"]] == ["pass", "fail"]
    assert KEY not in done.stdout + done.stderr
    for path in bench.out.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_a_run_without_its_server_ends_with_2_and_asks_nothing(bench, start_openai):
    server = start_openai()
    server.stop()
    suite = bench.suite({"sum": [{"id": "sum_001", "prompt": "1?", "eval_method": "exact_match",
                                  "expected": "1"}]})  # fmt: skip
    document = bench.document("run", server.spec(), "-s", suite)
    assert document["exit_code"] == 2
    assert server.url in document["error"]["message"]
