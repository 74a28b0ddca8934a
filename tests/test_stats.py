"""Intervals, paired tests and adjustments against known values and independent twins."""

from __future__ import annotations

import itertools
import math
import random
import subprocess
import sys
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from assay.stats.composite import (
    composite_difference,
    drawn_means,
    paired_tests,
    repeated_runs,
    text_blocks,
    unpaired,
)
from assay.stats.estimates import (
    average,
    block_quantile,
    even_mean,
    mean_of,
    nothing,
    pass_at_k,
    pass_hat_k,
    proportion,
    quantile_of,
    ratio,
    weighted,
)
from assay.stats.pairs import (
    detectable_difference,
    holm,
    mcnemar,
    paired_difference,
    paired_difference_by_category,
    tell_apart,
)
from assay.types import Estimate

shares = st.floats(0, 1, allow_nan=False)
share_lists = st.lists(shares, min_size=1, max_size=40)
bits = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=40)


def limits(estimate: Estimate) -> tuple[float, float, float]:
    assert estimate.low is not None
    assert estimate.value is not None
    assert estimate.high is not None
    return estimate.low, estimate.value, estimate.high


def pairs_of(both: int, only_b: int, only_a: int, neither: int) -> tuple[list[float], list[float]]:
    """Two 0/1 columns from the four cells of a paired table."""
    a = [1.0] * both + [0.0] * only_b + [1.0] * only_a + [0.0] * neither
    b = [1.0] * both + [1.0] * only_b + [0.0] * only_a + [0.0] * neither
    return a, b


# ---------------------------------------------------------------------------------------- shares


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_known_limits(successes: int, n: int, low: float, high: float) -> None:
    estimate = proportion(successes, n)
    assert limits(estimate) == pytest.approx((low, successes / n, high), abs=5e-5)
    assert estimate.method == "wilson"


@pytest.mark.parametrize(("successes", "n"), list(itertools.product([0, 1, 7], [7, 40, 1000])))
def test_wilson_equals_scipy(successes: int, n: int) -> None:
    other = binomtest(successes, n).proportion_ci(method="wilson")
    low, _, high = limits(proportion(successes, n))
    assert (low, high) == pytest.approx((other.low, other.high), abs=1e-12)


def test_no_tests_give_no_value_and_keep_what_could_not_be_marked() -> None:
    for empty in (proportion(0, 0, unscored=3), mean_of([], unscored=3)):
        assert (empty.value, empty.low, empty.high) == (None, None, None)
        assert (empty.n, empty.unscored) == (0, 3)


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 2)])
def test_impossible_counts_are_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="successes"):
        proportion(successes, n)


def test_a_score_outside_0_to_1_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        mean_of([0.5, 1.2])


# ----------------------------------------------------------------------------------------- means


def test_scores_of_0_and_1_are_a_proportion() -> None:
    assert mean_of([1, 1, 0, 1], unscored=2) == proportion(3, 4, unscored=2)


@pytest.mark.parametrize("scores", [[0.5] * 12, [0.3]])
def test_scores_without_spread_are_not_reported_as_certain(scores: list[float]) -> None:
    estimate = mean_of(scores)
    low, value, high = limits(estimate)
    assert estimate.method == "wilson"
    assert low < value < high


def test_the_bootstrap_agrees_with_the_plain_one_drawn_test_by_test() -> None:
    scores = [random.Random(5).choice([0.0, 0.25, 0.5, 1.0]) for _ in range(200)]
    scores += [round(random.Random(6).random(), 1) for _ in range(100)]
    values = np.asarray(scores)
    drawn = np.random.default_rng(1).choice(values, size=(4000, len(values))).mean(axis=1)
    expected = np.quantile(drawn, [0.025, 0.975])
    low, _, high = limits(mean_of(scores))
    assert (low, high) == pytest.approx(tuple(expected), abs=0.006)


def test_grouping_many_distinct_values_changes_the_interval_little() -> None:
    values = np.random.default_rng(3).beta(0.5, 0.5, size=3000)
    drawn = np.random.default_rng(4).choice(values, size=(2000, len(values))).mean(axis=1)
    expected = np.quantile(drawn, [0.025, 0.975])
    low, _, high = limits(mean_of(list(values)))
    assert (low, high) == pytest.approx(tuple(expected), abs=0.002)


def test_100_000_tests_take_little_memory() -> None:
    scores = np.random.default_rng(0).random(100_000).tolist()
    mean_of([*scores[:10], 0.123])  # numpy and scipy are loaded before memory is traced
    tracemalloc.start()
    mean_of(scores)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6


@given(share_lists)
def test_a_mean_lies_in_its_interval_and_the_interval_in_0_to_1(scores: list[float]) -> None:
    low, value, high = limits(mean_of(scores, draws=200))
    assert 0 <= low <= value <= high <= 1


@given(share_lists, st.randoms(use_true_random=False))
def test_the_order_of_tests_does_not_matter(scores: list[float], shuffler: random.Random) -> None:
    shuffled = list(scores)
    shuffler.shuffle(shuffled)
    assert mean_of(shuffled, draws=200) == mean_of(scores, draws=200)


def test_the_same_scores_give_the_same_interval_every_time() -> None:
    scores = [0.1, 0.5, 0.9, 0.2] * 10
    assert mean_of(scores, seed=1) == mean_of(scores, seed=1)
    assert mean_of(scores, seed=1) != mean_of(scores, seed=2)


def test_seconds_have_no_interval_from_one_answer_and_one_from_several() -> None:
    one = average([3.0], unit="s")
    assert (one.value, one.low, one.high) == (3.0, None, None)
    low, value, high = limits(average([1.0, 2.0, 6.0, 3.0, 2.5, 4.0], unit="s"))
    assert 1.0 <= low < value < high <= 6.0


def test_a_rate_is_all_over_all_and_not_the_mean_of_rates() -> None:
    rate = ratio([10, 100], [1, 2], unit="tokens/s")
    assert rate.value == pytest.approx(110 / 3)
    assert ratio([], [], unit="tokens/s").value is None
    assert ratio([5], [0.0], unit="tokens/s").value is None


@pytest.mark.parametrize(
    ("n", "share", "low_rank", "high_rank"),
    [(100, 0.5, 40, 61), (10, 0.5, 2, 9), (20, 0.5, 6, 15)],  # standard tables of the sign test
)
def test_the_interval_of_a_median_is_that_of_the_sign_test(
    n: int, share: float, low_rank: int, high_rank: int
) -> None:
    estimate = quantile_of([float(i) for i in range(1, n + 1)], share, unit="s")
    assert (estimate.low, estimate.high) == (low_rank, high_rank)


def test_ten_answers_cannot_bound_a_95th_percentile_from_above() -> None:
    estimate = quantile_of([float(i) for i in range(10)], 0.95, unit="s")
    assert estimate.low is not None
    assert estimate.high is None


# -------------------------------------------------------------------------------- weighted scores


def test_a_suite_of_one_category_has_exactly_its_interval_times_100() -> None:
    category = proportion(8, 10, unscored=1)
    suite = weighted([(category, 3.0)])
    assert limits(suite) == tuple(100 * limit for limit in limits(category))
    assert (suite.n, suite.unscored, suite.unit, suite.method) == (10, 1, "points", "wilson")


def test_two_categories_make_a_weighted_mean_with_a_mover_interval() -> None:
    a, b = proportion(8, 10), proportion(3, 10)
    suite = weighted([(a, 3.0), (b, 1.0)])
    low = 0.675 - math.hypot(0.75 * (0.8 - limits(a)[0]), 0.25 * (0.3 - limits(b)[0]))
    high = 0.675 + math.hypot(0.75 * (limits(a)[2] - 0.8), 0.25 * (limits(b)[2] - 0.3))
    assert limits(suite) == pytest.approx((100 * low, 67.5, 100 * high))
    assert suite.method == "mover"


def test_a_category_without_marked_tests_leaves_the_weights_but_its_tests_stay_unscored() -> None:
    suite = weighted([(proportion(8, 10), 1.0), (mean_of([], unscored=5), 9.0)])
    assert suite.value == 80
    assert (suite.n, suite.unscored, suite.incomplete) == (10, 5, True)


@pytest.mark.parametrize(("unscored", "is_incomplete"), [(5, False), (6, True)])
def test_more_than_5_percent_without_a_score_is_incomplete(
    unscored: int, is_incomplete: bool
) -> None:
    scored = 100 - unscored
    assert proportion(scored, scored, unscored=unscored).incomplete is is_incomplete


def test_a_category_of_weight_0_does_not_count() -> None:
    suite = weighted([(proportion(8, 10), 1.0), (proportion(0, 9), 0.0)])
    assert (suite.value, suite.n) == (80, 10)
    assert weighted([(proportion(1, 9), 0.0)]).value is None


@given(
    st.lists(st.tuples(bits, st.floats(0.01, 100)), min_size=1, max_size=5), st.floats(0.01, 100)
)
def test_a_weighted_score_lies_in_its_interval_and_only_ratios_of_weights_matter(
    parts: list[tuple[list[float], float]], factor: float
) -> None:
    estimates = [(mean_of(scores), weight) for scores, weight in parts]
    suite = weighted(estimates)
    low, value, high = limits(suite)
    assert 0 <= low <= value <= high <= 100
    scaled = weighted([(estimate, weight * factor) for estimate, weight in estimates])
    assert limits(scaled) == pytest.approx(limits(suite), abs=1e-9)


def test_wilson_and_mover_hold_the_truth_often_enough() -> None:
    """500 seeded suites of three categories; 0.93 is four standard errors under 0.97."""
    source = np.random.default_rng(7)
    truths, sizes, weights = [0.9, 0.55, 0.7], [12, 25, 40], [2.0, 1.0, 1.0]
    goal = 100 * np.average(truths, weights=weights)
    wilson_hits = mover_hits = 0
    for _ in range(500):
        parts = [
            proportion(int(source.binomial(n, p)), n) for n, p in zip(sizes, truths, strict=True)
        ]
        low, _, high = limits(parts[1])
        wilson_hits += low <= truths[1] <= high
        low, _, high = limits(weighted(list(zip(parts, weights, strict=True))))
        mover_hits += low <= goal <= high
    assert wilson_hits / 500 >= 0.93
    assert mover_hits / 500 >= 0.93


def test_the_bootstrap_of_few_tests_holds_the_truth_often_enough() -> None:
    """Plain percentiles hold it 0.90 of the time at ten tests; the widened ones must do better."""
    source = np.random.default_rng(11)
    hits = 0
    for _ in range(400):
        low, _, high = limits(mean_of(source.beta(2, 1, size=10).tolist(), draws=1000))
        hits += low <= 2 / 3 <= high
    assert hits / 400 >= 0.93


# ----------------------------------------------------------------------------------------- pairs


@pytest.mark.parametrize(
    ("gained", "lost", "p_value"),
    [(10, 2, 0.03857), (2, 10, 0.03857), (0, 0, 1.0), (5, 5, 1.0), (0, 6, 0.03125), (1, 0, 1.0)],
)
def test_mcnemar_is_exact(gained: int, lost: int, p_value: float) -> None:
    assert mcnemar(gained, lost) == pytest.approx(p_value, abs=5e-6)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_equals_the_binomial_test_on_pairs_that_differ(gained: int, lost: int) -> None:
    if gained + lost:
        other = binomtest(gained, gained + lost, 0.5).pvalue
        assert mcnemar(gained, lost) == pytest.approx(other, rel=1e-9)


def newcombe_by_cells(both: int, only_b: int, only_a: int, neither: int) -> tuple[float, float]:
    """A twin of the interval, from the four cells and scipy's Wilson limits."""
    n = both + only_b + only_a + neither
    right_b, right_a = both + only_b, both + only_a
    ci_b, ci_a = (
        binomtest(right, n).proportion_ci(method="wilson") for right in (right_b, right_a)
    )
    product = right_b * (only_a + neither) * right_a * (only_b + neither)
    cross = both * neither - only_b * only_a
    corrected = cross if cross < 0 else max(cross - n / 2, 0)
    phi = corrected / math.sqrt(product) if product else 0.0
    p_b, p_a = right_b / n, right_a / n
    x, y = p_b - ci_b.low, ci_a.high - p_a
    v, w = ci_b.high - p_b, p_a - ci_a.low
    low = p_b - p_a - math.sqrt(x * x - 2 * phi * x * y + y * y)
    high = p_b - p_a + math.sqrt(v * v - 2 * phi * v * w + w * w)
    return low, high


@pytest.mark.parametrize(
    ("cells", "low", "high"),
    [
        # both, only b, only a, neither; limits from the twin above, kept as a record
        ((36, 12, 2, 0), 0.0569, 0.3404),
        ((20, 12, 2, 16), 0.0562, 0.3292),
        ((1, 1, 7, 12), -0.5069, -0.0256),
        ((0, 0, 0, 10), -0.2775, 0.2775),
    ],
)
def test_the_interval_for_pairs_is_newcombes_method_10(
    cells: tuple[int, int, int, int], low: float, high: float
) -> None:
    difference = paired_difference(*pairs_of(*cells))
    found = limits(difference.estimate)
    assert (found[0], found[2]) == pytest.approx((low, high), abs=5e-5)
    assert difference.method == "mcnemar"
    assert (difference.gained, difference.lost) == cells[1:3]


@given(st.tuples(*[st.integers(0, 15)] * 4).filter(any))
def test_the_interval_for_pairs_equals_its_twin(cells: tuple[int, int, int, int]) -> None:
    found = limits(paired_difference(*pairs_of(*cells)).estimate)
    low, high = newcombe_by_cells(*cells)
    expected = (max(-1.0, low), min(1.0, high))
    assert (found[0], found[2]) == pytest.approx(expected, abs=1e-9)


def test_identical_answers_differ_by_0_but_not_with_certainty() -> None:
    for scores in ([1.0, 0.0, 1.0, 1.0], [0.5, 0.25, 1.0, 0.0]):
        difference = paired_difference(scores, scores)
        low, value, high = limits(difference.estimate)
        assert (value, difference.p_value) == (0, 1)
        assert low < 0 < high


def test_partial_scores_are_compared_by_a_paired_bootstrap() -> None:
    source = random.Random(1)
    a = [round(source.random() * 0.6, 2) for _ in range(60)]
    b = [min(1.0, score + 0.2 + 0.1 * source.random()) for score in a]
    difference = paired_difference(a, b)
    low, value, _ = limits(difference.estimate)
    assert difference.method == "paired bootstrap"
    assert 0.15 < low < value
    assert difference.p_value == pytest.approx(2 / 2001)


@pytest.mark.parametrize(("n", "least"), [(1, 1.0), (2, 0.5), (5, 0.0625)])
def test_a_handful_of_tests_cannot_be_significant_however_alike_they_change(
    n: int, least: float
) -> None:
    a = [0.1 + 0.01 * i for i in range(n)]
    b = [0.6 + 0.02 * i for i in range(n)]
    assert paired_difference(a, b).p_value == pytest.approx(least)


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=25))
def test_swapping_the_sides_turns_the_difference_round(
    pairs: list[tuple[float, float]],
) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    forth, back = (paired_difference(*sides, draws=200) for sides in ((a, b), (b, a)))
    low, value, high = limits(forth.estimate)
    assert -1 <= low <= value <= high <= 1
    assert back.estimate.value == pytest.approx(-value)
    assert (back.gained, back.lost) == (forth.lost, forth.gained)
    assert 0 < forth.p_value <= 1


def test_unequal_lengths_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="longer"):
        paired_difference([1.0], [1.0, 0.0])


def test_no_pairs_give_no_difference() -> None:
    for empty in (
        paired_difference([], []),
        paired_difference_by_category({}, {}),
        paired_difference_by_category({"a": ([1.0], [0.0])}, {"a": 0.0}),
    ):
        assert empty.estimate.value is None
        assert empty.p_value == 1


def test_a_suite_of_one_category_is_compared_as_that_category() -> None:
    pair = pairs_of(20, 12, 2, 16)
    suite = paired_difference_by_category({"a": pair}, {"a": 5.0})
    alone = paired_difference(*pair)
    assert limits(suite.estimate) == pytest.approx(tuple(100 * x for x in limits(alone.estimate)))
    assert (suite.p_value, suite.method) == (alone.p_value, "mcnemar")


def test_the_difference_of_suites_is_the_difference_of_their_scores() -> None:
    groups = {"a": pairs_of(3, 4, 1, 2), "b": pairs_of(10, 0, 5, 15)}
    weights = {"a": 3.0, "b": 1.0}
    first, second = (
        weighted([(mean_of(groups[name][side]), weights[name]) for name in groups])
        for side in (0, 1)
    )
    found = paired_difference_by_category(groups, weights).estimate
    assert found.value == pytest.approx(limits(second)[1] - limits(first)[1])


def test_equally_weighing_tests_are_pooled_and_others_keep_their_weight() -> None:
    groups = {"a": pairs_of(3, 6, 0, 1), "b": pairs_of(3, 4, 2, 1)}
    pooled = paired_difference_by_category(groups, {"a": 1.0, "b": 1.0})
    assert pooled.method == "mcnemar"
    assert pooled.p_value == pytest.approx(mcnemar(10, 2))
    unchanged = {"a": groups["a"], "b": pairs_of(3, 0, 0, 4)}
    stratified = paired_difference_by_category(unchanged, {"a": 1.0, "b": 5.0})
    assert stratified.method == "stratified mcnemar"
    assert stratified.p_value == pytest.approx(mcnemar(6, 0), abs=0.005)


def test_the_stratified_test_is_right_about_equal_models() -> None:
    source = np.random.default_rng(2)
    found = []
    for seed in range(200):
        groups = {
            name: tuple(source.integers(0, 2, size=n).astype(float).tolist() for _ in (0, 1))
            for name, n in (("a", 15), ("b", 40))
        }
        difference = paired_difference_by_category(groups, {"a": 1.0, "b": 1.0}, seed=seed)
        found.append(difference.p_value)
    assert np.mean(np.asarray(found) < 0.05) < 0.09


def test_partial_scores_in_one_category_make_the_suite_test_a_bootstrap() -> None:
    groups = {"a": pairs_of(3, 6, 0, 1), "b": ([0.5, 0.2, 0.1], [0.6, 0.3, 0.9])}
    suite = paired_difference_by_category(groups, {"a": 1.0, "b": 1.0})
    assert suite.method == "paired bootstrap"
    assert (suite.gained, suite.lost) == (9, 0)


# -------------------------------------------------------------------------------- several things


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.04], [0.04]),
        ([0.5, 0.9], [1.0, 1.0]),
        ([], []),
        ([0.001, 0.001, 0.05], [0.003, 0.003, 0.05]),
    ],
)
def test_holm_adjusts_step_by_step(p_values: list[float], adjusted: list[float]) -> None:
    assert holm(p_values) == pytest.approx(tuple(adjusted))


@given(st.lists(shares, max_size=12))
def test_holm_never_lowers_a_p_value_and_keeps_their_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    for i, j in itertools.combinations(range(len(p_values)), 2):
        if p_values[i] < p_values[j]:
            assert adjusted[i] <= adjusted[j]


@pytest.mark.parametrize(
    ("n", "c", "k", "some", "every"),
    [(5, 2, 1, 0.4, 0.4), (5, 2, 5, 1.0, 0.0), (4, 2, 2, 5 / 6, 1 / 6), (3, 0, 3, 0.0, 0.0)],
)
def test_chance_that_some_or_all_of_k_tries_pass(
    n: int, c: int, k: int, some: float, every: float
) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(some)
    assert pass_hat_k(n, c, k) == pytest.approx(every)


@given(st.integers(1, 8), st.data())
def test_pass_at_k_counts_every_choice_of_k_tries(n: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    choices = list(itertools.combinations([1] * c + [0] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, choices)) / len(choices))


@pytest.mark.parametrize(("n", "c", "k"), [(2, 1, 3), (2, 3, 1), (2, 1, 0)])
def test_tries_that_were_not_made_are_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="tries"):
        pass_at_k(n, c, k)


def test_40_tests_find_differences_above_about_22_points() -> None:
    assert detectable_difference(40) == pytest.approx(0.2215, abs=5e-5)
    assert detectable_difference(0) is None
    assert detectable_difference(1) == 1.0


def test_the_detectable_difference_is_found_four_times_in_five() -> None:
    source = np.random.default_rng(9)
    n, spread = 400, 0.5
    least = detectable_difference(n, spread=spread)
    assert least is not None
    found = 0
    for _ in range(400):
        changes = source.normal(least, spread, size=n)
        found += abs(changes.mean()) > 1.96 * changes.std(ddof=1) / math.sqrt(n)
    assert found / 400 == pytest.approx(0.8, abs=0.06)


def test_scores_are_told_apart_only_where_their_difference_excludes_0() -> None:
    high, low = proportion(36, 40), proportion(10, 40)
    assert tell_apart(high, low)
    assert tell_apart(low, high)
    assert not tell_apart(high, proportion(34, 40))
    assert not tell_apart(high, mean_of([]))


def test_importing_it_loads_neither_numpy_nor_scipy() -> None:
    code = "import sys, assay.stats.agreement, assay.stats.composite, assay.stats.pairs; "
    code += "print(sorted({'numpy', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --------------------------------------------------------------------------------- composite scores


def test_the_mean_of_shares_is_unweighted_and_needs_all_of_them() -> None:
    # Wilson's limits of 8 of 10: 0.4902 and 0.9433; of 0 of 10: 0 and 0.2775.
    # Mean 0.4; low 0.4 - 0.3098/2 = 0.2451; high 0.4 + sqrt(0.1433² + 0.2775²)/2 = 0.5562.
    mean = even_mean([proportion(8, 10), proportion(0, 10)])
    assert mean is not None
    assert limits(mean) == pytest.approx((0.2451, 0.4, 0.5562), abs=1e-4)
    assert (mean.n, mean.unit) == (20, "share")
    assert even_mean([proportion(8, 10), None]) is None
    assert even_mean([proportion(8, 10), nothing()]) is None
    assert even_mean([]) is None


def test_nothing_to_compare_has_no_difference() -> None:
    assert composite_difference([]) is None


def test_a_composite_of_paired_tests_is_the_paired_bootstrap() -> None:
    a, b = [0.9, 0.4, 0.7, 0.8, 0.3, 1.0, 0.6, 0.5], [0.5, 0.6, 0.6, 0.8, 0.1, 0.9, 0.2, 0.5]
    found = composite_difference([paired_tests([(a, b, 1.0)])], draws=50_000)
    alone = paired_difference(b, a, draws=50_000).estimate
    assert found is not None
    assert found.value == pytest.approx(alone.value)
    assert limits(found) == pytest.approx(limits(alone), abs=0.02)
    assert found.n == 8


def test_categories_are_drawn_within_themselves_and_under_their_weights() -> None:
    # Within a category every change is the same, so that nothing can vary.
    found = composite_difference(
        [paired_tests(categories=[([1.0] * 5, [0.0] * 5, 0.2), ([0.0] * 50, [1.0] * 50, 0.1)])]
    )
    assert found is not None
    assert limits(found) == pytest.approx((0.1, 0.1, 0.1))


def test_blocks_read_together_vary_only_where_the_sides_differ() -> None:
    # The second side needs 0.1 nats more in every block: what is hard for one is hard for both.
    easy_and_hard = [(-1000.0 * (2.0 + place % 5), 1000) for place in range(30)]
    other = [(likelihood - 100.0, tokens) for likelihood, tokens in easy_and_hard]
    together, apart = (
        composite_difference([text_blocks(a=easy_and_hard, b=other, weight=4.0, together=together)])
        for together in (True, False)
    )
    assert together is not None
    assert apart is not None
    # 4·(exp(-4) - exp(-4.1))
    assert together.value == apart.value == pytest.approx(4 * (math.exp(-4) - math.exp(-4.1)))
    assert together.low is not None
    assert together.low > 0
    assert apart.low is not None
    assert apart.low < 0


def test_drawing_blocks_by_counts_is_drawing_them_one_by_one() -> None:
    random = np.random.default_rng(3)
    a = [(float(value), 1000) for value in random.normal(-3500, 300, 25)]
    b = [(likelihood - float(more), 1000) for (likelihood, _), more in
         zip(a, random.normal(40, 60, 25), strict=True)]  # fmt: skip
    found = composite_difference([text_blocks(a=a, b=b, weight=4.0, together=True)], draws=20_000)
    picks = random.integers(0, 25, size=(20_000, 25))
    sides = [np.exp(np.array([ll for ll, _ in side])[picks].mean(axis=1) / 1000) for side in (a, b)]
    one_by_one = 4 * (sides[0] - sides[1])
    assert found is not None
    low, value, high = limits(found)
    # Moved out by sqrt(25/24)·2.0639/1.96 = 1.0747.
    plain = np.quantile(one_by_one, (0.025, 0.975))
    assert (low, high) == pytest.approx(tuple(value + (plain - value) * 1.0747), abs=6e-4)


def test_draws_in_pieces_are_the_draws_at_once() -> None:
    a = [(-3000.0 - place, 1000) for place in range(40)]
    b = [(-3100.0 - (place * 7) % 40, 1000) for place in range(40)]
    whole = drawn_means((a, b), 0, 500)
    pieces = drawn_means((a, b), 0, 500, at_once=40 * 7)
    assert [side.tolist() for side in pieces] == [side.tolist() for side in whole]


def test_a_stretch_brings_tokens_to_one_length() -> None:
    # Two tokens of the first side make one common token: exp(-2·1.5) is exp(-3) on the other.
    found = composite_difference(
        [
            text_blocks(
                a=[(-1500.0, 1000)] * 4,
                b=[(-3000.0, 1000)] * 2,
                weight=1.0,
                together=False,
                counts=(lambda mean: np.exp(2 * mean), np.exp),
            )
        ]
    )
    assert found is not None
    assert found.value == pytest.approx(0.0, abs=1e-12)
    assert found.n == 2


def test_runs_are_drawn_by_their_median_and_three_of_them_say_little() -> None:
    found = composite_difference([repeated_runs(a=(30, 31, 32), b=(28, 29, 35), weight=0.002)])
    assert found is not None
    low, value, high = limits(found)
    assert value == pytest.approx(0.004)  # (31 - 29) · 0.1 / 50
    # Medians go from 30 to 32 and from 28 to 35, and t against z is 2.776/1.96 = 1.416.
    assert low == pytest.approx(0.004 - 1.4164 * 0.014, abs=1e-5)  # 30 - 35 is 7 below 2
    assert high == pytest.approx(0.004 + 1.4164 * 0.004, abs=1e-5)  # 32 - 28 is 2 above it


ONCE_AND_TWICE = {
    "tests": (
        paired_tests([([1.0], [0.0], 0.3)]),
        paired_tests([([1.0, 1.0], [0.0, 0.0], 0.3)]),
    ),
    "one category of two": (
        paired_tests([([1.0] * 9, [0.0] * 9, 0.2), ([1.0], [0.0], 0.1)]),
        paired_tests([([1.0] * 9, [0.0] * 9, 0.2), ([1.0] * 2, [0.0] * 2, 0.1)]),
    ),
    "blocks": (
        text_blocks(a=[(0.0, 5)], b=[(-99.0, 5)], weight=0.3, together=True),
        text_blocks(a=[(0.0, 5)] * 2, b=[(-99.0, 5)] * 2, weight=0.3, together=True),
    ),
    "blocks of one side": (
        text_blocks(a=[(0.0, 5)] * 9, b=[(-99.0, 9)], weight=0.3, together=False),
        text_blocks(a=[(0.0, 5)] * 9, b=[(-99.0, 9)] * 2, weight=0.3, together=False),
    ),
    "runs": (
        repeated_runs(a=(150.0,), b=(0.0,), weight=0.002),
        repeated_runs(a=(150.0, 150.0), b=(0.0, 0.0), weight=0.002),
    ),
    "estimates": (
        unpaired(a=proportion(9, 9), b=replace(proportion(0, 9), low=None), weight=0.3),
        unpaired(a=proportion(9, 9), b=proportion(0, 9), weight=0.3),
    ),
}


@pytest.mark.parametrize("kind", ONCE_AND_TWICE)
def test_one_observation_alone_has_no_interval(kind: str) -> None:
    """It would be a point, and a point far from 0 would be sold as certain."""
    once, twice = ONCE_AND_TWICE[kind]
    alone, known = composite_difference([once]), composite_difference([twice])
    assert alone is not None
    assert known is not None
    assert alone.value == pytest.approx(0.3, abs=1e-4)
    assert (alone.low, alone.high) == (None, None)
    assert None not in (known.low, known.high)
    # Nor has a sum in which one part is such a one.
    both = composite_difference([twice, once])
    assert both is not None
    assert (both.low, both.high) == (None, None)
    assert both.value == pytest.approx(0.6, abs=1e-4)


def test_estimates_without_observations_are_as_uncertain_as_their_intervals() -> None:
    a, b = proportion(80, 100), proportion(60, 100)
    found = composite_difference([unpaired(a=a, b=b, weight=1.0)], draws=50_000)
    assert found is not None
    low, value, high = limits(found)
    half = math.hypot((a.high or 0) - (a.low or 0), (b.high or 0) - (b.low or 0)) / 2
    assert (low, value, high) == pytest.approx((0.2 - half, 0.2, 0.2 + half), abs=4e-3)


def test_parts_add_up_and_never_share_a_draw() -> None:
    """Were two equal parts drawn alike, the spread of their sum would be twice that of one, not
    sqrt(2) times.
    """
    random = np.random.default_rng(0)
    a, b = random.random(200).tolist(), random.random(200).tolist()
    part = paired_tests([(a, b, 1.0)])
    one = composite_difference([part], draws=20_000)
    two = composite_difference([part, part], draws=20_000)
    assert one is not None
    assert two is not None
    assert two.value == pytest.approx(2 * (one.value or 0))
    spreads = [limits(each)[2] - limits(each)[0] for each in (one, two)]
    assert spreads[1] / spreads[0] == pytest.approx(math.sqrt(2), rel=0.03)


@given(st.lists(shares, min_size=2, max_size=20), st.integers(0, 3))
def test_the_same_seed_gives_the_same_composite_and_holds_its_value(
    a: list[float], seed: int
) -> None:
    pieces = [paired_tests([(a, a[::-1], 0.5), (a, [0.5] * len(a), 0.5)])]
    first = composite_difference(pieces, seed=seed)
    assert first is not None
    assert first == composite_difference(pieces, seed=seed)
    low, value, high = limits(first)
    assert low <= value <= high


def test_a_quantile_over_blocks_is_as_unsure_as_drawing_whole_blocks_makes_it():
    """By plain draws of whole blocks; values of one block are alike, which n values alone hide."""
    random_ = np.random.default_rng(7)
    blocks = [random_.exponential(scale, 200) for scale in random_.uniform(0.5, 2.0, 30)]
    found = block_quantile(blocks, 0.9, unit="nats")
    assert found.value == pytest.approx(np.quantile(np.concatenate(blocks), 0.9))
    drawn = [
        np.quantile(np.concatenate([blocks[each] for each in random_.integers(0, 30, 30)]), 0.9)
        for _ in range(2000)
    ]
    assert (found.low, found.high) == pytest.approx(np.quantile(drawn, (0.02, 0.98)), rel=0.05)
    assert found.n == 6000
    assert block_quantile(blocks[:1], 0.9, unit="nats").low is None


def test_what_is_never_negative_has_no_limit_below_zero() -> None:
    """Three quick answers once decoded between -40 and 900 tokens/s."""
    speed = ratio([20, 16, 30], [0.01, 0.4, 0.02], unit="tokens/s")
    seconds = average([0.001, 0.9], unit="s")
    for found in (speed, seconds):
        assert 0 <= found.low < found.value < found.high
    assert average([-1.0, 2.0], unit="s").low < 0
