"""A real `assay serve`: what it answers is what the engine computes, however it is asked."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from assay.api.scoring import open_scorer
from tests.conftest import Bench
from tests.models.local.checkpoints import CHAT_TEMPLATE, make_checkpoint
from tests.models.local.gguf.gguf_files import write_gguf

TEXT = "The driver of the network card is loaded when the machine starts. Café, naïve – Ŋutsu."
NEAR = 1e-4


class Served:
    """A server that runs, asked as a program would ask it."""

    def __init__(self, line: str) -> None:
        self.port = int(re.search(r":(\d+)/v1", line)[1])
        self.name = line.split(" is served")[0]

    @property
    def spec(self) -> str:
        return f"openai:{self.name}@http://127.0.0.1:{self.port}/v1"

    def ask(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        try:
            connection.request("GET" if body is None else "POST", path, sent, named)
            answer = connection.getresponse()
            text = answer.read().decode()
            is_json = answer.headers["content-type"].startswith("application/json")
            return answer.status, json.loads(text) if is_json else text
        finally:
            connection.close()

    def complete(self, prompt: Any, **fields: Any) -> dict[str, Any]:
        status, document = self.ask("/v1/completions", {"prompt": prompt, **fields})
        assert status == 200, document
        return document

    def chat(self, *turns: tuple[str, str], **fields: Any) -> tuple[int, Any]:
        messages = [{"role": role, "content": text} for role, text in turns]
        return self.ask("/v1/chat/completions", {"messages": messages, **fields})


@contextmanager
def served(bench: Bench, model: str, *words: str) -> Iterator[Served]:
    started = bench.start("serve", model, "--port", "0", "--device", "cpu", *words)
    line = started.stdout.readline()
    assert "is served at http://" in line, started.communicate()
    try:
        yield Served(line)
    finally:
        os.kill(started.pid, signal.SIGINT)
        assert started.wait() == 0
        started.communicate()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def checkpoint(folder: Path) -> Path:
    """Without a chat template; BOS before every text."""
    return make_checkpoint(folder / "base", adds_bos=True)


@pytest.fixture(scope="module")
def server(folder: Path, checkpoint: Path) -> Iterator[Served]:
    with served(Bench(folder), str(checkpoint)) as found:
        yield found


def echoed(server: Served, prompt: Any, **fields: Any) -> dict[str, Any]:
    asked = {"echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0, **fields}
    (choice,) = server.complete(prompt, **asked)["choices"]
    return choice


def test_a_text_is_scored_token_by_token_as_the_engine_reads_it(server, checkpoint):
    choice = echoed(server, TEXT)
    told = choice["logprobs"]
    scorer = open_scorer(str(checkpoint))[1]
    ids = scorer.encode([TEXT])[0]
    assert len(told["tokens"]) == len(ids) + 1
    assert told["token_logprobs"][0] is told["top_logprobs"][0] is None
    ((_, whole),) = scorer.likelihoods([(ids[:1], ids[1:])])
    assert told["token_logprobs"][1:-1] == pytest.approx(whole.tokens, abs=NEAR)
    assert choice["text"].startswith("<|endoftext|>" + TEXT)
    # The token that was written may be a part of a character, which has no text of its own.
    assert "".join(told["tokens"][:-1]) == "<|endoftext|>" + TEXT
    for text, offset in zip(told["tokens"], told["text_offset"], strict=True):
        assert choice["text"][offset : offset + len(text)] == text


def test_a_continuation_is_greedy_where_its_tokens_are_the_likeliest_told(server, checkpoint):
    """As lm-evaluation-harness reads it: each equals the largest of `top_logprobs`."""
    scorer = open_scorer(str(checkpoint))[1]
    context = scorer.encode(["The machine"])[0]
    ((_, written),) = scorer.write([_wanted("The machine")])
    for ids, greedy in ((written.tokens, True), (written.tokens[::-1], False)):
        told = echoed(server, [*context, *ids])["logprobs"]
        behind = slice(len(context), -1)
        best = [max(each.values()) for each in told["top_logprobs"][behind]]
        assert (told["token_logprobs"][behind] == best) is greedy


def _wanted(prompt: str) -> Any:
    from assay.api.scoring import WantedText

    return WantedText(prompt, 6)


def test_texts_and_ids_alone_and_together_are_completed_alike(server, checkpoint):
    scorer = open_scorer(str(checkpoint))[1]
    prompts = ["The machine", "Which command", "A. the first choice"]
    ids = scorer.encode(prompts)
    together = server.complete(prompts, max_tokens=8, temperature=0)
    alone = [server.complete(each, max_tokens=8, temperature=0) for each in prompts]
    by_ids = server.complete(ids, max_tokens=8, temperature=0)
    texts = [choice["text"] for choice in together["choices"]]
    assert texts == [each["choices"][0]["text"] for each in alone]
    assert texts == [choice["text"] for choice in by_ids["choices"]]
    assert [choice["index"] for choice in together["choices"]] == [0, 1, 2]
    expected = {number: scorer.decode(one.tokens) for number, one in scorer.write(
        [_with_limit(each) for each in prompts])}  # fmt: skip
    assert texts == [expected[number] for number in range(3)]
    assert together["usage"]["prompt_tokens"] == sum(map(len, ids))


def _with_limit(prompt: str) -> Any:
    from assay.api.scoring import WantedText

    return WantedText(prompt, 8)


def test_a_text_ends_before_a_stop_and_says_why_it_ended(server):
    whole = server.complete("The machine", max_tokens=12, temperature=0)["choices"][0]
    assert whole["finish_reason"] == "length"
    stop = whole["text"][4:7]
    cut = server.complete("The machine", max_tokens=12, temperature=0, stop=["\x00", stop])
    (choice,) = cut["choices"]
    assert choice["finish_reason"] == "stop"
    assert choice["text"] == whole["text"][: whole["text"].index(stop)]


def test_samples_follow_their_seed_and_their_limits(server):
    def drawn(**fields: Any) -> str:
        asked = {"max_tokens": 12, "temperature": 1.0, **fields}
        text: str = server.complete("The machine", **asked)["choices"][0]["text"]
        return text

    assert drawn(seed=1) == drawn(seed=1) != drawn(seed=2)
    assert drawn(temperature=9.0, top_k=1) == drawn(temperature=0) == drawn(top_p=1e-6)


def test_prompt_logprobs_are_told_by_token_id(server, checkpoint):
    scorer = open_scorer(str(checkpoint))[1]
    ids = scorer.encode([TEXT])[0]
    done = server.complete(TEXT, max_tokens=1, temperature=0, prompt_logprobs=2)
    told = done["choices"][0]["prompt_logprobs"]
    assert told[0] is None
    assert len(told) == len(ids)
    values = [each[str(one)]["logprob"] for one, each in zip(ids[1:], told[1:], strict=True)]
    assert values == pytest.approx(echoed(server, TEXT)["logprobs"]["token_logprobs"][1:-1])
    for each in told[1:]:
        best = sorted(each.values(), key=lambda one: one["rank"])
        assert best[0]["rank"] == 1
        assert 2 <= len(each) <= 3
        assert [one["logprob"] for one in best] == sorted(
            (one["logprob"] for one in best), reverse=True
        )


def test_a_stream_is_the_same_answer_in_events(server):
    asked = {"prompt": "The machine", "max_tokens": 8, "temperature": 0, "stream": True}
    status, text = server.ask(
        "/v1/completions", {**asked, "stream_options": {"include_usage": True}}
    )
    lines = [line.removeprefix("data: ") for line in text.split("\n") if line]
    assert status == 200
    assert lines[-1] == "[DONE]"
    first, counted = (json.loads(line) for line in lines[:-1])
    whole = server.complete("The machine", max_tokens=8, temperature=0)
    assert first["choices"] == whole["choices"]
    assert counted["usage"] == whole["usage"]
    assert counted["choices"] == []


# Questions that begin alike, each with several continuations, as programs that compare them ask.
ALIKE = [
    f"{'The driver of the network card is loaded when the machine starts. ' * 2}{number} plus"
    f" {number} is{end}"
    for number in range(3)
    for end in (" 2", " 12", " 24", " a small dog")
]


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_prompts_that_begin_alike_are_scored_as_each_is_alone(server, limit):
    asked = {"echo": True, "logprobs": 2, "prompt_logprobs": 1, "temperature": 0}
    together = server.complete(ALIKE, max_tokens=limit, **asked)
    for prompt, found in zip(ALIKE, together["choices"], strict=True):
        alone = server.complete(prompt, max_tokens=limit, **asked)["choices"][0]
        assert found["text"] == alone["text"]
        assert found["text"].removeprefix("<|endoftext|>").startswith(prompt)
        for part in ("tokens", "text_offset"):
            assert found["logprobs"][part] == alone["logprobs"][part]
        for one, other in zip(
            (found["logprobs"]["token_logprobs"], found["prompt_logprobs"]),
            (alone["logprobs"]["token_logprobs"], alone["prompt_logprobs"]),
            strict=True,
        ):
            assert flat(one) == pytest.approx(flat(other), abs=NEAR)
            assert len(flat(one)) > 20
        tops = (each["logprobs"]["top_logprobs"] for each in (found, alone))
        for one, other in zip(*tops, strict=True):
            assert (one or {}).keys() == (other or {}).keys()


def flat(values: Any) -> list[float]:
    """The logarithms, of tokens or by token id."""
    return [
        number
        for each in values
        if each is not None
        for number in (
            [each] if isinstance(each, float) else [told["logprob"] for told in each.values()]
        )
    ]


def test_many_at_once_get_what_each_gets_alone(server):
    prompts = [f"{number} plus {number} is" for number in range(12)]

    def asked(prompt: str) -> Any:
        return echoed(server, prompt, max_tokens=4)["text"]

    alone = [asked(prompt) for prompt in prompts]
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(asked, prompts)) == alone


def test_the_list_of_models_and_the_tokens_of_a_text(server, checkpoint):
    scorer = open_scorer(str(checkpoint))[1]
    status, listed = server.ask("/v1/models")
    (entry,) = listed["data"]
    assert status == 200
    assert entry["id"] == server.name
    assert entry["max_model_len"] == 128
    ids = scorer.encode([TEXT])[0]
    for body, expected in (
        ({"prompt": TEXT}, ids),
        ({"prompt": TEXT, "add_special_tokens": False}, ids[1:]),
        ({"content": TEXT}, ids[1:]),
    ):
        status, found = server.ask("/tokenize", body)
        assert status == 200
        assert found["tokens"] == expected
        assert found["count"] == len(expected)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"prompt": "a", "n": 2}, "n: 2 is not supported"),
        ({"prompt": "a", "repetition_penalty": 1.1}, "repetition_penalty"),
        ({"prompt": "a", "logprobs": 99}, "logprobs: expected a whole number"),
        ({"prompt": "a", "temperature": "hot"}, "temperature: expected a number"),
        ({"prompt": [[1, 99_999]]}, "token id outside"),
        ({"prompt": "word " * 200}, "maximum context length is 128"),
        ({"prompt": []}, "prompt: expected"),
        ({"messages": []}, "prompt"),
        (b"{", "not JSON"),
        (b"[]", "no JSON object"),
    ],
)
def test_what_cannot_be_had_is_refused_by_name(server, body, words):
    status, document = server.ask("/v1/completions", body)
    assert status == 400
    assert words in document["error"]["message"]


def test_another_name_and_a_model_without_a_template_are_refused(server):
    status, document = server.ask("/v1/completions", {"prompt": "a", "model": "other"})
    assert status == 404
    assert server.name in document["error"]["message"]
    status, document = server.chat(("user", "Hello"))
    assert status == 400
    assert "no chat template" in document["error"]["message"]


# --------------------------------------------------------------------------------- who may ask


def test_other_names_and_pages_of_browsers_are_turned_away(server):
    for headers in (
        {"Host": "attacker.example"},
        {"Origin": "http://attacker.example"},
        {"Sec_Fetch_Site": "cross-site"},
    ):
        status, _ = server.ask("/v1/models", **headers)
        assert status in (400, 403), headers


def test_another_host_needs_a_token_and_every_request_has_to_carry_it(bench, checkpoint):
    done = bench.assay("serve", str(checkpoint), "--host", "0.0.0.0", "--port", "0")
    assert done.returncode == 2
    assert "needs a token" in done.stderr
    with served(bench, str(checkpoint), "--host", "0.0.0.0", "--token", "S3cret") as found:
        assert found.ask("/v1/models")[0] == 401
        assert found.ask("/v1/models", Authorization="Bearer wrong")[0] == 401
        assert found.ask("/v1/models", Authorization="Bearer S3cret")[0] == 200


def test_what_has_no_weights_here_is_refused(bench):
    spec = bench.script("answers", answers={"test_001": "Yes."})
    done = bench.assay("serve", spec, "--port", "0")
    assert done.returncode == 2
    assert "no checkpoint, adapter or GGUF" in done.stderr


# --------------------------------------------------------------------------- the direct way


SUITE = {
    "choices": [
        {
            "id": f"choose_{number:03d}",
            "prompt": prompt,
            "eval_method": "multiple_choice",
            "choices": choices,
            "score_by": "text",
            "render": False,
            "expected": "A",
        }
        for number, (prompt, choices) in enumerate(
            [
                ("Which command lists the files of a folder? The command", ["ls lists", "free"]),
                ("The small dog and the old cat live in the same", ["house", "driver", "rice"]),
                ("12 plus 12 is", ["24", "99", "100"]),
            ],
            start=1,
        )
    ],
    "texts": [
        {
            "id": f"write_{number:03d}",
            "prompt": prompt,
            "eval_method": "exact_match",
            "expected": "the",
            "max_tokens": 12,
        }
        for number, prompt in enumerate(["The machine starts", "Once there was a small"], start=1)
    ],
}


@pytest.mark.parametrize("kind", ["checkpoint", "gguf"])
def test_a_run_through_the_server_equals_the_direct_one(tmp_path, checkpoint, kind):
    bench = Bench(tmp_path)
    suite = bench.suite(SUITE, language="en")
    spec = str(checkpoint)
    if kind == "gguf":
        spec = f"gguf:{write_gguf(checkpoint, tmp_path / 'model.gguf')}"
    records: dict[str, list[dict[str, Any]]] = {}
    with served(bench, spec) as found:
        for way, asked in (("direct", spec), ("served", found.spec)):
            done = bench.assay("run", asked, "-s", suite, "--dtype", "float32", "--no-gate")
            assert done.returncode == 0, done.stderr
            told = bench.assay("export", "latest")
            records[way] = sorted(map(json.loads, told.stdout.splitlines()), key=by_test)
    assert len(records["direct"]) == 5
    for direct, by_server in zip(records["direct"], records["served"], strict=True):
        assert direct["test"] == by_server["test"]
        assert direct["score"] == by_server["score"]
        if direct.get("log_likelihoods"):
            expected = pytest.approx(direct["log_likelihoods"], abs=NEAR)
            assert by_server["log_likelihoods"] == expected
        else:
            assert direct["answer"] == by_server["answer"]


def by_test(record: dict[str, Any]) -> str:
    return str(record["test"])


def test_a_conversation_is_written_by_the_template_and_told_token_by_token(tmp_path):
    chatty = make_checkpoint(tmp_path / "chat", chat_template=CHAT_TEMPLATE)
    with served(Bench(tmp_path), str(chatty)) as found:
        asked = {"max_tokens": 6, "temperature": 0, "logprobs": True, "top_logprobs": 3}
        status, done = found.chat(("system", "Be brief."), ("user", "Which command?"), **asked)
        assert status == 200, done
        (choice,) = done["choices"]
        prompt = "[system]\nBe brief.\n[user]\nWhich command?\n[assistant]\n"
        plain = found.complete(prompt, max_tokens=6, temperature=0)["choices"][0]
        assert choice["message"] == {"role": "assistant", "content": plain["text"]}
        told = choice["logprobs"]["content"]
        assert all(len(each["top_logprobs"]) == 3 for each in told)
        assert all(each["logprob"] == each["top_logprobs"][0]["logprob"] for each in told)
        status, refused = found.chat(("user", "Hi"), tools=[{"type": "function"}])
        assert status == 400
        assert "tools" in refused["error"]["message"]
