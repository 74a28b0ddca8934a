"""`mmlu_cs` and `hellaswag` of a chat model, question by question as `lm_eval --model hf` without
`--apply_chat_template` has them: choices after plain text, whatever template the model has.
"""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import lm_eval
import pytest
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager

from assay.models.local.model import LocalModel
from assay.plan import AskOptions, make_plan
from assay.suites.load import load_suite
from assay.types import ChoiceLikelihoods, ToChoose
from assay.types.options import LocalOptions
from assay.workflow.commands.benchmarks import fetch
from tests_around.conftest import ROOT

TINY = ROOT / "src/assay/builtin/checkpoints/tiny"
TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>\n{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
COMMANDS = ["ls", "cat", "grep", "mount", "chmod", "ping", "ps", "kill", "tar", "ssh", "df", "du"]
TASKS = ["lists files", "shows a file", "finds a line", "mounts a disk", "sets a mode",
         "reaches a host", "shows processes", "ends a process", "packs files", "logs in",
         "shows free space", "adds up sizes"]  # fmt: skip
SUBJECT = "machine_learning"
LETTERS_TASK = """\
task: letters_of_a_chat_model
dataset_path: json
dataset_kwargs: {{data_files: {{test: "{folder}/test.json", dev: "{folder}/dev.json"}}}}
test_split: test
fewshot_split: dev
fewshot_config: {{sampler: first_n}}
num_fewshot: 5
description: "The following are multiple choice questions (with answers) about machine learning.\\n\\n"
output_type: multiple_choice
doc_to_text: "{{{{question}}}}\\nA. {{{{choices[0]}}}}\\nB. {{{{choices[1]}}}}\\nC. {{{{choices[2]}}}}\\nD. {{{{choices[3]}}}}\\nAnswer:"
doc_to_choice: ["A", "B", "C", "D"]
doc_to_target: answer
metric_list: [{{metric: acc}}]
"""  # noqa: E501
ENDINGS_TASK = """\
task: endings_of_a_chat_model
dataset_path: json
dataset_kwargs: {{data_files: {{test: "{folder}/endings.json"}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{activity_label}}}}: {{{{ctx_a}}}} {{{{ctx_b.capitalize()}}}}"
doc_to_choice: "{{{{endings}}}}"
doc_to_target: label
metric_list: [{{metric: acc}}, {{metric: acc_norm}}]
"""


def questions() -> list[dict[str, Any]]:
    found = []
    for number, (command, does) in enumerate(zip(COMMANDS, TASKS, strict=True)):
        choices = [COMMANDS[(number + step) % len(COMMANDS)] for step in range(1, 4)]
        answer = number % 4
        choices.insert(answer, command)
        question = f"Which command {does}?"
        found.append({"question": question, "choices": choices, "answer": answer})
    for number, (command, does) in enumerate(zip(COMMANDS, TASKS, strict=True)):
        choices = [TASKS[(number + step) % len(TASKS)] for step in (2, 5, 7)]
        answer = (number + 1) % 4
        choices.insert(answer, does)
        question = f"What does {command} do?"
        found.append({"question": question, "choices": choices, "answer": answer})
    return found


def passages() -> list[dict[str, Any]]:
    return [
        {
            "ind": number,
            "activity_label": "Computers and Electronics",
            "ctx_a": f"How to use {command}. Open a terminal.",
            "ctx_b": f"type {command}, and",
            "ctx": f"How to use {command}. Open a terminal. type {command}, and",
            "endings": [f"it {TASKS[(number + step) % len(TASKS)]}." for step in range(4)],
            "label": 0,
            "split_type": "indomain",
            "source_id": f"made~{number}",
        }
        for number, command in enumerate(COMMANDS)
    ]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        for row in rows:
            csv.writer(file).writerow([row["question"], *row["choices"], "ABCD"[row["answer"]]])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same rows as copies of both benchmarks, and as files of the harness."""
    folder = tmp_path_factory.mktemp("data")
    dev, test = questions()[:5], questions()[5:]
    write_rows(folder / "mmlu" / "dev" / f"{SUBJECT}_dev.csv", dev)
    write_rows(folder / "mmlu" / "test" / f"{SUBJECT}_test.csv", test)
    lines = [json.dumps(each) for each in passages()]
    (folder / "hellaswag").mkdir()
    (folder / "hellaswag" / "hellaswag_val.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    fetch(["mmlu", "hellaswag"], source=folder, benchmarks=folder / "suites")
    for name, rows in (("dev", dev), ("test", test), ("endings", passages())):
        (folder / f"{name}.json").write_text(json.dumps(rows), "utf-8")
    tasks = folder / "tasks"
    tasks.mkdir()
    (tasks / "letters.yaml").write_text(LETTERS_TASK.format(folder=folder), "utf-8")
    (tasks / "endings.yaml").write_text(ENDINGS_TASK.format(folder=folder), "utf-8")
    return folder


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shipped checkpoint with a chat template beside its tokenizer."""
    folder = tmp_path_factory.mktemp("chat") / "step_008000"
    shutil.copytree(TINY / "step_008000", folder)
    for path in TINY.glob("*token*"):
        shutil.copy(path, folder)
    settings = folder / "tokenizer_config.json"
    told = json.loads(settings.read_text("utf-8"))
    settings.write_text(json.dumps({**told, "chat_template": TEMPLATE}), "utf-8")
    return folder


@pytest.fixture(scope="module")
def theirs(data: Path, chat: Path) -> dict[str, list[list[float]]]:
    """Of each question, in the order of the file, the log-likelihood of each choice."""
    model = HFLM(pretrained=str(chat), dtype="float32", device="cpu", batch_size=1)
    manager = TaskManager(include_path=str(data / "tasks"), include_defaults=False)
    names = ["letters_of_a_chat_model", "endings_of_a_chat_model"]
    found = lm_eval.simple_evaluate(
        model=model, tasks=names, task_manager=manager, bootstrap_iters=0, log_samples=True
    )
    assert found is not None
    return {
        name: [
            [float(response[0][0]) for response in sample["resps"]]
            for sample in sorted(found["samples"][name], key=lambda sample: sample["doc_id"])
        ]
        for name in names
    }


def of_ours(suite: Path, chat: Path, category: str) -> list[tuple[float, ...]]:
    model = LocalModel(chat, spec=f"hf:{chat}", settings=LocalOptions(device="cpu"))
    assert model.facts.is_chat
    plan = make_plan([load_suite(suite)], model.facts, AskOptions())
    trials = [each for each in plan.trials if each.case.category == category]
    requests = [plan.request(each, 0, []) for each in trials]
    assert all(isinstance(each.work, ToChoose) for each in requests)
    replies = {reply.request_id: reply for reply in model.answer(requests)}
    model.close()
    found = []
    for request in requests:
        reply = replies[request.id]
        assert isinstance(reply, ChoiceLikelihoods), reply
        found.append(reply.log_likelihoods)
    return found


@pytest.mark.parametrize(
    ("suite", "category", "task"),
    [
        ("mmlu", "computer_science", "letters_of_a_chat_model"),
        ("hellaswag", "technical_subset", "endings_of_a_chat_model"),
    ],
)
def test_a_chat_model_is_asked_as_the_harness_asks(
    data: Path,
    chat: Path,
    theirs: dict[str, list[list[float]]],
    suite: str,
    category: str,
    task: str,
) -> None:
    ours = of_ours(data / "suites" / suite, chat, category)
    expected = theirs[task]
    assert len(ours) == len(expected) > 10
    for one, other in zip(ours, expected, strict=True):
        assert one == pytest.approx(other, abs=1e-3)
        assert max(range(4), key=one.__getitem__) == max(range(4), key=other.__getitem__)
