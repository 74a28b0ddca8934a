"""Tools called by the official client against real processes: all over stdio, two over HTTP."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from pathlib import Path

import anyio
import httpx
import pytest

import assay
from assay.api.digests import evaluation_digest
from assay.interfaces.mcp.results import benchmark_of, samples_of
from assay.interfaces.mcp.transports import MOST_CONNECTIONS
from tests.api.test_tools import SIGNATURES
from tests.interfaces.mcp.conftest import http_server, over_http, over_stdio, scripted
from tests.waiting import wait_for


async def document(client, tool: str, **arguments) -> dict:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


async def mistake(client, tool: str, **arguments) -> dict:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    text = result.content[0].text
    return json.loads(text[text.index("{") :])["error"]


async def look_at_tools(client) -> None:
    offered = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert {
        name: [*tool.input_schema["properties"]] for name, tool in offered.items()
    } == SIGNATURES
    assert all(tool.output_schema["properties"]["headline"] for tool in offered.values())


async def look_at_roles(client) -> None:
    offered = {each.name for each in (await client.list_prompts()).prompts}
    assert offered == {"tester", "reviewer"}
    asked = {"tester": {"checkpoint_path": "runs/step_9"}, "reviewer": {"run": "2026-a"}}
    tools = {tool.name for tool in (await client.list_tools()).tools}
    for name, given in asked.items():
        said = (await client.get_prompt(name, given)).messages[0].content.text
        assert next(iter(given.values())) in said
        assert any(tool in said for tool in tools)


async def follow_a_benchmark(client, folder: Path) -> None:
    """In a process of its own, which tells how far it is. With a model that needs no torch, which
    each such process would load (seven seconds); an agent's round asks a checkpoint.
    """
    heard: list[tuple[float, float | None]] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total))

    given = {"checkpoint_path": scripted(folder, "the"), "benchmark_suite": str(folder / "suite")}
    result = await client.call_tool("run_benchmark", given, progress_callback=hear)
    score = result.structured_content["score"]
    assert (score["value"], score["n"], score["unit"]) == (1, 3, "share")
    assert heard[-1] == (3, 3)
    counts = [done for done, _ in heard]
    assert sorted(counts) == counts


async def use_the_other_tools(client, folder: Path) -> None:
    checkpoint = str(folder / "runs" / "step_100")
    text = str(folder / "text.txt")
    found = await document(
        client,
        "evaluate_model",
        checkpoint_path=checkpoint,
        test_dataset=text,
        metrics=["perplexity"],
    )
    figure = found["details"]["perplexity"]
    assert figure["low"] < figure["value"] < figure["high"]
    assert found["perplexity"] == figure["value"]
    assert found["details"]["acceptance"]["accepted"] is False
    assert "headline" not in found
    run = store_a_run(folder)
    explained = await document(client, "explain_result", run=run, test_id="word_001")
    assert [each["outcome"] for each in explained["answers"]] == ["pass", "fail"]
    reviewed = await document(client, "review_failures", run=run)
    assert [len(each["failures"]) for each in reviewed["models"]] == [0, 3]
    good, bad = scripted(folder, "the"), scripted(folder, "no")
    written = await document(client, "generate_samples", checkpoint_path=good, prompts=["The dog"])
    assert (written["samples"][0]["prompt"], written["samples"][0]["text"]) == ("The dog", "the")
    digest = await document(
        client, "evaluate_model", checkpoint_path=good, metrics=["generation"], full=False
    )
    assert digest["headline"]
    assert "details" not in digest
    assert len(json.dumps(digest)) < 4000
    nothing = await mistake(client, "judge_run", run=run, judge=good)
    assert "needs a judge" in nothing["message"]
    assert (nothing["retry"], bool(nothing["hint"])) == (False, True)
    elsewhere = await mistake(
        client, "judge_run", run=run, judge="openai:big@https://example.org/v1"
    )
    assert "is on another machine" in elsewhere["message"]
    compared = await document(client, "compare", run_a=good, run_b=bad)
    assert compared["suites"][0]["flips"] == ["word_001", "word_002", "word_003"]
    gate = str(folder / "gate.toml")
    selected = await document(client, "select_checkpoint", folder=str(folder / "runs"), gate=gate)
    assert selected["selected"] == "runs/step_100"
    suites = await document(client, "list_suites")
    assert "example" in [each["suite"] for each in suites["suites"]]
    checked = await document(client, "validate_tests", path=str(folder / "suite"))
    assert checked["valid"]
    missing = await mistake(client, "explain_result", run=run, test_id="word_01")
    assert "did you mean 'word_001'" in missing["message"]
    assert (missing["retry"], bool(missing["hint"])) == (False, True)


def store_a_run(folder: Path) -> str:
    (folder / "gate.toml").write_text("[perplexity]\nmax = 1e8\n")
    assay.run(
        str(folder / "runs"), measures=("perplexity",), text=folder / "text.txt",
        gate=folder / "gate.toml", suites=folder / "suite", out=folder / "out",
    )  # fmt: skip
    models = [scripted(folder, word) for word in ("the", "no")]
    return assay.run(models, suites=folder / "suite", out=folder / "out").run


def test_every_tool_over_stdio(made_folder: Path) -> None:
    called: set[str] = set()

    class Noting:
        """A client that notes which tools answered without a mistake."""

        def __init__(self, client) -> None:
            self._client = client

        async def call_tool(self, tool: str, *given, **more):
            result = await self._client.call_tool(tool, *given, **more)
            if not result.is_error:
                called.add(tool)
            return result

        def __getattr__(self, name: str):
            return getattr(self._client, name)

    async def talk() -> None:
        async with over_stdio(made_folder) as client:
            client = Noting(client)
            await look_at_tools(client)
            await look_at_roles(client)
            await follow_a_benchmark(client, made_folder)
            await use_the_other_tools(client, made_folder)

    anyio.run(talk)
    assert called == SIGNATURES.keys() - {"judge_run"}, "which is asked here only what it refuses"


def test_the_same_over_http_with_the_token_only(made_folder: Path) -> None:
    """The tools are those of the test above; what differs is how calls, progress, results and
    mistakes travel.
    """

    async def talk(address: str, token: str) -> None:
        async with over_http(address, token) as client:
            await look_at_tools(client)
            await follow_a_benchmark(client, made_folder)
            refused = await mistake(client, "validate_tests", path="nowhere")
            assert "there is nothing at 'nowhere'" in refused["message"]

    async def look(address: str, token: str) -> None:
        async with over_http(address, token) as client:
            assert len((await client.list_tools()).tools) == len(SIGNATURES)

    with http_server(made_folder) as (address, token):
        anyio.run(talk, address, token)
        for headers, status in (
            ({}, 401),
            ({"Authorization": "Bearer no"}, 401),
            ({"Authorization": f"Bearer {token}", "Host": "evil.example"}, 421),
            ({"Authorization": f"Bearer {token}", "Origin": "http://evil.example"}, 403),
        ):
            assert httpx.post(address, headers=headers, json={}).status_code == status, headers
        own = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        surrogate = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/\\ud800"}'
        for headers, body, status in (
            ({}, b"x" * 9_000_000, 401),
            (own, b"x" * 9_000_000, 413),
            (own, iter([b"x" * 1_000_000] * 9), 413),
            (own, surrogate, 400),
            ({**own, "x-long": "x" * 100_000}, b"{}", 400),
        ):
            headers = {**headers, "Content-Type": "application/json"}
            with suppress(httpx.NetworkError):  # answered and closed before all of it was sent
                assert httpx.post(address, headers=headers, content=body).status_code == status
        port = int(address.split(":")[2].split("/")[0])
        held = [socket.create_connection(("127.0.0.1", port)) for _ in range(MOST_CONNECTIONS + 5)]
        assert httpx.post(address, headers=own, json={}).status_code == 503
        for each in held:
            each.close()
        wait_for(lambda: httpx.post(address, headers=own, json={}).status_code != 503)
        anyio.run(look, address, token)


def lead_outside(folder: Path, name: str, outside: Path) -> str:
    """A path that is, or leads, outside the allowed folder, in one of several ways."""
    inside = folder / "leaving"
    inside.mkdir(exist_ok=True)
    checkpoint = folder / "runs" / "step_100"
    if name == "absolute":
        return str(outside / "step_1")
    if name == "dots":
        return str(folder / ".." / outside.name / "step_1")
    if name == "prefix":
        return f"hf:{outside / 'step_1'}"
    if name == "link":
        os.symlink(outside / "step_1", inside / "link")
        return str(inside / "link")
    place = inside / name
    place.mkdir()
    if name == "file_link":
        os.symlink(checkpoint / "config.json", place / "config.json")
        os.symlink(outside / "step_1" / "model.safetensors", place / "model.safetensors")
    elif name == "base":
        about = {"base_model_name_or_path": str(outside / "step_1")}
        (place / "adapter_config.json").write_text(json.dumps(about))
    elif name == "base_of_hub":
        about = {"base_model_name_or_path": "some/model"}
        (place / "adapter_config.json").write_text(json.dumps(about))
    elif name == "tokenizer_above":
        (place / "step_1").mkdir()
        (place / "step_1" / "config.json").write_text("{}")
        os.symlink(outside / "step_1" / "config.json", place / "tokenizer.json")
        return str(place / "step_1")
    elif name == "links_in_base":
        (place / "base").mkdir()
        os.symlink(outside / "step_1" / "config.json", place / "base" / "config.json")
        (place / "lora").mkdir()
        about = {"base_model_name_or_path": str(place / "base")}
        (place / "lora" / "adapter_config.json").write_text(json.dumps(about))
        return str(place / "lora")
    elif name == "pipe":
        (place / "config.json").write_text("{}")
        os.mkfifo(place / "model.safetensors")
    return str(place)


LEADS_OUT = (
    "absolute", "dots", "prefix", "link", "file_link", "base", "base_of_hub", "links_in_base",
    "tokenizer_above", "pipe",
)  # fmt: skip


@pytest.fixture
def outside(made_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Beside the allowed folder."""
    place = made_folder.parent / f"{made_folder.name}_beside"
    (place / "step_1").mkdir(parents=True, exist_ok=True)
    (place / "step_1" / "config.json").write_text("{}")
    (place / "step_1" / "model.safetensors").write_text("secret")
    return place


def test_what_leads_out_of_the_allowed_folders_is_refused(made_folder: Path, outside: Path) -> None:
    paths = [lead_outside(made_folder, name, outside) for name in LEADS_OUT]

    async def talk() -> None:
        async with over_stdio(made_folder) as client:
            for path in paths:
                for tool, given in (
                    ("run_benchmark", {"checkpoint_path": path, "benchmark_suite": "example"}),
                    ("evaluate_model", {"checkpoint_path": path}),
                    ("validate_tests", {"path": path}),
                ):
                    refused = await mistake(client, tool, **given)
                    why = refused["message"]
                    told = ("not allowed", "not a regular file", "no folder")
                    assert any(part in why for part in told), why
                    assert not refused["retry"]
            for name in ("x" * 5000, "x/" * 5000):  # longer than any name of a file
                refused = await mistake(client, "validate_tests", path=name)
                assert "there is nothing at 'x" in refused["message"]
                assert len(refused["message"]) < 300
            with_code = made_folder / "with_code"
            (with_code / "own").mkdir(parents=True)
            (with_code / "own" / "make.py").write_text("1 / 0")
            given = {"checkpoint_path": str(made_folder / "runs/step_100")}
            given |= {"benchmark_suite": str(with_code)}
            assert "must not run" in (await mistake(client, "run_benchmark", **given))["message"]
            given |= {"benchmark_suite": "no name of a suite"}  # so it is a path, and looked at
            refused = await mistake(client, "run_benchmark", **given)
            assert "there is nothing at 'no name of a suite'" in refused["message"]
            text = {"checkpoint_path": str(made_folder / "runs/step_100")}
            text |= {"test_dataset": str(outside / "step_1/config.json")}
            assert "not allowed" in (await mistake(client, "evaluate_model", **text))["message"]

    anyio.run(talk)


def test_an_evaluation_fits_whatever_its_sentences_say() -> None:
    figure = {"value": 1234.56789, "low": 1200.12345, "high": 1300.98765, "n": 123456,
              "unit": "tokens per second"}  # fmt: skip
    names = ("perplexity", "perplexity_per_word", "perplexity_per_byte", "bits_per_byte", "mmlu_cs",
             "accuracy_top1", "accuracy_top5", "hellaswag", "inference_speed",
             "memory_usage_mb")  # fmt: skip
    tasks = ("hardware_id", "driver_select", "command_complete", "installation", "avg")
    criterion = {"passed": False, "value": 1.23456789, "limit": 50.0, "reason": "because " * 99}
    checks = ("perplexity", "os_benchmark", "speed", "generation", "memory")
    document = {
        "checkpoint": "x" * 300,
        "details": {
            **dict.fromkeys(names, figure),
            "os_benchmark": dict.fromkeys(tasks, figure),
            "acceptance": {"accepted": False, "criteria": dict.fromkeys(checks, criterion)},
            "not_covered": ["sentence " * 99] * 9,
            "not_measured": dict.fromkeys(("mmlu", "hellaswag"), "fetch " * 99),
            "recommendations": [{"advice": "train " * 99}] * 9,
            "provenance": {"run": "20261117T114500Z-abcdef"},
        },
    }
    answer = evaluation_digest(document)
    assert len(json.dumps(answer, indent=2)) < 4000
    assert len(answer["figures"]) == len(names) - 2 + len(tasks)
    assert "9 more" not in answer["advice"][-1]
    assert "more" in answer["advice"][-1]


def test_a_benchmark_without_a_score_and_a_failed_sample_are_answers_and_no_crash():
    estimate = {"value": None, "low": None, "high": None, "n": 0, "unscored": 6, "unit": "share"}
    answer = benchmark_of("coding", estimate)
    assert (answer["score"]["value"], answer["score"]["n"]) == (None, 0)
    assert "6" in answer["headline"]
    failed = {"prompt": "Hello", "text": "", "failed": "out of memory", "health": None}
    (sample,) = samples_of([failed])["samples"]
    assert (sample["failed"], sample["failures"]) == ("out of memory", [])
