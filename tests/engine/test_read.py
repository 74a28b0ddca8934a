"""Reading long texts against a naive reader: one window at a time, all logits, sorted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import torch

from assay.engine.layout.batches import TooLittleMemory
from assay.engine.layout.windows import windows
from assay.engine.network import Network, NotFinite, make_ready
from assay.engine.read import TextReading, UnknownToken, read_all
from tests.engine.shapes import NOT_SERVED, SERVED, made_again, random_model

CONTEXT = 32
PREFIX = 0


def read(network, tokens, **more) -> TextReading:
    return next(read_all(network, [tokens], **more))


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def some_tokens(count: int, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).integers(0, 211, count).tolist()


def naively(model, tokens):
    """Of each token its log-likelihood and its rank among all, ties by the lower number."""
    found = []
    text = [PREFIX, *tokens]
    for window in windows(len(tokens), CONTEXT):
        with torch.inference_mode():
            logits = model(torch.tensor([text[window.start + 1 : window.end]])).logits[0]
        logs = logits[-window.predicted :].double().log_softmax(-1)
        order = logs.sort(dim=-1, descending=True, stable=True).indices
        for row, token in enumerate(text[window.first_predicted + 1 : window.end + 1]):
            found.append((logs[row, token].item(), order[row].tolist().index(token)))
    return found


def is_as_naive(
    reading: TextReading, naive: Sequence[tuple[float, int]], block: int = 1000
) -> None:
    values = [value for value, _ in naive]
    assert reading.tokens == len(naive)
    assert reading.log_likelihood == pytest.approx(sum(values), abs=1e-3)
    assert reading.top1 == sum(rank < 1 for _, rank in naive)
    assert reading.top5 == sum(rank < 5 for _, rank in naive)
    assert len(reading.blocks) == math.ceil(len(naive) / block)
    for number, (total, tokens) in enumerate(reading.blocks):
        own = values[number * block : (number + 1) * block]
        assert tokens == len(own)
        assert total == pytest.approx(sum(own), abs=1e-3)


@pytest.mark.parametrize("shape", [*SERVED, *NOT_SERVED])
def test_reader_and_naive_reader_agree(shape):
    tokens = some_tokens(350)
    network = make_ready(random_model(shape), context_length=CONTEXT)
    assert network.serves_trees == (shape in SERVED), network.why_not
    reading = read(network, tokens, prefix=PREFIX, block=100)
    is_as_naive(reading, naively(random_model(shape), tokens), block=100)


@pytest.mark.parametrize("by_blocks", [False, True], ids=["spans", "blocks"])
@pytest.mark.parametrize("shape", ["gpt2", "llama"])
def test_texts_of_all_lengths_are_read_together_as_if_alone(shape, by_blocks):
    texts = [some_tokens(count, seed=count) for count in (5, 90, 0, 1, 32, 33, 700, 64, 0)]
    network = make_ready(random_model(shape), context_length=CONTEXT)
    network.by_blocks = by_blocks
    plain = random_model(shape)
    found = list(read_all(network, texts, prefix=PREFIX, block=50))
    assert len(found) == len(texts)
    for reading, tokens in zip(found, texts, strict=True):
        is_as_naive(reading, naively(plain, tokens), block=50)


def test_a_text_without_tokens_has_nothing_to_tell():
    network = make_ready(random_model("gpt2"), context_length=CONTEXT)
    reading = read(network, [], prefix=PREFIX)
    assert (reading.log_likelihood, reading.tokens) == (0.0, 0)
    assert reading.blocks == []


def test_the_first_token_is_predicted_from_the_prefix():
    network = make_ready(random_model("llama"), context_length=CONTEXT)
    tokens = some_tokens(20)
    one, other = (read(network, tokens, prefix=prefix).log_likelihood for prefix in (0, 7))
    assert abs(one - other) > 0.01


def test_a_mapped_file_is_read_window_by_window(tmp_path):
    path = tmp_path / "tokens.bin"
    np.asarray(some_tokens(5000), dtype=np.uint16).tofile(path)
    mapped = np.memmap(path, dtype=np.uint16, mode="r")

    class Watched(Sequence):
        largest = 0

        def __len__(self):
            return len(mapped)

        def __getitem__(self, part):
            taken = mapped[part]
            self.largest = max(self.largest, len(taken))
            return taken

    network = make_ready(random_model("llama"), context_length=CONTEXT)
    watched = Watched()
    assert read(network, watched, prefix=PREFIX) == read(network, mapped, prefix=PREFIX)
    assert watched.largest == CONTEXT


def test_texts_are_taken_as_they_are_needed():
    network = make_ready(random_model("llama"), context_length=CONTEXT)
    taken = []

    def texts():
        for number in range(100):
            taken.append(number)
            yield some_tokens(600, seed=number)

    next(read_all(network, texts(), prefix=PREFIX))
    assert len(taken) < 5


@pytest.mark.parametrize("shape", ["llama", "mamba"])
@pytest.mark.parametrize("unknown", [211, 65_535, -1])
def test_a_token_the_model_has_not_is_named_by_its_place(shape, unknown):
    network = make_ready(random_model(shape), context_length=CONTEXT)
    tokens = some_tokens(200)
    tokens[137] = unknown
    with pytest.raises(UnknownToken) as refused:
        read(network, tokens, prefix=PREFIX)
    assert refused.value.args[0] == 137


@pytest.mark.parametrize("shape", ["llama", "bloom"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_likelihood_that_is_no_number_is_raised_with_its_place(shape, value):
    network = make_ready(random_model(shape), context_length=CONTEXT)
    tokens = [token % 200 for token in some_tokens(200)]
    tokens[70] = 205
    with torch.no_grad():
        # The embedding of one token, fed at 70. Attention multiplies what it does not see by 0, and
        # 0 times no number is no number: its window is spoilt from 64 on, no other before it.
        network.model.get_input_embeddings().weight = torch.nn.Parameter(
            network.model.get_input_embeddings().weight.clone()
        )
        network.model.get_input_embeddings().weight[205] = value
    with pytest.raises(NotFinite) as raised:
        read(network, tokens, prefix=PREFIX)
    assert 64 <= raised.value.args[0] <= 71


class Small(Network):
    """A network on a device that holds few tokens."""

    most = 100

    def run(self, ids, positions, arrangement):
        if ids.shape[1] > self.most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return super().run(ids, positions, arrangement)


def small(most: int) -> Network:
    made = make_ready(random_model("llama"), context_length=CONTEXT)
    network = made_again(made, Small)
    network.most = most
    return network


@pytest.mark.slow
def test_batches_shrink_when_memory_runs_out_and_the_result_stays():
    tokens = some_tokens(2000)
    made = make_ready(random_model("llama"), context_length=CONTEXT)
    whole, shrunk = (read(network, tokens, prefix=PREFIX) for network in (made, small(100)))
    assert shrunk.log_likelihood == pytest.approx(whole.log_likelihood, abs=1e-3)
    assert (shrunk.top1, shrunk.top5) == (whole.top1, whole.top5)


def test_a_device_that_does_not_hold_one_window_is_too_small():
    with pytest.raises(TooLittleMemory):
        read(small(10), some_tokens(100), prefix=PREFIX)


def test_batches_hold_no_more_tokens_than_they_may():
    seen = []

    class Seen(Network):
        tokens_at_once = 100

        def run(self, ids, positions, arrangement):
            seen.append(ids.shape[1])
            return super().run(ids, positions, arrangement)

    network = make_ready(random_model("llama"), context_length=CONTEXT)
    read(made_again(network, Seen), some_tokens(CONTEXT * 10), prefix=PREFIX)
    assert seen == [96, 96, 96, 32]
