"""The next token: by likelihood or by chance, whatever else is in the batch."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
import torch

from assay.engine.generate import Dice, draw
from assay.engine.network import NotFinite


def plainly(logits: list[float], temperature: float, number: float) -> int:
    """One row in Python's own numbers, one token after another."""
    top = max(logits)
    weights = [math.exp((x - top) / temperature) for x in logits]
    reached = 0.0
    for token, weight in enumerate(weights):
        reached += weight / sum(weights)
        if number < reached:
            return token
    return len(weights) - 1


def some_logits(rows: int, vocabulary: int = 300, seed: int = 0) -> torch.Tensor:
    return torch.randn(rows, vocabulary, generator=torch.Generator().manual_seed(seed)) * 3


TEMPERATURES = (1.0, 0.3, 1.7, 0.8, 2.0, 1e-6, 1e-45)


@pytest.mark.parametrize("step", range(12))
def test_a_draw_is_the_token_at_its_share_of_the_probability(step: int) -> None:
    rows = [(Dice(each, seed), step) for seed, each in enumerate(TEMPERATURES)]
    logits = some_logits(len(rows), seed=step)
    wanted = [
        plainly(logits[row].double().tolist(), dice.temperature, dice.number(step))
        for row, (dice, step) in enumerate(rows)
    ]
    assert draw(logits, rows) == wanted


def test_temperature_zero_takes_the_likeliest() -> None:
    logits = some_logits(4)
    assert draw(logits, [(Dice(), 0)] * 4) == logits.argmax(-1).tolist()


@pytest.mark.parametrize("limit", [{"top_k": 1}, {"top_k": 7}, {"top_p": 0.3}, {"top_p": 0.9}])
def test_only_the_likeliest_are_drawn_as_transformers_has_it(limit: dict[str, float]) -> None:
    from transformers import TopKLogitsWarper, TopPLogitsWarper

    logits = some_logits(1, seed=5)
    warper = TopKLogitsWarper(limit["top_k"]) if "top_k" in limit else TopPLogitsWarper(
        limit["top_p"]
    )  # fmt: skip
    left = warper(torch.empty(0), logits).isfinite()[0].nonzero()[:, 0].tolist()
    rows = [(Dice(1.0, seed, **limit), 0) for seed in range(4000)]
    drawn = draw(logits.expand(len(rows), -1), rows)
    assert set(drawn) <= set(left)
    share = logits[0, left].softmax(-1)
    for token, expected in zip(left, share.tolist(), strict=True):
        assert drawn.count(token) / len(rows) == pytest.approx(expected, abs=0.03)


def test_a_draw_does_not_depend_on_what_else_is_in_the_batch() -> None:
    temperatures = [*TEMPERATURES, 0.0, 0.0] * 3
    logits = some_logits(len(temperatures), 5000)
    rows = [(Dice(each, number), number % 5) for number, each in enumerate(temperatures)]
    alone = [draw(logits[[row]], [rows[row]])[0] for row in range(len(rows))]
    order = random.Random(3).sample(range(len(rows)), len(rows))
    together = draw(logits[order], [rows[row] for row in order])
    assert together == [alone[row] for row in order]


def test_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    probabilities = [0.5, 0.0, 0.3, 0.2]
    logits = torch.tensor([probabilities]).log().clamp(min=-100)
    dice = Dice(1.0, 11)
    counts = np.bincount([draw(logits, [(dice, n)])[0] for n in range(3000)], minlength=4)
    # Four standard errors of a share of one half in 3,000 draws are 0.037.
    assert np.abs(counts / 3000 - probabilities).max() < 0.037
    assert counts[1] == 0


def test_the_numbers_of_a_seed_do_not_depend_on_the_order_in_which_they_are_asked_for() -> None:
    one, other = Dice(1.0, 5), Dice(1.0, 5)
    later = one.number(200)
    assert [other.number(step) for step in (0, 63, 64, 200)][-1] == later
    assert one.number(0) == other.number(0)
    assert one.number(0) != Dice(1.0, 6).number(0)


def test_seeds_may_be_negative_or_huge() -> None:
    assert 0 <= Dice(1.0, -1).number(0) < 1
    assert 0 <= Dice(1.0, 2**80).number(0) < 1


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_logits_that_are_no_numbers_are_refused_by_row(wrong: float, temperature: float) -> None:
    logits = some_logits(5)
    logits[3, 17] = wrong
    with pytest.raises(NotFinite) as caught:
        draw(logits, [(Dice(temperature), 0)] * 5)
    assert caught.value.args == (3,)
