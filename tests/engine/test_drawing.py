"""The next token: by likelihood or by chance, whatever else is in the batch."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
import torch

from assay.engine.network import NotFinite
from assay.engine.sampling import Dice, Manner, draw


def plainly(logits: list[float], manner: Manner, number: float) -> int:
    """One row in Python's own numbers, one token after another."""
    top = max(logits)
    weights = {token: math.exp((x - top) / manner.temperature) for token, x in enumerate(logits)}
    order = sorted(weights, key=lambda token: (-weights[token], token))
    if manner.top_k > 0:
        order = order[: manner.top_k]
    whole = sum(weights[token] for token in order)
    kept, reached = [], 0.0
    for token in order:
        if kept and reached >= manner.top_p:
            break
        kept.append(token)
        reached += weights[token] / whole
    kept = [token for token in kept if weights[token] >= manner.min_p * weights[order[0]]]
    whole = sum(weights[token] for token in kept)
    reached = 0.0
    for token in sorted(kept):
        reached += weights[token] / whole
        if number < reached:
            return token
    return max(kept)


def some_logits(rows: int, vocabulary: int = 300, seed: int = 0) -> torch.Tensor:
    return torch.randn(rows, vocabulary, generator=torch.Generator().manual_seed(seed)) * 3


MANNERS = [
    Manner(temperature, seed, top_p, top_k, min_p)
    for seed, (temperature, top_p, top_k, min_p) in enumerate(
        [
            (1.0, 1.0, 0, 0.0),
            (0.3, 1.0, 0, 0.0),
            (1.7, 0.8, 0, 0.0),
            (1.0, 1.0, 5, 0.0),
            (1.0, 1.0, 0, 0.2),
            (0.8, 0.9, 40, 0.05),
            (2.0, 0.5, 10, 0.0),
            (1.0, 1.0, 1, 0.0),
            (1.0, 0.0, 0, 0.0),
            (1e-6, 1.0, 0, 0.0),
            (1e-45, 0.9, 0, 0.0),
        ]
    )
]


@pytest.mark.parametrize("step", range(12))
def test_a_draw_is_the_token_at_its_share_of_the_probability(step: int) -> None:
    rows = [(Dice(manner), step) for manner in MANNERS]
    logits = some_logits(len(rows), seed=step)
    wanted = [
        plainly(logits[row].double().tolist(), dice.manner, dice.number(step))
        for row, (dice, step) in enumerate(rows)
    ]
    assert draw(logits, rows) == wanted


def test_temperature_zero_takes_the_likeliest() -> None:
    logits = some_logits(4)
    assert draw(logits, [(Dice(Manner()), 0)] * 4) == logits.argmax(-1).tolist()


def test_a_draw_does_not_depend_on_what_else_is_in_the_batch() -> None:
    manners = [*MANNERS, Manner(), Manner(0.0, 7)] * 3
    logits = some_logits(len(manners), 5000)
    rows = [(Dice(manner), number % 5) for number, manner in enumerate(manners)]
    alone = [draw(logits[[row]], [rows[row]])[0] for row in range(len(rows))]
    order = random.Random(3).sample(range(len(rows)), len(rows))
    together = draw(logits[order], [rows[row] for row in order])
    assert together == [alone[row] for row in order]


def test_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    probabilities = [0.5, 0.0, 0.3, 0.2]
    logits = torch.tensor([probabilities]).log().clamp(min=-100)
    dice = Dice(Manner(1.0, 11))
    counts = np.bincount([draw(logits, [(dice, n)])[0] for n in range(3000)], minlength=4)
    # Four standard errors of a share of one half in 3,000 draws are 0.037.
    assert np.abs(counts / 3000 - probabilities).max() < 0.037
    assert counts[1] == 0


def test_the_numbers_of_a_seed_do_not_depend_on_the_order_in_which_they_are_asked_for() -> None:
    one, other = Dice(Manner(1.0, 5)), Dice(Manner(1.0, 5))
    later = one.number(200)
    assert [other.number(step) for step in (0, 63, 64, 200)][-1] == later
    assert one.number(0) == other.number(0)
    assert one.number(0) != Dice(Manner(1.0, 6)).number(0)


def test_seeds_may_be_negative_or_huge() -> None:
    assert 0 <= Dice(Manner(1.0, -1)).number(0) < 1
    assert 0 <= Dice(Manner(1.0, 2**80)).number(0) < 1


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_logits_that_are_no_numbers_are_refused_by_row(wrong: float, temperature: float) -> None:
    logits = some_logits(5)
    logits[3, 17] = wrong
    with pytest.raises(NotFinite) as caught:
        draw(logits, [(Dice(Manner(temperature)), 0)] * 5)
    assert caught.value.args == (3,)
