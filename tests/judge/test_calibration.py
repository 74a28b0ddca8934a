"""The monotone map from likelihoods to points, on hand-made examples and against its laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.judge.calibration import (
    UNCALIBRATED,
    Calibration,
    calibrated,
    fit,
    fit_knots,
    left_one_out,
)
from assay.types.judging.judgements import (
    CriterionScore,
    Judgement,
    Rubric,
    RubricCriterion,
    ScoredExample,
)

shares = st.floats(0, 1, allow_nan=False)
points = st.integers(0, 10)
some_pairs = st.lists(st.tuples(shares, points), max_size=12)


def rubric_of(**scores: int) -> Rubric:
    return Rubric(
        name="r",
        title="R",
        version=1,
        criteria=(RubricCriterion(key="c", label="C", weight=10, anchors=(), questions=("?",)),),
        examples=tuple(
            ScoredExample(id=name, test_id="T", answer=name, scores={"c": score}, why="")
            for name, score in scores.items()
        ),
    )


def judged(raw: float | None) -> Judgement:
    scores = () if raw is None else (CriterionScore(criterion="c", score=0, raw=raw),)
    return Judgement(
        judge="j",
        fingerprint="f",
        form="likelihood",
        scores=scores,
        unscored_reason=None if scores else "failed",
    )


# ------------------------------------------------------------------------------------- the curve


def fit_curve(pairs: Sequence[tuple[float, float]]) -> Callable[[float], float]:
    return partial(Calibration(knots={"c": fit_knots(pairs)}).points, "c")


def test_without_examples_points_are_ten_times_the_likelihood() -> None:
    assert fit_curve([])(0.73) == pytest.approx(7.3)
    assert UNCALIBRATED.score("c", 0.73) == 7
    assert "Not calibrated" in UNCALIBRATED.sentence


def test_points_in_order_are_met_and_joined_by_straight_lines() -> None:
    curve = fit_curve([(0.8, 2), (0.9, 8)])
    assert curve(0.8) == 2
    assert curve(0.9) == 8
    assert curve(0.85) == pytest.approx(5)


def test_beyond_the_examples_the_curve_goes_on_to_both_ends() -> None:
    curve = fit_curve([(0.8, 2), (0.9, 8)])
    assert curve(0.4) == pytest.approx(1)
    assert curve(0.95) == pytest.approx(9)
    assert (curve(0.0), curve(1.0)) == (0, 10)


def test_examples_in_the_wrong_order_are_pooled() -> None:
    # 6 then 3 violate the order: both become 4.5; 9 stays.
    knots = fit_knots([(0.2, 6), (0.5, 3), (0.8, 9)])
    assert knots == ((0.0, 0.0), (0.2, 4.5), (0.5, 4.5), (0.8, 9.0), (1.0, 10.0))


def test_pooling_goes_back_as_far_as_it_must() -> None:
    # 4 5 | 0: the last drags both before it down to their common mean of 3.
    curve = fit_curve([(0.1, 4), (0.2, 5), (0.3, 0)])
    assert [curve(raw) for raw in (0.1, 0.2, 0.3)] == [3.0, 3.0, 3.0]


def test_equal_likelihoods_share_the_mean_of_their_points() -> None:
    assert fit_curve([(0.5, 2), (0.5, 8)])(0.5) == 5


def test_one_example_still_leaves_a_scale() -> None:
    curve = fit_curve([(0.9, 5)])
    assert [curve(raw) for raw in (0.0, 0.45, 0.9, 0.95, 1.0)] == pytest.approx(
        [0, 2.5, 5, 7.5, 10]
    )


def test_examples_at_the_ends_keep_their_points() -> None:
    curve = fit_curve([(0.0, 3), (1.0, 7)])
    assert (curve(0.0), curve(0.5), curve(1.0)) == (3, 5, 7)


@settings(max_examples=60, deadline=None)
@given(some_pairs, shares, shares)
def test_more_likelihood_never_means_fewer_points(
    pairs: list[tuple[float, int]], one: float, other: float
) -> None:
    curve = fit_curve(pairs)
    low, high = sorted((one, other))
    assert curve(low) <= curve(high) + 1e-9
    assert 0 <= curve(low) <= 10
    scale = Calibration(knots={"c": fit_knots(pairs)})
    assert scale.score("c", low) <= scale.score("c", high)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(shares, points), min_size=1, max_size=12))
def test_no_other_monotone_curve_of_equal_steps_is_nearer(pairs: list[tuple[float, int]]) -> None:
    """Pooled points have the mean of what they stand for: the curve has no bias on its examples."""
    curve = fit_curve(pairs)
    fitted = math.fsum(curve(raw) for raw, _ in pairs)
    assert fitted == pytest.approx(sum(known for _, known in pairs), abs=1e-6)


# ------------------------------------------------------------------------------------- whole points


@pytest.mark.parametrize(
    ("raw", "score"), [(0.0, 0), (0.049, 0), (0.05, 1), (0.65, 7), (0.949, 9), (0.95, 10), (1, 10)]
)
def test_points_are_rounded_half_up(raw: float, score: int) -> None:
    assert UNCALIBRATED.score("c", raw) == score


def test_half_a_point_from_thirds_is_rounded_up() -> None:
    assert Calibration(knots={"c": ((0.0, 0.0), (1.0, 10.0))}).score("c", 0.65) == 7
    third_steps = sum([0.1] * 3) / 2  # 0.15000000000000002 and its like must not matter
    assert UNCALIBRATED.score("c", third_steps) == 2


# -------------------------------------------------------------------------------------- a rubric


def test_a_calibration_is_that_of_one_judge_and_rubric() -> None:
    rubric = rubric_of(low=1, high=9)
    found = fit(rubric, {"low": judged(0.7), "high": judged(0.9)})
    assert found.examples == 2
    assert found.score("c", 0.7) == 1
    assert found.score("c", 0.8) == 5
    assert "2 scored examples" in found.sentence


def test_examples_that_were_not_scored_do_not_count() -> None:
    rubric = rubric_of(low=1, high=9)
    assert fit(rubric, {"low": judged(0.7), "high": judged(None)}).examples == 1
    assert fit(rubric, {}) == UNCALIBRATED


def test_a_judgement_moves_to_the_scale_with_its_likelihood_kept() -> None:
    rubric = rubric_of(low=1, high=9)
    scale = fit(rubric, {"low": judged(0.7), "high": judged(0.9)})
    before = replace(judged(0.9), explanation=f"{UNCALIBRATED.sentence} Something else.")
    moved = calibrated(before, scale)
    assert moved.scores == (CriterionScore(criterion="c", score=9, raw=0.9),)
    assert moved.explanation == f"{scale.sentence} Something else."


def test_a_written_judgement_has_no_scale() -> None:
    written = Judgement(
        judge="j",
        fingerprint="f",
        form="reasoned",
        scores=(CriterionScore(criterion="c", score=4),),
    )
    assert calibrated(written, Calibration(examples=3)) == written


def test_each_example_is_left_out_of_its_own_scale() -> None:
    rubric = rubric_of(a=2, b=6, c=8)
    said = {"a": judged(0.2), "b": judged(0.5), "c": judged(0.8)}
    found = left_one_out(rubric, said)
    # without b the curve runs straight from (0.2, 2) to (0.8, 8)
    assert found["b"].score_of("c") == 5
    # without a: from (0, 0) to (0.5, 6)
    assert found["a"].score_of("c") == 2
    # without c: from (0.5, 6) to (1, 10), 8.4 at 0.8
    assert found["c"].score_of("c") == 8
