"""`-s lm-eval:TASK` asked of a chat server, beside the harness's own `local-chat-completions`: a
real server process that logs what each of them asks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import lm_eval
import pytest
from lm_eval.tasks import TaskManager

import assay
from assay.errors import UsageError
from tests.servers.fixtures import Received, Server
from tests_around.test_lm_eval_suites import HERE, values_of, write_task

ALIKE = ["s09_dialogues", "s10_until_missing", "s10_until_empty", "s11_repeats", "four_stops"]
FOUR_STOPS = 'until: ["Question:", "</s>", "\\n\\n", " the system"]'


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """It knows some of the answers, says more than was asked, and thinks aloud once."""
    started = Server("openai")
    sums = json.loads((HERE / "sums.json").read_text("utf-8"))
    dialogues = json.loads((HERE / "dialogues.json").read_text("utf-8"))
    sentences = json.loads((HERE / "sentences.json").read_text("utf-8"))
    book: dict[str, Any] = {f"{one['question']}\nAnswer:": one["answer"] for one in sums[:4]}
    book[sums[4]["question"]] = "The answer is 7 for the system that counts.\n\nQuestion: more"
    book[sums[5]["question"]] = "<think>7 times 2</think>\n14</s>The answer is 14"
    letters = [one["answerKey"] if number % 2 else "E" for number, one in enumerate(dialogues)]
    book |= {
        one["question"]: f" {letter}\n\nnext"
        for one, letter in zip(dialogues, letters, strict=True)
    }
    book |= {one["source"]: f"{one['target']}\nFrench: Non." for one in sentences[::3]}
    started.answers(book)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shapes that generate, and the one of the sums with four stops in the place of five."""
    folder = tmp_path_factory.mktemp("tasks")
    for file in HERE.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    text = (folder / "s08_sums.yaml").read_text("utf-8")
    text = text.replace("task: s08_sums", "task: four_stops")
    before, _, behind = text.partition("until: [")
    (folder / "four_stops.yaml").write_text(before + FOUR_STOPS + behind.partition("]")[2], "utf-8")
    return folder


def run(server: Server, folder: Path, names: list[str], out: Path) -> dict[str, Any]:
    with chdir(folder):
        found = assay.run(
            server.spec(),
            suites=[f"lm-eval:{name}" for name in names],
            include_path=[folder],
            out=out,
            allow_code_execution=True,
        )
    model: dict[str, Any] = found.to_dict()["models"][0]
    return model


def theirs(server: Server, tasks: Path, names: list[str]) -> tuple[dict[str, Any], list[Received]]:
    """One turn for a prompt, as ours: `--fewshot_as_multiturn false`."""
    before = len(server.asked)
    with chdir(tasks):
        found = lm_eval.simple_evaluate(
            model="local-chat-completions",
            model_args={"model": "test-model", "base_url": f"{server.url}/chat/completions"},
            tasks=names,
            task_manager=TaskManager(include_path=str(tasks), include_defaults=False),
            bootstrap_iters=0,
            apply_chat_template=True,
            fewshot_as_multiturn=False,
        )
    assert found is not None
    return found, server.asked[before:]


def ours(
    server: Server, tasks: Path, names: list[str], out: Path
) -> tuple[dict[str, Any], list[Received]]:
    before = len(server.asked)
    found = run(server, tasks, names, out)
    asked = [each for each in server.asked[before:] if each.body["max_tokens"] > 1]  # no probe
    return found, asked


def put(asked: list[Received]) -> list[tuple[Any, ...]]:
    """What decides the text; a beginning of the answer is told apart by the harness alone."""
    names = ("max_tokens", "temperature", "stop")
    return sorted(
        (
            " ".join(each["content"] for each in one.body["messages"]),
            *(json.dumps(one.body.get(name) or None) for name in names),
        )
        for one in asked
    )


def test_rows_and_metrics_are_those_of_the_harness_s_own_chat_client(
    server: Server, tasks: Path, tmp_path: Path
) -> None:
    expected, they_asked = theirs(server, tasks, ALIKE)
    found, we_asked = ours(server, tasks, ALIKE, tmp_path)
    assert put(we_asked) == put(they_asked)
    metrics = values_of(expected)
    assert len(metrics) >= 8
    for name, value in metrics.items():
        assert found["measurements"][name]["value"] == pytest.approx(value, rel=1e-9), name
    assert len(set(metrics.values()) - {0.0, 1.0, 100.0}) >= 4, "not alike by chance"
    rows = {row["id"]: row for suite in found["suites"] for row in suite["tests"]}
    for task in ("four_stops", "s09_dialogues"):
        first = expected["samples"][task][0]["filter"]
        for sample in expected["samples"][task]:
            if sample["filter"] == first:
                row = rows[f"{task}_{sample['doc_id']}"]
                assert row["score"] == sample["exact_match"]
                assert row["answer"] == sample["resps"][0][0]


def test_all_stops_of_a_task_end_an_answer_where_the_harness_sends_four(
    server: Server, tasks: Path, tmp_path: Path
) -> None:
    """The fifth, a full stop, comes before the answer that is looked for. For `hf` it counts."""
    expected, they_asked = theirs(server, tasks, ["s08_sums"])
    found, we_asked = ours(server, tasks, ["s08_sums"], tmp_path)
    assert put(we_asked) == put(they_asked)
    assert {len(each.body["stop"]) for each in we_asked} == {4}
    name = "s08_sums/exact_match,strict"
    assert values_of(expected)[name] > found["measurements"][name]["value"] == pytest.approx(1 / 8)


@pytest.mark.parametrize("task", ["s01_letters", "s06_last_words", "s07_pages"])
def test_a_task_that_compares_likelihoods_is_refused_by_name(
    server: Server, tasks: Path, tmp_path: Path, task: str
) -> None:
    before = len(server.asked)
    with pytest.raises(UsageError) as refused:
        run(server, tasks, [task, "s10_until_empty"], tmp_path)
    said = f"{refused.value.message} | {refused.value.hint}"
    assert f"{task} compare" in said
    assert "gives no likelihoods of a text" in said
    assert "such as vLLM" in said
    assert all(each.body["max_tokens"] == 1 for each in server.asked[before:]), "no task was begun"


def test_a_failed_document_is_counted_and_the_others_are_scored(tmp_path: Path) -> None:
    written = (
        'output_type: generate_until\ndoc_to_text: "{{question}}"\ndoc_to_target: "{{answer}}"\n'
        'generation_kwargs: {until: ["\\n"], max_gen_toks: 8}\n'
        "metric_list: [{metric: exact_match}]\n"
    )
    rows = [{"question": f"{n} and one more is", "answer": str(n + 1)} for n in range(4)]
    folder = write_task(tmp_path / "t", "some_sums", written, rows)
    server = Server("openai")
    try:
        server.answers({"0 and one": "1\nand so on", "1 and one": "2", "*": "9"})
        server.fault("http_400", when="3 and one more", times=None)
        found = run(server, folder, ["some_sums"], tmp_path)
    finally:
        server.stop()
    metric = found["measurements"]["some_sums/exact_match"]
    assert (metric["n"], metric["value"]) == (3, pytest.approx(2 / 3))
