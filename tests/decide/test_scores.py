"""The weighted score against sums made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.decide.scores import weigh
from assay.measures.os_benchmark import os_average
from assay.types import Estimate
from tests.decide.candidates import candidate, estimate, os_suite, right, speed, suite, text


def test_the_specification_s_example_scores_as_its_formula_says():
    # 0.4·10/18.5 + 0.3·(0.82 + 0.75 + 0.88)/3 + 0.2·0.42 + 0.1·32.5/50
    #   = 0.216216 + 0.245 + 0.084 + 0.065 = 0.610216
    measured = candidate(
        text=text(18.5),
        suites={"os": os_suite(82, 75, 88)},
        mmlu_cs=estimate(0.42),
        speed=speed(32.5),
    )
    score = weigh(measured)
    assert score.value == pytest.approx(0.610216, abs=5e-7)
    assert score.missing == ()
    parts = {"perplexity": 0.216216, "os_benchmark": 0.245, "mmlu_cs": 0.084, "speed": 0.065}
    assert score.adds == pytest.approx(parts, abs=5e-7)


def test_a_missing_part_adds_nothing_and_is_named():
    # 0.3·0.85 + 0.1·31/50 = 0.255 + 0.062
    score = weigh(candidate(text=None))
    assert score.value == pytest.approx(0.317)
    assert score.missing == ("perplexity", "mmlu_cs")


def test_nothing_measured_is_no_score_and_not_zero():
    score = weigh(candidate(text=None, suites={}, speed=None))
    assert score.value is None
    assert score.missing == ("perplexity", "os_benchmark", "mmlu_cs", "speed")


def test_a_score_of_zero_is_a_score():
    score = weigh(candidate(text=None, suites={"os": os_suite(0, 0, 0)}, speed=None))
    assert score.value == 0.0
    assert "os_benchmark" not in score.missing


def test_nothing_is_capped():
    # 0.4·10/2 + 0.1·500/50 = 2 + 1
    assert weigh(candidate(text=text(2.0), suites={}, speed=speed(500.0))).value == pytest.approx(3)


def test_the_average_needs_all_three_tasks_and_leaves_installation_out():
    tasks = {"hardware_id": right(80), "driver_select": right(70), "command_complete": right(60)}
    whole = os_average(candidate(suites={"os": suite({**tasks, "installation": right(0)})}))
    assert whole is not None
    assert whole.value == pytest.approx(0.70)
    assert whole.n == 300
    del tasks["driver_select"]
    assert os_average(candidate(suites={"os": suite(tasks)})) is None
    assert weigh(candidate(suites={"os": suite(tasks)})).missing == ("os_benchmark", "mmlu_cs")


def test_a_checkpoint_that_failed_has_no_parts():
    score = weigh(candidate(failed="broken"))
    assert score.value is None
    assert score.missing == ("perplexity", "os_benchmark", "mmlu_cs", "speed")


def test_the_weighted_score_has_the_interval_of_its_parts():
    measured = replace(
        candidate("run/step_1"),
        text=None,
        mmlu_cs=Estimate(
            value=0.5, low=0.4, high=0.7, n=100, unscored=0, unit="share", method="wilson"
        ),
    )
    measured = replace(measured, suites={}, speed=None)
    found = weigh(measured).estimate
    assert found is not None
    assert found.value == pytest.approx(0.2 * 0.5)
    assert found.low == pytest.approx(0.2 * 0.4)
    assert found.high == pytest.approx(0.2 * 0.7)
    assert weigh(replace(measured, mmlu_cs=None)).estimate is None


def test_a_part_of_perplexity_is_turned_round():
    measured = candidate("run/step_1")
    text = measured.text
    assert text is not None
    found = weigh(replace(measured, suites={}, mmlu_cs=None, speed=None)).estimate
    assert found is not None
    low, high = text.perplexity.low, text.perplexity.high
    assert found.low == pytest.approx(0.4 * 10 / high)
    assert found.high == pytest.approx(0.4 * 10 / low)
