"""How far a judge is from known scores, on cases worked out by hand."""

from __future__ import annotations

import pytest

from assay.judge.calibration import deviation_of
from assay.types.judging.judgements import (
    CriterionScore,
    Deviation,
    Judgement,
    Rubric,
    RubricCriterion,
    ScoredExample,
)


def rubric_of(*known: tuple[int, int]) -> Rubric:
    """Two criteria, of six and four tenths."""
    return Rubric(
        name="r",
        title="R",
        version=1,
        criteria=tuple(
            RubricCriterion(key=key, label=key, weight=weight, anchors=(), questions=("?",))
            for key, weight in (("x", 6), ("y", 4))
        ),
        examples=tuple(
            ScoredExample(id=str(number), test_id="T", answer="a", scores={"x": x, "y": y}, why="")
            for number, (x, y) in enumerate(known)
        ),
    )


def said(*scores: int) -> Judgement:
    return Judgement(
        judge="j",
        fingerprint="f",
        form="reasoned",
        scores=tuple(
            CriterionScore(criterion=key, score=score)
            for key, score in zip("xy", scores, strict=False)
        ),
        unscored_reason=None if scores else "unreadable",
    )


def of(rubric: Rubric, *judgements: Judgement) -> Deviation:
    judged = {str(number): one for number, one in enumerate(judgements)}
    found = deviation_of(rubric, judged, judge="j")
    assert found is not None
    return found


def test_a_perfect_judge_deviates_by_nothing() -> None:
    found = of(rubric_of((9, 9), (5, 6), (1, 0)), said(9, 9), said(5, 6), said(1, 0))
    assert (found.mean_absolute, found.bias, found.within_one) == (0, 0, 3)
    assert (found.n, found.unscored, found.same_band) == (3, 0, 3)
    assert found.spearman == pytest.approx(1)


def test_points_bands_and_order_are_counted_on_the_overall_score() -> None:
    # known 9.0, 5.0, 1.0; said 9.6, 7.0, 4.0: off by 0.6, 2.0, 3.0
    found = of(rubric_of((9, 9), (5, 5), (1, 1)), said(10, 9), said(7, 7), said(4, 4))
    assert found.mean_absolute == pytest.approx(5.6 / 3)
    assert found.bias == pytest.approx(5.6 / 3)
    assert (found.within_one, found.same_band) == (1, 1)


def test_too_kind_and_too_strict_cancel_in_the_bias_alone() -> None:
    found = of(rubric_of((4, 4), (6, 6)), said(6, 6), said(4, 4))
    assert found.bias == 0
    assert found.mean_absolute == pytest.approx(2)


def test_exactly_one_point_off_is_within_one() -> None:
    assert of(rubric_of((5, 5)), said(6, 6)).within_one == 1


def test_what_is_unscored_or_missing_is_counted_and_takes_part_in_nothing() -> None:
    found = of(rubric_of((9, 9), (5, 5), (1, 1)), said(9, 9), said())
    assert (found.n, found.unscored) == (1, 2)
    assert found.mean_absolute == 0
    assert found.spearman is None


def test_a_judge_who_gives_everything_the_same_has_no_order() -> None:
    found = of(rubric_of((9, 9), (5, 5), (1, 1)), said(7, 7), said(7, 7), said(7, 7))
    assert found.spearman is None
    assert found.bias == pytest.approx(2)


def test_nothing_scored_has_no_figures() -> None:
    found = of(rubric_of((9, 9)))
    assert (found.mean_absolute, found.bias, found.spearman, found.n) == (None, None, None, 0)


def test_a_rubric_without_examples_has_no_deviation() -> None:
    assert deviation_of(rubric_of(), {}, judge="j") is None


def test_form_and_leaving_out_are_told() -> None:
    found = deviation_of(rubric_of((9, 9)), {"0": said(9, 9)}, judge="j", form="likelihood")
    assert found is not None
    assert (found.form, found.left_one_out) == ("likelihood", True)


def test_distance_and_bias_have_intervals_over_the_examples() -> None:
    found = of(rubric_of((9, 9), (5, 5), (1, 1)), said(10, 10), said(3, 3), said(4, 4))
    assert found.mean_absolute == pytest.approx(2)
    assert found.mean_absolute_interval == pytest.approx((1, 3))
    assert found.bias_interval == pytest.approx((-2, 3))


def test_deviations_that_do_not_differ_have_no_interval() -> None:
    found = of(rubric_of((9, 9), (5, 5)), said(10, 10), said(6, 6))
    assert (found.mean_absolute, found.mean_absolute_interval) == (1, None)
    assert of(rubric_of((9, 9)), said(8, 8)).bias_interval is None
