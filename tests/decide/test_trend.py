"""The shape of curves over the steps of a run and the training loss beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decide.trend import training_change, trend
from assay.stats.documents import BY_BLOCKS
from assay.types.trends import StepCurve, Trend
from tests.decide.advice_cases import checkpoint, os_suite, run, text

FALLING = {1000.0: 4.0, 2000.0: 3.9, 4000.0: 3.8}


def curve_of(losses: dict[float, float], measure: str = "perplexity") -> StepCurve:
    found = trend(run(losses))
    assert found is not None
    return found.curves[measure]


# ---------------------------------------------------------------------------------------- shapes


def test_a_fall_that_only_pairs_can_tell_is_a_fall() -> None:
    """Perplexities are known to about a fifth either way, so their intervals overlap by far; on
    the same blocks 3.9 to 3.8 nats is −0.1 ± 0.002.
    """
    curve = curve_of(FALLING)
    assert curve.shape == "improving"
    assert curve.change is not None
    assert curve.change.estimate.value == pytest.approx(-0.1)
    low, high = curve.change.estimate.low, curve.change.estimate.high
    assert low is not None
    assert high is not None
    assert -0.105 < low < -0.1 < high < -0.095
    a, b = (point.value for point in curve.points[-2:])
    assert b.high is not None
    assert a.low is not None
    assert b.high > a.low


def test_the_same_fall_cannot_be_told_where_the_blocks_were_not_kept() -> None:
    bare = [
        replace(each, text=replace(each.text, blocks=()))
        for each in run(FALLING)
        if each.text is not None
    ]
    found = trend(bare)
    assert found is not None
    assert found.curves["perplexity"].shape == "unclear"


@pytest.mark.parametrize(
    ("losses", "shape"),
    [
        pytest.param({100: 4.0, 200: 3.5}, "too_few", id="two steps"),
        pytest.param({100: 4.0, 200: 3.5, 400: 3.5}, "unproven", id="fell before, then not"),
        pytest.param(
            {10: 4.0, 15: 3.6, 20: 3.5, 25: 3.5, 30: 3.5}, "unproven", id="after thirty steps"
        ),
        pytest.param(
            {100: 4.0, 200: 3.5, 400: 3.5, 800: 3.5, 1600: 3.5}, "flat", id="twice doubled"
        ),
        pytest.param(
            {100: 4.0, 200: 3.504, 400: 3.502, 800: 3.5, 1600: 3.5},
            "flat",
            id="less than half a per cent",
        ),
        pytest.param({100: 4.0, 200: 3.5, 400: 3.6}, "worsening", id="the last one rose"),
        pytest.param({100: 4.0, 200: 3.5, 400: 3.6, 800: 3.55}, "worsening", id="up and down"),
        pytest.param({100: 4.0, 200: 4.1, 400: 3.5, 800: 3.4}, "improving", id="a small bump"),
        pytest.param(
            # From 50 on: 3.496 to 3.488 counts, although no single step of it does.
            {10: 4.0, 20: 3.7, 40: 3.5, 50: 3.496, 60: 3.492, 80: 3.488},
            "improving",
            id="little by little",
        ),
        pytest.param(
            {10: 4.0, 20: 3.7, 40: 3.488, 50: 3.492, 60: 3.496, 80: 3.5},
            "worsening",
            id="up little by little",
        ),
        pytest.param({0: 9.0, 10: 4.0, 100: 3.0}, "improving", id="from step 0"),
    ],
)
def test_the_shape_of_a_held_out_loss(losses: dict[float, float], shape: str) -> None:
    assert curve_of(losses).shape == shape


def test_blocks_of_one_document_prove_no_plateau() -> None:
    losses = {100: 4.0, 200: 3.5, 400: 3.5, 800: 3.5, 1600: 3.5}
    steps = [
        replace(
            each,
            text=replace(each.text, perplexity=replace(each.text.perplexity, method=BY_BLOCKS)),
        )
        for each in run(losses)
        if each.text is not None
    ]
    found = trend(steps)
    assert found is not None
    assert found.curves["perplexity"].shape == "unproven"


def test_noise_in_the_blocks_hides_a_change() -> None:
    noisy = [
        checkpoint(step, text=text(loss, jitter=0.5, seed=2 * place))
        for place, (step, loss) in enumerate(FALLING.items())
    ]
    found = trend(noisy)
    assert found is not None
    assert found.curves["perplexity"].shape == "unclear"


def test_one_block_tells_nothing() -> None:
    short = [
        checkpoint(step, text=text(loss, blocks=1)) for step, loss in ((1, 5.0), (2, 4.0), (3, 3.0))
    ]
    found = trend(short)
    assert found is not None
    assert found.curves["perplexity"].shape == "unclear"


def test_one_step_is_no_trend_and_final_has_none() -> None:
    assert trend([]) is None
    assert trend([checkpoint(1, text=text(3.0)), checkpoint(None, text=text(2.0))]) is None


def test_failed_checkpoints_and_final_are_left_out() -> None:
    steps = run(FALLING)
    more = [*steps, checkpoint(None, text=text(9.0)), checkpoint(8000, failed="cut off")]
    assert trend(more) == trend(steps)


@given(order=st.permutations(range(5)))
@settings(max_examples=20, deadline=None)
def test_the_order_of_checkpoints_never_matters(order: list[int]) -> None:
    steps = run({1: 5.0, 2: 4.5, 4: 4.2, 8: 4.25, 16: 4.1}, training_loss={4: 3.0, 16: 2.0})
    assert trend([steps[place] for place in order]) == trend(steps)


# ---------------------------------------------------------------------- what is compared with what


def test_only_those_that_read_the_text_of_the_last_one_are_compared() -> None:
    found = trend([checkpoint(1, text=text(1.0, name="another")), *run(FALLING)])
    assert found is not None
    assert [point.step for point in found.curves["perplexity"].points] == [*FALLING]


def test_suites_are_compared_test_by_test() -> None:
    """Ten more of 400 right each time, none lost: certain by McNemar, within all intervals."""
    steps = [
        checkpoint(step, suites={"os": os_suite(50 + gain, 50 + gain, 50 + gain, 50 + gain)})
        for step, gain in ((1, 0), (2, 10), (3, 20))
    ]
    found = trend(steps)
    assert found is not None
    curve = found.curves["suite:os"]
    assert curve.shape == "improving"
    assert curve.change is not None
    assert curve.change.estimate.value == pytest.approx(10.0)


def test_other_questions_are_not_compared() -> None:
    changed = replace(os_suite(90, 90, 90), digest="other")
    steps = [checkpoint(1, suites={"os": changed})]
    steps += [checkpoint(step, suites={"os": os_suite(50, 50, 50)}) for step in (2, 3, 4)]
    found = trend(steps)
    assert found is not None
    assert [point.step for point in found.curves["suite:os"].points] == [2, 3, 4]


# ----------------------------------------------------------------------------- the training figure


RISING = {1000.0: 4.0, 2000.0: 3.5, 4000.0: 3.6, 8000.0: 3.8}


def rising(**training: float) -> Trend:
    found = trend(run(RISING, training_loss={float(k[1:]): v for k, v in training.items()}))
    assert found is not None
    return found


def test_a_rise_alone_is_never_called_overfitting() -> None:
    found = rising()
    assert found.text is not None
    assert (found.text.shape, found.training) == ("worsening", None)


def test_held_out_up_and_training_down_since_the_lowest_step_is_overfitting() -> None:
    found = rising(s2000=3.2, s8000=2.5)
    assert found.text is not None
    assert found.text.shape == "overfitting"
    assert found.training is not None
    assert (found.training.since, found.training.until) == (2000, 8000)
    assert (found.training.before, found.training.after) == (3.2, 2.5)


def test_where_the_training_loss_rises_too_it_is_not_overfitting() -> None:
    found = rising(s2000=3.2, s8000=3.4)
    assert found.text is not None
    assert found.text.shape == "worsening"
    assert found.training is not None
    assert not found.training.falls


def test_a_training_loss_known_only_early_says_nothing_of_the_end() -> None:
    assert rising(s1000=4.0, s2000=3.2).training is None


def test_a_jumping_log_must_fall_by_more_than_it_jumps() -> None:
    """Losses jump by ±0.5, so that 30 of them have a standard deviation of 0.5 · √(30/29) = 0.509
    and their mean a standard error of 0.093. A fall of 0.1 is less than 1.96 · √2 · 0.093 = 0.257.
    """
    jumping = {float(s): (3.0 if s <= 60 else 2.9) + (0.5 if s % 2 else -0.5) for s in range(121)}
    change = training_change(jumping, 60, 120)
    assert change is not None
    assert change.before - change.after == pytest.approx(0.1)
    assert not change.falls
    calm = {step: 3.0 - step / 600 for step in jumping}
    quiet = training_change(calm, 60, 120)
    assert quiet is not None
    assert quiet.falls
