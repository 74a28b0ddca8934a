"""Ties among many candidates: who is left out, who is not, and what the best of many needs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.stats.ties import compare_all
from assay.types.score_units import FigureRow, UnitTable


def scores_of(random: np.random.Generator, units: int, shares: list[float]) -> UnitTable:
    return UnitTable(values=(random.random((units, len(shares))) < shares).astype(float))


def test_a_clear_loser_is_left_out_and_an_equal_one_is_not() -> None:
    random = np.random.default_rng(0)
    first, other = (random.random((2, 300)) < 0.8).astype(float)
    second = np.where(random.random(300) < 0.1, other, first)
    third = (random.random(300) < 0.4).astype(float)
    leads = compare_all([UnitTable(values=np.stack([first, second, third], axis=1))])
    assert leads.tied_with(0) == (1,)
    assert leads.by[0, 2] == pytest.approx(first.mean() - third.mean())
    assert leads.by[2, 0] == -leads.by[0, 2]


def test_two_candidates_need_about_the_lead_of_one_paired_test() -> None:
    random = np.random.default_rng(1)
    many = compare_all([UnitTable(values=random.normal(size=(400, 2)))])
    few = compare_all([UnitTable(values=random.normal(size=(12, 2)))])
    assert many.needed == pytest.approx(1.96, abs=0.15)
    assert few.needed == pytest.approx(stats.t.ppf(0.975, 11), abs=0.25)


def test_the_best_of_twenty_needs_a_longer_lead_than_the_better_of_two() -> None:
    random = np.random.default_rng(2)
    needed = [compare_all([scores_of(random, 200, [0.7] * m)]).needed for m in (2, 5, 20)]
    assert needed == sorted(needed)
    assert needed[-1] > 3.3


@pytest.mark.parametrize(("units", "candidates"), [(100, 5), (15, 5)])
def test_equal_candidates_are_rarely_left_out(units: int, candidates: int) -> None:
    kept = 0
    for number in range(300):
        random = np.random.default_rng(number)
        leads = compare_all([scores_of(random, units, [0.7] * candidates)], draws=500)
        best = int(leads.by.sum(axis=1).argmax())
        kept += len(leads.tied_with(best)) == candidates - 1
    assert kept >= 0.92 * 300


def test_equal_answers_are_a_tie_and_units_that_all_differ_are_not_certainty() -> None:
    same = compare_all([UnitTable(values=np.ones((50, 3)))])
    assert same.tied_with(0) == (1, 2)
    for units, tied in ((2, (1,)), (100, ())):
        table = np.stack([np.ones(units), np.zeros(units)], axis=1)
        assert compare_all([UnitTable(values=table)]).tied_with(0) == tied


def test_a_single_unit_makes_nothing_sure() -> None:
    one = UnitTable(values=np.array([[1.0, 0.0]]))
    many = UnitTable(values=np.stack([np.ones(200), np.zeros(200)], axis=1))
    assert compare_all([one]).tied_with(0) == (1,)
    assert compare_all([many, one]).tied_with(0) == (1,)


def test_documents_of_unequal_length_need_a_longer_lead() -> None:
    values = np.random.default_rng(3).normal(size=(40, 3))
    even = compare_all([UnitTable(values=values)])
    uneven = compare_all([UnitTable(values=values, freedom=4.0)])
    assert uneven.needed > 1.3 * even.needed


def test_figures_of_one_group_differ_in_nothing_and_others_by_their_errors() -> None:
    row = FigureRow(values=[1.0, 1.0, 0.2], errors=[0.1, 0.1, 0.1], freedom=4.0, groups=[0, 0, 1])
    leads = compare_all([row])
    assert leads.errors[0, 1] == 0.0
    assert leads.errors[0, 2] == pytest.approx(0.1 * 2**0.5)
    assert leads.tied_with(0) == (1,)


def test_the_same_data_give_the_same_leads() -> None:
    parts = [scores_of(np.random.default_rng(4), 60, [0.5, 0.6, 0.7]) for _ in range(2)]
    first, second = compare_all(parts), compare_all(parts)
    assert first.needed == second.needed
    assert compare_all(parts, seed=1).needed != first.needed


def test_parts_of_equal_length_are_drawn_apart() -> None:
    """Two halves that cancel out in one draw would leave no spread at all."""
    values = np.random.default_rng(5).normal(size=(100, 2))
    mirrored = np.flip(values, axis=1)
    leads = compare_all([UnitTable(values=values), UnitTable(values=mirrored)])
    assert leads.needed == pytest.approx(1.96, abs=0.2)
