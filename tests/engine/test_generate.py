"""Writing with slots against computing every sequence whole for every token: the same tokens."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from assay.engine.generate import Dice, Ended, Prompt, draw, generate
from assay.engine.kernels.graphs import Ahead, Recording, Steps
from assay.engine.layout.batches import TooLittleMemory
from assay.engine.layout.slots import BehindSlots, Slots, alike
from assay.engine.network import Network, NotFinite, make_ready
from tests.engine.shapes import random_model, watched

CONTEXT = 100
VOCABULARY = 211
SERVED = ("gpt2", "llama", "gpt_neox", "opt", "gemma", "phi", "qwen3")
NOT_SERVED = ("mistral", "mamba")  # others by themselves: test_choose.py

Told = tuple[tuple[int, ...], Ended]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def stops_when(divisor: int) -> Callable[[Sequence[int]], bool]:
    return lambda tokens: sum(tokens) % divisor == 0


def prompts_of_all_kinds(count: int, seed: int = 1) -> list[Prompt]:
    """One to ninety tokens, some with a beginning in common; ends of all kinds; greedy and not."""
    chance = random.Random(seed)
    preamble = [chance.randrange(VOCABULARY) for _ in range(40)]
    found = []
    for number in range(count):
        tokens = [chance.randrange(VOCABULARY) for _ in range(chance.choice((1, 2, 9, 50, 90)))]
        if number % 3 == 0:
            tokens = preamble + tokens[:20]
        found.append(
            Prompt(
                tokens,
                most_new=chance.choice((1, 6, 12, 40)),
                temperature=chance.choice((0.0, 0.0, 0.7, 1.0)),
                seed=number,
                ends=frozenset((3, 5, 8)) if number % 2 else frozenset(),
                stopped=stops_when(chance.choice((5, 17, 41))) if number % 4 else None,
            )
        )
    return found


def plainly(model: Any, prompt: Prompt) -> Told:
    """Every token from the whole sequence, by the model's own forward."""
    dice = Dice(prompt.temperature, prompt.seed)
    tokens: list[int] = []
    while True:
        ids = torch.tensor([[*prompt.tokens, *tokens]])
        with torch.inference_mode():
            logits = model(input_ids=ids, use_cache=False).logits[:, -1].float()
        (token,) = draw(logits, [(dice, len(tokens))])
        if token in prompt.ends:
            return tuple(tokens), "end"
        tokens.append(token)
        if prompt.stopped and prompt.stopped(tokens):
            return tuple(tokens), "stop"
        if len(tokens) == prompt.most_new:
            return tuple(tokens), "length"
        if len(prompt.tokens) + len(tokens) == CONTEXT:
            return tuple(tokens), "context"


@cache
def network_of(shape: str) -> Network:
    return make_ready(random_model(shape), context_length=CONTEXT)


@cache
def told_plainly(shape: str) -> tuple[Told, ...]:
    model = random_model(shape)
    return tuple(plainly(model, prompt) for prompt in prompts_of_all_kinds(20))


def told(
    network: Network, prompts: Sequence[Prompt], most_rows: int | None = None, **more: Any
) -> tuple[Told, ...]:
    found = dict(generate(network, prompts, most_rows=most_rows, **more))
    assert len(found) == len(prompts)
    return tuple((found[index].tokens, found[index].ended) for index in range(len(prompts)))


@pytest.mark.parametrize(("most_rows", "by_blocks"), [(1, False), (3, True), (None, False)])
@pytest.mark.parametrize("shape", SERVED)
def test_slots_write_what_whole_sequences_write(
    shape: str, most_rows: int | None, by_blocks: bool
) -> None:
    network = replace(network_of(shape), by_blocks=by_blocks)
    assert network.serves_trees, network.why_not
    assert told(network, prompts_of_all_kinds(20), most_rows) == told_plainly(shape)


@pytest.mark.parametrize("shape", NOT_SERVED)
def test_models_that_slots_cannot_serve_write_the_same_by_themselves(shape: str) -> None:
    network = network_of(shape)
    assert not network.serves_trees
    assert told(network, prompts_of_all_kinds(20)) == told_plainly(shape)


def test_the_prompts_of_these_tests_end_in_every_way() -> None:
    ends = {ended for _, ended in told_plainly("gpt2")}
    assert ends == {"end", "stop", "length", "context"}


def test_the_order_of_prompts_changes_no_text() -> None:
    prompts = prompts_of_all_kinds(20)
    order = random.Random(1).sample(range(20), 20)
    shuffled = told(network_of("llama"), [prompts[index] for index in order], 4)
    assert shuffled == tuple(told_plainly("llama")[index] for index in order)


def test_rows_come_as_they_end() -> None:
    prompts = [Prompt([7, 9, 11], most) for most in (30, 2, 9)]
    assert [index for index, _ in generate(network_of("gpt2"), prompts)] == [1, 2, 0]


def test_a_beginning_in_common_is_computed_once() -> None:
    computed = []
    network = watched(network_of("gpt2"), lambda ids, _: computed.append(ids.shape[1]))
    shared = list(range(60))
    list(generate(network, [Prompt([*shared, 70 + n, 3], 1) for n in range(10)]))
    assert sum(computed) == 60 + 10 * 2


def test_no_ended_row_is_computed() -> None:
    computed = []
    network = watched(network_of("gpt2"), lambda ids, _: computed.append(ids.shape[1]))
    list(generate(network, [Prompt([number, 9], 1 + number) for number in range(8)], most_rows=8))
    assert computed == [16, 7, 6, 5, 4, 3, 2, 1]


def test_a_prompt_beyond_the_context_is_refused_before_any_work() -> None:
    fitting, too_long = Prompt([1] * (CONTEXT - 1), 5), Prompt([1] * CONTEXT, 5)
    with pytest.raises(ValueError, match=f"prompt 1: {CONTEXT} tokens > {CONTEXT - 1}"):
        generate(network_of("gpt2"), [fitting, too_long])
    ((_, written),) = generate(network_of("gpt2"), [fitting])
    assert (len(written.tokens), written.ended) == (1, "context")


def test_a_prompt_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="0"):
        generate(network_of("gpt2"), [Prompt([], 5)])


def test_no_prompts_and_no_tokens_give_nothing() -> None:
    assert list(generate(network_of("gpt2"), [])) == []
    ((_, written),) = generate(network_of("gpt2"), [Prompt([1, 2], 0)])
    assert (written.tokens, written.ended, written.prompt_tokens) == ((), "length", 2)


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("no room"), RuntimeError("not enough memory: 9 bytes")]
)
def test_too_little_memory_halves_the_rows_and_loses_nothing(error: RuntimeError) -> None:
    steps = []

    def short_of_memory(ids: torch.Tensor, arrangement: Any) -> None:
        if isinstance(arrangement, BehindSlots):
            if len(steps) >= 3 and ids.shape[1] > 2:
                raise error
            steps.append(ids.shape[1])

    network = watched(network_of("llama"), short_of_memory)
    assert told(network, prompts_of_all_kinds(20), 8) == told_plainly("llama")
    assert max(steps[:3]) > 2
    assert max(steps[3:]) == 2


def test_a_single_row_that_does_not_fit_is_an_error() -> None:
    def no_memory(*_given: Any) -> None:
        raise torch.OutOfMemoryError("no room")

    network = watched(network_of("gpt2"), no_memory)
    with pytest.raises(TooLittleMemory):
        list(generate(network, prompts_of_all_kinds(5)))


def test_other_errors_are_not_taken_for_missing_memory() -> None:
    def broken(*_given: Any) -> None:
        raise RuntimeError("shapes do not match")

    network = watched(network_of("gpt2"), broken)
    with pytest.raises(RuntimeError, match="shapes"):
        list(generate(network, prompts_of_all_kinds(5)))


def test_a_model_that_answers_with_no_number_is_refused_with_the_prompt() -> None:
    model = random_model("gpt2")
    network = make_ready(model, context_length=CONTEXT)
    with torch.no_grad():
        model.transformer.wte.weight[50] = float("nan")
        model.lm_head.weight = torch.nn.Parameter(torch.ones_like(model.lm_head.weight))
    prompts = [Prompt([4, 2], 3), Prompt([1, 50, 2], 3)]
    with pytest.raises(NotFinite) as caught:
        list(generate(network, prompts))
    assert caught.value.args == (1,)


def test_slots_of_like_length_are_read_together() -> None:
    assert list(alike([])) == []
    assert list(alike([10, 12, 11])) == [(0, 3, 12)]
    assert list(alike([900, 880, 100, 90])) == [(0, 2, 900), (2, 4, 100)]


class Replayed(Steps):
    """Plays steps again as a GPU does, by running them in the places of the recording."""

    made: ClassVar[list[tuple[int, int]]] = []

    def __init__(self, network: Network, slots: Slots) -> None:
        super().__init__(network, slots)
        self._records = True

    def _tried_out(self, size: tuple[int, int]) -> torch.Tensor:
        return self._plainly(*size)

    def _record(self, size: tuple[int, int]) -> bool:
        self.made.append(size)
        found = torch.empty(size[0], VOCABULARY)
        graph = SimpleNamespace(replay=lambda: found.copy_(self._plainly(*size)))
        self._recordings[size] = Recording(graph, found)
        return True


class AheadReplayed(Ahead, Replayed):
    def _record(self, size: tuple[int, int]) -> bool:
        self.made.append(size)
        found = torch.empty(size[0], dtype=torch.long)
        graph = SimpleNamespace(replay=lambda: found.copy_(self._plainly(*size)))
        self._recordings[size] = Recording(graph, found)
        return True


@pytest.mark.parametrize("most_rows", [3, 7, 20])
def test_steps_that_are_played_again_write_the_same(most_rows: int) -> None:
    network = replace(network_of("llama"), by_blocks=True)
    Replayed.made.clear()
    found = told(network, prompts_of_all_kinds(20), most_rows, steps=Replayed)
    assert found == told_plainly("llama")
    assert Replayed.made


@pytest.mark.parametrize("steps", [Ahead, AheadReplayed])
@pytest.mark.parametrize("most_rows", [1, 3, 7, 20])
@pytest.mark.parametrize("shape", ["llama", "gpt2", "opt"])
def test_steps_that_run_ahead_write_the_same(
    shape: str, most_rows: int, steps: type[Ahead]
) -> None:
    network = replace(network_of(shape), by_blocks=True)
    prompts = [replace(each, temperature=0.0) for each in prompts_of_all_kinds(20)]
    plain = tuple(plainly(random_model(shape), prompt) for prompt in prompts)
    assert told(network, prompts, most_rows, steps=steps) == plain


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("shape", SERVED)
def test_a_gpu_writes_the_same_from_recorded_steps(shape: str) -> None:
    made = []

    class Counted(Steps):
        def _record(self, size: tuple[int, int]) -> bool:
            made.append(super()._record(size))
            return made[-1]

    network = make_ready(random_model(shape).to("cuda"), context_length=CONTEXT)
    assert told(network, prompts_of_all_kinds(20), steps=Counted) == told_plainly(shape)
    assert made
    assert all(made)


def test_stories_are_told_as_the_reference_tells_them(shared: Path) -> None:
    folder = shared / "models" / "stories260K"
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = make_ready(model, context_length=model.config.max_position_embeddings)
    stories = json.loads((folder / "reference.json").read_text("utf-8"))["greedy"]
    asked = [tokenizer(beginning)["input_ids"] for beginning in stories]
    ends = frozenset(model.generation_config.eos_token_id)
    prompts = [Prompt(ids, 201 - len(ids), ends=ends) for ids in asked]
    for index, written in generate(network, prompts):
        text = tokenizer.decode([*asked[index], *written.tokens], skip_special_tokens=True)
        assert text == list(stories.values())[index]
