"""How numbers are printed: a table, so that a change is a decision."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.text import number_format as numbers
from assay.types import Estimate


def estimate(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    n: int = 40,
    unscored: int = 0,
    unit: str = "points",
) -> Estimate:
    return Estimate(
        value=value, low=low, high=high, n=0 if value is None else n, unscored=unscored, unit=unit,
        method="m",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (estimate(72.54, 61.0, 81.44), "72.5 points [61.0–81.4] n=40"),
        (estimate(72.5, 61.0, 81.4, unscored=2), "72.5 points [61.0–81.4] n=40, 2 unscored"),
        (
            estimate(72.5, 61.0, 81.4, unscored=3),
            "72.5 points [61.0–81.4] n=40, 3 unscored, incomplete",
        ),
        (estimate(0.5, 0.25, 0.7512, unit="share"), "0.500 [0.250–0.751] n=40"),
        (estimate(1.256, 1.0, None, unit="s"), "1.256 s [1.000–?] n=40"),
        (estimate(3.0, n=1, unit="s"), "3.000 s n=1"),
        (estimate(1234.5, 1200, 1300, n=100_000, unit="tokens"),
         "1,234 tokens [1,200–1,300] n=100,000"),
        (estimate(12.34, 11.0, 13.0, unit="tokens/s"), "12.3 tokens/s [11.0–13.0] n=40"),
        (replace(estimate(101.8, 79.7, 103.3, n=3, unit="tokens/s"), method="median and range"),
         "101.8 tokens/s range of 3 runs, 79.7–103.3"),
        (estimate(8.0, 8.0, 8.0, n=1, unit="MB"), "8.0 MB n=1"),
        (estimate(None), "not measured (n=0)"),
        (estimate(None, unscored=7), "not measured (n=0, 7 unscored, incomplete)"),
    ],
)  # fmt: skip
def test_a_figure_has_its_interval_and_its_basis(given: Estimate, shown: str) -> None:
    assert numbers.figure(given) == shown


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (estimate(4.5, -1.0, 10.0), "+4.5 [−1.0 to +10.0]"),
        (estimate(-4.56, -9.0, 0.0), "−4.6 [−9.0 to 0.0]"),
        (estimate(-0.01, -0.04, 0.04), "0.0 [0.0 to 0.0]"),
        (estimate(0.125, 0.01, 0.2, unit="share"), "+0.125 [+0.010 to +0.200]"),
        (estimate(2.0, None, 3.0), "+2.0"),
        (estimate(None), "not measured"),
    ],
)
def test_a_difference_always_has_its_sign(given: Estimate, shown: str) -> None:
    assert numbers.difference(given) == shown


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.03857, "0.039"), (0.0009, "< 0.001"), (1.0, "1.000"), (0.001, "0.001"), (None,
     "not measured")],
)  # fmt: skip
def test_a_p_value_has_three_decimals(p: float | None, shown: str) -> None:
    assert numbers.p_value(p) == shown


@pytest.mark.parametrize(
    ("mark", "shown"),
    [(1.0, "1.00"), (0.0, "0.00"), (2 / 3, "0.67"), (0.996, "0.996"), (0.004, "0.004"), (None,
     "–")],
)  # fmt: skip
def test_nearly_full_marks_are_not_shown_as_full(mark: float | None, shown: str) -> None:
    assert numbers.score(mark) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.05, "50 ms"),
        (1.0, "1.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 00 s"),
        (245, "4 min 05 s"),
        (7800, "2 h 10 min"),
    ],
)
def test_durations_are_read_at_a_glance(seconds: float, shown: str) -> None:
    assert numbers.duration(seconds) == shown


@pytest.mark.parametrize(
    ("rate", "shown"), [(1500, "1,500/s"), (12.34, "12.3/s"), (0.5, "30.0/min")]
)
def test_slow_rates_are_per_minute(rate: float, shown: str) -> None:
    assert numbers.rate(rate) == shown


@pytest.mark.parametrize(
    ("size", "shown"),
    [(16 * 2**30, "16.0 GiB"), (2**30, "1.0 GiB"), (940 * 2**20, "940 MiB"), (0, "0 MiB")],
)
def test_memory_is_in_units_of_1024(size: int, shown: str) -> None:
    assert numbers.memory(size) == shown


@pytest.mark.parametrize(
    ("part", "shown"), [(0, "0 %"), (1, "1 %"), (620, "62 %"), (999, "99 %"), (1000, "100 %")]
)
def test_all_and_nothing_are_said_only_where_they_are_true(part: int, shown: str) -> None:
    assert numbers.share(part, 1000) == shown


def test_a_single_observation_has_the_decimals_of_its_unit_and_none_is_a_dash() -> None:
    assert numbers.raw(0.25, "s") == "0.250"
    assert numbers.raw(1034, "tokens") == "1,034"
    assert numbers.raw(None, "s") == "–"
