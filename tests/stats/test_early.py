"""Deciding what a full suite says from part of it."""

import random
from fractions import Fraction

import numpy as np
import pytest
from benchmarks.early_decision import ask_in_orders, graded, right_and_wrong

from assay.stats.early import Race, ScorePair, SuiteMean, decide_in_full, interval

HALF = Fraction(1, 2)
MANY = 10_000


def of(*scores: float) -> list[ScorePair]:
    return [ScorePair(score, score) for score in scores]


def raced(mean: SuiteMean, scores: list[ScorePair]) -> Race:
    race = Race(mean)
    for score in scores:
        race.feed(score)
    return race


@pytest.mark.parametrize("size", [100, 300])
def test_at_the_limit_at_most_one_order_in_twenty_is_wrong(size: int) -> None:
    mean = SuiteMean(size=size, limit=HALF, whole=True)
    failing = ask_in_orders(right_and_wrong(size, 0.5), mean, orders=MANY)
    passing = ask_in_orders(right_and_wrong(size, 0.5 + 1 / size), mean, orders=MANY)
    assert not failing.full
    assert failing.wrong <= 0.05
    assert passing.full
    assert passing.wrong <= 0.05


@pytest.mark.parametrize("share", [0.7, 0.7 + 1e-6])
def test_graded_scores_at_the_limit_are_wrong_in_at_most_one_order_in_twenty(share: float) -> None:
    found = ask_in_orders(
        graded(100, share), SuiteMean(size=100, limit=Fraction(7, 10)), orders=MANY
    )
    assert found.wrong <= 0.05


@pytest.mark.parametrize(
    ("size", "distance", "most"),
    [(300, 0.15, 0.25), (1000, 0.15, 0.10), (300, 0.10, 0.40), (100, 0.15, 0.50)],
)
def test_a_clear_suite_is_decided_by_part_of_its_tests(
    size: int, distance: float, most: float
) -> None:
    mean = SuiteMean(size=size, limit=HALF, whole=True)
    for side in (distance, -distance):
        found = ask_in_orders(right_and_wrong(size, 0.5 + side), mean, orders=500)
        assert found.share <= most


def test_limits_are_exact_fractions() -> None:
    mean = SuiteMean(size=100, limit=Fraction("0.29"), whole=True)
    assert mean.sums == (29.0, 70.0)
    assert decide_in_full(mean, of(*[1.0] * 29, *[0.0] * 71)) is False
    assert decide_in_full(mean, of(*[1.0] * 30, *[0.0] * 70)) is True


def test_a_mean_at_the_limit_fails() -> None:
    scores = of(*[0.5] * 10)
    assert decide_in_full(SuiteMean(size=10, limit=HALF), scores) is False


def test_the_last_test_always_decides() -> None:
    for seed in range(50):
        drawn = random.Random(seed)
        scores = [float(drawn.random() < 0.55) for _ in range(40)]
        mean = SuiteMean(size=40, limit=HALF, whole=True)
        assert raced(mean, of(*scores)).passes is not None


def test_what_is_certain_is_decided_without_any_bet() -> None:
    mean = SuiteMean(size=10, limit=HALF, whole=True)
    race = Race(mean, accept_at=1e-12, reject_at=1e-12)
    for number in range(1, 7):
        race.feed(ScorePair(1.0, 1.0))
        assert race.passes is (True if number == 6 else None)


def test_a_test_without_a_score_counts_against_whichever_side_is_to_be_proved() -> None:
    mean = SuiteMean(size=10, limit=HALF, whole=True)
    missing = ScorePair(0.0, 1.0)
    assert decide_in_full(mean, [*of(*[1.0] * 6, *[0.0] * 3), missing]) is True
    assert decide_in_full(mean, [*of(*[1.0] * 5, *[0.0] * 4), missing]) is None
    assert decide_in_full(mean, [*of(*[1.0] * 4, *[0.0] * 5), missing]) is False


def test_the_interval_holds_the_mean_of_the_full_suite_whenever_it_is_read() -> None:
    size, missed = 60, 0
    for seed in range(200):
        scores = list(right_and_wrong(size, 0.6))
        random.Random(seed).shuffle(scores)
        mean = SuiteMean(size=size, limit=HALF, whole=True)
        ends = [interval(mean, of(*scores[:n])) for n in (10, 25, 40)]
        missed += any(not low - 1e-9 <= 0.6 <= high + 1e-9 for low, high in ends)
    assert missed <= 0.05 * 200


def test_the_interval_of_a_suite_asked_in_full_is_its_mean() -> None:
    scores = list(right_and_wrong(50, 0.4))
    random.Random(1).shuffle(scores)
    found = interval(SuiteMean(size=50, limit=HALF, whole=True), of(*scores))
    assert found == pytest.approx((0.4, 0.4))


def test_a_mean_far_from_the_limit_narrows_its_interval_with_every_test() -> None:
    scores = list(np.random.default_rng(2).permutation(right_and_wrong(200, 0.8)))
    mean = SuiteMean(size=200, limit=HALF, whole=True)
    widths = [high - low for low, high in (interval(mean, of(*scores[:n])) for n in (20, 60, 120))]
    assert widths == sorted(widths, reverse=True)
