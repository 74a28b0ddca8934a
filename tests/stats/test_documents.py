"""Intervals over the documents of a text, against formulas written out and against drawn truths."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from assay.stats.documents import (
    block_length,
    difference_of_ratios,
    over_documents,
    paired_over_documents,
    ratio_of_sums,
)

LOSSES = [40.0, 12.0, 90.0, 33.0, 51.0, 8.0, 70.0, 22.0, 64.0, 19.0, 45.0, 30.0]
TOKENS = [10.0, 4.0, 25.0, 8.0, 12.0, 3.0, 18.0, 6.0, 15.0, 5.0, 11.0, 9.0]


def test_variance_is_leave_one_out_and_freedom_counts_tokens() -> None:
    found = ratio_of_sums(LOSSES, TOKENS)
    value = sum(LOSSES) / sum(TOKENS)
    without = [
        (sum(LOSSES) - loss) / (sum(TOKENS) - n) for loss, n in zip(LOSSES, TOKENS, strict=True)
    ]
    mean = sum(without) / 12
    error = math.sqrt(11 / 12 * sum((each - mean) ** 2 for each in without))
    freedom = sum(TOKENS) ** 2 / sum(n * n for n in TOKENS) - 1
    assert found.value == pytest.approx(value)
    assert found.error == pytest.approx(error)
    assert found.freedom == pytest.approx(freedom)
    half = stats.t.ppf(0.975, freedom) * error
    assert found.limits() == pytest.approx((value - half, value + half))


def test_documents_of_one_length_give_the_usual_t_interval() -> None:
    values = [loss / n for loss, n in zip(LOSSES, TOKENS, strict=True)]
    found = ratio_of_sums(values, [1.0] * 12)
    half = stats.t.ppf(0.975, 11) * np.std(values, ddof=1) / math.sqrt(12)
    assert found.limits() == pytest.approx((np.mean(values) - half, np.mean(values) + half))


def test_pseudo_values_have_the_same_mean_spread_as_the_figure() -> None:
    found = ratio_of_sums(LOSSES, TOKENS)
    assert np.std(found.pseudo_values, ddof=1) / math.sqrt(12) == pytest.approx(found.error)


def test_eleven_documents_have_no_interval_and_keep_their_value() -> None:
    found = over_documents(LOSSES[:11], TOKENS[:11], unit="nats")
    assert (found.low, found.high) == (None, None)
    assert found.value == pytest.approx(sum(LOSSES[:11]) / sum(TOKENS[:11]))
    assert found.n == sum(TOKENS[:11])


def test_a_text_that_is_nearly_one_document_has_no_interval() -> None:
    found = over_documents([*LOSSES, 90_000.0], [*TOKENS, 20_000.0], unit="nats")
    assert (found.low, found.high) == (None, None)


def test_no_limit_is_below_zero_where_nothing_is() -> None:
    found = over_documents([0.0] * 11 + [50.0], [10.0] * 12, unit="share")
    assert found.low == 0.0


def test_nothing_read_has_no_value() -> None:
    assert over_documents([], [], unit="nats").value is None


def test_a_paired_difference_is_that_of_the_ratios_and_narrower_than_apart() -> None:
    later = [loss - 0.5 * n for loss, n in zip(LOSSES, TOKENS, strict=True)]
    found = paired_over_documents((LOSSES, TOKENS), (later, TOKENS), unit="nats")
    assert found.value == pytest.approx(-0.5)
    assert (found.low, found.high) == pytest.approx((-0.5, -0.5))
    assert found.n == 12


def test_one_document_that_moved_far_widens_a_paired_interval() -> None:
    """Twelve gains of one tenth, and one of a hundred times that: nearly all of the variance."""
    even = [
        loss - 0.1 * n + 0.01 * n * (-1) ** at
        for at, (loss, n) in enumerate(zip(LOSSES, TOKENS, strict=True))
    ]
    apart = [even[0] - 10 * TOKENS[0], *even[1:]]
    alike, few = (difference_of_ratios((LOSSES, TOKENS), (each, TOKENS)) for each in (even, apart))
    by_tokens = ratio_of_sums(LOSSES, TOKENS).freedom
    assert alike.freedom == pytest.approx(by_tokens)
    assert 1.0 < few.freedom < 2.0


def test_two_tokenizers_are_paired_by_document() -> None:
    twice = [2 * n for n in TOKENS]
    found = difference_of_ratios((LOSSES, TOKENS), (LOSSES, twice))
    alone = ratio_of_sums(LOSSES, TOKENS)
    assert found.value == pytest.approx(-alone.value / 2)
    assert found.error == pytest.approx(alone.error / 2)
    assert found.freedom == pytest.approx(alone.freedom)


def test_blocks_of_one_document_are_a_thousand_tokens_or_twelve_of_them() -> None:
    assert [block_length(n) for n in (1_999, 2_000, 6_000, 12_000, 90_000)] == [
        None,
        166,
        500,
        1_000,
        1_000,
    ]


def test_intervals_of_real_lengths_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(0)
    tokens = np.exp(random.normal(6.6, 1.0, 2000))
    losses = random.normal(4.9, 0.7, 2000) * tokens
    truth, held = losses.sum() / tokens.sum(), 0
    for _ in range(1000):
        drawn = random.integers(0, 2000, 30)
        low, high = ratio_of_sums(losses[drawn], tokens[drawn]).limits()
        assert low is not None
        assert high is not None
        held += low <= truth <= high
    assert 930 <= held <= 975
