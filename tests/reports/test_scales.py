"""Scales: round numbers in their places, and numbers as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.reports.pictures.scales import scale_for
from assay.text.number_format import exact, readable


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (137.1, "137"),
        (50.4, "50.4"),
        (0.9154, "0.915"),
        (0.04, "0.0400"),
        (12345, "12,345"),
        (-3.5, "−3.50"),
        (9_999_400, "9,999,400"),
        (1e7, "10⁷"),
        (3.2e9, "3.2×10⁹"),
        (-2.5e-7, "−2.5×10⁻⁷"),
        (1.7e308, "1.7×10³⁰⁸"),
    ],
)
def test_numbers_are_read_in_three_digits(value: float, shown: str) -> None:
    assert readable(value) == shown


@pytest.mark.parametrize(
    ("value", "limit", "shown"),
    [(49.97, 50, "49.97"), (0.69996, 0.7, "0.69996"), (46.8, 50, "46.8"), (50, 50, "50.0")],
)
def test_near_a_limit_there_are_enough_digits_to_see_the_side(
    value: float, limit: float, shown: str
) -> None:
    assert readable(value, apart_from=[limit]) == shown


def test_what_somebody_chose_is_shown_as_it_was_written() -> None:
    assert [exact(v) for v in (50.0, 0.7, 12500, 1e-7)] == ["50", "0.7", "12,500", "10⁻⁷"]


def test_steps_are_whole_numbers_where_they_can_be() -> None:
    assert [exact(s) for s in (160, 8000.0, 0.5, 1e15)] == ["160", "8,000", "0.5", "10¹⁵"]


def test_even_ticks_are_round_and_few() -> None:
    scale = scale_for([46.8, 137.1, 50], 100, 0, most=6)
    assert [label for _, label in scale.ticks] == ["60", "80", "100", "120", "140"]
    assert scale.at(60) - scale.at(80) == pytest.approx(scale.at(80) - scale.at(100))


def test_ticks_by_ratio_are_ones_twos_and_fives() -> None:
    scale = scale_for([20, 500], 100, 0, by_ratio=True, most=6)
    assert [label for _, label in scale.ticks] == ["20", "50", "100", "200", "500"]
    assert scale.at(50) - scale.at(100) == pytest.approx(scale.at(100) - scale.at(200))


@pytest.mark.parametrize(
    ("values", "log"),
    [([10, 50], False), ([10, 51], True), ([0, 51], False), ([-1, 51], False), ([7], False)],
)
def test_more_than_five_fold_is_by_ratio(values: list[float], log: bool) -> None:
    assert scale_for(values, 0, 100, by_ratio=True).log is log


@given(
    st.lists(st.floats(0, 1.7e308, allow_nan=False), min_size=1, max_size=5),
    st.booleans(),
)
def test_every_value_has_a_place_and_order_is_kept(values: list[float], by_ratio: bool) -> None:
    scale = scale_for(values, 10, 110, by_ratio=by_ratio)
    places = [scale.at(value) for value in sorted(values)]
    assert all(10 <= place <= 110 for place in places)
    assert places == sorted(places)
    ticks = [scale.at(value) for value, _ in scale.ticks]
    assert ticks == sorted(ticks)
    assert len(ticks) <= 12
