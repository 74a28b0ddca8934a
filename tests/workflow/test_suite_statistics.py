"""`assay suites NAME --stats`: which tests of a suite its maker should look at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay import api
from assay.types.measured.suite_statistics import SuiteStatistics

MODELS = 6


def sums() -> list[dict[str, Any]]:
    tests = [
        {
            "id": f"sum_{i:03}",
            "prompt": f"What is {10 + i} plus {31 * i}?",
            "eval_method": "exact_match",
            "expected": str(10 + 32 * i),
        }
        for i in range(1, 13)
    ]
    again = {**tests[0], "id": "sum_013", "expected": "9"}
    polite = {**tests[1], "id": "sum_014", "prompt": "plus 62 what is 12?!"}
    return [*tests, again, polite]


def answers_of(model: int, tests: list[dict[str, Any]]) -> dict[str, str]:
    """A better model is right on more tests; but 001 misleads, 002 is easy and 003 too hard."""
    odd = {"sum_001": model < 3, "sum_002": True, "sum_003": False}
    right = {test["id"]: odd.get(test["id"], n <= 2 + 2.2 * model) for n, test in enumerate(tests)}
    return {test["id"]: test["expected"] if right[test["id"]] else "0" for test in tests}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite, and a store in which six models have answered it."""
    folder = tmp_path_factory.mktemp("statistics")
    (folder / "quiz").mkdir()
    tests = sums()
    (folder / "quiz" / "sums.json").write_text(json.dumps(tests))
    scripts = []
    for model in range(MODELS):
        script = folder / f"model{model}.json"
        written: dict[str, Any] = {"answers": answers_of(model, tests)}
        if model == 0:
            written["fail"] = {"sum_012": "no power"}
        script.write_text(json.dumps(written))
        scripts.append(f"scripted:{script}")
    api.run(scripts, suites=f"{folder}/quiz", out=folder / "out")
    return folder


@pytest.fixture(scope="module")
def found(folder: Path) -> SuiteStatistics:
    return api.suite_statistics(f"{folder}/quiz", out=folder / "out")


def test_what_misleads_and_what_no_model_or_every_one_solves_comes_first(
    found: SuiteStatistics,
) -> None:
    document = found.to_dict()
    assert document["look_at"] == [
        {"id": "sum_001", "why": "better models fail it"},
        {"id": "sum_003", "why": "no model solves it"},
        {"id": "sum_002", "why": "every model solves it"},
    ]
    assert document["headline"] == (
        "quiz: 14 tests, 6 models in the store; 3 need attention, 2 similar to another."
    )
    (heading, table, *_) = [each for each in found.document() if not hasattr(each, "text")][1:]
    assert (heading.line, len(table.rows)) == ("Look at these tests", 3)


def test_difficulty_and_discrimination_have_n_and_an_interval(found: SuiteStatistics) -> None:
    test = next(each for each in found.tests if each.id == "sum_008")
    assert (test.right.value, test.right.n) == (0.5, 6)
    assert (test.right.low, test.right.high) == pytest.approx((0.188, 0.812), abs=1e-3)
    last = next(each for each in found.tests if each.id == "sum_012")
    assert (last.right.n, last.right.unscored) == (5, 1), "a failed request is not a wrong answer"


def test_discrimination_is_pearsons_with_the_other_tests(found: SuiteStatistics) -> None:
    """As numpy's own correlation has it, model by model."""
    import numpy as np

    tests = sums()
    table = np.array(
        [
            [answers_of(model, tests)[test["id"]] == test["expected"] for test in tests]
            for model in range(MODELS)
        ],
        dtype=float,
    )
    table[0, 11] = np.nan
    for place in (0, 7, 11):
        known = np.isfinite(table[:, place])
        others = np.delete(table, place, axis=1)
        rest = np.nanmean(others, axis=1)
        expected = np.corrcoef(table[known, place], rest[known])[0, 1]
        of = found.tests[place].discrimination
        assert (of.value, of.n) == (pytest.approx(expected), known.sum())
        half = 1.959964 / np.sqrt(known.sum() - 3)
        assert of.high == pytest.approx(np.tanh(np.arctanh(expected) + half))
    assert found.tests[1].discrimination.value is None, "all models score the same"


def test_the_same_question_with_another_answer_and_its_rewording_are_found(
    found: SuiteStatistics,
) -> None:
    assert [(each.first, each.second, each.likeness, each.same_answer) for each in found.alike] == [
        ("sum_001", "sum_013", 1.0, False),
        ("sum_002", "sum_014", 1.0, True),
    ]


def test_without_a_store_the_files_are_told_and_the_rest_is_said(
    folder: Path, tmp_path: Path
) -> None:
    found = api.suite_statistics(f"{folder}/quiz", out=tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
    assert (found.models, found.to_dict()["look_at"], len(found.alike)) == ((), [], 2)
    assert "assay run MODEL" in found.notes[0]
    assert (found.languages, found.read) == ({"sums": {"eng": 14}}, 14)


def test_tests_that_changed_since_and_few_models_say_nothing(folder: Path, tmp_path: Path) -> None:
    tests = sums()
    tests[2]["expected"] = "107"
    (tmp_path / "quiz").mkdir()
    (tmp_path / "quiz" / "sums.json").write_text(json.dumps(tests))
    script = f"scripted:{folder}/model5.json"
    api.run(script, suites=f"{tmp_path}/quiz", out=folder / "out")
    found = api.suite_statistics(f"{tmp_path}/quiz", out=folder / "out")
    assert [found.tests[place].right.n for place in (0, 2)] == [6, 1]
    api.run(script, suites=f"{tmp_path}/quiz", out=tmp_path / "out")
    few = api.suite_statistics(f"{tmp_path}/quiz", out=tmp_path / "out")
    assert few.to_dict()["look_at"] == []
    assert "too few models (1)" in few.notes[0]


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_every_format_begins_with_what_to_look_at(found: SuiteStatistics, form: str) -> None:
    text = api.render(found, form)
    assert text.index("Look at these tests") < text.index("Baselines")
    assert "better models" in text
