"""suite.json: keys exactly as documented, and examples that really are some."""

from __future__ import annotations

from typing import Any

import pytest

from assay.checks.scoring import score_reply
from assay.suites.load import examine, load_suite
from assay.types import Answered

from .conftest import WriteSuite, asking, good

CATEGORIES = {"a": [good()], "maths": [good(id="m_001")]}
EXAMPLES = [asking("exact_match", id=f"e_00{n}", expected="x") for n in range(3)]

MISTAKES: list[tuple[Any, str]] = [
    ([], "suite.json must contain an object in braces, not a list"),
    ({"titel": "x"}, "unknown key 'titel'; did you mean 'title'?"),
    ({"version": 1.0}, "'version' must be a text, not a number; put it in quotes"),
    ({"language": "Ewe language"},
     "'language' must be a language tag such as ee or fr-TG, not 'Ewe language'"),
    ({"weights": {"math": 1, "a": 1, "maths": 1}},
     "there is no category 'math'; did you mean 'maths'?"),
    ({"weights": {"a": -1, "maths": 1}},
     "'weights.a' must be a number from 0 to 1000000, not -1"),
    ({"weights": {"a": 0, "maths": 0}}, "all weights are 0, so there would be no score"),
    ({"weights": [1]}, "'weights' must be an object, not a list"),
    ({"pass_mark": 70}, "'pass_mark' must be a number from 0 to 1, not 70"),
    ({"scoring": "ewebench"}, "'scoring' cannot be 'ewebench'; did you mean 'ewebench-1.0'?"),
    ({"shots": 2}, "'shots' is 2, but 'few_shot' names no examples"),
    ({"shots": 4, "few_shot": {"a": "few_shot/e.json"}},
     "'shots' is 4, but 'few_shot/e.json' has only 3 examples"),
    ({"shots": 1, "few_shot": {"b": "few_shot/e.json"}},
     "there is no category 'b'; expected one of a, maths"),
    ({"shots": 1, "few_shot": {"a": "few_shot/gone.json"}},
     "there is no file 'few_shot/gone.json' in the suite's folder"),
    ({"shots": 1, "few_shot": {"a": "../outside.json"}},
     "'../outside.json' is outside the suite's folder"),
    ({"shots": 1, "few_shot": {"a": "/etc/passwd"}},
     "'/etc/passwd' is outside the suite's folder"),
    ({"shots": 1, "few_shot": {"a": "few\u0000shot"}},
     "'few\\x00shot' contains characters that no file name should have"),
    ({"shots": 1, "few_shot": {"a": "maths.json"}},
     "'maths.json' is a category, so its answers would be shown; examples lie in a folder of "
     "their own, such as few_shot/"),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "message"), MISTAKES, ids=[m[1][:50] for m in MISTAKES])
def test_a_mistake_in_suite_json_is_an_error_there(
    settings: Any, message: str, write_suite: WriteSuite
) -> None:
    folder = write_suite(CATEGORIES, settings, {"few_shot/e.json": EXAMPLES})
    errors = [finding for finding in examine([folder]) if finding.severity == "error"]
    assert [(f.file, f.message) for f in errors] == [(f"{folder}/suite.json", message)]


def test_a_link_out_of_the_suite_is_outside_too(write_suite: WriteSuite) -> None:
    settings = {"shots": 1, "few_shot": {"a": "few_shot/e.json"}}
    folder = write_suite(CATEGORIES, settings)
    (folder.parent / "elsewhere.json").write_text("[]")
    (folder / "few_shot").mkdir()
    (folder / "few_shot" / "e.json").symlink_to(folder.parent / "elsewhere.json")
    assert [f.message for f in examine([folder])] == [
        "'few_shot/e.json' is outside the suite's folder"
    ]


def test_examples_are_cases_of_the_category_they_are_shown_in(write_suite: WriteSuite) -> None:
    few_shot = {"a": "few_shot/e.json", "maths": "few_shot/e.json"}
    folder = write_suite(
        CATEGORIES, {"shots": 2, "few_shot": few_shot}, {"few_shot/e.json": EXAMPLES}
    )
    suite = load_suite(folder)
    assert suite.shots == 2
    assert [case.category for case in suite.few_shot["maths"]] == ["maths"] * 3
    assert [case.id for case in suite.few_shot["a"]] == ["e_000", "e_001", "e_002"]
    assert len(list(suite.cases)) == 2


def test_mistakes_in_an_example_file_are_found_there(write_suite: WriteSuite) -> None:
    examples = [
        asking("ewe_quality", id="e_001"),
        asking("exact_match", id="e_002"),
        asking("keywords", id="e_003", forbidden_keywords=["never"]),
        asking("keywords", id="e_004", expected_keywords=["always"]),
    ]
    settings = {"shots": 1, "few_shot": {"a": "few_shot/e.json"}}
    folder = write_suite(CATEGORIES, settings, {"few_shot/e.json": examples})
    assert [(f.file, f.test_id, f.message) for f in examine([folder])] == [
        (f"{folder}/few_shot/e.json", "e_001",
         "an example shows its right answer, and this 'ewe_quality' test has none"),
        (f"{folder}/few_shot/e.json", "e_002", "'exact_match' needs 'expected'"),
        (f"{folder}/few_shot/e.json", "e_003",
         "an example shows its right answer, and this 'keywords' test has none"),
    ]  # fmt: skip


def test_an_example_that_is_also_a_test_is_a_warning(write_suite: WriteSuite) -> None:
    question = asking("exact_match", id="a_001", expected="x")
    folder = write_suite(
        {"a": [question]},
        {"shots": 1, "few_shot": {"a": "few_shot/e.json"}},
        {"few_shot/e.json": [question | {"id": "e_001"}]},
    )
    (finding,) = examine([folder])
    assert (finding.severity, finding.test_id) == ("warning", "e_001")
    assert finding.message == "this example is also the test 'a_001', whose answer it gives away"


def test_a_category_without_weight_and_idle_examples_are_warnings(write_suite: WriteSuite) -> None:
    settings = {"weights": {"a": 1}, "few_shot": {"a": "few_shot/e.json"}}
    folder = write_suite(CATEGORIES, settings, {"few_shot/e.json": EXAMPLES})
    assert [(f.severity, f.message) for f in examine([folder])] == [
        ("warning", "the category 'maths' has no weight; it counts 1"),
        ("warning", "'few_shot' changes nothing while 'shots' is 0"),
    ]


def test_a_composite_of_an_ewe_suite_may_check_nothing_but_its_ewe(write_suite: WriteSuite) -> None:
    folder = write_suite({"a": [asking("composite")]}, {"language": "ee"})
    assert examine([folder]) == ()
    (case,) = load_suite(folder).cases
    score = score_reply(case, Answered(request_id="r", text="Ŋdi na mi. Nye ŋkɔe nye Kofi."))
    assert score is not None
    assert [part.name for part in score.parts] == ["ewe_quality"]
    unweighted = asking("composite", weights={"ewe_quality": 0})
    (found,) = examine([write_suite({"a": [unweighted]}, {"language": "ee"})])
    assert found.message == "the test checks nothing; every part that it has weighs 0"


@pytest.mark.parametrize("tag", ["ee", "EE", "ee-TG", "ewe"])
def test_a_language_tag_is_understood_with_its_region_and_in_capitals(
    tag: str, write_suite: WriteSuite
) -> None:
    # "ee-TG" used to be taken and then to mean no language: Ewe quality silently left the marks.
    weighted = asking("composite", expected_keywords=["xyz"], weights={"ewe_quality": 2})
    folder = write_suite({"a": [weighted]}, {"language": tag})
    assert examine([folder]) == ()
    suite = load_suite(folder)
    assert suite.language == tag
    assert {case.language for case in suite.cases} <= {"ee", "ewe"}
