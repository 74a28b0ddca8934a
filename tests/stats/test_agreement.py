"""Agreement of raters against golden values, hand-made cases and the laws they must keep."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.agreement import (
    icc,
    krippendorff_alpha,
    quadratic_kappa,
    spearman,
)

A = (0, 3, 5, 7, 7, 8, 9, 10, 2, 4)
B = (1, 3, 5, 6, 8, 8, 10, 9, 2, 6)
C = (0, 4, 5, 7, 6, 9, 9, 10, 3, 5)
ALL = list(zip(A, B, C, strict=True))

# Krippendorff's own example of four observers and twelve units (2011): ordinal 0.815.
# The last unit has one value and drops out.
No: None = None
OBSERVERS = [
    (1, 1, No, 1), (2, 2, 3, 2), (3, 3, 3, 3), (3, 3, 3, 3), (2, 2, 2, 2), (1, 2, 3, 4),
    (4, 4, 4, 4), (1, 1, 2, 1), (2, 2, 2, 2), (No, 5, 5, 5), (No, No, 1, 1), (No, No, 3, No),
]  # fmt: skip

grades = st.integers(0, 10)
two_raters = st.lists(st.tuples(grades, grades), min_size=3, max_size=25)
QUICK = 40  # draws, where the interval is not what is looked at


def test_the_golden_vectors_come_out_to_six_decimals() -> None:
    assert quadratic_kappa(A, B, draws=QUICK).value == pytest.approx(0.949721, abs=5e-7)
    assert icc(ALL, draws=QUICK).value == pytest.approx(0.955564, abs=5e-7)


def test_krippendorffs_example_with_missing_values_comes_out() -> None:
    ordinal = krippendorff_alpha(OBSERVERS, draws=QUICK)
    assert ordinal.value == pytest.approx(0.815, abs=5e-4)
    assert ordinal.n == 11


def test_spearman_of_three_swapped_ranks_is_one_half() -> None:
    # 1 - 6·Σd²/(n(n²-1)) = 1 - 6·2/24
    assert spearman([1, 2, 3], [1, 3, 2], draws=QUICK).value == pytest.approx(0.5)


def test_spearman_gives_equal_ratings_the_mean_of_their_ranks() -> None:
    # ranks 1.5 1.5 3 against 1 2 3: cov 1.5, spreads 1.5 and 2
    value = spearman([5, 5, 9], [1, 2, 3], draws=QUICK).value
    assert value == pytest.approx(1.5 / math.sqrt(1.5 * 2))


def test_kappa_of_a_rater_who_is_always_one_grade_higher_counts_the_distance() -> None:
    # Σ(a-b)²/n = 1; variances 2/3 each and means one apart: 1 - 1/(4/3 + 1)
    assert quadratic_kappa([1, 2, 3], [2, 3, 4], draws=QUICK).value == pytest.approx(4 / 7)


def test_kappa_of_opposite_raters_is_minus_one() -> None:
    assert quadratic_kappa([0, 5, 10], [10, 5, 0], draws=QUICK).value == pytest.approx(-1.0)


@settings(max_examples=30, deadline=None)
@given(two_raters)
def test_kappa_is_that_of_the_table_of_weights(pairs: list[tuple[int, int]]) -> None:
    a, b = [p[0] for p in pairs], [p[1] for p in pairs]
    n = len(pairs)
    observed = sum((x - y) ** 2 for x, y in pairs) / n
    expected = sum((x - y) ** 2 for x in a for y in b) / n**2
    value = quadratic_kappa(a, b, draws=2).value
    if expected == 0:
        assert value is None
    else:
        assert value == pytest.approx(1 - observed / expected)


@settings(max_examples=30, deadline=None)
@given(two_raters)
def test_ordinal_agreement_depends_on_the_order_alone(pairs: list[tuple[int, int]]) -> None:
    stretched = [(x**3, y**3) for x, y in pairs]
    for one, other in (
        (krippendorff_alpha(pairs, draws=2), krippendorff_alpha(stretched, draws=2)),
        (
            spearman(*zip(*pairs, strict=True), draws=2),
            spearman(*zip(*stretched, strict=True), draws=2),
        ),
    ):
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert one.value == pytest.approx(other.value)


def test_ratings_that_never_vary_agree_on_nothing() -> None:
    found = spearman([3, 3, 3, 3], [1, 2, 3, 4], draws=QUICK)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert (found.n, found.unscored) == (0, 4)
    assert quadratic_kappa([3, 3, 3], [3, 3, 3], draws=QUICK).value is None
    assert krippendorff_alpha([(3, 3), (3, 3)], draws=QUICK).value is None
    assert icc([(3, 3), (3, 3)], draws=QUICK).value is None


def test_too_little_to_rank_has_no_value() -> None:
    assert spearman([1, 2], [1, 2]).value is None
    assert spearman([], []).n == 0
    assert krippendorff_alpha([]).value is None
    assert krippendorff_alpha([(1, None), (None, 2)]).n == 0
    assert icc([]).value is None


def test_one_rater_has_no_icc() -> None:
    assert icc([(1,), (2,), (3,)], draws=QUICK).value is None


def test_ratings_of_different_things_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        spearman([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="shape"):
        icc([(1, 2), (3,)])


def test_the_interval_holds_the_value_and_follows_the_seed() -> None:
    found = spearman(A, B, seed=3, draws=200)
    assert found.low is not None
    assert found.high is not None
    assert found.value is not None
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found == spearman(A, B, seed=3, draws=200)
    assert found.low != spearman(A, B, seed=4, draws=200).low
    assert (found.unit, found.method) == ("agreement", "bootstrap")


def test_things_that_belong_together_make_the_interval_wider() -> None:
    source = random.Random(1)
    a = [source.random() for _ in range(12)]
    b = [one + source.gauss(0, 0.3) for one in a]
    copies = 5
    many_a, many_b = a * copies, b * copies
    apart = spearman(many_a, many_b, draws=200)
    together = spearman(many_a, many_b, clusters=list(range(12)) * copies, draws=200)
    assert apart.value == together.value
    assert together.low is not None
    assert apart.low is not None
    assert together.low < apart.low
    assert together.method == "cluster bootstrap"


def test_one_cluster_has_no_interval() -> None:
    found = spearman(A, B, clusters=["same"] * len(A), draws=QUICK)
    assert found.value is not None
    assert found.low is None
