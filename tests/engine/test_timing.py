"""Timing: the decode loop against a naive one, memory against sums by hand; never a duration."""

from __future__ import annotations

import statistics

import pytest
import torch

from assay.engine.network import make_ready
from assay.engine.timing import (
    _decoder,
    figures_of_runs,
    lengths,
    peak_beyond,
    time_decoding,
    weight_bytes_per_token,
)
from tests.engine.shapes import NOT_SERVED, SERVED, random_model

CPU = torch.device("cpu")
CONTEXT = 64
NUMBER = 4  # bytes of an fp32


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def network_of(shape):
    return make_ready(random_model(shape), context_length=CONTEXT)


# ----------------------------------------------------------------------------------------- decoding


@pytest.mark.parametrize("shape", [*SERVED, *NOT_SERVED])
def test_what_is_timed_writes_what_the_model_itself_would_write(shape):
    prompt = torch.randint(0, 211, (1, 9), generator=torch.Generator().manual_seed(1))
    plain = random_model(shape)
    naive = prompt
    with torch.inference_mode():
        for _ in range(20):
            naive = torch.cat((naive, plain(naive).logits[:, -1].argmax(-1, keepdim=True)), 1)
        decoder = _decoder(network_of(shape), 40)
        for _ in range(2):  # the second text finds nothing of the first
            decoder.begin()
            fed, written = prompt, []
            for _ in range(20):
                fed = decoder.feed(fed)
                written.append(fed.item())
            assert written == naive[0, 9:].tolist()


@pytest.mark.parametrize("shape", ["gpt2", "llama", "mamba", "mistral"])
def test_every_run_is_timed_token_by_token(shape):
    speed = time_decoding(network_of(shape), prompt_tokens=5, new_tokens=7, repeats=3)
    assert (speed["prompt_tokens"], speed["new_tokens"]) == (5, 7)
    assert len(speed["prefill_s"]) == len(speed["decode_s"]) == len(speed["runs_per_s"]) == 3
    assert min(speed["prefill_s"]) > 0
    assert min(speed["runs_per_s"]) <= speed["tokens_per_s"] <= max(speed["runs_per_s"])
    assert 0 < speed["latency_p50_s"] <= speed["latency_p95_s"]
    assert speed["threads"] == 1


def test_lengths_are_those_of_the_contract_where_the_context_holds_them():
    assert lengths(2048) == (32, 256)
    assert lengths(288) == (32, 256)
    assert lengths(128) == (32, 96)
    assert lengths(64) == (32, 32)
    prompt, new = lengths(20)
    assert prompt + new == 20
    speed = time_decoding(network_of("gpt2"), repeats=1)
    assert (speed["prompt_tokens"], speed["new_tokens"]) == (32, 32)
    assert speed["spread_per_s"] is None


@pytest.mark.parametrize("given", [(0, 5), (5, 1), (60, 5)])
def test_lengths_that_cannot_be_timed_are_refused(given):
    with pytest.raises(ValueError, match="tokens"):
        time_decoding(network_of("gpt2"), prompt_tokens=given[0], new_tokens=given[1])


def test_figures_follow_from_the_seconds():
    speed = figures_of_runs([(0.5, 4.0, 6.0), (0.2, 2.0, 2.0), (0.4, 9.0, 1.0)], 32)
    assert speed["runs_per_s"] == [0.2, 0.5, 0.2]
    assert speed["tokens_per_s"] == 0.2
    assert speed["mean_per_s"] == pytest.approx(0.3)
    assert speed["spread_per_s"] == pytest.approx(statistics.stdev([0.2, 0.5, 0.2]))
    assert speed["first_token_s"] == 0.4
    assert speed["prefill_tokens_per_s"] == pytest.approx(80)
    assert speed["latency_p50_s"] == pytest.approx(3.0)
    assert speed["latency_p95_s"] == pytest.approx(8.25)


# ------------------------------------------------------------------------------------------- memory


def test_weights_and_cache_are_counted_in_sixteen_bits():
    network = network_of("llama")
    memory = time_decoding(network, prompt_tokens=8, new_tokens=12, repeats=1)
    size, layers, key_heads, head = 48, 2, 2, 12
    one_layer = 2 * size * size + 2 * size * key_heads * head + 3 * size * 96 + 2 * size
    parameters = 2 * 211 * size + layers * one_layer + size
    assert memory["weights_mb"] == 2 * parameters / 1e6
    assert memory["cache_mb"] == 2 * (2 * layers * key_heads * head * 20) / 1e6


def test_tied_weights_count_once():
    tied = time_decoding(network_of("gpt2"), prompt_tokens=4, new_tokens=4, repeats=1)
    model = random_model("gpt2")
    assert model.get_input_embeddings().weight is model.get_output_embeddings().weight
    assert tied["weights_mb"] * 1e6 == 2 * sum(each.numel() for each in model.parameters())


def test_of_embeddings_only_one_row_is_read_for_a_token():
    llama, gpt2 = network_of("llama"), network_of("gpt2")
    of_llama = sum(each.nbytes for each in llama.model.parameters())
    of_gpt2 = sum(each.nbytes for each in gpt2.model.parameters())
    assert weight_bytes_per_token(llama) == of_llama - NUMBER * 211 * 48
    # Its table is the head, which is read whole; that of positions is not.
    assert weight_bytes_per_token(gpt2) == of_gpt2 - NUMBER * 128 * 48


def test_the_cache_is_read_whole_for_every_token():
    speed = time_decoding(network_of("llama"), prompt_tokens=10, new_tokens=20, repeats=1)
    a_token = 2 * 2 * 2 * 12 * NUMBER
    weights = weight_bytes_per_token(network_of("llama"))
    assert speed["bytes_per_token"] == weights + a_token * (10 + 30) // 2


def test_a_state_space_model_keeps_as_much_for_any_length():
    short, long = (
        time_decoding(network_of("mamba"), prompt_tokens=8, new_tokens=new, repeats=1)
        for new in (4, 40)
    )
    assert short["cache_mb"] == long["cache_mb"] > 0


@pytest.mark.parametrize("shape", ["gpt2", "llama", "opt"])
def test_activations_are_what_a_layer_holds_for_the_prompt(shape):
    tokens = 32
    memory = time_decoding(network_of(shape), repeats=1)
    hidden, inner = 48, 192 if shape == "gpt2" else 96
    # At the least the residual stream, and the inside of a layer before and after its activation.
    least = NUMBER * tokens * (hidden + 2 * inner)
    assert least <= memory["activations_mb"] * 1e6 <= 3 * least


def test_peak_counts_what_is_alive_together_and_nothing_twice():
    x, w = torch.ones(100, 50), torch.ones(50, 80)
    one = NUMBER * 100 * 80

    def work():
        y = x @ w  # one
        z = y.relu()  # two
        del y
        view = z.view(80, 100).t()  # not another
        return (view * 2).sum()  # two again, and a number

    assert 2 * one <= peak_beyond([x, w], work, CPU) <= 2 * one + 64


def test_peak_leaves_out_what_was_there():
    x = torch.ones(1000)
    assert peak_beyond([x], lambda: x.add_(1).view(10, 100).t(), CPU) == 0
    assert peak_beyond([], lambda: torch.ones(1000), CPU) == NUMBER * 1000
