"""The server held against the recordings."""

import json
import re
from http.client import HTTPConnection

import pytest

from tests.servers.fixtures import Server
from tests.servers.recordings import Recording, answered, load

CHAT = "smollm2:135m-instruct-q4_1"
THINKING = "smollm2-think:135m"
NEW, OLD = load("0.17.4"), load("0.11.10")
MODEL_PATHS = ("/api/chat", "/api/generate", "/v1/chat/completions", "/v1/completions")
# A completion model's embeddings are nothing that Assay asks for.
NOT_CLAIMED = {"embed"}
# They tell what was loaded at that moment; their shape is compared, not their content.
OF_A_MOMENT = {"ps-loaded", "ps-empty", "ps-after-unload", "huge-num-ctx-ps", "tags"}
TIMES = re.compile(r"created_at|_duration$|^id$|^created$")

replayed = [r for r in (*answered("0.17.4"), *answered("0.11.10")) if r.case not in NOT_CLAIMED]
spoken = [r for r in replayed if r.path in MODEL_PATHS and r.status == 200]


def named(recording: Recording) -> str:
    return f"{recording.version}-{recording.case}"


@pytest.fixture(scope="module")
def servers():
    """Both versions, answering from the recordings and by rule alone."""
    started = {
        (version, replays): Server("ollama", version=version, no_replay=not replays)
        for version in ("0.17.4", "0.11.10")
        for replays in (True, False)
    }
    yield started
    for server in started.values():
        server.stop()


def send(server: Server, recording: Recording) -> tuple[int, dict[str, str], str]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request(recording.method, recording.path, recording.sent)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, {k.lower(): v for k, v in response.getheaders()}, text


def documents(text: str) -> list:
    """The JSON of a body, of every line, or of every event."""
    lines = [line.removeprefix("data: ") for line in text.split("\n") if line]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]


def timeless(document):
    if isinstance(document, dict):
        return {k: timeless(v) for k, v in document.items() if not TIMES.search(k)}
    return document


def shape(value):
    """Keys in their order, and the types of what they hold."""
    if isinstance(value, dict):
        return [(key, shape(part)) for key, part in value.items()]
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


# ------------------------------------------------------------------------ recordings


@pytest.mark.parametrize("recording", replayed, ids=named)
def test_a_recorded_request_gets_the_recorded_answer(servers, recording):
    server = servers[recording.version, True]
    server.reset()
    status, headers, text = send(server, recording)
    assert status == recording.status
    assert headers["content-type"] == recording.headers["content-type"]
    if recording.case in OF_A_MOMENT:
        return
    if not recording.headers["content-type"].startswith(("application", "text/event")):
        assert text == recording.text
        return
    ours, theirs = documents(text), documents(recording.text)
    assert [timeless(d) for d in ours] == [timeless(d) for d in theirs]
    assert shape(ours) == shape(theirs)


@pytest.mark.parametrize("recording", spoken, ids=named)
def test_an_answer_by_rule_has_the_recorded_shape(servers, recording):
    server = servers[recording.version, False]
    server.reset()
    theirs = documents(recording.text)
    server.answers({"*": said(theirs)})
    status, headers, text = send(server, recording)
    ours = documents(text)
    assert status == recording.status
    assert headers["content-type"] == recording.headers["content-type"]
    assert shape(ours[0]) == shape(theirs[0])
    assert shape(ours[-1]) == shape(theirs[-1])
    assert len(ours) == len(theirs) or len(ours) > 2


def said(lines):
    """What the recorded model said, as a page of a book."""
    text, thinking = "", ""
    for line in lines:
        holder = line.get("message") or line if isinstance(line, dict) else {}
        text += holder.get("content", holder.get("response", ""))
        thinking += holder.get("thinking", "")
        for choice in holder.get("choices", []):
            part = choice.get("message") or choice.get("delta") or choice
            text += part.get("content", part.get("text", ""))
    if thinking and not text:
        # It never came to an answer: there was more to think.
        return {"thinking": thinking * 2, "text": "4"}
    return {"text": text, "thinking": thinking}


@pytest.mark.parametrize(
    "recording", [r for r in spoken if "prompt_eval_count" in r.text], ids=named
)
def test_prompts_are_counted_nearly_as_the_real_tokenizer_counted_them(servers, recording):
    server = servers[recording.version, False]
    server.reset()
    theirs, ours = (documents(t)[-1] for t in (recording.text, send(server, recording)[2]))
    assert ours["prompt_eval_count"] == pytest.approx(theirs["prompt_eval_count"], rel=0.1, abs=3)


@pytest.mark.parametrize("recording", [r for r in replayed if r.status != 200], ids=named)
def test_refusals_need_no_recording(servers, recording):
    assert send(servers[recording.version, False], recording)[0] == recording.status


def test_what_is_loaded_is_told_as_recorded(servers):
    server = servers["0.17.4", True]
    server.reset()
    assert server.ask("GET", "/api/ps")[1] == json.loads(NEW["ps-empty"].text)
    send(server, NEW["load"])
    loaded = server.ask("GET", "/api/ps")[1]
    assert shape(loaded) == shape(json.loads(NEW["ps-loaded"].text))
    assert loaded["models"][0]["context_length"] == 2048
    send(server, NEW["huge-num-ctx"])
    assert server.ask("GET", "/api/ps")[1]["models"][0]["context_length"] == 8192
    send(server, NEW["unload"])
    assert server.ask("GET", "/api/ps")[1] == {"models": []}


def test_the_list_holds_every_recorded_model_and_the_one_made_later(servers):
    told = servers["0.17.4", True].ask("GET", "/api/tags")[1]["models"]
    assert [tag for tag in told if "ctx256" not in tag["name"]] == json.loads(NEW["tags"].text)[
        "models"
    ]
    assert told[0]["name"] == "smollm2-ctx256:135m"


def test_the_same_request_again_gets_the_second_recording(servers):
    server = servers["0.17.4", True]
    server.reset()
    send(server, NEW["chat"])
    assert send(server, NEW["chat"])[2] == NEW["chat-again"].text


def test_the_order_of_keys_does_not_matter_but_that_of_properties_does(servers):
    server = servers["0.17.4", True]
    body = dict(reversed(NEW["format-schema"].body.items()))
    assert (
        server.ask("POST", "/api/chat", body)[1]["message"]["content"]
        == (json.loads(NEW["format-schema"].text)["message"]["content"])
    )
    schema = dict(body["format"])
    schema["properties"] = dict(reversed(schema["properties"].items()))
    text = server.ask("POST", "/api/chat", {**body, "format": schema})[1]["message"]["content"]
    assert list(json.loads(text)) == ["score", "reasoning"]
