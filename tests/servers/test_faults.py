"""Every fault does on the wire what its name says."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, suppress
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import BadStatusLine, HTTPConnection, IncompleteRead
from typing import NamedTuple

import pytest

from tests.servers.fixtures import ROOT, Server
from tests.servers.recordings import load
from tests.servers.spoiling import INSTEAD, SPOILT

MODEL = "smollm2:135m-instruct-q4_1"
NEW = load("0.17.4")


class Told(NamedTuple):
    """A whole answer."""

    status: int
    headers: Message
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def lines(self) -> list:
        return [json.loads(line) for line in self.body.split(b"\n") if line]


def send(server: Server, *, stream: bool = True, path: str = "/api/chat", **headers: str) -> Told:
    body = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}], "stream": stream}
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("POST", path, json.dumps(body), headers)
        with connection.getresponse() as response:
            return Told(response.status, response.headers, response.read())


def request(question: str, path: str = "/api/chat", model: str = MODEL) -> bytes:
    messages = [{"role": "user", "content": question}]
    body = json.dumps({"model": model, "messages": messages, "stream": True}).encode()
    return b"POST %b HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (path.encode(), len(body), body)


def first_bytes(server: Server, wanted: int) -> bytes:
    """The first bytes of an answer; then the client leaves."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request("Hello"))
        got = b""
        while len(got) < wanted and (more := connection.recv(65536)):
            got += more
    return got


def test_a_fault_is_over_after_its_times(ollama_server):
    ollama_server.fault("http_500", times=2, message="out of memory")
    statuses = [send(ollama_server).status for _ in range(3)]
    assert statuses == [500, 500, 200]
    assert [r.fault for r in ollama_server.asked] == ["http_500", "http_500", None]


def test_a_fault_without_an_end_lasts_until_the_reset(ollama_server):
    ollama_server.fault("http_502", times=None)
    assert [send(ollama_server).status for _ in range(5)] == [502] * 5
    ollama_server.reset()
    assert send(ollama_server).status == 200


def test_a_fault_hits_only_the_messages_it_names(ollama_server):
    ollama_server.fault("http_500", when="Goodbye")
    assert send(ollama_server).status == 200
    ollama_server.fault("http_500", when="Hel")
    assert send(ollama_server).status == 500


def test_a_load_and_a_probe_meet_no_fault_unless_their_path_is_named(ollama_server):
    ollama_server.fault("http_503", times=None)
    assert ollama_server.ask("POST", "/api/generate", {"model": MODEL})[0] == 200
    assert ollama_server.ask("GET", "/api/tags")[0] == 200
    ollama_server.fault("http_503", path="/api/tags")
    assert ollama_server.ask("GET", "/api/tags")[0] == 503


def test_an_unknown_fault_is_a_mistake_of_the_test(ollama_server):
    with pytest.raises(AssertionError, match="no such fault"):
        ollama_server.fault("earthquake")


@pytest.mark.parametrize("kind", ["http_400", "http_404", "http_429", "http_500", "http_503"])
def test_a_status_has_the_message_in_the_shape_of_the_api(ollama_server, kind):
    ollama_server.fault(kind, times=2, message="the reason")
    refused = send(ollama_server)
    assert (refused.status, refused.json) == (int(kind[-3:]), {"error": "the reason"})
    refused = send(ollama_server, path="/v1/chat/completions")
    assert refused.json["error"]["message"] == "the reason"


def test_a_server_may_say_when_to_come_back(ollama_server):
    ollama_server.fault("http_429", retry_after=7)
    assert send(ollama_server).headers["Retry-After"] == "7"
    ollama_server.fault("http_429", retry_after_date=30)
    assert parsedate_to_datetime(send(ollama_server).headers["Retry-After"]).tzinfo is not None


def test_a_refused_key_is_echoed(ollama_server):
    ollama_server.fault("auth_401")
    refused = send(ollama_server, Authorization="Bearer sk-planted")
    assert refused.status == 401
    assert "sk-planted" in refused.body.decode()


def test_a_killed_computing_process_looks_as_recorded(ollama_server):
    ollama_server.fault("error_mid_stream", times=2)
    told = send(ollama_server)
    assert told.status == 200
    recorded = json.loads(NEW["fault-runner-killed-stream"].frames[-1][1])
    assert told.lines[-1] == recorded
    told = send(ollama_server, stream=False)
    assert told.status == NEW["fault-runner-killed"].status == 500
    assert told.json == json.loads(NEW["fault-runner-killed"].text)


def test_a_killed_server_leaves_the_last_chunk_open(ollama_server):
    ollama_server.fault("closes_mid_chunk", times=2)
    with pytest.raises(IncompleteRead):
        send(ollama_server)
    with pytest.raises(IncompleteRead):
        send(ollama_server, stream=False)


def test_a_stream_may_end_without_done(ollama_server):
    ollama_server.fault("ends_without_done", times=2)
    assert not any(line["done"] for line in send(ollama_server).lines)
    assert send(ollama_server, stream=False).json["done"] is False


def test_done_may_come_twice(ollama_server):
    ollama_server.fault("duplicate_done")
    assert [line["done"] for line in send(ollama_server).lines][-3:] == [False, True, True]


@pytest.mark.parametrize(("kind", "value"), [("nulls", "null"), ("negative", "-1"), ("nan", "NaN")])
def test_figures_may_be_nonsense(ollama_server, kind, value):
    ollama_server.fault(kind, times=2)
    for stream in (True, False):
        last = send(ollama_server, stream=stream).body.decode().strip().split("\n")[-1]
        assert f'"total_duration":{value}' in last
        assert f'"eval_count":{value}' in last


def test_what_is_not_json_comes_with_status_200(ollama_server):
    for kind, content_type in (("garbage", "application/json"), ("html", "text/html")):
        ollama_server.fault(kind)
        told = send(ollama_server)
        assert told.status == 200
        assert told.headers["Content-Type"].startswith(content_type)
        with pytest.raises(ValueError, match=r"."):
            _ = told.json


def test_json_may_be_of_another_shape_or_not_there(ollama_server):
    ollama_server.fault("wrong_shape")
    assert send(ollama_server).json["message"] == 7
    ollama_server.fault("wrong_shape", body={"message": None})
    assert send(ollama_server).json == {"message": None}
    ollama_server.fault("empty_body")
    assert send(ollama_server).body == b""


def test_bytes_may_be_no_utf_8(ollama_server):
    ollama_server.fault("latin1")
    with pytest.raises(UnicodeDecodeError):
        send(ollama_server).body.decode()


def test_the_other_side_may_not_speak_http(ollama_server):
    ollama_server.fault("not_http")
    with pytest.raises(BadStatusLine):
        send(ollama_server)


@pytest.mark.parametrize("kind", ["reset", "closes"])
def test_the_connection_may_go_without_an_answer(ollama_server, kind):
    ollama_server.fault(kind)
    with pytest.raises(ConnectionResetError if kind == "reset" else ConnectionError):
        send(ollama_server)


def test_a_redirect_names_another_place(ollama_server):
    ollama_server.fault("redirect", location="http://127.0.0.1:9/")
    told = send(ollama_server)
    assert (told.status, told.headers["Location"]) == (302, "http://127.0.0.1:9/")


def test_a_late_answer_is_still_the_answer(ollama_server):
    ollama_server.fault("delay", seconds=0.1)
    assert send(ollama_server).lines[-1]["done"] is True


@pytest.mark.parametrize(
    ("kind", "wanted", "expected"),
    [
        ("hang_mid_stream", 200, b'"done":false'),
        ("drip_headers", 3, b"HTT"),
        ("drip_body", 60, b"HTTP/1.1 200 OK\r\n"),
        ("endless", 50_000, b'"done":false'),
        ("huge_line", 1_000_000, b"x" * 60_000),
    ],
)
def test_what_never_ends_ends_with_its_client(ollama_server, kind, wanted, expected):
    ollama_server.fault(kind)
    assert expected in first_bytes(ollama_server, wanted)
    ollama_server.wait_until(lambda s: s.asked[0].ended == "cut")
    assert send(ollama_server).status == 200


def test_a_hanging_server_says_nothing_until_the_client_leaves(ollama_server):
    ollama_server.fault("hang")
    with socket.create_connection(("127.0.0.1", ollama_server.port), timeout=0.2) as connection:
        connection.sendall(request("Hello"))
        with pytest.raises(TimeoutError):
            connection.recv(1)
        assert ollama_server.asked[0].ended is None
    ollama_server.wait_until(lambda s: s.asked[0].ended == "cut")


def test_a_reset_sends_those_away_who_still_wait(ollama_server):
    ollama_server.fault("hang")
    connection = HTTPConnection("127.0.0.1", ollama_server.port, timeout=60)
    connection.request("POST", "/api/chat", '{"model": "x", "messages": [{"role": "user"}]}')
    ollama_server.wait_until(lambda s: bool(s.asked))
    ollama_server.reset()
    with pytest.raises(ConnectionError), closing(connection):
        connection.getresponse()
    assert ollama_server.log() == []


@pytest.mark.parametrize("kind", sorted({*INSTEAD, *SPOILT} - {"slow_prefill"}))
def test_the_openai_server_has_the_same_faults(openai_server, kind):
    openai_server.fault(kind, seconds=0.01, every=0.0, megabytes=1)
    body = {"model": "test-model", "messages": [{"role": "user", "content": "Hello"}]}
    if kind != "endless":
        with suppress(OSError, BadStatusLine, IncompleteRead):
            openai_server.ask("POST", "/v1/chat/completions", {**body, "stream": True})
    else:
        with socket.create_connection(("127.0.0.1", openai_server.port), 60) as connection:
            connection.sendall(request("Hello", "/v1/chat/completions", "test-model"))
            assert connection.recv(100)
    assert openai_server.asked[0].fault == kind
    assert openai_server.ask("POST", "/v1/chat/completions", body)[0] == 200


# ------------------------------------------------------------------------ the process


def test_how_many_were_at_once_is_what_the_client_did(ollama_server):
    for _ in range(50):
        send(ollama_server, stream=False)
    assert ollama_server.max_at_once == 1
    assert ollama_server.received == 50


def test_a_killed_process_refuses(start_ollama):
    server = start_ollama()
    server.kill()
    with pytest.raises(ConnectionRefusedError):
        server.ask("GET", "/")


@pytest.mark.skipif(os.name != "posix", reason="needs a signal that cannot be caught")
def test_a_server_does_not_outlive_the_tests_that_started_it():
    program = (
        "import time; from tests.servers.fixtures import Server; "
        "print(Server('ollama').port, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    port = int(parent.stdout.readline())
    socket.create_connection(("127.0.0.1", port), timeout=60).close()
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait(60)
    parent.stdout.close()
    _wait_until_refused(port)


def _wait_until_refused(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=60).close()
        except ConnectionRefusedError:
            return
        time.sleep(0.1)
    raise AssertionError("the server is still there")
