"""Early decisions on questions about suites."""

import random
from dataclasses import replace

import pytest

from assay.decide.early import (
    OpenQuestion,
    SuiteQuestion,
    draw_order,
    is_plain_mean,
    mean_question,
    weighted_question,
)
from assay.suites.load import SHIPPED, load_suite
from assay.types.decisions import SuiteLimit

FACTS = {f"t{number}": "a" for number in range(100)}


def question(**changed: object) -> SuiteQuestion:
    given = {"suite": "facts", "limit": 0.5, "tests": FACTS, "weights": {"a": 1.0}, "whole": True}
    return SuiteQuestion(**given | changed)


def asked(of: SuiteQuestion, values: dict[str, float | None], *, among: int = 1) -> OpenQuestion:
    return OpenQuestion(of, draw_order(0, "f", of.suite, of.tests), of=among)


def some_right(share: float, seed: int = 0) -> dict[str, float | None]:
    drawn = random.Random(seed)
    return {test: float(drawn.random() < share) for test in FACTS}


def test_the_order_depends_on_seed_model_suite_and_test_alone() -> None:
    first = draw_order(0, "f", "facts", FACTS)
    assert first == draw_order(0, "f", "facts", reversed(list(FACTS)))
    others = [draw_order(1, "f", "facts", FACTS), draw_order(0, "g", "facts", FACTS)]
    assert all(other != first for other in (*others, draw_order(0, "f", "other", FACTS)))


def test_a_clear_suite_is_decided_after_part_of_it() -> None:
    for share, expected in ((0.9, True), (0.1, False)):
        values = some_right(share)
        found = asked(question(), values).decision(values)
        assert found.proved is expected
        assert found.at < 50


def test_only_an_unbroken_prefix_of_the_order_is_read() -> None:
    values = some_right(0.95)
    first = draw_order(0, "f", "facts", FACTS)[0]
    late = {test: value for test, value in values.items() if test != first}
    found = asked(question(), late).decision(late)
    assert (found.passed, found.at) == (None, 0)
    assert found.asked == 99


def test_the_same_answers_in_two_portions_give_the_same_decision() -> None:
    values = some_right(0.8)
    whole = asked(question(), values)
    whole.read(values)
    order = draw_order(0, "f", "facts", FACTS)
    parts = asked(question(), values)
    for end in (7, 16, 40, 100):
        parts.read({test: values[test] for test in order[:end]})
    assert parts.decision(values) == whole.decision(values)


def test_all_tests_known_decide_over_what_part_of_them_said() -> None:
    order = draw_order(0, "f", "facts", FACTS)
    values: dict[str, float | None] = {test: float(at < 40) for at, test in enumerate(order)}
    found = asked(question(), values).decision(values)
    assert (found.proved, found.passed) == (True, False)


def test_a_failed_request_counts_against_either_side_and_enters_no_score() -> None:
    order = draw_order(0, "f", "facts", FACTS)
    values: dict[str, float | None] = {test: float(at % 2 == 0) for at, test in enumerate(order)}
    values[order[1]] = None
    found = asked(question(), values).decision(values)
    assert (found.passed, found.unscored, found.asked) == (None, 1, 100)


def test_with_more_than_one_in_twenty_without_a_score_nothing_passes() -> None:
    order = draw_order(0, "f", "facts", FACTS)
    values: dict[str, float | None] = dict.fromkeys(order, 1.0)
    for test in order[::10]:
        values[test] = None
    found = asked(question(limit=0.3), values).decision(values)
    assert found.proved is None
    wrong = {test: None if value is None else 0.0 for test, value in values.items()}
    assert asked(question(limit=0.3), wrong).decision(wrong).proved is False


def test_a_criterion_among_several_is_refused_on_more_evidence_and_passed_on_the_same() -> None:
    values = some_right(0.35)
    alone = asked(question(), values).decision(values)
    among = asked(question(), values, among=5).decision(values)
    assert alone.at < among.at
    right = some_right(0.65)
    one, five = (asked(question(), right, among=of).decision(right) for of in (1, 5))
    assert one.at == five.at


def test_unequal_categories_count_the_same_and_stay_between_0_and_1() -> None:
    tests = {f"a{n}": "a" for n in range(20)} | {f"b{n}": "b" for n in range(80)}
    of = question(tests=tests, weights={"a": 0.5, "b": 0.5})
    assert of.mean.largest == pytest.approx(2.5)
    assert not of.mean.whole
    values: dict[str, float | None] = {test: float(test < "b") for test in tests}
    found = asked(of, values).decision(values)
    assert (found.passed, found.low) == (False, pytest.approx(0.5))  # a mean of 0.5 is not above it
    assert asked(replace(of, limit=0.49), values).decision(values).passed is True


def test_an_open_question_says_about_how_many_more_tests_decide_it() -> None:
    values = some_right(0.9)
    order = draw_order(0, "f", "facts", FACTS)
    few = {test: values[test] for test in order[:5]}
    found = asked(question(), values).decision(few)
    assert found.passed is None
    assert 0 < found.more < 95


def test_only_a_plain_mean_of_tests_that_are_scored_at_once_is_drawn() -> None:
    suite = load_suite(SHIPPED / "os")
    assert is_plain_mean(SuiteLimit(name="os", min=0.7), suite)
    assert not is_plain_mean(SuiteLimit(name="os", min=0.7, above_guessing=True), suite)
    assert not is_plain_mean(SuiteLimit(name="os", above_guessing=True), suite)
    judged = load_suite(SHIPPED / "coding")
    assert not is_plain_mean(SuiteLimit(name="coding", min=0.7), judged)


def test_the_categories_of_a_limit_count_the_same_and_those_of_a_score_by_their_weights() -> None:
    suite = load_suite(SHIPPED / "os")
    weighted = replace(suite, weights={"hardware_id": 3.0})
    limit = SuiteLimit(name="os", min=0.7, categories=("hardware_id", "driver_select"))
    assert mean_question(weighted, limit).weights == {"hardware_id": 0.5, "driver_select": 0.5}
    names = ("hardware_id", "driver_select")
    found = weighted_question(weighted, names, repeats=1).weights
    assert found == {"hardware_id": 0.75, "driver_select": 0.25}
