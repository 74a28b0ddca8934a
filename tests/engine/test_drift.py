"""Divergence in lockstep, beside the definition written out."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import torch
from torch import nn

from assay.engine import drift
from assay.engine.kernels import attention
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


def test_every_token_is_compared_once_and_as_the_definition_says(networks):
    readers = [partial(read_row, network) for network in networks]
    found = list(drift.compare_readings(readers[0], readers[1:], TOKENS, context=128, at_once=37))
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


def test_windows_read_by_a_core_each_give_the_same_in_the_same_order(networks, threads):
    readers = [partial(read_row, network) for network in networks]
    compare = partial(drift.compare_readings, readers[0], readers[1:], TOKENS, context=16)
    one_by_one, at_once = list(compare()), list(compare(threads=True))
    assert len(at_once) == 19
    for before, now in zip(one_by_one, at_once, strict=True):
        for plain, threaded in zip(before, now, strict=True):
            assert threaded.base == pytest.approx(plain.base, abs=1e-5)
            assert threaded.kl == pytest.approx(plain.kl, abs=1e-5)
    assert torch.get_num_threads() == threads


def test_who_reads_no_further_leaves_no_threads(networks, threads):
    before = {*threading.enumerate()}
    read = partial(read_row, networks[0])
    windows = drift.compare_readings(read, [read], TOKENS, context=16, threads=True)
    next(windows)
    windows.close()
    assert torch.get_num_threads() == threads
    assert {*threading.enumerate()} <= before


def test_a_window_that_nobody_waits_for_ends_at_the_next_layer():
    network = make_ready(random_model("llama"), context_length=128)
    stopped = threading.Event()

    def read():
        attention.stop_with(stopped)
        assert read_row(network, TOKENS[:20])(0, 20).shape[0] == 20
        stopped.set()
        with pytest.raises(attention.Stopped):
            read_row(network, TOKENS[:20])
        return True

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(read).result()
    assert read_row(network, TOKENS[:20])(0, 20).shape[0] == 20, "other threads read on"


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield 3
    torch.set_num_threads(before)


@pytest.mark.parametrize("at_once", [False, True])
def test_a_model_that_answers_with_no_number_is_named(at_once):
    def read(tokens):
        return lambda start, end: torch.zeros(end - start, 5)

    def broken(tokens):
        return lambda start, end: torch.full((end - start, 5), float("nan"))

    with pytest.raises(NotFinite) as caught:
        list(drift.compare_readings(read, [read, broken], [0, 1, 2], context=8, threads=at_once))
    assert caught.value.args == (2, 1)


def test_tokens_that_a_model_rules_out_take_no_part():
    def read(tokens):
        return lambda start, end: torch.tensor([[0.0, 1.0, float("-inf")]]).repeat(end - start, 1)

    (window,) = drift.compare_readings(read, [read], [0, 1, 0, 1], context=8)
    assert window[0].kl.tolist() == [0.0, 0.0, 0.0]
