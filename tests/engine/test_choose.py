"""The tree against the plain way: same likelihoods, same greedy flags, fewer tokens."""

from __future__ import annotations

import math
import random

import pytest
import torch

from assay.engine.choose import Question, choose
from assay.engine.network import make_ready
from tests.engine.shapes import NOT_SERVED, SERVED, random_model, watched

CONTEXT = 96


def questions_of_all_kinds(seed: int = 0, vocabulary: int = 211) -> list[Question]:
    draw = random.Random(seed)

    def tokens(count: int) -> list[int]:
        return [draw.randrange(vocabulary) for _ in range(count)]

    preamble, other = tokens(40), tokens(33)
    found = [
        Question(
            [*start, *tokens(draw.randint(1, 20))],
            tuple(tokens(draw.randint(1, 7)) for _ in range(4)),
        )
        for start in (preamble, other, [])
        for _ in range(4)
    ]
    letters = tuple([letter] for letter in tokens(4))
    found += [Question([*preamble, *tokens(9)], letters) for _ in range(3)]
    nested = [*preamble, *tokens(25)]
    found += [Question([*nested, *tokens(3)], letters) for _ in range(3)]
    same = tokens(5)
    found.append(Question(preamble, (same, same, [same[0]], same[:3])))
    found.append(Question(preamble, (tokens(2), same)))
    found.append(Question(tokens(1), (tokens(1),)))
    found.append(Question(tokens(200), (tokens(3), tokens(1), tokens(10))))  # loses its beginning
    found.append(Question(tokens(90), (tokens(3), tokens(12))))  # only behind the longer choice
    found.append(Question(tokens(4), ()))
    return found


def plainly(model: torch.nn.Module, question: Question) -> list[tuple[list[float], bool]]:
    """One sequence at a time, all logits, the whole softmax."""
    found = []
    for choice in question.choices:
        fed = [*question.context, *choice][-(CONTEXT + 1) :][:-1]
        with torch.inference_mode():
            logits = model(torch.tensor([fed])).logits[0].double()[-len(choice) :]
        logs = logits.log_softmax(-1)
        values = [logs[step, token].item() for step, token in enumerate(choice)]
        found.append((values, logits.argmax(-1).tolist() == list(choice)))
    return found


@pytest.mark.parametrize("shape", [*SERVED, *NOT_SERVED])
def test_tree_and_plain_way_agree(shape: str) -> None:
    questions = questions_of_all_kinds()
    if shape in NOT_SERVED:  # by the model's own forward, one by one: a few show it
        questions = questions[1::3]
    plain = random_model(shape)
    expected = [plainly(plain, question) for question in questions]
    network = make_ready(random_model(shape), context_length=CONTEXT)
    assert network.serves_trees == (shape in SERVED), network.why_not

    for by_blocks in (False, True) if network.serves_trees else (False,):
        network.by_blocks = by_blocks
        answers = dict(choose(network, questions, budget=150))

        assert sorted(answers) == list(range(len(questions)))
        for number, choices in enumerate(expected):
            for found, (values, greedy) in zip(answers[number], choices, strict=True):
                assert found.tokens == pytest.approx(values, abs=2e-4)
                assert found.total == pytest.approx(sum(values), abs=1e-3)
                assert found.greedy == greedy


def test_result_does_not_depend_on_budget_or_order() -> None:
    questions = questions_of_all_kinds()
    network = make_ready(random_model("llama"), context_length=CONTEXT)
    together = dict(choose(network, questions))
    for budget in (1, 60, 400):
        order = random.Random(budget).sample(range(len(questions)), len(questions))
        again = dict(choose(network, [questions[number] for number in order], budget=budget))
        for place, number in enumerate(order):
            totals = [each.total for each in again[place]]
            assert totals == pytest.approx([each.total for each in together[number]], abs=1e-3)


def test_what_is_shared_is_computed_once() -> None:
    network = make_ready(random_model("gpt2"), context_length=CONTEXT)
    draw = random.Random(1)
    preamble = [draw.randrange(211) for _ in range(60)]
    questions = [
        Question([*preamble, *(draw.randrange(211) for _ in range(8))], ([1], [2], [3, 4, 5]))
        for _ in range(20)
    ]
    computed = 0

    def count(_module: object, _given: object, named: dict[str, torch.Tensor]) -> None:
        nonlocal computed
        computed += named["input_ids"].numel()

    network.model.base_model.register_forward_pre_hook(count, with_kwargs=True)
    list(choose(network, questions))
    assert computed == 60 + 20 * (8 + 2)


def test_choice_longer_than_the_window_is_refused_by_name() -> None:
    network = make_ready(random_model("gpt2"), context_length=CONTEXT)
    with pytest.raises(ValueError, match="question 1: a choice of 97 tokens > 96"):
        list(choose(network, [Question([1], ([2],)), Question([1], ([2] * 97,))]))


def test_infinite_logits_show_as_no_number_and_are_not_corrected() -> None:
    model = random_model("llama")
    network = make_ready(model, context_length=CONTEXT)
    with torch.no_grad():
        model.get_output_embeddings().weight[7] = float("inf")
    [(_, found)] = choose(network, [Question([1, 2, 3], ([4], [7]))])
    assert not any(math.isfinite(each.total) for each in found)


def test_memory_that_runs_out_halves_the_batch() -> None:
    questions = questions_of_all_kinds()
    network = make_ready(random_model("gpt2"), context_length=CONTEXT)
    whole = dict(choose(network, questions))
    refused = []

    def small(ids: torch.Tensor, _arrangement: object) -> None:
        if ids.numel() > 130:
            refused.append(ids.numel())
            raise torch.OutOfMemoryError("too much")

    again = dict(choose(watched(network, small), questions))
    assert refused
    assert {
        number: [round(each.total, 3) for each in found] for number, found in again.items()
    } == {number: [round(each.total, 3) for each in found] for number, found in whole.items()}
