"""The three functions for programs: one checkpoint's report, a benchmark's score, samples."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import datasets
import jsonschema
import numpy as np
import pytest

import assay
from assay import api
from assay.errors import AssayError, SuiteNotFound, UsageError
from assay.reports.checkpoints.report_shapes import measured_from, report_schema
from assay.suites.sample_prompts import load_samples
from assay.types import Estimate
from tests.models.local.checkpoints import make_checkpoint
from tests.models.local.stopwatch import Stopwatch

PICK = {
    "prompt": "Which of these lies in the garden?",
    "eval_method": "multiple_choice",
    "choices": ["the ball", "the machine", "the house"],
    "expected": "A",
}
FIGURES = (
    "perplexity",
    "accuracy_top1",
    "accuracy_top5",
    "mmlu_cs",
    "hellaswag",
    "inference_speed",
    "memory_usage_mb",
)


class Counting:
    """An observer that counts what is really asked."""

    def __init__(self):
        self.replies = 0

    def model_started(self, spec, *, total, reused):
        pass

    def replied(self, spec, reply, score):
        self.replies += 1

    def model_finished(self, spec):
        pass

    def note(self, sentence):
        pass


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return make_checkpoint(tmp_path_factory.mktemp("functions") / "model" / "step_10", context=512)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder to work in; nothing was fetched, whatever the developer has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "held-out.txt").write_text("The old cat lives in the same house as the dog. " * 5)
    return tmp_path


@pytest.fixture
def benchmarks(home):
    """As `assay fetch` leaves them, three questions each."""
    for suite, category in (("mmlu", "computer_science"), ("hellaswag", "technical_subset")):
        tests = [
            {"id": f"{category}_{n:03d}", **PICK, "expected": letter}
            for n, letter in enumerate("ABC", 1)
        ]
        (home / "fetched" / suite).mkdir(parents=True)
        (home / "fetched" / suite / f"{category}.json").write_text(json.dumps(tests))
    return home / "fetched"


def known(report):
    """The figures that are not null."""
    jsonschema.validate(report, report_schema())
    found = {name for name in FIGURES if report[name] is not None}
    if any(value is not None for value in report["os_benchmark"].values()):
        found.add("os_benchmark")
    if report["details"]["generation"] is not None:
        found.add("generation")
    return found


# ------------------------------------------------------------------------------------- the report


def test_only_what_is_asked_for_is_measured_and_the_rest_is_null(checkpoint, home):
    report = api.evaluate_model(checkpoint, "held-out.txt", ["perplexity"])
    assert known(report) == {"perplexity"}
    assert report["checkpoint"] == "model/step_10"
    assert report["perplexity"] > 1
    criteria = report["details"]["acceptance"]["criteria"]
    assert criteria["perplexity"]["passed"] is not None
    assert criteria["os_benchmark"]["passed"] is None
    assert not (checkpoint / "evaluation_report.json").exists()
    assert not (home / "assay-out" / "checkpoints").exists()


def test_a_part_that_comes_with_another_is_left_out_and_its_report_can_be_read_back(
    checkpoint, home
):
    accuracy = api.evaluate_model(str(checkpoint), home / "held-out.txt", ["accuracy"])
    assert known(accuracy) == {"accuracy_top1", "accuracy_top5"}
    assert accuracy["details"]["acceptance"]["criteria"]["perplexity"]["passed"] is None
    assert accuracy["details"]["weighted_score"] is None
    seen = Counting()
    both = api.evaluate_model(
        checkpoint, home / "held-out.txt", ["accuracy", "perplexity"], observer=seen
    )
    assert known(both) == {"perplexity", "accuracy_top1", "accuracy_top5"}
    assert both["accuracy_top1"] == accuracy["accuracy_top1"]
    assert seen.replies == 0  # the text was read already
    for document in (accuracy, both):
        read = measured_from(json.loads(json.dumps(document)))
        assert read.text.top1.value == document["accuracy_top1"]


def test_benchmarks_are_asked_where_they_are(checkpoint, benchmarks):
    report = api.evaluate_model(
        checkpoint, metrics=["mmlu", "hellaswag", "os_benchmark"], benchmarks=benchmarks, limit=4
    )
    assert known(report) == {"mmlu_cs", "hellaswag", "os_benchmark"}
    assert report["details"]["mmlu_cs"]["n"] == 3
    assert report["details"]["os_benchmark"]["avg"]["n"] == 3  # 4 tests over 4 tasks


def test_a_benchmark_that_was_not_fetched_is_null_and_the_report_says_how_to_get_it(
    checkpoint, home
):
    report = api.evaluate_model(checkpoint, metrics="mmlu")
    assert known(report) == set()
    assert "assay fetch mmlu" in report["details"]["not_measured"]["mmlu_cs"]
    assert "hellaswag" not in report["details"]["not_measured"]


@pytest.mark.parametrize(
    ("metrics", "told"),
    [
        (["perplexty"], "there is no metric 'perplexty'; did you mean 'perplexity'?"),
        (["speed", "zzz"], "there is no metric 'zzz'; expected one of perplexity,"),
        ([], "no metric was named"),
    ],
)
def test_a_metric_that_is_none_is_refused_before_anything_is_opened(home, metrics, told):
    with pytest.raises(UsageError) as refused:
        api.evaluate_model("nowhere", metrics=metrics)
    assert told in refused.value.message
    assert "os_benchmark" in refused.value.hint


def test_a_text_that_is_not_there_is_refused(checkpoint, home):
    with pytest.raises(UsageError, match=r"none\.txt") as refused:
        api.evaluate_model(checkpoint, "none.txt", ["perplexity"])
    assert refused.value.hint


def test_a_list_of_texts_and_a_data_set_are_read_like_a_file_of_them(checkpoint, home):
    texts = ["The old cat lives in the house.", "The small dog found a red ball."]
    file = home / "texts.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    of_file = api.evaluate_model(checkpoint, file, ["perplexity"])
    seen = Counting()
    for given in (
        texts,
        ({"text": text} for text in texts),
        datasets.Dataset.from_dict({"text": texts, "source": ["a", "b"]}),
    ):
        report = api.evaluate_model(checkpoint, given, ["perplexity"], observer=seen)
        assert report["perplexity"] == of_file["perplexity"]
        assert report["details"]["provenance"]["text"] == "2 texts of the program"
        (cut,) = report["details"]["tokenizer"]
        assert (cut["source"], cut["language"]) == ("perplexity", "eng")
        assert cut["tokens_per_word"]["n"] == 2
    assert seen.replies == 0  # the same texts
    tokens = api.evaluate_model(checkpoint, [{"input_ids": np.arange(9)}], "perplexity")
    assert tokens["details"]["perplexity"]["n"] == 8  # 0 begins every text and is not predicted
    with pytest.raises(UsageError, match="knows only 384 tokens"):
        api.evaluate_model(checkpoint, [{"input_ids": [1, 400]}], "perplexity")


def test_every_row_that_is_no_text_is_named_before_anything_is_opened(home):
    with pytest.raises(UsageError) as refused:
        api.evaluate_model("nowhere", ["a text", 3, {"text": ""}, {"words": "x"}])
    assert [line.partition(":")[0] for line in refused.value.message.splitlines()] == [
        "row 2",
        "row 3",
        "row 4",
    ]
    with pytest.raises(UsageError, match="has no row"):
        api.evaluate_model("nowhere", [])


# -------------------------------------------------------------------------------- all at once


def test_one_checkpoint_with_everything(checkpoint, home, tmp_path_factory, monkeypatch):
    stopwatch = Stopwatch(tmp_path_factory.mktemp("stopwatch"))
    monkeypatch.setattr(sys, "executable", stopwatch.program)
    shutil.copytree(checkpoint, home / "tiny" / "step_10")
    final = home / "tiny" / "step_10"
    report = assay.evaluate_model(final, home / "held-out.txt", limit=4)
    assert known(report) == {*FIGURES, "os_benchmark", "generation"} - {"mmlu_cs", "hellaswag"}
    assert report["inference_speed"] > 0
    kept = home / "assay-out" / "checkpoints" / "tiny" / "step_10" / "evaluation_report.json"
    assert json.loads(kept.read_text()) == json.loads(json.dumps(report))
    assert not (final / "evaluation_report.json").exists()
    # Memory is timed together with speed, and both are in the store.
    seen = Counting()
    memory = assay.evaluate_model(final, metrics=["memory"], observer=seen)
    assert known(memory) == {"memory_usage_mb"}
    assert memory["memory_usage_mb"] == report["memory_usage_mb"]
    assert seen.replies == 0
    assert json.loads(kept.read_text())["perplexity"] == report["perplexity"]  # a part is not left
    score = assay.run_benchmark(final, "custom_os_eval", limit=4, observer=seen)
    assert score.value == report["os_benchmark"]["avg"]
    assert score.unit == "share"
    samples = load_samples()
    written = assay.generate_samples(final, [samples[1].prompt, samples[0].prompt], observer=seen)
    assert [each.id for each in written] == [samples[1].id, samples[0].id]
    expected = {
        each["id"]: each["text"]
        for each in report["details"]["generation"]["samples"]
        if (each["temperature"], each["seed"]) == (0.3, 0)
    }
    assert all(each.text == expected[each.id] for each in written)
    assert seen.replies == 0


# ----------------------------------------------------------------------------------- a benchmark


def test_every_benchmark_is_a_share_by_name_and_by_path(checkpoint, benchmarks):
    """Three letters, one of them right each: whichever it takes, it is right once of three times,
    for the questions are alike.
    """
    for name in ("mmlu", "hellaswag"):
        score = api.run_benchmark(checkpoint, name, benchmarks=benchmarks)
        assert isinstance(score, Estimate)
        assert (score.value, score.n, score.unit) == (pytest.approx(1 / 3), 3, "share")
    by_path = api.run_benchmark(checkpoint, benchmarks / "mmlu")
    assert (by_path.value, by_path.unit) == (pytest.approx(1 / 3), "share")
    assert json.loads(json.dumps(by_path.to_dict()))["value"] == by_path.value


def test_a_path_without_a_separator_is_a_path(checkpoint, home):
    (home / "os").mkdir()
    (home / "os" / "mine.json").write_text(json.dumps([{"id": "mine_001", **PICK}]))
    assert api.run_benchmark(checkpoint, Path("os")).n == 1


def test_a_benchmark_that_was_not_fetched_is_refused_with_the_command(checkpoint, home):
    for name in ("mmlu", "hellaswag"):
        with pytest.raises(SuiteNotFound) as refused:
            api.run_benchmark(checkpoint, name)
        assert f"assay fetch {name}" in refused.value.hint


def test_a_sample_too_small_for_a_score_is_no_score(checkpoint, home):
    with pytest.raises(AssayError, match="custom_os_eval has no score") as refused:
        api.run_benchmark(checkpoint, "custom_os_eval", limit=1)
    assert "limit" in refused.value.hint


# -------------------------------------------------------------------------------------- keywords


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda path: api.evaluate_model(path, None, ["accuracy"], outt="x"), "outt"),
        (lambda path: api.run_benchmark(path, "custom_os_eval", Limit=3), "Limit"),
        (lambda path: api.generate_samples(path, ["a"], colour="red"), "colour"),
        (lambda path: api.run([str(path)], outt="x"), "outt"),
        (lambda path: api.watch(path, judges=["x"]), "judges"),
        (lambda path: api.ask(path, [str(path)], temperature=1), "temperature"),
        (lambda path: api.judge("latest", judge="x"), "judge"),
    ],
)
def test_a_keyword_that_there_is_not_is_refused_as_python_refuses_it(checkpoint, home, call, name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        call(checkpoint)
    assert not (home / "assay-out").exists()


# --------------------------------------------------------------------------------------- samples


def test_what_is_written_comes_in_order_with_its_health(checkpoint, home):
    shipped = load_samples()[0]
    prompts = ["Once there was", shipped.prompt, "Once there was", "The small dog"]
    seen = Counting()
    found = api.generate_samples(checkpoint, prompts, observer=seen)
    assert [each.prompt for each in found] == prompts
    assert found[0] == found[2]
    assert seen.replies == 3
    names = [{check.name for check in each.health.checks} for each in found]
    assert {"loop", "repetition", "nonsense"} <= names[0]
    assert any(name.startswith("tick:") for name in names[1])
    assert not any(name.startswith("tick:") for name in names[0])
    assert any(each.text for each in found)
    assert json.loads(json.dumps([each.to_dict() for each in found]))[0]["text"] == found[0].text
    # Another order and one more: only that one is written.
    again = api.generate_samples(checkpoint, ["A red ball", *reversed(prompts)], observer=seen)
    assert again[1:] == found[::-1]
    assert seen.replies == 4


@pytest.mark.parametrize("prompts", [[], [""], ["a", " \n"], [3], ["\ud800"]])
def test_prompts_that_are_none_are_refused(checkpoint, home, prompts):
    with pytest.raises(UsageError, match="prompts are texts"):
        api.generate_samples(checkpoint, prompts)


@pytest.mark.parametrize(
    "wrong", [{"seeds": [0, 1]}, {"seeds": 1.5}, {"seeds": 0}, {"temperature": "0.3"}]
)
def test_seeds_and_temperature_that_are_none_are_refused(checkpoint, home, wrong):
    with pytest.raises(UsageError, match="temperature is a number"):
        api.generate_samples(checkpoint, ["a"], **wrong)


# ----------------------------------------------------------------------------- which checkpoint


@pytest.mark.parametrize("path", ["", "nowhere", "held-out.txt"])
def test_what_is_no_folder_is_refused(home, path):
    for attempt in (
        lambda: api.evaluate_model(path),
        lambda: api.run_benchmark(path, "os"),
        lambda: api.generate_samples(path, ["a"]),
    ):
        with pytest.raises(UsageError, match="no checkpoint") as refused:
            attempt()
        assert "config.json" in refused.value.hint


def test_a_folder_of_several_is_refused_and_names_them(checkpoint, home):
    shutil.copytree(checkpoint, home / "models" / "step_1")
    shutil.copytree(checkpoint, home / "models" / "step_2")
    with pytest.raises(UsageError, match="models/step_1, models/step_2") as refused:
        api.generate_samples("models", ["a"])
    assert "assay run models" in refused.value.hint


def test_a_folder_that_is_a_checkpoint_itself_is_the_final_one(checkpoint, home):
    shutil.copytree(checkpoint, home / "model")
    shutil.copytree(checkpoint, home / "model" / "step_1")
    report = api.evaluate_model("model", "held-out.txt", ["perplexity"])
    assert report["checkpoint"] == "model/final"


def test_a_folder_without_weights_is_refused(home):
    (home / "empty").mkdir()
    with pytest.raises(AssayError) as refused:
        api.evaluate_model("empty", metrics=["perplexity"])
    assert refused.value.hint


# ----------------------------------------------------------------------------- no report is left


def test_own_prompts_put_to_a_checkpoint_leave_no_report_of_it(checkpoint, home):
    (home / "prompts.txt").write_text("Once there was\n")
    report = api.ask(home / "prompts.txt", [str(checkpoint)])
    assert report.decision is None
    assert not (checkpoint / "evaluation_report.json").exists()
    assert not (home / "assay-out" / "checkpoints").exists()


def test_a_served_model_may_be_asked_beside_a_checkpoint(checkpoint, home):
    (home / "good.json").write_text('{"answers": {}, "default": "A"}')
    (home / "tests").mkdir()
    (home / "tests" / "pick.json").write_text(json.dumps([{"id": "pick_001", **PICK}]))
    report = api.run([str(checkpoint), "scripted:good.json"], suites=["./tests"], write_back=False)
    assert [model.accepted for model in report.models] == [None, None]
    assert report.models[1].suites[0].score.value == 100


# ------------------------------------------------------------------------------------ the package


def test_the_functions_are_there_by_name_and_bring_nothing_heavy_along():
    assert assay.evaluate_model is api.evaluate_model
    assert assay.run_benchmark is api.run_benchmark
    assert assay.generate_samples is api.generate_samples
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = assay.nothing_of_the_kind
    code = "import sys, assay; assay.evaluate_model; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
