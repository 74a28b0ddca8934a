"""What a decision leaves open, and the criteria that close it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.decide.accept import accept, find_not_covered
from assay.decide.scores import weigh
from assay.reports.checkpoints.facts import sentence
from assay.types.decisions import Gate, Measurements, SuiteFigures, SuiteLimit
from tests.decide.candidates import GATE, candidate, estimate, right, sample, suite, text

GUESSED = [{"facts": 0.25, "rules": 0.35}, {"facts": 0.4, "rules": 0.1}]


def guessing(*counts: int) -> SuiteFigures:
    """So many right of 100 in two categories, where one constant gets 0.3 and another 0.25."""
    made = suite({name: right(n) for name, n in zip(("facts", "rules"), counts, strict=True)})
    return replace(made, baseline=0.3, baselines=tuple(GUESSED))


def open_points(measured: Measurements, gate: Gate = GATE) -> list[str]:
    return [sentence(each) for each in find_not_covered(measured, gate, weigh(measured))]


def weak(**changed: object) -> Measurements:
    reading = replace(text(40.0), top1=estimate(0.30), top5=estimate(0.55, 0.54, 0.56))
    greedy = (replace(sample(1, "loop"), temperature=0.0), replace(sample(2), temperature=0.0))
    figures = {
        "text": reading,
        "suites": {**candidate().suites, "quiz": guessing(28, 30)},
        "samples": (*(candidate().samples or ()), *greedy),
    }
    return candidate(**(figures | changed))


def test_whatever_no_criterion_asks_for_is_named_and_greedy_loops_come_first():
    assert open_points(weak()) == [
        "Greedy decoding, of 2 prompts: 1 loop.",
        "accuracy_top1: 0.3, n = 100 misses the target of 0.3.",
        "accuracy_top5: 0.55 [0.54–0.56], n = 100 misses the target of 0.6.",
        "quiz, in points: 29 [23.4–35.7], n = 200 is not above guessing (best baseline 30).",
        "mmlu_cs was not measured: missing part (weight 0.2) of the weighted score counts as 0.",
    ]
    assert open_points(weak(failed="broken")) == []


def test_what_a_criterion_asks_for_is_covered_by_it():
    gate = replace(
        GATE,
        accuracy_min={"accuracy_top1": 0.30, "accuracy_top5": 0.50},
        suites=(*GATE.suites, SuiteLimit(name="quiz", above_guessing=True)),
        generation_greedy="gate",
    )
    found = open_points(weak(mmlu_cs=estimate(0.3)), gate)
    assert found == ["accuracy_top5: 0.55 [0.54–0.56], n = 100 misses the target of 0.6."]
    acceptance = accept(weak(), gate)
    assert acceptance.accepted is False
    passed = {name: each.passed for name, each in acceptance.criteria.items()}
    assert passed["accuracy_top1"] is False, "limits are strict"
    assert passed["accuracy_top5"] is True
    assert passed["suite:quiz"] is False
    unread = accept(weak(text=None), gate).criteria["accuracy_top1"]
    assert (unread.passed, unread.value, unread.limit) == (None, None, 0.30)


@pytest.mark.parametrize(
    ("counts", "categories", "passed", "marginal"),
    [
        ((28, 30), (), False, False),
        ((36, 36), (), False, True),  # 0.36 is above 0.3, its interval is not
        ((45, 45), (), True, False),
        ((45, 45), ("facts",), False, True),  # the best of another constant is 0.4 there
        ((60, 20), ("facts",), True, False),
    ],
)
def test_the_whole_interval_must_be_above_the_best_baseline(counts, categories, passed, marginal):
    limit = SuiteLimit(name="quiz", categories=categories, above_guessing=True)
    measured = candidate(suites={"quiz": guessing(*counts)})
    found = accept(measured, Gate(source="x", suites=(limit,))).criteria["suite:quiz"]
    assert (found.passed, found.marginal) == (passed, marginal)
    assert found.limit == pytest.approx(0.4 if categories else 0.3)


def test_a_minimum_and_guessing_are_one_criterion():
    limit = SuiteLimit(name="quiz", min=0.35, above_guessing=True)
    gate = Gate(source="x", suites=(limit,))
    found = accept(candidate(suites={"quiz": guessing(36, 36)}), gate).criteria["suite:quiz"]
    assert (found.passed, found.limit) == (False, 0.3), "the limit that it misses"
    assert found.reasons[0].kind == "suite_passes"
    assert found.reasons[-1].kind == "at_guessing"
    unknown = replace(guessing(45, 45), baseline=None, baselines=())
    found = accept(candidate(suites={"quiz": unknown}), gate).criteria["suite:quiz"]
    assert found.passed is None, "a report of before has no baseline"
