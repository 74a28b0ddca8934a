"""Greedy texts do not depend on how many are written at once, nor on their order: in float32 never,
in bfloat16 but where two tokens are as likely as its rounding can tell.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import torch

from assay.engine.generate import Prompt, generate
from assay.engine.network import Network, make_ready
from tests.engine.shapes import random_model
from tests.engine.test_generate import CONTEXT, SERVED, prompts_of_all_kinds

COUNT = 24
ROWS = (1, 5, None)
ROUNDING = 2.0**-8  # of a number in bfloat16
OFTEN = 8  # roundings, through the layers of a small model


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@cache
def own_model(shape: str) -> Any:
    """With its own attention, in bfloat16."""
    return random_model(shape).to(torch.bfloat16)


@cache
def network_of(shape: str, dtype: torch.dtype) -> Network:
    return make_ready(random_model(shape).to(dtype), context_length=CONTEXT)


def greedy_prompts() -> list[Prompt]:
    return [replace(each, temperature=0.0) for each in prompts_of_all_kinds(COUNT, seed=3)]


def texts(network: Network, order: Sequence[int], rows: int | None) -> list[tuple[int, ...]]:
    """By the number of the prompt, whatever the order in which they were given."""
    prompts = greedy_prompts()
    found = dict(generate(network, [prompts[number] for number in order], most_rows=rows))
    return [found[place].tokens for _, place in sorted(zip(order, range(COUNT), strict=True))]


def in_every_way(network: Network) -> Iterator[list[tuple[int, ...]]]:
    for seed, rows in enumerate(ROWS):
        yield texts(network, range(COUNT), rows)
        yield texts(network, random.Random(seed).sample(range(COUNT), COUNT), rows)


@pytest.mark.parametrize("shape", SERVED)
def test_in_float32_neither_batch_nor_order_changes_a_text(shape: str) -> None:
    first, *others = in_every_way(network_of(shape, torch.float32))
    assert sum(map(len, first)) > COUNT
    assert all(each == first for each in others)


@pytest.mark.parametrize("shape", SERVED)
def test_in_bfloat16_texts_part_only_where_two_tokens_are_nearly_as_likely(shape: str) -> None:
    first, *others = in_every_way(network_of(shape, torch.bfloat16))
    for other in others:
        for prompt, one, two in zip(greedy_prompts(), first, other, strict=True):
            if one != two:
                _held_to_be_near(shape, prompt, one, two)


def _held_to_be_near(
    shape: str, prompt: Prompt, one: tuple[int, ...], two: tuple[int, ...]
) -> None:
    """The tokens where they part, by the model's own forward."""
    at = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
    ids = torch.tensor([[*prompt.tokens, *one[: min(len(one), len(two)) if at is None else at]]])
    with torch.inference_mode():
        logits = own_model(shape)(input_ids=ids, use_cache=False).logits[0, -1].float()
    likeliest = logits.max()
    # One that ended with an end token parts from the other there.
    tokens = prompt.ends if at is None else (one[at], two[at])
    near = likeliest - OFTEN * ROUNDING * logits.abs().max()
    assert max(logits[token] for token in tokens) >= near
    assert at is None or min(logits[token] for token in tokens) >= near
