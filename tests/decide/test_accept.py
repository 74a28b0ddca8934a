"""Every limit of a gate against figures worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decide.accept import accept
from assay.reports.checkpoints.facts import sentences
from assay.types import Health, HealthCheck, TokenizerFigures
from assay.types.decisions import (
    SIZE_CLASSES,
    Gate,
    MeasureLimits,
    SuiteLimit,
    size_class_of,
)
from assay.types.measured.samples import BY_RULE
from tests.decide.candidates import (
    GATE,
    OS,
    candidate,
    estimate,
    os_suite,
    right,
    sample,
    speed,
    suite,
    text,
)


def test_a_checkpoint_that_meets_every_limit_is_accepted_with_a_reason_for_each():
    # os: Wilson's low limits of 80, 90 and 85 of 100 are 0.7112, 0.8256 and 0.7672, so the mean's
    # is 0.85 - sqrt(0.0888² + 0.0744² + 0.0828²) / 3 = 0.803.
    found = accept(candidate(), GATE)
    assert found.accepted is True
    assert {name: sentences(each.reasons) for name, each in found.criteria.items()} == {
        "perplexity": "Perplexity 40 is below 50. Its 95 % interval is 39 to 41.",
        "os_benchmark": (
            "The categories of os have a mean of 0.85, above 0.7. "
            "Its 95 % interval is 0.803 to 0.883."
        ),
        "speed": "It writes 31 tokens per second, above 10. Its runs range from 30 to 32.",
        "generation": (
            "After none of 12 prompts do most samples loop, repeat themselves or write nonsense."
        ),
        "memory": "It takes 60 MB of memory, below 150.",
    }
    assert not any(each.marginal for each in found.criteria.values())
    assert {name: each.limit for name, each in found.criteria.items()} == {
        "perplexity": 50,
        "os_benchmark": 0.70,
        "speed": 10,
        "generation": 0,
        "memory": 150,
    }


# ------------------------------------------------------------------------------------------ limits


@pytest.mark.parametrize(
    ("parameters", "size_class"),
    [
        (49_999_999, "tiny"),
        (50_000_000, "small"),
        (149_999_999, "small"),
        (150_000_000, "medium"),
        (500_000_000, "large"),
    ],
)
def test_a_size_class_begins_at_its_number_of_parameters(parameters, size_class):
    assert size_class_of(parameters) == size_class


@pytest.mark.parametrize(
    ("size_class", "perplexity", "memory"),
    [("tiny", 50, 150), ("small", 30, 400), ("medium", 20, 1200), ("large", 15, 4000)],
)
def test_limits_depend_on_the_size_class_and_are_strict(size_class, perplexity, memory):
    at = accept(
        candidate(
            size_class=size_class,
            text=text(float(perplexity)),
            memory_mb=estimate(float(memory), n=1),
        ),
        GATE,
    )
    assert at.criteria["perplexity"].passed is False
    assert at.criteria["memory"].passed is False
    below = accept(
        candidate(
            size_class=size_class,
            text=text(perplexity - 0.01),
            memory_mb=estimate(memory - 0.01, n=1),
        ),
        GATE,
    )
    assert below.criteria["perplexity"].passed is True
    assert below.criteria["memory"].passed is True


def test_ten_tokens_a_second_are_not_above_ten():
    assert accept(candidate(speed=speed(10.0)), GATE).criteria["speed"].passed is False
    assert accept(candidate(speed=speed(10.01)), GATE).criteria["speed"].passed is True


def test_a_mean_that_is_above_the_limit_by_rounding_only_does_not_pass():
    # (0.6 + 0.7 + 0.8) / 3 is 0.7000000000000001 in binary.
    found = accept(candidate(suites={"os": os_suite(60, 70, 80)}), GATE).criteria["os_benchmark"]
    assert found.value is not None
    assert found.value > 0.70
    assert found.passed is False


@given(st.floats(0.01, 1e4), st.floats(0.01, 1e4))
def test_whatever_passes_below_a_limit_fails_above_it(value, limit):
    below = Gate(source="here", memory_max_mb=dict.fromkeys(GATE.memory_max_mb or {}, limit))
    above = Gate(source="here", speed_min=dict.fromkeys(GATE.speed_min or {}, limit))
    measured = candidate(memory_mb=estimate(value, n=1), speed=speed(value))
    of_memory = accept(measured, below).accepted
    of_speed = accept(measured, above).accepted
    if math.isclose(value, limit, rel_tol=1e-9):
        assert (of_memory, of_speed) == (False, False)
    else:
        assert of_memory is (value < limit)
        assert of_speed is (value > limit)


# ---------------------------------------------------------------------------------------- marginal


@pytest.mark.parametrize(
    ("value", "low", "high", "passed", "marginal"),
    [
        (49.0, 47.0, 49.9, True, False),
        (49.0, 47.0, 50.0, True, True),  # 50 itself would not pass
        (49.0, 47.0, 50.4, True, True),
        (50.5, 49.9, 51.0, False, True),
        (50.5, 50.0, 51.0, False, False),  # nothing in it would pass
        (50.0, 50.0, 50.0, False, False),
        (49.0, None, None, True, False),
        (50.5, 49.9, None, False, True),
    ],
)
def test_an_interval_across_the_limit_is_marginal_whether_it_passes_or_not(
    value, low, high, passed, marginal
):
    found = accept(candidate(text=text(value, low, high)), GATE).criteria["perplexity"]
    assert (found.passed, found.marginal) == (passed, marginal)
    assert ("marginal" in sentences(found.reasons)) is marginal


def test_a_marginal_reason_has_the_interval_and_enough_digits_to_see_the_side():
    found = accept(candidate(text=text(49.97, 49.1, 50.81)), GATE).criteria["perplexity"]
    assert sentences(found.reasons) == (
        "Perplexity 49.97 is below 50. "
        "This is marginal: its 95 % interval, 49.1 to 50.81, includes the limit."
    )


def test_runs_of_a_speed_measurement_across_the_limit_are_marginal():
    found = accept(candidate(speed=speed(9.5, 10.5, 10.7)), GATE).criteria["speed"]
    assert (found.passed, found.marginal) == (True, True)
    assert "its runs range from 9.5 to 10.7, across the limit" in sentences(found.reasons)


def test_the_interval_of_a_suite_is_that_of_the_mean_of_its_categories():
    # Wilson, n = 100: 0.70 [0.6042, 0.7811], 0.72 [0.6251, 0.7986], 0.74 [0.6463, 0.8160].
    # Mean 0.72; below: sqrt(0.0958² + 0.0949² + 0.0937²) / 3 = 0.0548, so low = 0.665 < 0.70.
    found = accept(candidate(suites={"os": os_suite(70, 72, 74)}), GATE).criteria["os_benchmark"]
    assert found.value == pytest.approx(0.72)
    assert (found.passed, found.marginal) == (True, True)
    assert "0.665 to 0.765" in sentences(found.reasons)
    # 90, 88 and 86 of 100: low is above 0.83, and nothing is marginal.
    clear = accept(candidate(suites={"os": os_suite(90, 88, 86)}), GATE).criteria["os_benchmark"]
    assert (clear.passed, clear.marginal) == (True, False)


# ------------------------------------------------------------------------------ missing, incomplete


def test_what_was_not_measured_is_unknown_and_the_noted_reason_is_given():
    measured = candidate(
        text=None,
        suites={},
        speed=None,
        samples=None,
        memory_mb=None,
        not_measured={"perplexity": "The text is empty.", "speed": "The process was killed."},
    )
    found = accept(measured, GATE)
    assert found.accepted is None
    assert {each.passed for each in found.criteria.values()} == {None}
    assert {each.value for each in found.criteria.values()} == {None}
    assert (
        sentences(found.criteria["perplexity"].reasons)
        == "Perplexity was not measured. The text is empty."
    )
    assert (
        sentences(found.criteria["speed"].reasons)
        == "Speed was not measured. The process was killed."
    )
    assert sentences(found.criteria["os_benchmark"].reasons) == "The suite os was not run."
    assert sentences(found.criteria["generation"].reasons) == "No sample was written."
    assert sentences(found.criteria["memory"].reasons) == "Memory was not measured."


def test_a_failed_criterion_refuses_whatever_is_unknown_beside_it():
    assert accept(candidate(text=text(60.0), speed=None), GATE).accepted is False


def test_a_category_that_was_not_run_leaves_the_suite_unknown_and_is_named():
    partly = suite({"hardware_id": right(90), "driver_select": right(90)})
    found = accept(candidate(suites={"os": partly}), GATE).criteria["os_benchmark"]
    assert (found.passed, found.value) == (None, None)
    assert sentences(found.reasons) == (
        "The suite os has no value: nothing was scored in command_complete."
    )


def test_an_incomplete_figure_can_fail_and_cannot_pass():
    # 6 of 106 are more than 5 %; 5 of 105 are not.
    passing = accept(candidate(suites={"os": os_suite(80, 80, 80, unscored=6)}), GATE)
    assert passing.criteria["os_benchmark"].passed is None
    assert passing.accepted is None
    assert "hardware_id is incomplete, 6 of 106" in sentences(
        passing.criteria["os_benchmark"].reasons
    )
    failing = accept(candidate(suites={"os": os_suite(60, 60, 60, unscored=6)}), GATE)
    assert failing.criteria["os_benchmark"].passed is False
    enough = accept(candidate(suites={"os": os_suite(80, 80, 80, unscored=5)}), GATE)
    assert enough.criteria["os_benchmark"].passed is True


def test_one_incomplete_category_is_enough_even_if_the_others_dilute_it():
    whole = os_suite(80, 80, 80)
    lacking = replace(whole.categories["driver_select"], unscored=10)  # 10 of 310 in all: 3 %
    partly = replace(whole, categories={**whole.categories, "driver_select": lacking})
    found = accept(candidate(suites={"os": partly}), GATE).criteria["os_benchmark"]
    assert found.passed is None
    assert "driver_select is incomplete, 10 of 110" in sentences(found.reasons)


def test_without_a_size_class_only_limits_that_are_alike_can_be_held():
    found = accept(candidate(parameters=None, size_class=None), GATE)
    assert found.criteria["perplexity"].passed is None
    assert found.criteria["perplexity"].value == 40
    assert found.criteria["perplexity"].limit is None
    assert sentences(found.criteria["perplexity"].reasons) == (
        "Its limit depends on the size class, and the number of parameters is not known."
    )
    assert found.criteria["memory"].passed is None
    assert found.criteria["speed"].passed is True
    assert found.accepted is None


def test_a_checkpoint_that_could_not_be_evaluated_is_neither_accepted_nor_refused():
    broken = candidate(
        text=None,
        suites={},
        speed=None,
        samples=None,
        memory_mb=None,
        failed="model.safetensors was cut off.",
    )
    found = accept(broken, GATE)
    assert found.accepted is None
    assert "could not be evaluated: model.safetensors was cut off." in (
        sentences(found.criteria["perplexity"].reasons)
    )
    assert accept(broken, Gate(source="an empty gate")).accepted is None


# -------------------------------------------------------------------------------------- generation


def with_samples(*changed, of=12):
    plain = [sample(number) for number in range(len(changed) + 1, of + 1)]
    return candidate(samples=(*changed, *plain))


def test_one_sample_that_loops_is_one_too_many():
    found = accept(with_samples(sample(1, "loop", "repetition")), GATE).criteria["generation"]
    assert (found.passed, found.value, found.limit) == (False, 1.0, 0.0)
    assert sentences(found.reasons) == (
        "Of 12 prompts 1 failed and 0 may: sample_001 (loop, repetition)."
    )


def test_as_many_failures_as_are_allowed_pass():
    measured = with_samples(sample(1, "loop"), sample(2, "nonsense"))
    two = accept(measured, replace(GATE, generation_max_failures=2)).criteria["generation"]
    one = accept(measured, replace(GATE, generation_max_failures=1)).criteria["generation"]
    assert (two.passed, one.passed) == (True, False)


def test_requests_that_failed_leave_it_open_unless_there_are_too_many_failures_already():
    unheard = with_samples(sample(1, failed="timeout"))
    found = accept(unheard, GATE).criteria["generation"]
    assert found.passed is None
    assert "After 1 prompt requests failed" in sentences(found.reasons)
    looping = with_samples(sample(1, failed="timeout"), sample(2, "loop"))
    assert accept(looping, GATE).criteria["generation"].passed is False


@pytest.mark.parametrize(
    ("judges", "overruled", "passed"),
    [
        ({"ollama:small": False}, True, None),
        ({"ollama:small": False}, False, True),
        ({"ollama:large": True}, True, True),
    ],
)
def test_a_judge_that_is_not_qualified_lets_nothing_pass_that_the_rule_calls_nonsense(
    judges, overruled, passed
):
    one = sample(1)
    rule = HealthCheck(name=BY_RULE, passed=not overruled, explanation="said so")
    judged = replace(one, health=Health(checks=(*one.health.checks, rule)))
    found = accept(replace(with_samples(judged), sample_judges=judges), GATE)
    assert found.criteria["generation"].passed is passed
    doubted = "not qualified (ollama:small)" in sentences(found.criteria["generation"].reasons)
    assert doubted is (passed is None)


def seeds(*found):
    """Three seeds of one prompt: what fails of each, and None for a request that failed."""
    return [
        replace(sample(1, failed="timeout") if fails is None else sample(1, *fails), seed=seed)
        for seed, fails in enumerate(found)
    ]


@pytest.mark.parametrize(
    ("found", "passed"),
    [
        ((["loop"], [], []), True),
        ((["loop"], ["nonsense"], []), False),
        ((["loop"], None, []), None),
        ((["loop"], ["loop"], None), False),
    ],
)
def test_a_prompt_fails_if_most_of_its_seeds_fail(found, passed):
    criterion = accept(with_samples(*seeds(*found)), GATE).criteria["generation"]
    assert criterion.passed is passed
    assert criterion.value == (passed is False)


def test_greedy_decoding_is_reported_and_decides_only_where_the_gate_says_so():
    greedy = [replace(sample(number, "loop"), temperature=0.0) for number in range(1, 10)]
    fine = [replace(sample(number), temperature=0.0) for number in range(10, 13)]
    measured = candidate(samples=(*map(sample, range(1, 13)), *greedy, *fine))
    reported = accept(measured, GATE).criteria["generation"]
    assert (reported.passed, reported.value) == (True, 0.0)
    assert "Greedy decoding, of 12 prompts: 9 loop." in sentences(reported.reasons)
    decides = accept(measured, replace(GATE, generation_greedy="gate")).criteria["generation"]
    assert (decides.passed, decides.value) == (False, 9.0)


def test_a_count_of_samples_is_never_marginal():
    assert not accept(with_samples(sample(1, "loop")), GATE).criteria["generation"].marginal


# ------------------------------------------------------------------------------------------- names


def test_any_suite_can_be_a_criterion_and_those_beside_os_come_last():
    gate = replace(
        GATE,
        suites=(
            SuiteLimit(name="birds", min=0.5),
            SuiteLimit(name="os", categories=OS, min=0.70),
        ),
    )
    birds = suite({"songs": right(80), "nests": right(40)})
    found = accept(candidate(suites={"os": os_suite(80, 80, 80), "birds": birds}), gate)
    assert list(found.criteria) == [
        "perplexity",
        "os_benchmark",
        "speed",
        "generation",
        "memory",
        "suite:birds",
    ]
    assert found.criteria["suite:birds"].value == pytest.approx(0.6)  # every category counts alike
    assert found.criteria["suite:birds"].passed is True


def test_what_a_gate_does_not_ask_for_is_no_criterion():
    found = accept(candidate(text=None), Gate(source="here", generation_max_failures=0))
    assert list(found.criteria) == ["generation"]
    assert found.accepted is True


def test_no_criterion_passes_that_rests_on_a_judge_that_is_not_qualified():
    judged = replace(os_suite(80, 90, 85), unqualified=("ollama:small",))
    found = accept(candidate(suites={"os": judged}), GATE)
    assert found.criteria["os_benchmark"].passed is None
    assert "a judge that is not qualified (ollama:small)" in sentences(
        found.criteria["os_benchmark"].reasons
    )
    assert found.accepted is None


def test_the_tokens_of_a_word_are_limited_in_the_source_that_has_most() -> None:
    gate = Gate(
        source="here", tables={"tokenizer": MeasureLimits(max=dict.fromkeys(SIZE_CLASSES, 3.0))}
    )
    cuts = tuple(
        TokenizerFigures(
            source=source,
            language=language,
            tokens_per_word=estimate(value, value - 0.1, value + 0.1, unit="tokens/word"),
            byte_tokens=estimate(0.0),
            changed_texts=estimate(0.0),
        )
        for source, language, value in (("os", "en", 1.4), ("ewe", "ewe", 4.2))
    )
    found = accept(candidate(tokenizer=cuts), gate).criteria["tokenizer"]
    assert (found.passed, found.value, found.limit) == (False, 4.2, 3.0)
    assert sentences(found.reasons).startswith("A word of ewe (ewe) has 4.2 tokens, not below 3.")
    fine = accept(candidate(tokenizer=cuts[:1]), gate)
    assert fine.accepted is True
    assert accept(candidate(), gate).criteria["tokenizer"].passed is None
