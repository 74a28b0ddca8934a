"""A system prompt for tests that bring none, and tests that want none."""

from __future__ import annotations

from dataclasses import replace

from assay.plan import AskOptions, make_plan
from assay.reports.test_plan import test_plan as plan_page
from assay.suites.load import load_suite
from assay.suites.suite_file import with_default_system
from assay.types import ModelFacts, Suite
from tests.suites.conftest import WriteSuite, good

FACTS = ModelFacts(spec="scripted:m.json", name="m", fingerprint="m")


def asked_of(suite: Suite) -> list[tuple[str, tuple[str, ...]]]:
    """The id of every request, and who speaks in it."""
    plan = make_plan([suite], FACTS, AskOptions())
    requests = [plan.request(exchange, 0, ()) for exchange in plan.exchanges]
    return [(one.id, tuple(m.role for m in one.work.messages)) for one in requests]


def test_a_test_that_says_none_gets_none(write_suite: WriteSuite) -> None:
    tests = [good(), good(id="a_002", system="own"), good(id="a_003", system="")]
    suite = with_default_system(load_suite(write_suite({"a": tests})), "Be brief.")
    assert [case.system for case in suite.cases] == ["Be brief.", "own", ""]
    assert [speak for _, speak in asked_of(suite)] == [
        ("system", "user"),
        ("system", "user"),
        ("user",),
    ]


def test_a_suite_file_decides_even_where_it_says_nothing(write_suite: WriteSuite) -> None:
    suite = load_suite(write_suite({"a": [good()]}, {"title": "T"}))
    assert with_default_system(suite, "Be brief.") == suite


def test_an_empty_prompt_and_none_at_all_are_one_request_and_one_page(
    write_suite: WriteSuite,
) -> None:
    suite = load_suite(write_suite({"a": [good(system="")]}))
    (category,) = suite.categories
    (case,) = category.cases
    without = replace(case, system=None)
    bare = replace(suite, categories=(replace(category, cases=(without,)),))
    assert asked_of(suite) == asked_of(bare)
    assert plan_page(case) == plan_page(without)
