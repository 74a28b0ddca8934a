"""Likelihoods and ranks from hidden states, some positions at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine import predicted
from assay.engine.network import Network, make_ready
from assay.engine.predicted import MANY, by_passes, from_logits, mean_entropies, predicted_at
from tests.engine.shapes import made_again, random_model

VOCABULARY, SIZE = 211, 48


def by_sorting(logits, targets):
    logs = logits.double().log_softmax(-1)
    order = logits.sort(dim=-1, descending=True, stable=True).indices
    ranks = [row.tolist().index(target) for row, target in zip(order, targets, strict=True)]
    return logs.gather(1, targets[:, None])[:, 0], [min(rank, MANY) for rank in ranks]


def tiny(shape="llama", **config):
    network = make_ready(random_model(shape), context_length=32)
    for name, value in config.items():
        setattr(network.model.config, name, value)
    return network


def found_by_head(network, hidden, targets):
    return predicted_at(network, hidden, np.arange(len(targets)), targets.numpy())


def drawn(count, spread=1.0, seed=0):
    draw = torch.Generator().manual_seed(seed)
    hidden = torch.randn(count, SIZE, generator=draw) * spread
    return hidden, torch.randint(0, VOCABULARY, (count,), generator=draw)


@pytest.mark.parametrize("shape", ["llama", "phi"], ids=["no bias", "bias"])
@pytest.mark.parametrize("count", [1, 4, 5, 23])
def test_five_positions_at_a_time_and_sorting_agree(shape, count):
    class FiveAtOnce(Network):
        positions_at_once = 5

    network = made_again(tiny(shape), FiveAtOnce)
    head = network.model.get_output_embeddings()
    if getattr(head, "bias", None) is not None:
        torch.nn.init.normal_(head.bias)
    hidden, _ = drawn(count)
    logits = network.logits(hidden)
    # Targets of every rank, not only unlikely ones.
    targets = logits.argsort(descending=True).diagonal()[:count].clone()
    values, ranks = by_sorting(logits, targets)
    found = found_by_head(network, hidden, targets)
    assert found.log_likelihood.tolist() == pytest.approx(values.tolist(), abs=1e-5)
    assert found.likelier.tolist() == ranks
    assert ranks[:6] == [0, 1, 2, 3, 4, MANY][: len(ranks)]


@pytest.mark.parametrize("spread", [1e-6, 1.0, 30.0, 1e4])
def test_no_scale_of_logits_overflows_or_vanishes(spread):
    network = tiny()
    hidden, targets = drawn(12, spread)
    hidden[3] = hidden[3].abs() * -40  # far from the others: all large, or all small
    values, ranks = by_sorting(network.logits(hidden), targets)
    found = found_by_head(network, hidden, targets)
    assert found.log_likelihood.tolist() == pytest.approx(values.tolist(), rel=1e-5, abs=1e-5)
    assert found.likelier.tolist() == ranks


@pytest.mark.parametrize("offset", [-300.0, -80.0, 80.0, 300.0])
def test_rows_whose_logits_all_lie_far_from_zero_are_as_exact(offset):
    network = tiny("phi")
    head = network.model.get_output_embeddings()
    torch.nn.init.constant_(head.bias, offset)
    hidden, targets = drawn(9)
    values, _ = by_sorting(network.logits(hidden), targets)
    found = found_by_head(network, hidden, targets)
    assert found.log_likelihood.tolist() == pytest.approx(values.tolist(), abs=1e-3)


@pytest.mark.parametrize(
    "setting", [{"final_logit_softcapping": 3.0}, {"logit_scale": 0.3}, {"logits_scaling": 4.0}]
)
def test_what_families_do_to_their_logits_is_done_here_too(setting):
    hidden, targets = drawn(7)
    plain = found_by_head(tiny(), hidden, targets)
    network = tiny(**setting)
    values, ranks = by_sorting(network.logits(hidden), targets)
    found = found_by_head(network, hidden, targets)
    assert found.log_likelihood.tolist() == pytest.approx(values.tolist(), abs=1e-5)
    assert found.likelier.tolist() == ranks
    assert found.log_likelihood.tolist() != pytest.approx(plain.log_likelihood.tolist(), abs=1e-2)


def test_sixteen_bit_weights_are_multiplied_in_fp32():
    network = make_ready(random_model("llama").to(torch.bfloat16), context_length=32)
    hidden, targets = drawn(6)
    hidden = hidden.bfloat16()
    weight = network.model.get_output_embeddings().weight
    values, ranks = by_sorting(hidden.double() @ weight.double().t(), targets)
    found = found_by_head(network, hidden, targets)
    assert found.log_likelihood.tolist() == pytest.approx(values.tolist(), abs=1e-5)
    assert found.likelier.tolist() == ranks


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=7, max_size=30), st.data())
def test_of_equal_logits_the_lower_number_is_the_likelier(levels, data):
    target = data.draw(st.integers(0, len(levels) - 1))
    logits = torch.tensor([levels], dtype=torch.float32)
    found = from_logits(logits, torch.tensor([target]))
    _, ranks = by_sorting(logits, torch.tensor([target]))
    assert found.likelier.tolist() == ranks


@pytest.mark.parametrize("target", [0, 1, 4, 5, 40, 210])
def test_ties_are_settled_by_number(target):
    network = tiny()
    with torch.no_grad():
        network.model.get_output_embeddings().weight.zero_()
    hidden, _ = drawn(3)
    found = found_by_head(network, hidden, torch.full((3,), target))
    assert found.likelier.tolist() == [min(target, MANY)] * 3


def test_what_is_no_number_stays_none():
    network = tiny()
    hidden, targets = drawn(3)
    hidden[1] = float("nan")
    found = found_by_head(network, hidden, targets)
    assert found.log_likelihood.isfinite().tolist() == [True, False, True]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_one_pass_on_a_gpu_tells_what_many_passes_tell(dtype, offset):
    draw = torch.Generator("cuda").manual_seed(0)
    logits = (torch.randn(200, 50_257, generator=draw, device="cuda") + offset).to(dtype)
    logits[3] = 0.0
    logits[4] = float("nan")
    logits[5, 100:] = float("-inf")
    targets = torch.randint(0, 99, (200,), generator=draw, device="cuda")
    logits[::2].scatter_add_(
        1, targets[::2, None], torch.full((100, 1), 4.3, dtype=dtype, device="cuda")
    )
    found, expected = from_logits(logits, targets), by_passes(logits, targets)
    assert predicted._fused() is not None
    torch.testing.assert_close(
        found.log_likelihood, expected.log_likelihood, atol=1e-3, rtol=1e-5, equal_nan=True
    )
    whole = expected.log_likelihood.isfinite()
    assert found.likelier[whole].tolist() == expected.likelier[whole].tolist()
    assert set(expected.likelier.tolist()) > {0, MANY}


ASKED = [([5, 6, 7], [1, 2]), ([5, 6, 9, 11], [3]), ([4], []), ([], [3]), ([8] * 9, [1] * 7)]


@pytest.mark.parametrize("shape", ["llama", "gpt2"])
def test_entropies_together_are_those_of_each_text_by_itself(shape):
    network = tiny(shape)
    found = mean_entropies(network, ASKED)
    plain = replace(network, serves_trees=False)
    network.model.set_attn_implementation(network.own_attention)
    alone = mean_entropies(plain, ASKED)
    assert found[2:4] == alone[2:4] == [None, None]
    known = [each for each in alone if each is not None]
    assert [each for each in found if each is not None] == pytest.approx(known, abs=1e-5)
    assert all(0 < each < np.log(VOCABULARY) for each in known)


def test_entropies_of_prompts_that_begin_alike_and_logits_a_few_at_a_time_are_the_same():
    class ThreeAtOnce(Network):
        positions_at_once = 3

    begin = [number % 200 for number in range(24)]
    asked = [([*begin, number], [number + 1, number + 2]) for number in range(8)]
    network = make_ready(random_model("llama"), context_length=64)
    one_by_one = [mean_entropies(network, [each])[0] for each in asked]
    found = mean_entropies(made_again(network, ThreeAtOnce), asked)
    assert found == pytest.approx(one_by_one, abs=1e-5)


def test_an_entropy_that_is_no_number_is_none_and_the_others_stay():
    network = tiny()
    network.model.get_input_embeddings().weight.data[7] = float("nan")
    found = mean_entropies(network, [([5, 7], [1, 2]), ([5, 6], [1, 2])])
    assert found[0] is None
    assert found[1] is not None
