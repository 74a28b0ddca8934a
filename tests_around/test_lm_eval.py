"""One checkpoint, the same questions and texts: `assay run` and lm-evaluation-harness agree.

Both are used as their users use them: Assay by `assay.run` and its exported records, the harness by
`simple_evaluate` with its `hf` model and tasks in YAML over local JSON data.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lm_eval
import pytest
import yaml
from lm_eval.tasks import TaskManager

import assay

NEAR = 1e-3  # of a log-likelihood, which DESIGN promises
QUESTIONS: list[dict[str, Any]] = [
    {"query": "To list the files of a folder, use the command", "choices": ["ls", "rm", "kill"]},
    {"query": "To show how much space is left on a disk, run", "choices": ["chmod", "df -h", "cd"]},
    {"query": "A file that nobody may change is", "choices": ["read-only", "a directory", "fast"]},
    {"query": "The package manager of Debian is called", "choices": ["yum", "pacman", "apt"]},
    {"query": "A driver lets the kernel use", "choices": ["a sentence", "a device", "a colour"]},
    {"query": "Le café est", "choices": ["chaud", "froid", "très froid et noir"]},
    {"query": "The name of the file ends in", "choices": [".txt", ".txt and then", "a dot"]},
    {"query": "2 + 2 =", "choices": ["3", "4", "5", "22"]},
]
RIGHT = [0, 1, 0, 2, 1, 0, 0, 1]
TEXTS = [
    "The program reads its settings from a file in the home directory of the user.",
    "If the device is not found, check that the driver is loaded and look at the kernel log.\n\n"
    "The second paragraph – with a dash, “quotes” and an é – is part of the same document.",
    # Longer than the context of 1,024 tokens, so that both have to cut it into windows.
    " ".join(f"Option {n} sets the number of lines shown at once to {n}." for n in range(90)),
]


def write_json(path: Path, rows: Any) -> Path:
    path.write_text(json.dumps(rows), "utf-8")
    return path


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory, checkpoint: Path) -> dict[str, Any]:
    """What the harness finds, with its samples."""
    folder = tmp_path_factory.mktemp("harness")
    rows = [{**asked, "gold": gold} for asked, gold in zip(QUESTIONS, RIGHT, strict=True)]
    data = {
        "choose": write_json(folder / "questions.json", rows),
        "read": write_json(folder / "texts.json", [{"text": text} for text in TEXTS]),
    }
    tasks: dict[str, dict[str, Any]] = {
        "choose": {
            "output_type": "multiple_choice",
            "doc_to_text": "{{query}}",
            "doc_to_choice": "choices",
            "doc_to_target": "gold",
            "metric_list": [{"metric": "acc"}, {"metric": "acc_norm"}],
        },
        "read": {
            "output_type": "loglikelihood_rolling",
            "doc_to_text": "",
            "doc_to_target": "{{text}}",
            "metric_list": [{"metric": "bits_per_byte"}, {"metric": "byte_perplexity"}],
        },
    }
    for name, task in tasks.items():
        where = {
            "task": name,
            "dataset_path": "json",
            "dataset_kwargs": {
                "data_files": {"test": str(data[name])},
                "cache_dir": str(folder / "cache"),
            },
            "test_split": "test",
        }
        (folder / f"{name}.yaml").write_text(yaml.safe_dump({**where, **task}), "utf-8")
    model = {"pretrained": str(checkpoint), "tokenizer": str(checkpoint.parent), "dtype": "float32"}
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    found: dict[str, Any] = {"results": {}, "samples": {}}
    # Left to itself it scores the <bos> that its tokenizer puts before a text as a token of the
    # text (D4 of docs/explanation/engine.md), which is not part of any byte of it.
    for name, options in (("choose", {}), ("read", {"add_bos_token": False})):
        one = lm_eval.simple_evaluate(
            model="hf",
            model_args={**model, **options},
            tasks=[name],
            task_manager=manager,
            device="cpu",
            batch_size=1,
            bootstrap_iters=0,
        )
        for part in found:
            found[part].update(one[part])
    return found


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory, checkpoint: Path) -> dict[str, Any]:
    """The same by `assay.run`: one record a question, in their order, and the measurements."""
    folder = tmp_path_factory.mktemp("assay")
    tests = [
        {
            "id": f"choose_{number:03d}",
            "prompt": asked["query"],
            "eval_method": "multiple_choice",
            "choices": asked["choices"],
            "score_by": "text",
            "render": False,
            "expected": "ABCD"[gold],
        }
        for number, (asked, gold) in enumerate(zip(QUESTIONS, RIGHT, strict=True), start=1)
    ]
    (folder / "suite").mkdir()
    write_json(folder / "suite" / "choose.json", tests)
    write_json(folder / "suite" / "suite.json", {"language": "en"})
    text = folder / "texts.jsonl"
    text.write_text("".join(json.dumps({"text": each}) + "\n" for each in TEXTS), "utf-8")
    out = folder / "out"
    result = assay.run(
        [str(checkpoint)], suites=[str(folder / "suite")], text=str(text), dtype="float32", out=out
    )
    records = [json.loads(line) for line in assay.export("latest", out=out)]
    return {
        "records": sorted(records, key=lambda record: record["test"]),
        "measured": result.models[0].measurements,
    }


def samples(found: dict[str, Any], task: str) -> Iterator[dict[str, Any]]:
    """One of each document, in the order of the data."""
    ordered = {sample["doc_id"]: sample for sample in found["samples"][task]}
    return (ordered[number] for number in sorted(ordered))


def test_the_log_likelihood_of_each_choice_is_the_harnesses(theirs, ours):
    compared = 0
    for record, sample in zip(ours["records"], samples(theirs, "choose"), strict=True):
        expected = [value for value, _ in sample["filtered_resps"]]
        assert record["log_likelihoods"] == pytest.approx(expected, abs=NEAR), record["prompt"]
        compared += len(expected)
    assert compared == sum(len(asked["choices"]) for asked in QUESTIONS)


def test_the_score_by_text_is_the_harnesses_accuracy_per_character(theirs, ours):
    right = [record["score"] for record in ours["records"]]
    assert right == [sample["acc_norm"] for sample in samples(theirs, "choose")]
    assert sum(right) / len(right) == theirs["results"]["choose"]["acc_norm,none"]
    assert 0 < sum(right) < len(right), "items that are all right or all wrong compare nothing"


def test_bits_per_byte_of_texts_are_the_harnesses(theirs, ours):
    expected = theirs["results"]["read"]["bits_per_byte,none"]
    assert ours["measured"]["bits_per_byte"].value == pytest.approx(expected, abs=NEAR)


def test_perplexity_is_the_harnesses_rolling_log_likelihood_per_token(theirs, ours):
    total = sum(sample["filtered_resps"][0] for sample in samples(theirs, "read"))
    perplexity = ours["measured"]["perplexity"]
    assert perplexity.value == pytest.approx(math.exp(-total / perplexity.n), rel=NEAR)
