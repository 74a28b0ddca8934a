"""The functions for programs and agents: arguments of the contract, JSON that explains."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError, UsageError
from tests.conftest import numbered, right

# As DESIGN has them; what follows are options of our own.
SIGNATURES = {
    "evaluate_model": ["checkpoint_path", "test_dataset", "metrics", "full"],
    "run_benchmark": ["checkpoint_path", "benchmark_suite"],
    "generate_samples": ["checkpoint_path", "prompts"],
    "select_checkpoint": ["folder", "gate"],
    "compare": ["run_a", "run_b"],
    "explain_result": ["run", "test_id"],
    "review_failures": ["run"],
    "judge_run": ["run", "judge"],
    "list_suites": [],
    "validate_tests": ["path"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Two models, one test wrong by one of them, one that failed, one that a judge would score."""
    folder = tmp_path_factory.mktemp("tools")
    tests = numbered(3)
    (folder / "tests").mkdir()
    (folder / "tests" / "sum.json").write_text(json.dumps(tests))
    answers = right(tests)
    scripts = {
        "good": {"answers": answers},
        "weak": {"answers": {**answers, "sum_001": "\x1b[2J7"}, "fail": {"sum_002": "no luck"}},
    }
    for name, script in scripts.items():
        (folder / f"{name}.json").write_text(json.dumps(script))
    models = [f"scripted:{folder / name}.json" for name in scripts]
    assay.run(models, suites=str(folder / "tests"), out=folder / "out")
    return folder


@pytest.mark.parametrize("name", SIGNATURES)
def test_names_and_arguments_are_those_of_the_contract(name):
    parameters = inspect.signature(getattr(assay, name)).parameters
    assert list(parameters)[: len(SIGNATURES[name])] == SIGNATURES[name]
    required = [p.name for p in parameters.values() if p.default is p.empty]
    assert required == [each for each in SIGNATURES[name] if each in required]
    assert inspect.getdoc(getattr(assay, name))


def test_a_result_is_explained_with_question_answer_and_reason(folder):
    document = assay.explain_result("latest", "sum_001", out=folder / "out")
    assert next(iter(document)) == "headline"
    assert json.loads(json.dumps(document)) == document
    assert document["headline"].isprintable()
    assert "fail" in document["headline"]
    (test,) = document["tests"]
    assert test["asked"] == numbered(1)[0]["prompt"]
    assert test["eval_method"] == "exact_match"
    assert test["expected"]["expected"]
    good, weak = document["answers"]
    assert (good["outcome"], weak["outcome"]) == ("pass", "fail")
    assert weak["explanation"]
    assert weak["judged"] is None


def test_a_test_may_be_named_with_its_suite_and_a_failed_request_is_no_score(folder):
    document = assay.explain_result("latest", "tests/sum_002", out=str(folder / "out"))
    assert document["answers"][1]["outcome"] == "failed"
    assert document["answers"][1]["score"] is None
    assert "no luck" in document["answers"][1]["explanation"]


def test_a_test_that_is_not_in_the_run_is_refused_with_one_that_is(folder):
    with pytest.raises(UsageError, match="sum_001") as refused:
        assay.explain_result("latest", "sum_01", out=folder / "out")
    assert refused.value.hint


def test_two_runs_or_models_are_compared_by_position_and_by_name(folder):
    sides = [f"scripted:{folder / name}.json" for name in ("good", "weak")]
    compared = assay.compare(*sides, out=folder / "out")
    assert compared.pairs == assay.compare(run_a=sides, out=folder / "out").pairs
    assert compared.pairs == assay.compare(run_a=sides[0], run_b=sides[1], out=folder / "out").pairs
    document = compared.to_dict()
    assert next(iter(document)) == "headline"
    assert document["headline"].startswith("Undecided on tests: good shows no significant")


def test_suites_are_listed_with_their_categories():
    document = assay.list_suites()
    assert next(iter(document)) == "headline"
    listed = {each["suite"]: each for each in json.loads(json.dumps(document))["suites"]}
    assert listed["os"]["categories"]["driver_select"] == 100
    assert document["headline"].startswith(f"{len(listed)} suites")


def test_mistakes_in_tests_are_findings_with_their_place(folder, tmp_path):
    assert assay.validate_tests(folder / "tests") == {
        "headline": f"{folder / 'tests'}: 0 errors, 0 warnings.", "valid": True, "findings": [],
    }  # fmt: skip
    (tmp_path / "sum.json").write_text('[{"id": "sum_001", "promt": "1 + 1?"}]')
    document = assay.validate_tests(str(tmp_path))
    assert document["valid"] is False
    assert all(each["line"] == 1 and each["message"] for each in document["findings"])
    assert json.loads(json.dumps(document)) == document


def test_a_folder_that_was_never_evaluated_is_refused_with_the_command(tmp_path):
    (tmp_path / "step_1").mkdir()
    (tmp_path / "step_1" / "config.json").write_text("{}")
    with pytest.raises(AssayError) as refused:
        assay.select_checkpoint(tmp_path, out=tmp_path / "out")
    assert "assay run" in refused.value.hint


def test_a_review_has_what_failed_with_its_text_and_the_schema_of_what_may_change(folder):
    document = assay.review_failures("latest", out=folder / "out")
    assert json.loads(json.dumps(document)) == document
    assert next(iter(document)) == "headline"
    good, weak = document["models"]
    assert (good["failures"], good["failures_left_out"]) == ([], 0)
    (failed,) = weak["failures"]
    assert (failed["suite"], failed["id"]) == ("tests", "sum_001")
    assert failed["question"]
    assert failed["answer"]
    assert document["changes_schema"] == assay.schema("review")


def test_a_review_of_a_decided_run_has_its_criteria_its_advice_and_broken_samples(tmp_path):
    script = tmp_path / "loops.json"
    script.write_text(json.dumps({"answers": {}, "default": "no no no " * 60}))
    gate = tmp_path / "gate.toml"
    gate.write_text("[generation]\nmax_failures = 0\nseeds = 1\n")
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "sum.json").write_text(json.dumps(numbered(1)))
    assay.run(f"scripted:{script}", suites=str(tests), gate=gate, out=tmp_path / "out")
    (model,) = assay.review_failures("latest", out=tmp_path / "out")["models"]
    assert model["accepted"] is False
    assert model["criteria"]["generation"]["passed"] is False
    assert model["advice"]
    assert model["samples"]
    assert {kind for each in model["samples"] for kind in each["failures"]} & {"loop", "repetition"}


def test_a_run_is_judged_by_one_call_with_every_score(tmp_path):
    tests = tmp_path / "tests"
    tests.mkdir()
    test = {"id": "open_001", "prompt": "Write a function.", "eval_method": "judge",
            "rubric": "coding"}  # fmt: skip
    (tests / "open.json").write_text(json.dumps([test]))
    (tmp_path / "model.json").write_text(json.dumps({"answers": {}, "default": "def f(): pass"}))
    marks = {"correctness": 7, "completeness": 6, "code_quality": 8}
    judge = {"answers": {"judge:open_001": json.dumps(marks)}}
    (tmp_path / "judge.json").write_text(json.dumps(judge))
    out = tmp_path / "out"
    assay.run(f"scripted:{tmp_path / 'model.json'}", suites=str(tests), out=out)
    document = assay.judge_run("latest", f"scripted:{tmp_path / 'judge.json'}", out=out)
    assert json.loads(json.dumps(document)) == document
    (model,) = document["models"]
    (judged,) = model["tests"]
    assert (judged["score"], judged["band"]) == (7.0, "GOOD")
    assert model["domains"]["coding"]["mean"]["value"] == 7.0


def test_any_model_spec_is_evaluated_and_a_digest_fits_a_page(tmp_path):
    script = tmp_path / "model.json"
    script.write_text(json.dumps({"answers": {}, "default": "the network card"}))
    given = {"metrics": ["generation", "os_benchmark"], "limit": 4, "out": tmp_path / "out"}
    report = assay.evaluate_model(f"scripted:{script}", **given)
    assert set(report) >= {"checkpoint", "perplexity", "os_benchmark", "timestamp", "details"}
    assert report["perplexity"] is None
    assert report["details"]["generation"]["samples"]
    digest = assay.evaluate_model(f"scripted:{script}", **given, full=False)
    assert next(iter(digest)) == "headline"
    assert len(json.dumps(digest)) < 4000
    score = assay.run_benchmark(f"scripted:{script}", "os", limit=4, out=tmp_path / "out")
    assert score.n == 4
    samples = assay.generate_samples(f"scripted:{script}", ["A prompt"], out=tmp_path / "out")
    assert [each.text for each in samples] == ["the network card"]
