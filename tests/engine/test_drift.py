"""Divergence in lockstep, beside the definition written out."""

from functools import partial

import pytest
import torch
from torch import nn

from assay.engine import drift
from assay.engine.network import NotFinite, make_ready, read_row
from tests.engine.shapes import random_model

TOKENS = [int(each) for each in torch.randint(0, 211, (300,), generator=torch.manual_seed(3))]


@pytest.fixture(scope="module", params=["llama", "gemma2"])
def networks(request):
    """One that the tree serves, and one that is computed the plain way."""
    return [
        make_ready(random_model(request.param, seed=seed), context_length=128) for seed in (0, 1, 0)
    ]


def naive(logits, others):
    ours, theirs = logits.double().log_softmax(-1), others.double().log_softmax(-1)
    return nn.functional.kl_div(theirs, ours, log_target=True, reduction="none").sum(-1)


def test_every_token_is_compared_once_and_as_the_definition_says(networks, monkeypatch):
    monkeypatch.setattr(drift, "POSITIONS_AT_ONCE", 37)
    readers = [partial(read_row, network) for network in networks]
    found = list(drift.compare_readings(readers[0], readers[1:], TOKENS, context=128))
    assert [len(window[0].kl) for window in found] == [128, 128, 43]
    last, same = found[-1]
    fed = TOKENS[299 - 128 : 299]
    ours, theirs = (reader(fed)(0, 128)[-len(last.kl) :] for reader in readers[:2])
    wanted = torch.tensor(TOKENS[257:])
    assert torch.tensor(last.kl) == pytest.approx(naive(ours, theirs), abs=1e-5)
    likely = ours.log_softmax(-1).gather(1, wanted[:, None])[:, 0]
    assert torch.tensor(last.base) == pytest.approx(likely.double(), abs=1e-5)
    assert last.base_top.tolist() == ours.argmax(-1).tolist()
    assert last.other_top.tolist() == theirs.argmax(-1).tolist()
    assert last.other_share == pytest.approx(theirs.softmax(-1).max(-1).values.numpy(), abs=1e-5)
    assert same.kl.max() < 1e-6  # equal weights
    assert (same.base_top == same.other_top).all()


def test_a_model_that_answers_with_no_number_is_named():
    def read(tokens):
        return lambda start, end: torch.zeros(end - start, 5)

    def broken(tokens):
        return lambda start, end: torch.full((end - start, 5), float("nan"))

    with pytest.raises(NotFinite) as caught:
        list(drift.compare_readings(read, [read, broken], [0, 1, 2], context=8))
    assert caught.value.args == (2, 1)


def test_tokens_that_a_model_rules_out_take_no_part():
    def read(tokens):
        return lambda start, end: torch.tensor([[0.0, 1.0, float("-inf")]]).repeat(end - start, 1)

    (window,) = drift.compare_readings(read, [read], [0, 1, 0, 1], context=8)
    assert window[0].kl.tolist() == [0.0, 0.0, 0.0]
