"""The k likeliest continuations against a search that computes every hypothesis whole."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import torch

from assay.engine.beams import Beam, beams
from assay.engine.generate import Prompt
from assay.engine.layout.batches import TooLittleMemory
from assay.engine.layout.slots import BehindSlots
from assay.engine.network import Network, NotFinite, make_ready
from tests.engine.shapes import random_model, watched

CONTEXT = 100
VOCABULARY = 211
WIDTH = 6  # live hypotheses for three
SERVED = ("gpt2", "llama", "gpt_neox", "opt", "gemma", "phi")
NOT_SERVED = ("mistral", "mamba")  # others by themselves: test_choose.py

Found = list[tuple[tuple[int, ...], float]]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def prompts_of_all_kinds(count: int) -> list[Prompt]:
    chance = random.Random(4)
    preamble = [chance.randrange(VOCABULARY) for _ in range(40)]
    found = []
    for number in range(count):
        tokens = [chance.randrange(VOCABULARY) for _ in range(chance.choice((1, 7, 30, 90, 97)))]
        if number % 3 == 0:
            tokens = preamble + tokens[:20]
        divisor = chance.choice((5, 7, 11))
        found.append(
            Prompt(
                tokens,
                most_new=chance.choice((1, 3, 8)),
                ends=frozenset(range(0, VOCABULARY, 50)) if number % 2 else frozenset(),
                stopped=(lambda ids, divisor=divisor: sum(ids) % divisor == 0)
                if number % 3
                else None,
                same=(lambda ids: sum(ids) % 13) if number % 4 == 0 else None,
            )
        )
    return found


def plainly(model: Any, prompt: Prompt, k: int) -> Found:
    """All extensions of all hypotheses, sorted; every hypothesis computed whole."""
    limit = min(prompt.most_new, CONTEXT - len(prompt.tokens))
    live: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    # What a complete one reads as: its worth, turned round, and its tokens.
    complete: dict[Any, tuple[float, tuple[int, ...]]] = {}

    def enough(worth: float) -> bool:
        return sum(-negative >= worth for negative, _ in complete.values()) >= k

    while live and not enough(live[0][1]):
        extensions = []
        for tokens, worth in live:
            ids = torch.tensor([[*prompt.tokens, *tokens]])
            with torch.inference_mode():
                logs = model(input_ids=ids, use_cache=False).logits[0, -1].float().log_softmax(-1)
            extensions += [
                (-(worth + x), (*tokens, token)) for token, x in enumerate(logs.tolist())
            ]
        live = []
        for negative, tokens in sorted(extensions):
            if len(live) == max(4, 2 * k) or enough(-negative):
                break
            ends = tokens[-1] in prompt.ends
            said = tokens[:-1] if ends else tokens
            if ends or len(said) == limit or (prompt.stopped and prompt.stopped(said)):
                reads = prompt.same(said) if prompt.same else said
                if reads not in complete or negative < complete[reads][0]:
                    complete[reads] = (negative, said)
            else:
                live.append((tokens, -negative))
    return [(said, -negative) for negative, said in sorted(complete.values())][:k]


@cache
def network_of(shape: str) -> Network:
    return make_ready(random_model(shape), context_length=CONTEXT)


@cache
def found_plainly(shape: str, k: int) -> list[Found]:
    model = random_model(shape)
    return [plainly(model, prompt, k) for prompt in prompts_of_all_kinds(10)]


def agree(found: dict[int, tuple[Beam, ...]], wanted: Sequence[Found]) -> None:
    assert sorted(found) == list(range(len(wanted)))
    for index, expected in enumerate(wanted):
        assert [beam.tokens for beam in found[index]] == [tokens for tokens, _ in expected]
        assert [beam.log_likelihood for beam in found[index]] == pytest.approx(
            [worth for _, worth in expected], abs=1e-3
        )


@pytest.mark.parametrize(("most_rows", "by_blocks"), [(1, False), (3, True)])
@pytest.mark.parametrize("shape", SERVED)
def test_hypotheses_in_one_slot_are_as_likely_as_computed_whole(
    shape: str, most_rows: int | None, by_blocks: bool
) -> None:
    network = replace(network_of(shape), by_blocks=by_blocks)
    found = dict(beams(network, prompts_of_all_kinds(10), k=3, most_rows=most_rows))
    agree(found, found_plainly(shape, 3))


@pytest.mark.parametrize("k", [1, 5])
def test_any_number_of_continuations_is_found(k: int) -> None:
    agree(
        dict(beams(network_of("llama"), prompts_of_all_kinds(10), k=k)), found_plainly("llama", k)
    )


@pytest.mark.parametrize("shape", NOT_SERVED)
def test_models_that_slots_cannot_serve_are_searched_by_themselves(shape: str) -> None:
    network = network_of(shape)
    assert not network.serves_trees
    agree(dict(beams(network, prompts_of_all_kinds(10), k=3)), found_plainly(shape, 3))


def test_the_likeliest_continuations_of_one_token_are_the_likeliest_tokens() -> None:
    network = network_of("gpt2")
    ((_, found),) = beams(network, [Prompt([5, 6, 7], 1)], k=20)
    model = random_model("gpt2")
    with torch.inference_mode():
        logs = model(torch.tensor([[5, 6, 7]])).logits[0, -1].log_softmax(-1)
    best = logs.topk(20)
    assert [beam.tokens for beam in found] == [(token,) for token in best.indices.tolist()]
    assert [beam.log_likelihood for beam in found] == pytest.approx(best.values.tolist(), abs=1e-4)
    assert {beam.ended for beam in found} == {"length"}


def test_continuations_that_read_the_same_count_once() -> None:
    network = network_of("gpt2")
    prompt = Prompt([5, 6, 7], 1, same=lambda ids: ids[0] % 3)
    ((_, found),) = beams(network, [prompt], k=5)
    assert sorted(beam.tokens[0] % 3 for beam in found) == [0, 1, 2]


def test_two_ends_behind_one_text_count_once() -> None:
    network = network_of("gpt2")
    everything = frozenset(range(VOCABULARY))
    ((_, found),) = beams(network, [Prompt([5, 6, 7], 3, ends=everything)], k=3)
    assert [(beam.tokens, beam.ended) for beam in found] == [((), "end")]


def test_equally_likely_tokens_come_by_lower_ids() -> None:
    model = random_model("gpt2")
    network = make_ready(model, context_length=CONTEXT)
    with torch.no_grad():
        model.lm_head.weight = torch.nn.Parameter(torch.zeros_like(model.lm_head.weight))
    ((_, found),) = beams(network, [Prompt([5, 6, 7], 2)], k=3)
    assert [beam.tokens for beam in found] == [(0, 0), (0, 1), (0, 2)]


def test_too_little_memory_halves_the_prompts_and_loses_nothing() -> None:
    steps = []

    def short_of_memory(ids: torch.Tensor, arrangement: Any) -> None:
        if isinstance(arrangement, BehindSlots):
            if len(steps) >= 2 and ids.shape[1] > 2 * WIDTH:
                raise torch.OutOfMemoryError("no room")
            steps.append(ids.shape[1])

    network = watched(network_of("llama"), short_of_memory)
    agree(dict(beams(network, prompts_of_all_kinds(10), k=3)), found_plainly("llama", 3))
    assert max(steps[:2]) > 2 * WIDTH
    assert max(steps[2:]) <= 2 * WIDTH


def test_a_prompt_that_never_fits_is_an_error() -> None:
    def no_memory(*_given: Any) -> None:
        raise torch.OutOfMemoryError("no room")

    network = watched(network_of("gpt2"), no_memory)
    with pytest.raises(TooLittleMemory):
        list(beams(network, prompts_of_all_kinds(3), k=2))


def test_a_prompt_beyond_the_context_is_refused_before_any_work() -> None:
    with pytest.raises(ValueError, match="prompt 0"):
        beams(network_of("gpt2"), [Prompt([1] * CONTEXT, 2)], k=2)


def test_no_prompts_and_no_tokens_give_nothing() -> None:
    assert list(beams(network_of("gpt2"), [], k=3)) == []
    assert list(beams(network_of("gpt2"), [Prompt([1, 2], 0)], k=3)) == [(0, ())]


@pytest.mark.parametrize("wrong", [float("nan"), float("-inf")])
def test_a_model_that_answers_with_no_number_is_refused_with_the_prompt(wrong: float) -> None:
    model = random_model("opt")
    network = make_ready(model, context_length=CONTEXT)
    with torch.no_grad():
        head = torch.ones_like(model.lm_head.weight)
        head[3] = wrong
        model.lm_head.weight = torch.nn.Parameter(head)
    with pytest.raises(NotFinite) as caught:
        list(beams(network, [Prompt([4, 2], 3)], k=2))
    assert caught.value.args == (0,)
