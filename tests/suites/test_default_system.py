"""A system prompt for tests that bring none, and tests that want none."""

from __future__ import annotations

from dataclasses import replace

from assay.plan import AskOptions, make_plan
from assay.reports.suites.test_plan import test_plan as plan_page
from assay.suites.load import load_suite
from assay.suites.suite_file import YAWO, with_defaults
from assay.types import ModelFacts, Suite
from tests.suites.conftest import WriteSuite, good

FACTS = ModelFacts(spec="scripted:m.json", name="m", fingerprint="m")


def asked_of(suite: Suite) -> list[tuple[str, tuple[str, ...]]]:
    """The id of every request, and who speaks in it."""
    plan = make_plan([suite], FACTS, AskOptions())
    requests = [plan.request(trial, 0, ()) for trial in plan.trials]
    return [(one.id, tuple(m.role for m in one.work.messages)) for one in requests]


def test_a_test_that_says_none_gets_none(write_suite: WriteSuite) -> None:
    tests = [good(), good(id="a_002", system="own"), good(id="a_003", system="")]
    suite = with_defaults(load_suite(write_suite({"a": tests})), "Be brief.")
    assert [case.system for case in suite.cases] == ["Be brief.", "own", ""]
    assert [speak for _, speak in asked_of(suite)] == [
        ("system", "user"),
        ("system", "user"),
        ("user",),
    ]


def test_a_suite_file_decides_even_where_it_says_nothing(write_suite: WriteSuite) -> None:
    suite = load_suite(write_suite({"a": [good()]}, {"title": "T"}))
    assert with_defaults(suite, "Be brief.", "ee") == suite


def test_an_empty_prompt_and_none_at_all_are_one_request_and_one_page(
    write_suite: WriteSuite,
) -> None:
    suite = load_suite(write_suite({"a": [good(system="")]}))
    (category,) = suite.categories
    (case,) = category.cases
    without = replace(case, system=None)
    bare = replace(suite, categories=(replace(category, cases=(without,)),))
    assert asked_of(suite) == asked_of(bare)
    assert plan_page(case, ()) == plan_page(without, ())


def test_yawo_speaks_where_the_language_is_ewe_and_no_prompt_is_written(
    write_suite: WriteSuite,
) -> None:
    yawo = YAWO.read_text("utf-8").strip()
    tests = [good(), good(id="a_002", system="own"), good(id="a_003", system="")]
    spoken = {
        name: [case.system for case in load_suite(write_suite({"a": tests}, about)).cases]
        for name, about in {
            "ewe": {"language": "ee"},
            "of Togo": {"language": "EE-TG"},
            "in three letters": {"language": "ewe"},
            "silent": {"language": "ee", "system": ""},
            "own": {"language": "ee", "system": "Be brief."},
            "french": {"language": "fr"},
        }.items()
    }
    assert spoken == {
        "ewe": [yawo, "own", ""],
        "of Togo": [yawo, "own", ""],
        "in three letters": [yawo, "own", ""],
        "silent": [None, "own", ""],
        "own": ["Be brief.", "own", ""],
        "french": [None, "own", ""],
    }


def test_the_scoring_of_the_earlier_benchmark_is_asked_as_any_ewe_suite(
    write_suite: WriteSuite,
) -> None:
    tests = [good(), good(id="a_002", max_tokens=7)]
    old = load_suite(write_suite({"a": tests}, {"scoring": "ewebench-1.0"}))
    ewe = load_suite(write_suite({"a": tests}, {"language": "ee"}))
    assert old.language == ewe.language == "ee"
    assert [case.system for case in old.cases] == [case.system for case in ewe.cases]
    base = replace(FACTS, is_chat=False)
    for facts in (FACTS, base):
        plan = make_plan([old], facts, AskOptions())
        sampled = [plan.request(trial, 0, ()).work.sampling for trial in plan.trials]
        assert [each.temperature for each in sampled] == [0.3, 0.3]
        assert [each.max_tokens for each in sampled] == [1024, 7]
    silent = load_suite(write_suite({"a": tests}, {"scoring": "ewebench-1.0", "system": ""}))
    assert [case.system for case in silent.cases] == [None, None]


def test_a_folder_that_is_taken_for_ewe_is_the_suite_that_says_so(write_suite: WriteSuite) -> None:
    bare = load_suite(write_suite({"a": [good()]}))
    (taken,) = with_defaults(bare, None, "ee").cases
    (named,) = load_suite(write_suite({"a": [good()]}, {"language": "ee"})).cases
    assert (taken.system, taken.language) == (named.system, named.language)
