"""The shape of curves over the steps of a run, the training loss beside them, and the outlook."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decide.advice.outlook import steps_to_reach
from assay.decide.trend.curves import StepCurve, Trend, trend
from assay.decide.trend.training import training_change
from assay.types import Estimate
from tests.decide.advice_cases import checkpoint, made, os_suite, run, speed, text

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
    assert curve.last is not None
    assert curve.last.estimate.value == pytest.approx(-0.1)
    low, high = curve.last.estimate.low, curve.last.estimate.high
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
        pytest.param({100: 4.0, 200: 3.5, 400: 3.5}, "flat", id="fell before, then not"),
        pytest.param({100: 4.0, 200: 3.504, 400: 3.5}, "flat", id="less than half a per cent"),
        pytest.param({100: 4.0, 200: 3.5, 400: 3.6}, "worsening", id="the last one rose"),
        pytest.param({100: 4.0, 200: 3.5, 400: 3.6, 800: 3.55}, "unstable", id="up and down"),
        pytest.param({100: 4.0, 200: 4.1, 400: 3.5, 800: 3.4}, "improving", id="a small bump"),
        pytest.param(
            # Last third of log(10..80): from 80 · (10/80)^(1/3) = 40 on: 3.50 to 3.488 counts,
            # although no single step of it does.
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


def test_a_bump_long_ago_is_forgotten() -> None:
    losses = {1.0: 5.0, 2.0: 5.5, 3.0: 5.0, 4.0: 4.5, 5.0: 4.2, 6.0: 4.0, 7.0: 3.9, 8.0: 3.8}
    assert curve_of(losses).shape == "improving"
    recent = {step: losses[step] for step in (1.0, 2.0, 3.0, 4.0)}
    assert curve_of(recent).shape == "unstable"


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


def test_where_tokenizers_differ_bits_per_byte_are_compared() -> None:
    steps = [
        checkpoint(1, text=text(4.0)),
        checkpoint(2, text=text(3.5, tokenizer="other")),
        checkpoint(3, text=text(3.0)),
    ]
    found = trend(steps)
    assert found is not None
    assert "perplexity" not in found.curves
    curve = found.curves["bits_per_byte"]
    # 3.0 and 3.5 nats at 4 bytes per token: 0.5 / ln 2 / 4 = 0.180 bits per byte less.
    assert curve.last is not None
    assert curve.last.estimate.value == pytest.approx(-0.5 / math.log(2) / 4)
    assert (curve.shape, found.text) == ("improving", curve)


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
    curve = found.suite("os")
    assert curve is not None
    assert curve.shape == "improving"
    assert curve.last is not None
    assert curve.last.estimate.value == pytest.approx(10.0)


def test_suites_without_scores_by_test_are_compared_by_their_intervals() -> None:
    steps = [
        checkpoint(step, suites={"os": replace(os_suite(right, right, right, right), scores={})})
        for step, right in ((1, 50), (2, 52), (3, 90))
    ]
    found = trend(steps)
    assert found is not None
    assert found.curves["suite:os"].shape == "improving"
    assert trend(steps[:2]) is not None


def test_other_questions_are_not_compared() -> None:
    changed = replace(os_suite(90, 90, 90), digest="other")
    steps = [checkpoint(1, suites={"os": changed})]
    steps += [checkpoint(step, suites={"os": os_suite(50, 50, 50)}) for step in (2, 3, 4)]
    found = trend(steps)
    assert found is not None
    assert [point.step for point in found.curves["suite:os"].points] == [2, 3, 4]


def test_the_weighted_score_rises_where_perplexity_falls() -> None:
    """On perplexity, mmlu_cs and speed: 0.4 · 10/e^4 + 0.2 · 0.25 + 0.1 · 100/50 at first."""
    found = trend(run({1000: 4.0, 2000: 3.0, 4000: 2.0}, speed=speed(100)))
    assert found is not None
    curve = found.curves["weighted_score"]
    first, last = curve.points[0].value, curve.points[-1].value
    assert first.value == pytest.approx(4 / math.exp(4.0) + 0.05 + 0.2)
    assert last.value == pytest.approx(4 / math.exp(2.0) + 0.05 + 0.2)
    # Its interval: 4/e^2 has −0.8·/1.25, mmlu ±0.05·0.2, speed ±1 %·0.2, added in squares.
    part = 4 / math.exp(2.0)
    assert last.value is not None
    assert last.low == pytest.approx(
        last.value - math.hypot(part - part / 1.25, 0.2 * 0.05, 0.1 * 1 / 50)
    )
    assert curve.last is not None
    assert curve.last.gain == pytest.approx(4 / math.exp(2.0) - 4 / math.exp(3.0))
    assert curve.shape == "improving"


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
    assert found.training_at_end == 2.5


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
    assert (change.values_before, change.values_after, change.falls) == (30, 30, False)
    calm = {step: 3.0 - step / 600 for step in jumping}
    quiet = training_change(calm, 60, 120)
    assert quiet is not None
    assert quiet.falls


# ------------------------------------------------------------------------------------ the outlook


def test_steps_to_a_limit_by_hand() -> None:
    """4.0, 3.9, 3.8 at 1000, 2000, 4000: a tenth of a nat per doubling, so 3.7 is one doubling
    away, 4000 more steps, by both straight lines; a fifth less is 3200. The power law is slower:
    its exponent is ln(4.0/3.8)/ln 4 = 0.0370, so it takes (3.8/3.7)^(1/0.0370) = 2.056 times the
    steps, 4225 more, and a quarter on top is 5280.
    """
    outlook = steps_to_reach(curve_of(FALLING), math.exp(3.7))
    assert outlook is not None
    assert outlook.at == 4000
    assert outlook.low == pytest.approx(3200, rel=1e-6)
    power = math.log(4.0 / 3.8) / math.log(4)
    slowest = 4000 * ((3.8 / 3.7) ** (1 / power) - 1)
    assert outlook.high == pytest.approx(1.25 * slowest, rel=1e-2)


def test_a_curve_that_slows_down_widens_the_range() -> None:
    slowing = curve_of({1000: 4.0, 2000: 3.88, 4000: 3.8})
    outlook = steps_to_reach(slowing, math.exp(3.75))
    assert outlook is not None
    assert outlook.low is not None
    assert outlook.high is not None
    # The last two fall 0.08 in a doubling: 0.05 takes 2^(0.05/0.08) = 1.542, 2170 more steps.
    assert outlook.high == pytest.approx(1.25 * 4000 * (2 ** (0.05 / 0.08) - 1), rel=1e-6)
    assert outlook.low < 4000 * (2 ** (0.05 / 0.1) - 1)


def test_a_limit_too_far_away_is_not_promised() -> None:
    outlook = steps_to_reach(curve_of(FALLING), math.exp(3.0))
    assert outlook is not None
    assert (outlook.low, outlook.high) == (None, None)


def test_where_only_the_quickest_line_gets_there_only_a_least_is_given() -> None:
    # A doubling a tenth: 3.615 takes 2^1.85 = 3.6 times the steps; · 1.25 is beyond four times.
    outlook = steps_to_reach(curve_of(FALLING), math.exp(3.615))
    assert outlook is not None
    assert outlook.low is not None
    assert outlook.high is None


def test_a_curve_that_has_bent_promises_nothing() -> None:
    """137, 50.4 and 46.8 at steps 160, 3200 and 8000, as the shipped checkpoints read: the last two
    fall by 0.0747/ln 2.5 = 0.082 nats per e-fold, all three by 0.29. To 34 it is ln(46.8/34) = 0.32
    nats, e^3.9 times the steps; to 45 the 1.6 times that the last two need could be twice as many.
    """
    losses = {160: math.log(137.06), 3200: math.log(50.383), 8000: math.log(46.758)}
    bent = curve_of(losses)
    far = steps_to_reach(bent, 34.0)
    assert far is not None
    assert (far.low, far.high) == (None, None)
    assert steps_to_reach(bent, 45.0) is None


def test_points_off_the_line_give_no_outlook() -> None:
    scattered = curve_of({1000: 4.0, 1100: 3.4, 4000: 3.38})
    assert scattered.shape == "improving"
    assert steps_to_reach(scattered, math.exp(3.3)) is None


def test_a_curve_that_does_not_fall_has_no_outlook() -> None:
    assert steps_to_reach(curve_of({1: 4.0, 2: 3.5, 4: 3.5}), math.exp(3.0)) is None
    assert steps_to_reach(curve_of(FALLING), math.exp(3.9)) is None  # reached already


@given(
    slope=st.floats(0.01, 1.0),
    first=st.floats(10, 1e5),
    growth=st.floats(1.2, 4.0),
    gap=st.floats(0.01, 2.0),
)
@settings(max_examples=60, deadline=None)
def test_never_more_than_four_times_the_steps_are_promised(
    slope: float, first: float, growth: float, gap: float
) -> None:
    steps = [first * growth**place for place in range(4)]
    losses = [6.0 - slope * math.log(step / first) for step in steps]
    curve = curve_of(dict(zip(steps, losses, strict=True)))
    outlook = steps_to_reach(curve, math.exp(losses[-1] - gap))
    if outlook is None:
        assert curve.shape != "improving" or losses[-1] - gap <= 0
        return
    for more in (outlook.low, outlook.high):
        assert more is None or 0 < more <= 3.0001 * steps[-1]
    # On a straight line the truth is known, and lies in the range.
    true = steps[-1] * (math.exp(gap / slope) - 1)
    if outlook.low is not None and outlook.high is not None:
        assert outlook.low <= true <= outlook.high


def test_an_estimate_of_one_observation_has_no_interval_and_never_counts() -> None:
    def bare(value: float) -> Estimate:
        return made(value, None, None, n=1)

    steps = [
        checkpoint(step, suites={"os": replace(os_suite(5, 5, 5), score=bare(value), scores={})})
        for step, value in ((1, 10.0), (2, 50.0), (3, 90.0))
    ]
    found = trend(steps)
    assert found is not None
    assert found.curves["suite:os"].shape == "unclear"


@pytest.mark.parametrize(("before", "shape"), [(2, "improving"), (9, "unclear")])
def test_of_many_changes_one_may_go_far_by_chance(before: int, shape: str) -> None:
    """Scores known to ±5 points differ by 9.2: 1.3 times the √2 · 5 of a single comparison. Of
    three changes that counts (z = 2.394, 1.22 times), of ten it does not (z = 2.807, 1.43 times).
    """
    values = [50.0] * before + [59.2]
    steps = [
        checkpoint(
            step,
            suites={
                "os": replace(os_suite(5, 5, 5), score=made(value, value - 5, value + 5), scores={})
            },
        )
        for step, value in enumerate(values, 1)
    ]
    found = trend(steps)
    assert found is not None
    assert found.curves["suite:os"].shape == shape
