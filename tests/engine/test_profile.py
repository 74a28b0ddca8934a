"""Where a token's time goes: by a clock that counts, so that no duration is asserted."""

from __future__ import annotations

from itertools import count

import pytest
import torch

from assay.engine.network import make_ready
from assay.engine.profile import PARTS, _Stopwatch, profile_decoding
from tests.engine.shapes import random_model

CONTEXT = 64


def profiled(shape: str, **how: int) -> dict:
    ticks = count()
    network = make_ready(random_model(shape), context_length=CONTEXT)
    return profile_decoding(network, clock=lambda: float(next(ticks)), **how)


@pytest.mark.parametrize("shape", ["gpt2", "llama"])
def test_every_part_of_a_served_shape_has_its_time(shape: str) -> None:
    found = profiled(shape)
    spent = found["seconds_per_token"]
    assert set(spent) == set(PARTS)
    assert all(spent[part] > 0 for part in PARTS), spent
    layers = random_model(shape).config.num_hidden_layers
    assert spent["mlp"] == layers, "the clock is read once inside each"
    assert spent["cache"] == layers
    assert (spent["head"], spent["sampling"]) == (1, 1)


def test_a_shape_that_runs_by_its_own_forward_has_attention_mlp_and_head() -> None:
    spent = profiled("mistral")["seconds_per_token"]
    assert min(spent["attention"], spent["mlp"], spent["head"], spent["rest"]) > 0
    assert (spent["sampling"], spent["cache"]) == (0, 0), "inside the others"


def test_a_deep_prompt_leaves_room_for_what_is_profiled() -> None:
    assert profiled("llama", prompt_tokens=CONTEXT)["tokens"] == 1
    assert profiled("llama", prompt_tokens=40)["tokens"] <= CONTEXT - 40


def test_what_is_inside_a_part_is_taken_off_it() -> None:
    times = iter([0.0, 1.0, 4.0, 10.0])
    watch = _Stopwatch(torch.device("cpu"), lambda: next(times))
    with watch.over("attention"), watch.over("cache"):
        pass
    assert (watch.seconds["attention"], watch.seconds["cache"]) == (7.0, 3.0)


def test_a_profile_leaves_no_hook_behind() -> None:
    model = random_model("llama")
    network = make_ready(model, context_length=CONTEXT)
    profile_decoding(network)
    assert not any(each._forward_hooks or each._forward_pre_hooks for each in model.modules())
