"""Good answers score full evidence, in whatever style they are written."""

import pytest

from tests.evidence.coding.mutants import MUTANTS
from tests.evidence.coding.references import GENERATORS, reference


def failed(evidence):
    assert not evidence.missing
    return {check.name: check.explanation for check in evidence.checks if not check.passed}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("test", GENERATORS)
def test_a_reference_answer_scores_full_evidence(examined, test, seed):
    evidence = examined(test, reference(test, seed), seed)
    assert failed(evidence) == {}
    assert evidence.share == 1
    assert bool(evidence.isolation) is (test != "CT-04")
    assert evidence.total >= 7


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: f"{one.test} {one.what} {one.seed}")
def test_a_mutant_loses_exactly_the_checks_that_it_should(examined, mutant):
    assert set(failed(examined(mutant.test, mutant.answer, mutant.seed))) == mutant.fails


def test_there_are_mutants_enough_for_every_test():
    assert len(MUTANTS) >= 30
    assert {mutant.test for mutant in MUTANTS} == set(GENERATORS)
    assert len({(one.test, one.what, one.seed) for one in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("test", GENERATORS)
@pytest.mark.parametrize(
    "answer", ["", "I would rather not.", "```python\nprint('all passed')\n```"]
)
def test_an_answer_without_what_was_asked_for_passes_no_check(examined, test, answer):
    evidence = examined(test, answer)
    assert (evidence.passed, evidence.share, evidence.isolation) == (0, 0, "")
    assert len(failed(evidence)) == len(failed(examined(test, "")))
