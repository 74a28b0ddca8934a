"""A real `assay record` between a client and a server: what it passes on and what it keeps."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.servers.fixtures import Server
from tests.waiting import PATIENCE_S, wait_for

pytest.importorskip("uvicorn")

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather now.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
CALL = {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Lomé"}}]}
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "country": {"type": "string"}},
    "required": ["city", "country"],
}
MODEL = "smollm2:135m-instruct-q4_1"
CALLER = "llama3.2:3b"  # can call tools


class Recorder:
    """A proxy that runs, asked as a program would ask it."""

    def __init__(self, process: Any, port: int, folder: Path) -> None:
        self.process = process
        self.port = port
        self.folder = folder
        self.said: list[str] = []

    def ask(
        self, path: str, body: Any = None, method: str = "", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        try:
            connection.request(method or ("GET" if body is None else "POST"), path, sent, named)
            answer = connection.getresponse()
            return answer.status, dict(answer.headers), answer.read()
        finally:
            connection.close()

    def chat(self, *turns: tuple[str, str], **fields: Any) -> dict[str, Any]:
        """Ollama's way; the last line of the answer."""
        messages = [{"role": role, "content": text} for role, text in turns]
        body = {"model": MODEL, "messages": messages, "stream": False, **fields}
        status, _, answer = self.ask("/api/chat", body)
        assert status == 200, answer
        document: dict[str, Any] = json.loads(answer.splitlines()[-1])
        return document

    @property
    def calls(self) -> list[dict[str, Any]]:
        """What is on disk at this moment."""
        file = self.folder / "calls.jsonl"
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()]

    def tests(self, kind: str) -> list[dict[str, Any]]:
        file = self.folder / f"{kind}.json"
        found: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
        return found

    @property
    def answers(self) -> dict[str, Any]:
        (file,) = (self.folder / "answers").glob("*.json")
        answers: dict[str, Any] = json.loads(file.read_text("utf-8"))["answers"]
        return answers

    def stop(self) -> str:
        """End it as a user does; what it said at the end."""
        os.kill(self.process.pid, signal.SIGINT)
        out, err = self.process.communicate()
        assert self.process.wait() == 0, err
        return str(out)


@contextmanager
def recording(bench: Bench, to: str, *words: str) -> Iterator[Recorder]:
    started = bench.start("record", "--to", to, "--port", "0", *words)
    first, second = started.stdout.readline(), started.stdout.readline()
    assert "is recorded into" in first, started.communicate()
    port = int(re.search(r"127\.0\.0\.1:(\d+)", second)[1])
    recorder = Recorder(started, port, bench.folder / "recorded")
    try:
        yield recorder
    finally:
        if started.poll() is None:
            recorder.stop()


def plain(port: int, sent: bytes) -> bytes:
    """What comes back for these very bytes, until the connection ends."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def test_everything_is_passed_on_byte_for_byte(bench: Bench, ollama_server: Server) -> None:
    with recording(bench, ollama_server.url) as proxy:
        said = [{"role": "user", "content": "Hello Ŋutsu."}]
        body = {"model": MODEL, "messages": said, "options": {"temperature": 0}, "temperature": 0}
        direct = Recorder(None, ollama_server.port, proxy.folder)
        varies = re.compile(rb'"(?:created_at|created|id|[a-z_]*duration)":(?:"[^"]*"|\d+),?')
        direct.ask("/api/chat", body)  # so that the model is loaded
        for path, sent in [
            ("/api/chat", body),
            ("/api/chat", {**body, "stream": False}),
            ("/api/generate", {"model": MODEL, "prompt": "Hello.", "options": {"temperature": 0}}),
            ("/v1/chat/completions", {**body, "stream": True}),
            ("/v1/chat/completions", body),
            ("/api/show", {"model": MODEL}),
            ("/api/chat", {"model": "nobody", "messages": said}),
            ("/api/chat", b"\xff\xfe no JSON \x00"),
            ("/api/tags", None),
            ("/no/such/path?a=1&b=%2F..%2F", None),
        ]:
            ours, theirs = proxy.ask(path, sent), direct.ask(path, sent)
            assert ours[0] == theirs[0]
            assert ours[1].get("Content-Type") == theirs[1].get("Content-Type")
            assert varies.sub(b"", ours[2]) == varies.sub(b"", theirs[2])
        seen = [(one.method, one.path, one.body) for one in ollama_server.log()[1:]]
        assert seen[::2] == seen[1::2]
        assert proxy.ask("/", method="HEAD")[0] == direct.ask("/", method="HEAD")[0]


def test_a_stream_comes_as_it_is_written(bench: Bench, ollama_server: Server) -> None:
    """The first token is with the client while the server still writes."""
    ollama_server.answers({"*": "one two three four five six seven eight nine ten"})
    with recording(bench, ollama_server.url) as proxy:
        ollama_server.settings(token_ms=100)
        body = {"model": MODEL, "messages": [{"role": "user", "content": "Count."}]}
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=PATIENCE_S)
        connection.request("POST", "/api/chat", json.dumps(body))
        first = connection.getresponse().fp.readline()
        assert ollama_server.asked[-1].ended is None, "the answer was kept back"
        assert first
        connection.close()


def test_twenty_calls_become_a_suite_that_validates_and_is_replayed(
    bench: Bench, start_ollama: Any
) -> None:
    server = start_ollama(also=[f"{CALLER}=1"])
    server.answers(
        {
            "capital": "Lomé",
            "weather": [json.dumps(CALL), json.dumps(CALL)],
            "Thank you": "You are welcome, and enjoy the sun of Lomé today!",
            "as JSON": '{"city": "Lomé", "country": "Togo"}',
            "story": "There was a dog in Lomé. " * 8,
        }
    )
    with recording(bench, server.url) as proxy:
        for n in range(8):
            proxy.chat(("user", f"What is the capital of Togo? ({n % 4})"), model=CALLER)
        for n in range(4):
            proxy.chat(
                ("system", "Be brief."),
                ("user", f"How is the weather in Lomé? {n}"),
                model=CALLER,
                tools=[WEATHER],
                stream=True,
                options={"temperature": 0.2, "num_predict": 64, "top_p": 0.9},
            )
        for n in range(4):
            proxy.chat(
                ("user", f"Place {n} as JSON"), model=CALLER, format=SCHEMA if n % 2 else "json"
            )
        for n in range(4):
            turns = ("user", "Hi."), ("assistant", "Hello!"), ("user", f"Tell a story. {n}")
            proxy.chat(*turns, model=CALLER)
        wait_for(lambda: (proxy.folder / "open.json").exists() and len(proxy.answers) == 16)
        said = proxy.stop()
    assert "20 calls recorded, 16 tests in recorded" in said
    assert "top_p (4)" in said
    capital = proxy.tests("short")[0]
    assert capital["expected"] == ["Lomé"]
    assert capital["description"] == "recorded 2 times"
    weather = proxy.tests("tools")[0]
    assert weather["expected_calls"] == CALL["tool_calls"]
    assert (weather["system"], weather["temperature"], weather["max_tokens"]) == (
        "Be brief.", 0.2, 64,
    )  # fmt: skip
    assert [test["expected_format"] for test in proxy.tests("json")[:2]] == [
        {"json": True}, {"json_schema": SCHEMA},
    ]  # fmt: skip
    assert proxy.tests("open")[0]["messages"][1] == {"role": "assistant", "content": "Hello!"}
    checked = bench.assay("validate", "recorded")
    assert checked.returncode == 0, checked.stdout
    assert "error:" not in checked.stdout

    server.answers({"capital": "Accra", "as JSON": "{}", "*": json.dumps(CALL)})
    old = f"scripted:recorded/answers/{CALLER.replace(':', '-')}.json"
    report = bench.document("run", old, server.spec(CALLER), "-s", "recorded/")
    recorded, new = (model["suites"][0]["categories"] for model in report["models"])
    assert [recorded[name]["value"] for name in ("tools", "json", "short")] == [1, 1, 1]
    assert [new[name]["value"] for name in ("tools", "json", "short")] == [1, 0.5, 0]
    compared = bench.document("compare", "latest")
    assert compared["pairs"][0]["suites"][0]["difference"]["value"] < 0


def test_what_was_answered_is_on_disk_after_a_kill(bench: Bench, ollama_server: Server) -> None:
    with recording(bench, ollama_server.url) as proxy:
        for n in range(3):
            proxy.chat(("user", f"Question {n}"))
        os.kill(proxy.process.pid, signal.SIGKILL)
        proxy.process.communicate()
        proxy.process.wait()
        assert [call["turns"][0]["content"] for call in proxy.calls] == [
            f"Question {n}" for n in range(3)
        ]
    with (proxy.folder / "calls.jsonl").open("ab") as file:
        file.write(b'{"model": "half a line')
    with recording(bench, ollama_server.url) as again:
        again.chat(("user", "Question 3"))
        assert "4 calls recorded, 4 tests" in again.stop()
    assert len(again.calls) == 4
    assert bench.assay("validate", "recorded").returncode == 0


def test_tools_and_their_results_are_one_test(bench: Bench, openai_server: Server) -> None:
    openai_server.answers({"weather": [json.dumps(CALL), "It is 31 degrees in Lomé."]})
    with recording(bench, openai_server.url) as proxy:
        asked = [{"role": "user", "content": "How is the weather in Lomé?"}]
        common = {"model": "test-model", "tools": [WEATHER]}
        path = "/v1/chat/completions"
        _, _, first = proxy.ask(path, {**common, "messages": asked, "stream": True})
        assert b"get_weather" in first
        function = {"name": "get_weather", "arguments": '{"city": "Lomé"}'}
        call = {"id": "call_17", "type": "function", "function": function}
        called = {"role": "assistant", "content": None, "tool_calls": [call]}
        result = {"role": "tool", "tool_call_id": "call_17", "content": '{"degrees": 31}'}
        body = {**common, "messages": [*asked, called, result], "stream": True}
        assert b"[DONE]" in proxy.ask(path, body)[2]
        proxy.stop()
    (test,) = proxy.tests("tools")
    assert test["expected_calls"] == CALL["tool_calls"]
    assert test["tool_results"] == [{"name": "get_weather", "result": '{"degrees": 31}'}]
    (turns,) = proxy.answers.values()
    assert turns[1] == "It is 31 degrees in Lomé."
    report = bench.document("run", "scripted:recorded/answers/test-model.json", "-s", "recorded/")
    assert report["models"][0]["suites"][0]["score"]["value"] == 100


@pytest.mark.parametrize("door", ["Ollama", "OpenAI"])
def test_questions_after_tools_were_called_are_asked_with_all_that_came_before(
    bench: Bench, start_ollama: Any, start_openai: Any, door: str
) -> None:
    """An assistant that looks something up, answers, and is asked again: every request has all
    turns, and the second question is one only because of the first.
    """
    server = start_ollama(also=[f"{CALLER}=1"]) if door == "Ollama" else start_openai()
    paris = json.dumps({"tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]})
    server.answers({"And Paris?": [paris, "It is 12 degrees in Paris."], "Thanks": "Bye."})
    name, path = (
        (CALLER, "/api/chat") if door == "Ollama" else ("test-model", "/v1/chat/completions")
    )

    def called(city: str, degrees: int, number: int) -> list[dict[str, Any]]:
        given: Any = {"city": city}
        answer = {"role": "tool", "content": json.dumps({"degrees": degrees})}
        if door == "Ollama":
            calls = [{"function": {"name": "get_weather", "arguments": given}}]
            return [{"role": "assistant", "content": "", "tool_calls": calls}, answer]
        function = {"name": "get_weather", "arguments": json.dumps(given)}
        calls = [{"id": f"c{number}", "type": "function", "function": function}]
        turn = {"role": "assistant", "content": None, "tool_calls": calls}
        return [turn, {**answer, "tool_call_id": f"c{number}"}]

    before = [
        {"role": "user", "content": "How is the weather in Lomé?"},
        *called("Lomé", 31, 1),
        {"role": "assistant", "content": "It is 31 degrees."},
        {"role": "user", "content": "And Paris?"},
    ]
    with recording(bench, server.url) as proxy:
        common = {"model": name, "tools": [WEATHER], "stream": True}
        for turns in (before, [*before, *called("Paris", 12, 2)]):
            status, _, _ = proxy.ask(path, {**common, "messages": turns})
            assert status == 200
        thanked = [*before[:-1], {"role": "user", "content": "Thanks"}]
        proxy.ask(path, {**common, "tools": [], "messages": thanked})
        said = proxy.stop()
    assert "no tests: 1 call with tools called before, and none to call now" in said
    (test,) = proxy.tests("tools")
    assert test["messages"][1] == {
        "role": "assistant",
        "tool_calls": [
            {"name": "get_weather", "arguments": {"city": "Lomé"}, "result": '{"degrees": 31}'}
        ],
    }
    assert test["expected_calls"] == [{"name": "get_weather", "arguments": {"city": "Paris"}}]
    assert bench.assay("validate", "recorded").returncode == 0
    (old,) = (proxy.folder / "answers").glob("*.json")
    server.answers({"And Paris?": [paris, "It is 12 degrees in Paris."]})
    asked_so_far = len(server.asked)
    new = server.spec(CALLER) if door == "Ollama" else server.spec()
    report = bench.document("run", f"scripted:{old}", new, "-s", "recorded/")
    assert [each["suites"][0]["score"]["value"] for each in report["models"]] == [100, 100]
    replayed = [
        one.body["messages"] for one in server.asked[asked_so_far:] if one.body.get("tools")
    ]
    assert [len(turns) for turns in replayed] == [5, 7], "and then with what Paris returned"
    for turn, sent in zip(replayed[-1], [*before, *called("Paris", 12, 2)], strict=True):
        assert (turn["role"], turn["content"] or "") == (sent["role"], sent["content"] or "")
        assert ("tool_calls" in turn) == ("tool_calls" in sent)
    page = bench.assay("report", "latest", "--failed", "-v")
    assert page.returncode == 0


def test_keys_and_headers_are_never_stored(bench: Bench, ollama_server: Server) -> None:
    own = "my-very-own-secret-token"
    key = "sk-proj-" + "a1B2c3D4" * 4
    url = ollama_server.url.replace("http://", "http://me:pa55-w0rd@")
    ollama_server.answers({"*": f"Use {key} at https://bob:hunter22@example.org/x, or {own}."})
    with recording(bench, url) as proxy:
        text = f"My key is {key}, my login https://bob:hunter22@example.org, and {own}. pa55-w0rd"
        body = {"model": MODEL, "messages": [{"role": "user", "content": text}], "stream": False}
        _, _, answer = proxy.ask(
            "/api/chat", body, Authorization=f"Bearer {own}", X_Secret="header"
        )
        assert key in answer.decode(), "what is passed on is not changed"
        proxy.ask("/api/chat?key=in-the-address", body)
        said = proxy.stop()
    sent = ollama_server.asked[0]
    assert sent.headers["authorization"] == f"Bearer {own}"
    assert key in sent.body["messages"][0]["content"]
    whole = said + "".join(
        file.read_text("utf-8") for file in proxy.folder.rglob("*") if file.is_file()
    )
    assert "[removed]" in whole
    for secret in (own, key, "hunter22", "pa55-w0rd", "in-the-address", "header", "me:"):
        assert secret not in whole


def test_the_login_of_the_address_is_used_and_not_shown(
    bench: Bench, ollama_server: Server
) -> None:
    url = ollama_server.url.replace("http://", "http://me:word@")
    with recording(bench, url) as proxy:
        proxy.chat(("user", "Hello."))
        proxy.stop()
    assert ollama_server.asked[-1].headers["authorization"] == "Basic bWU6d29yZA=="


def test_what_cannot_be_a_test_is_counted_by_its_reason(
    bench: Bench, ollama_server: Server
) -> None:
    ollama_server.fault("http_503", when="busy")
    ollama_server.fault("closes_mid_chunk", when="broken", times=None)
    with recording(bench, ollama_server.url) as proxy:
        picture = {"role": "user", "content": "What is this?", "images": ["iVBORw0KGgo="]}
        proxy.ask("/api/chat", {"model": MODEL, "messages": [picture], "stream": False})
        proxy.ask("/api/embed", {"model": MODEL, "input": "text"})
        proxy.ask("/api/chat", {"model": MODEL, "messages": [{"role": "user", "content": "busy"}]})
        proxy.ask("/api/chat", b"{")
        proxy.ask("/api/generate", {"model": MODEL, "keep_alive": 0})
        with pytest.raises((http.client.HTTPException, OSError)):
            proxy.chat(("user", "broken"))
        said = proxy.stop()
    assert "0 calls recorded" in said
    for why in (
        "with images",
        "to /api/embed",
        "refused by the server (status 503)",
        "that are no JSON object",
        "broken off before the end of the answer",
    ):
        assert f"1 call {why}" in said, said


def test_a_client_that_leaves_ends_its_request(bench: Bench, ollama_server: Server) -> None:
    ollama_server.fault("hang", when="wait", seconds=PATIENCE_S)
    with recording(bench, ollama_server.url) as proxy:
        body = json.dumps({"model": MODEL, "messages": [{"role": "user", "content": "wait"}]})
        with socket.create_connection(("127.0.0.1", proxy.port)) as client:
            client.sendall(
                b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\n"
                + f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            ollama_server.wait_until(lambda server: len(server.asked) == 1)
        ollama_server.wait_until(lambda server: server.asked[0].ended is not None)
        proxy.chat(("user", "And now?"))
        said = proxy.stop()
    assert "1 call whose client went away" in said
    assert "1 call recorded" in said


def test_many_at_once_are_all_recorded(bench: Bench, start_ollama: Any) -> None:
    server = start_ollama(slots=8)
    with recording(bench, server.url) as proxy:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: proxy.chat(("user", f"Question {n}")), range(40)))
        assert len(proxy.calls) == 40
        assert "40 calls recorded, 40 tests" in proxy.stop()


def test_a_body_of_100_mb_is_passed_on_and_not_kept(bench: Bench, ollama_server: Server) -> None:
    with recording(bench, ollama_server.url) as proxy:
        message = {"role": "user", "content": "x" * 100_000_000}
        status, _, _ = proxy.ask("/api/chat", {"model": "nobody", "messages": [message]})
        assert status == 404, "the server has read it and knows no such model"
        assert proxy.calls == []
        assert "1 call larger than 8 MB" in proxy.stop()


def test_a_server_that_is_not_there_is_told_in_its_words(bench: Bench) -> None:
    with recording(bench, "http://127.0.0.1:1") as proxy:
        body = {"model": MODEL, "messages": [{"role": "user", "content": "Hello."}]}
        status, _, answer = proxy.ask("/api/chat", body)
        assert (status, "no answer from http://127.0.0.1:1" in json.loads(answer)["error"]) == (
            502, True,
        )  # fmt: skip
        status, _, answer = proxy.ask("/v1/chat/completions", body)
        assert (status, json.loads(answer)["error"]["type"]) == (502, "server_error")
        assert "2 calls that the server did not answer" in proxy.stop()


def test_other_names_pages_of_browsers_and_smuggled_requests_are_turned_away(
    bench: Bench, ollama_server: Server
) -> None:
    with recording(bench, ollama_server.url) as proxy:
        assert proxy.ask("/api/tags", Host="evil.example:80")[0] == 400
        assert proxy.ask("/api/tags", Origin="https://evil.example")[0] == 403
        assert proxy.ask("/api/tags", Sec_Fetch_Site="cross-site")[0] == 403
        both = (
            b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            b"GET /api/tags HTTP/1.1\r\nHost: evil\r\n\r\n"
        )
        plain(proxy.port, both)
        twice = (
            b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
            b"Content-Length: 9\r\n\r\n0000GET /"
        )
        assert b"HTTP/1.1 400" in plain(proxy.port, twice)
        assert b" 400 " in plain(proxy.port, b"GET http://evil.example/ HTTP/1.1\r\n\r\n")
    passed_on = [one for one in ollama_server.log() if one.path != "/api/chat"]
    assert passed_on == []


def test_a_real_llama_cpp_is_recorded_and_replayed(bench: Bench, shared: Path) -> None:
    """Streamed and whole, with its own JSON constraint, by an engine that is not ours."""
    pytest.importorskip("xllamacpp", reason="the wheel is made for Linux only")
    from tests.models.test_llama_cpp import SERVE

    model = shared / "models" / "stories260K" / "gguf" / "stories260K-f32.gguf"
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(model)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        address = next(line for line in process.stdout if line.startswith("http"))
        url = f"{address.strip()}/v1"
        with recording(bench, url) as proxy:
            for n, more in enumerate(
                [{}, {"stream": True}, {"response_format": {"type": "json_object"}}]
            ):
                said = [{"role": "user", "content": f"Once upon a time {n}"}]
                body = {"model": "stories", "messages": said, "max_tokens": 24, "temperature": 0}
                status, _, answer = proxy.ask("/v1/chat/completions", {**body, **more})
                assert status == 200, answer
            assert "3 calls recorded, 3 tests" in proxy.stop()
        assert bench.assay("validate", "recorded").returncode == 0
        report = bench.document("run", url, "-s", "recorded/", "--sampling", "server")
        answers = {
            test["id"]: test["answer"]
            for suite in report["models"][0]["suites"]
            for test in suite["tests"]
        }
        recorded = {name: text["cut"] for name, text in proxy.answers.items() if "open" in name}
        assert len(recorded) == 2
        assert {name: answers[name] for name in recorded} == recorded, "greedy, so the same again"
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()


def test_mistakes_are_told_before_anything_is_served(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "sums.json").write_text("[]", "utf-8")
    for words, said in [
        (["--to", "not a url"], "is not a server URL"),
        (["--to", "ftp://host"], "is not a server URL"),
        (["--to", "http://127.0.0.1:8999", "--port", "8999"], "--to names the address"),
        (["--to", "http://127.0.0.1:1", "--out-suite", "mine"], "was not recorded"),
        ([], "Missing option '--to'"),
    ]:
        done = bench.assay("record", *words)
        assert done.returncode == 2
        assert said in done.stderr
