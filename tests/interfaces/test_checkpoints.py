"""Checkpoints as a user meets them: the command, a folder on disk, what is left behind.

A process that loads torch takes seconds, so each of these tests looks at all that its processes
have to show.
"""

from __future__ import annotations

import importlib.util
import json
import sqlite3
from contextlib import closing

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.conftest import numbered
from tests.models.local.checkpoints import CHAT_TEMPLATE, make_checkpoint

PICK = {
    "prompt": "Which of these lies in the garden?",
    "eval_method": "multiple_choice",
    "choices": ["the ball", "the machine", "the fourth kilogram"],
    "expected": "A",
}
EVERYTHING = {
    "best": [
        {
            "id": "best_001",
            "prompt": "The driver of the card is",
            "eval_method": "top_k",
            "expected_any": ["e1000"],
            "k": 3,
            "max_tokens": 8,
        }
    ],
    "pick": [
        {"id": "pick_001", **PICK},
        {"id": "pick_002", **PICK, "score_by": "text", "render": False, "prompt": "The dog found"},
    ],
    "talk": [
        {
            "id": "talk_001",
            "messages": [
                {"role": "user", "content": "The dog found"},
                {"role": "user", "content": "The cat found"},
            ],
            "live": True,
            "eval_method": "exact_match",
            "expected": "nothing",
            "max_tokens": 8,
        }
    ],
    "word": [
        {
            "id": "word_001",
            "prompt": "Question: which command lists files?\nAnswer:",
            "eval_method": "keywords",
            "expected_keywords": ["ls"],
            "max_tokens": 8,
        }
    ],
}
EXAMPLE = {
    "id": "word_101",
    "prompt": "Question: which command shows the free memory?\nAnswer:",
    "eval_method": "exact_match",
    "expected": "free",
}


@pytest.fixture
def bench(bench):
    """Tests share two cores: one thread each is quickest for models this small."""
    bench.environment["OMP_NUM_THREADS"] = "1"
    return bench


@pytest.fixture
def suite(bench):
    """A test of each kind that a checkpoint is asked in a way of its own."""
    path = bench.suite(
        EVERYTHING, title="Everything", shots=1, few_shot={"word": "few_shot/word.json"}
    )
    (bench.folder / "tests" / "few_shot").mkdir()
    (bench.folder / "tests" / "few_shot" / "word.json").write_text(json.dumps([EXAMPLE]))
    return path


def rows(bench, sql):
    with closing(sqlite3.connect(bench.out / "assay.db")) as database:
        return database.execute(sql).fetchall()


def stored(bench, model):
    """Request and reply of every test and turn of one model, in the newest run of it."""
    found = rows(
        bench,
        "SELECT test_id, turn, requests.body, replies.body, replies.kind FROM replies "
        "JOIN requests ON requests.id = request_id JOIN run_models USING (fingerprint) "
        f"WHERE spec = '{model}'",
    )
    return {
        (test, turn): (json.loads(asked), json.loads(reply), kind)
        for test, turn, asked, reply, kind in found
    }


def only_progress(text, *models):
    """Whether stderr holds our lines and nothing of torch's or transformers' own."""
    ours = (*(f"{name}: " for name in models), "preparing", "opening", "writing reports")
    return all(line.startswith(ours) for line in text.splitlines())


# ------------------------------------------------------------------------------------------ a run


def test_two_checkpoints_are_asked_everything_and_a_changed_one_is_asked_again(bench, suite):
    base = make_checkpoint(bench.folder / "base", "llama", seed=1)
    make_checkpoint(bench.folder / "chat", "gpt2", seed=2, chat_template=CHAT_TEMPLATE)
    words = ["run", "base", "hf:chat", "-s", suite]
    done = bench.assay(*words, "--json")
    assert done.returncode == 0, done.stderr
    assert only_progress(done.stderr, "base", "hf:chat"), done.stderr
    document = json.loads(done.stdout)
    assert document["exit_code"] == 0
    assert [model["model"] for model in document["models"]] == ["base", "hf:chat"]
    for model in document["models"]:
        assert set(outcomes(model)) == {
            test["id"] for category in EVERYTHING.values() for test in category
        }
        assert model["suites"][0]["score"]["unscored"] == 0
        check_replies(stored(bench, model["model"]), document_of=model)
    base_asked, chat_asked = stored(bench, "base"), stored(bench, "hf:chat")
    # A base model goes on with the next example, so the blank line between them ends its answer.
    assert base_asked["word_001", 0][0]["sampling"]["stop"] == ["\n\n"]
    assert chat_asked["word_001", 0][0]["sampling"]["stop"] == []

    check_report(bench)

    weights = base / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-2] ^= 1  # of the last number: a small step of its mantissa
    weights.write_bytes(content)
    before = rows(bench, "SELECT count(*) FROM replies")[0][0]
    again = bench.document(*words)
    assert again["exit_code"] == 0
    new = rows(
        bench,
        "SELECT DISTINCT spec FROM replies JOIN requests ON requests.id = request_id "
        f"JOIN run_models USING (fingerprint) WHERE replies.id > {before}",
    )
    assert new == [("base",)]
    assert rows(bench, "SELECT count(*) FROM replies")[0][0] == before + 6
    assert outcomes(again["models"][1]) == outcomes(document["models"][1])


def outcomes(model):
    return {test["id"]: test["outcome"] for test in model["suites"][0]["tests"]}


def check_replies(replies, *, document_of):
    """Each kind of test was asked in the way that only a checkpoint can be."""
    read = {test["id"]: test["extracted"] for test in document_of["suites"][0]["tests"]}
    for name, lengths in (("pick_001", [1, 1, 1]), ("pick_002", map(len, PICK["choices"]))):
        asked, reply, kind = replies[name, 0]
        assert (asked["kind"], kind, reply["method"]) == ("choose", "chosen", "likelihood")
        likeliest = max(
            zip(reply["log_likelihoods"], lengths, "ABC", strict=True),
            key=lambda choice: choice[0] / choice[1],
        )
        assert read[name] == likeliest[2]
    _, best, _ = replies["best_001", 0]
    assert best["prediction_method"] == "beam"
    assert len({prediction.strip() for prediction in best["predictions"]}) == 3
    second = replies["talk_001", 1][0]["messages"]
    assert [message["role"] for message in second] == ["user", "assistant", "user"]
    assert second[1]["content"] == replies["talk_001", 0][1]["text"]
    shown = replies["word_001", 0][0]["messages"]
    assert [message["content"] for message in shown[:2]] == [EXAMPLE["prompt"], "free"]


def check_report(bench):
    """What a reader must know of a checkpoint stands in the report."""
    (run,) = (bench.out / "runs").iterdir()
    for text in (
        bench.assay("report", "-v").stdout,
        (run / "reports" / "report.md").read_text("utf-8"),
        (run / "reports" / "report.html").read_text("utf-8"),
        (run / "performance.md").read_text("utf-8"),
    ):
        told = " ".join(text.split())
        for words in ("LlamaForCausalLM", "GPT2LMHeadModel", "43.2 k parameters (tiny)",
                      "CPU, float32", "plain text, as it has no chat template",
                      "its chat template"):  # fmt: skip
            assert words in told, words


# --------------------------------------------------------------------------------- what is refused


def test_everything_that_is_wrong_with_several_checkpoints_is_told_at_once(bench):
    folder = bench.folder
    make_checkpoint(folder / "whole")
    make_checkpoint(folder / "no-config").joinpath("config.json").unlink()
    cut = make_checkpoint(folder / "cut") / "model.safetensors"
    cut.write_bytes(cut.read_bytes()[:-500])
    make_checkpoint(folder / "deep" / "er" / "no-words", with_tokenizer=False)
    (folder / "tiny-Q4.gguf").write_bytes(b"GGUF\x03\x00\x00\x00")
    suite = bench.suite({"sum": numbered(2)})
    models = ["no-config", "cut", "deep/er/no-words", "tiny-Q4.gguf", "not-there"]
    done = bench.assay("run", "whole", *models, "-s", suite, "--dtype", "int7")
    assert done.returncode == 2
    assert done.stdout == ""
    for words in (
        "no-config has no config.json",
        "cut/model.safetensors is damaged",
        "no tokenizer (tokenizer.json) in deep/er/no-words",
        "tiny-Q4.gguf is a GGUF file",
        "name it gguf:tiny-Q4.gguf",
        "--tokenizer DIR",
        "no folder 'not-there'",
        "no number type 'int7'",
        "--dtype takes auto, float32, bfloat16, float16",
    ):
        assert words in done.stderr, words
    lines = [
        line
        for line in done.stderr.splitlines()
        if not line.endswith((": loading", "models and suites"))
    ]
    assert all(line.startswith(("error: ", "next: ")) for line in lines)
    assert not bench.out.exists(), "nothing was asked, and nothing is left"


def test_weights_that_are_no_numbers_are_found_before_any_model_is_asked(bench):
    make_checkpoint(bench.folder / "good", seed=1)
    file = make_checkpoint(bench.folder / "diverged", seed=2) / "model.safetensors"
    tensors = load_file(file)
    tensors["model.layers.1.mlp.up_proj.weight"][3, 5] = torch.nan
    save_file(tensors, file, metadata={"format": "pt"})
    suite = bench.suite({"sum": numbered(2)})
    done = bench.assay("run", "good", "diverged", "-s", suite, "--json")
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert "diverged/model.safetensors holds 1 value" in error["message"]
    assert "model.layers.1.mlp.up_proj.weight" in error["message"]
    assert "earlier checkpoint" in error["hint"]
    assert not bench.out.exists(), "the good one has not been asked either"


def test_a_device_that_is_none_is_refused_with_those_there_are(bench):
    make_checkpoint(bench.folder / "base")
    suite = bench.suite({"sum": numbered(2)})
    error = bench.document("run", "base", "-s", suite, "--device", "nowhere")["error"]
    assert "'nowhere'" in error["message"]
    assert error["hint"].startswith("--device takes auto, cpu")
    assert not bench.out.exists()


@pytest.mark.skipif(
    bool(importlib.util.find_spec("tensorboard") or importlib.util.find_spec("tensorboardX")),
    reason="TensorBoard is installed",
)
def test_curves_that_nothing_can_write_are_refused_with_what_to_install(bench):
    make_checkpoint(bench.folder / "base")
    suite = bench.suite({"sum": numbered(2)})
    told = bench.document("run", "base", "-s", suite, "--log", "tensorboard:events")
    assert told["exit_code"] == 2
    assert told["error"]["hint"] == "install it with: pip install tensorboard"
    assert not bench.out.exists()


# -------------------------------------------------------------------------------- a real model


def test_a_real_model_scores_and_writes_as_its_reference_says(bench, shared):
    folder = shared / "models" / "stories260K"
    reference = json.loads((folder / "reference.json").read_text("utf-8"))
    by_context = {}
    for each in reference["loglikelihood"]:
        by_context.setdefault(each["context"], []).append(each)
    several = [group for group in by_context.values() if len(group) > 1]
    tests = [
        {
            "id": f"story_{number:03d}",
            "prompt": group[0]["context"],
            "eval_method": "multiple_choice",
            "choices": [each["continuation"].strip() for each in group],
            "expected": "A",
            "score_by": "text",
            "render": False,
        }
        for number, group in enumerate(several, 1)
    ]
    prompts = list(reference["greedy"])
    tests_to_write = [
        {
            "id": f"write_{number:03d}",
            "prompt": prompt,
            "eval_method": "keywords",
            "expected_keywords": ["Lily"],
            "temperature": 0,
            "max_tokens": 24,
        }
        for number, prompt in enumerate(prompts, 1)
    ]
    model = str(folder)
    suite = bench.suite({"story": tests, "write": tests_to_write})
    done = bench.assay("run", model, "-s", suite, "--no-write-back", "--json")
    assert done.returncode == 0, done.stderr
    assert "parameters (tiny)" in json.loads(done.stdout)["models"][0]["about"]["size"]
    replies = stored(bench, model)
    for test, group in zip(tests, several, strict=True):
        _, reply, _ = replies[test["id"], 0]
        assert reply["log_likelihoods"] == pytest.approx([each["sum"] for each in group], abs=1e-3)
        assert reply["greedy"] == [each["is_greedy"] for each in group]
    for test in tests_to_write:
        # Decoded alone, a SentencePiece text has no space before its first word.
        text = replies[test["id"], 0][1]["text"].lstrip()
        expected = reference["greedy"][test["prompt"]].removeprefix(test["prompt"]).lstrip()
        assert len(text) > 40
        assert expected.startswith(text)

    (bench.folder / "prompts.txt").write_text("\n".join(prompts), "utf-8")
    asked = bench.assay("ask", "prompts.txt", model, "--max-tokens", "24", "--json")
    assert asked.returncode == 0, asked.stderr
    answers = json.loads(asked.stdout)["models"][0]["suites"][0]["tests"]
    assert len(answers) == len(prompts)
    assert all(test["answer"].strip() and test["outcome"] == "unscored" for test in answers)
