"""The documents that programs read."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from assay.reports.formats.json import render_json
from assay.reports.json_documents import comparison_json, leaderboard_json, run_json
from assay.types.decisions import TrainingSpread
from assay.types.results import Comparison, Leaderboard, Report
from tests.reports.test_decision import decided, three

ESTIMATE = ["value", "low", "high", "n", "unscored", "unit", "method"]


def test_a_run_has_exactly_the_keys_of_the_contract(report: Report) -> None:
    document = json.loads(render_json(run_json(report)))
    assert list(document) == [
        "run", "out", "headline", "card", "models", "selected", "exit_code", "machine", "notes",
    ]  # fmt: skip
    assert document["notes"] == ["1 request failed."]
    (model,) = document["models"]
    assert list(model) == [
        "model", "suites", "measurements", "report", "accepted", "decision", "about",
    ]  # fmt: skip
    assert model["decision"] is None
    assert document["headline"].startswith("good scores 72.5 points")
    (suite,) = model["suites"]
    assert list(suite) == ["suite", "score", "categories", "tests"]
    assert list(suite["score"]) == ESTIMATE
    assert list(suite["categories"]["facts"]) == ESTIMATE
    assert suite["tests"][2] == {
        "id": "facts_003",
        "category": "facts",
        "outcome": "failed",
        "score": None,
        "answer": "an answer",
        "extracted": "x",
        "explanation": "timed out after 120 s",
    }
    assert (document["exit_code"], document["selected"], model["accepted"]) == (3, None, None)


def test_a_run_says_which_machine_asked_and_what_is_known_of_a_model(
    report: Report, served_report: Report
) -> None:
    document = json.loads(render_json(run_json(served_report)))
    assert document["machine"] == {
        "system": "Linux 6.1",
        "processor": "Some CPU",
        "cores": 8,
        "memory_bytes": 16 * 2**30,
        "gpus": ["Some GPU, 24 GiB"],
        "versions": {"python": "3.11.9", "assay": "0.2.0"},
    }
    assert document["models"][0]["about"] == {"server": "Ollama 0.17.4", "quantisation": "Q4_K_M"}
    older = run_json(report)
    assert older["machine"] is None


def test_the_short_names_of_measurements_stay(report: Report) -> None:
    document = json.loads(render_json(run_json(report)))
    assert "answer_s" in document["models"][0]["measurements"]


def test_figures_are_not_rounded_and_missing_ones_are_null(report: Report) -> None:
    suite = report.models[0].suites[0]
    exact = replace(suite.score, value=200 / 3)
    model = replace(report.models[0], suites=(replace(suite, score=exact),))
    document = json.loads(render_json(run_json(replace(report, models=(model,)))))
    found = document["models"][0]["suites"][0]
    assert found["score"]["value"] == 200 / 3
    assert found["categories"]["judged"]["value"] is None


def test_baselines_are_measurements_named_by_suite_where_there_are_several(
    report: Report,
) -> None:
    model = report.models[0]
    one = json.loads(render_json(run_json(report)))["models"][0]["measurements"]
    assert one["baseline_constant"]["value"] == 25
    twice = replace(report, models=(replace(model, suites=model.suites * 2),))
    two = json.loads(render_json(run_json(twice)))["models"][0]["measurements"]
    assert "demo/baseline_empty" in two
    assert "baseline_empty" not in two


def test_repeats_are_listed_and_numbered_from_1_only_where_there_are_some(
    repeated_report: Report,
) -> None:
    tests = json.loads(render_json(run_json(repeated_report)))["models"][0]["suites"][0]["tests"]
    assert [repeat["repeat"] for repeat in tests[0]["repeats"]] == [1, 2]
    assert tests[0]["repeats"][1]["answer"] == "try 1"
    assert "repeats" not in tests[1]


def test_a_comparison_names_flips_and_what_was_left_out(comparison: Comparison) -> None:
    document = json.loads(render_json(comparison_json(comparison)))
    (suite,) = document["pairs"][0]["suites"]
    assert list(suite["difference"]) == ESTIMATE
    assert (suite["p_value"], suite["adjusted_p"], suite["verdict"]) == (0.0004, 0.0386, "better")
    assert [flip["id"] for flip in suite["flips"]] == ["facts_002", "facts_009"]
    assert suite["left_out"] == [{"id": "facts_003", "category": "facts", "reason": "unscored"}]
    assert list(suite["categories"]["facts"]["difference"]) == ESTIMATE


def test_a_leaderboard_has_ranks_or_null(leaderboard: Leaderboard) -> None:
    rows = json.loads(render_json(leaderboard_json(leaderboard)))["suites"][0]["rows"]
    assert [(row["rank"], row["tie"]) for row in rows] == [(1, False), (2, True), (None, False)]


def test_hostile_text_comes_back_as_it_was_and_can_be_written(
    hostile_report: Report, hostile: str
) -> None:
    text = render_json(run_json(hostile_report))
    text.encode("utf-8")
    test = json.loads(text)["models"][0]["suites"][0]["tests"][0]
    assert test["answer"] == hostile
    assert "\x1b" not in text


def test_ewe_is_readable_in_the_file(report: Report) -> None:
    assert "Ŋdi" in render_json(run_json(replace(report, selected="Ŋdi")))


def test_a_checkpoint_has_its_decision_and_the_run_a_headline() -> None:
    document = json.loads(render_json(run_json(decided(three()))))
    assert document["headline"] == "Ship tiny/step_300."
    refused, shipped = (model["decision"] for model in document["models"])
    assert list(shipped) == ["criteria", "weighted_score", "reason", "not_covered", "advice"]
    score = shipped["weighted_score"]
    assert list(score["parts"]) == ["perplexity", "os_benchmark", "mmlu_cs", "speed"]
    assert score["parts"]["mmlu_cs"] is None
    assert sum(adds or 0 for adds in score["parts"].values()) == pytest.approx(score["value"])
    assert shipped["reason"].startswith("tiny/step_300 passes the gate.")
    assert refused["reason"] == "tiny/step_100: not accepted (perplexity, os_benchmark)."
    assert shipped["not_covered"] == [
        "accuracy_top5: 0.6 [0.59–0.61], n = 100 misses the target of 0.6.",
        "mmlu_cs was not measured: missing part (weight 0.2) of the weighted score counts as 0.",
    ]
    assert all(isinstance(each, str) for each in refused["advice"])


def test_the_spread_between_trainings_has_a_key_where_there_are_several(report: Report) -> None:
    assert "trainings" not in run_json(report)
    spread = TrainingSpread(figure="perplexity", trainings=3, mean=42.0, between=2.0, within=1.0)
    of = decided(three())
    assert of.decision is not None
    several = replace(of, decision=replace(of.decision, trainings=(spread,)))
    assert run_json(several)["trainings"] == [
        {"figure": "perplexity", "trainings": 3, "mean": 42.0, "between": 2.0, "within": 1.0}
    ]
