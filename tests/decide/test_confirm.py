"""Acceptance of the best of many: confirmed, clear after many looks, no worse than another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.decide.accept import accept
from assay.decide.select import select
from assay.reports.checkpoints.facts import sentence, sentences
from assay.stats.looks import alpha_of_look
from assay.types.decisions import SIZE_CLASSES, AcceptRules, Gate, Measurements, SuiteLimit
from tests.decide.candidates import GATE, WHEN, candidate, right, suite, text

FACTS = Gate(source="facts.toml", suites=(SuiteLimit(name="facts", min=0.5),))
CONFIRMING = replace(FACTS, accept=AcceptRules(confirm=0.3))


def facts(name: str, count: int, n: int = 100, **more: Any) -> Measurements:
    return candidate(name, suites={"facts": suite({"capitals": right(count, n)})}, **more)


def confirmed_by(of: Measurements, count: int, n: int) -> Measurements:
    return replace(of, confirming={"facts": suite({"capitals": right(count, n)})})


def test_the_best_of_several_is_said_to_be_not_confirmed() -> None:
    found = select([facts(f"m/step_{n}", 60 + n) for n in (1, 2, 3)], FACTS, timestamp=WHEN)
    assert (found.selected, found.confirmed) == ("m/step_3", None)
    assert "Best of 3, not confirmed." in sentences(found.reasons)
    alone = select([facts("m/step_1", 60)], FACTS, timestamp=WHEN)
    assert "not confirmed" not in sentences(alone.reasons)


def test_the_selected_one_is_confirmed_by_the_tests_that_were_kept_back() -> None:
    """40 of 50: Clopper and Pearson's one-sided bound is 0.684."""
    best = confirmed_by(facts("m/step_2", 90), 40, 50)
    found = select([facts("m/step_1", 60), best], CONFIRMING, timestamp=WHEN)
    assert (found.selected, found.confirmed) == ("m/step_2", True)
    assert "On 50 tests that took no part in the selection, facts is 0.684 or more" in sentences(
        found.reasons
    )
    criterion = accept(best, CONFIRMING).criteria["confirm"]
    assert (criterion.passed, criterion.value) == (True, pytest.approx(0.6844, abs=1e-3))


def test_one_that_is_not_confirmed_is_not_selected_and_nobody_takes_its_place() -> None:
    best = confirmed_by(facts("m/step_2", 90), 28, 50)
    found = select([facts("m/step_1", 60), best], CONFIRMING, timestamp=WHEN)
    assert (found.selected, found.best_so_far, found.confirmed) == (None, "m/step_2", False)
    assert "may be as low as 0.434" in sentences(found.reasons)
    assert accept(best, CONFIRMING).accepted is False


def test_what_was_not_asked_confirms_nothing() -> None:
    found = select([facts("m/step_1", 60), facts("m/step_2", 90)], CONFIRMING, timestamp=WHEN)
    assert (found.selected, found.confirmed) == (None, False)
    assert "were not asked of it" in sentences(found.reasons)


def test_what_confirms_takes_no_part_in_the_selection() -> None:
    """The lower one does better on the share that was kept back."""
    first = confirmed_by(facts("m/step_1", 60), 50, 50)
    best = confirmed_by(facts("m/step_2", 90), 40, 50)
    assert select([first, best], CONFIRMING, timestamp=WHEN).selected == "m/step_2"


def test_none_passes_is_neither_confirmed_nor_refused() -> None:
    found = select([facts("m/step_1", 10)], CONFIRMING, timestamp=WHEN)
    assert (found.selected, found.best_so_far, found.confirmed) == (None, "m/step_1", None)


def test_the_maximum_of_the_formula_is_named_where_it_is_another() -> None:
    gate = replace(FACTS, score={"suite:facts": 1.0})
    fluent, better = facts("m/step_1", 60, text=text(5.0)), facts("m/step_2", 90, text=text(9.0))
    found = select([fluent, better], gate, timestamp=WHEN)
    assert (found.selected, found.max_by_formula) == ("m/step_2", "m/step_1")
    same = select([fluent, replace(better, text=text(4.0))], gate, timestamp=WHEN)
    assert same.max_by_formula is None


# ------------------------------------------------------------------------------------------ clear


def test_a_pass_with_its_whole_interval_is_clear_and_a_marginal_one_is_not() -> None:
    assert accept(facts("m/step_1", 80), FACTS).clear is True
    marginal = accept(facts("m/step_1", 55), FACTS)
    assert (marginal.accepted, marginal.clear) == (True, False)
    assert accept(facts("m/step_1", 20), FACTS).clear is False


def test_the_more_looks_the_more_a_pass_must_be_clear() -> None:
    """66 of 100 against 0.5: clear alone, not at the hundredth look."""
    measured = facts("m/step_1", 66)
    tails = [alpha_of_look(look) / 2 for look in (1, 100)]
    assert [accept(measured, FACTS, tail=tail).clear for tail in tails] == [True, False]


def test_the_share_that_confirms_must_be_clearer_at_later_looks_too() -> None:
    """33 of 50 against 0.5: the bound is 0.535, and 0.465 at the tenth look."""
    measured = confirmed_by(facts("m/step_1", 90), 33, 50)
    at = [accept(measured, CONFIRMING, tail=alpha_of_look(look) / 2) for look in (1, 10)]
    assert [each.accepted for each in at] == [True, True]
    assert [each.criteria["confirm"].clear for each in at] == [True, False]


def test_generation_speed_and_memory_are_clear_where_they_pass() -> None:
    gate = replace(GATE, perplexity_max=None, suites=())
    assert accept(candidate(), gate).clear is True


def test_a_text_without_an_interval_is_not_clear() -> None:
    gate = Gate(source="g", perplexity_max=dict.fromkeys(SIZE_CLASSES, 50.0))
    of_documents = candidate(text=text(20.0, 19.0, 21.0, blocks=20, wobble=30.0))
    assert accept(of_documents, gate).clear is True
    few = candidate(text=text(20.0, blocks=3))
    assert (accept(few, gate).accepted, accept(few, gate).clear) == (True, False)


# -------------------------------------------------------------------------------- no worse than


def against(count: int, margin: float = 0.02, n: int = 100) -> Gate:
    rules = AcceptRules(no_worse_than="base", margin=margin)
    return Gate(source="g", accept=rules, reference=facts("base", count, n).suites)


def test_one_that_is_no_worse_by_more_than_the_margin_passes() -> None:
    found = accept(facts("m/step_1", 90), against(70)).criteria["no_worse_than"]
    assert (found.passed, found.value, found.limit) == (True, pytest.approx(0.2), -0.02)
    assert "Against base, over 100 tests" in sentences(found.reasons)


def test_the_low_end_of_the_paired_difference_decides() -> None:
    """Four tests lost of 100: the change is -0.04, and may be more than 0.05."""
    found = accept(facts("m/step_1", 66), against(70, 0.05)).criteria["no_worse_than"]
    assert (found.passed, found.marginal) == (False, True)
    wide = accept(facts("m/step_1", 66), against(70, 0.2)).criteria["no_worse_than"]
    assert wide.passed is True


def test_the_same_answers_are_no_worse() -> None:
    assert accept(facts("m/step_1", 70), against(70, 0.05)).criteria["no_worse_than"].passed


def test_nothing_in_common_is_unknown() -> None:
    other = candidate("m/step_1", suites={"law": suite({"torts": right(9, 10)})})
    found = accept(other, against(70)).criteria["no_worse_than"]
    assert found.passed is None
    assert sentence(found.reasons[0]) == "It has no test in common with base."


def test_two_files_that_ask_the_same_are_one_gate() -> None:
    assert replace(FACTS, source="other.toml").digest == FACTS.digest
    assert replace(FACTS, suites=(SuiteLimit(name="facts", min=0.6),)).digest != FACTS.digest
    assert CONFIRMING.digest != FACTS.digest
    whole = replace(GATE, perplexity_max=dict.fromkeys(SIZE_CLASSES, 50))
    assert whole.digest == replace(whole, perplexity_max=dict.fromkeys(SIZE_CLASSES, 50.0)).digest
