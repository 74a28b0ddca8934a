"""One-sided bounds, and how little the k-th look may err."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.stats.looks import alpha_of_look, lower_bound, weighted_lower_bound


def test_all_looks_together_err_no_more_than_one() -> None:
    assert alpha_of_look(1) == pytest.approx(0.0303963, abs=1e-6)
    assert alpha_of_look(2) == pytest.approx(alpha_of_look(1) / 4)
    assert sum(alpha_of_look(k) for k in range(1, 20_000)) == pytest.approx(0.05, abs=1e-5)
    with pytest.raises(ValueError, match="from 1"):
        alpha_of_look(0)


@pytest.mark.parametrize(("passed", "tests"), [(0, 20), (7, 20), (19, 20), (20, 20)])
def test_the_bound_of_a_share_is_exact(passed: int, tests: int) -> None:
    bound = lower_bound([1.0] * passed + [0.0] * (tests - passed))
    assert bound is not None
    if passed:
        assert stats.binom.sf(passed - 1, tests, bound) == pytest.approx(0.05)
    else:
        assert bound == 0.0


def test_the_bound_of_partial_scores_is_that_of_t() -> None:
    scores = [0.2, 0.9, 0.5, 0.7, 0.4, 0.8]
    error = float(np.std(scores, ddof=1)) / 6**0.5
    wanted = float(np.mean(scores)) - stats.t.ppf(0.95, 5) * error
    assert lower_bound(scores) == pytest.approx(wanted)


def test_equal_partial_scores_are_no_certainty() -> None:
    bound = lower_bound([0.8] * 10)
    assert bound is not None
    assert 0.4 < bound < 0.6


def test_no_scores_have_no_bound() -> None:
    assert lower_bound([]) is None
    assert weighted_lower_bound([([], 1.0)]) is None


def test_one_category_has_its_own_bound_and_several_lie_closer_to_the_mean() -> None:
    scores = [1.0] * 15 + [0.0] * 5
    one = weighted_lower_bound([(scores, 2.0)])
    assert one == pytest.approx(lower_bound(scores))
    three = weighted_lower_bound([(scores, 1.0)] * 3)
    assert one is not None
    assert three is not None
    assert 0.75 - three == pytest.approx((0.75 - one) / 3**0.5)


def test_a_checkpoint_at_the_limit_is_confirmed_once_in_twenty_at_most() -> None:
    random = np.random.default_rng(0)
    groups = [((random.random((2000, 20)) < 0.7).astype(float), 1.0) for _ in range(3)]
    bounds = [
        weighted_lower_bound([(list(scores[each]), weight) for scores, weight in groups])
        for each in range(2000)
    ]
    assert sum((bound or 0.0) > 0.7 for bound in bounds) <= 0.05 * 2000
