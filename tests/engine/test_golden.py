"""The engine gives lm-eval's scores: values that lm-eval 0.4.13 gave once, from the same weights.

tests_around/make_golden.py writes them; lm-eval itself is not needed here: `make test-around` asks
it again. Where lm-eval is known to be wrong, a test names its value and the right one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from assay.engine.choose import Likelihood, Question, choose
from assay.engine.generate import Prompt, generate
from assay.engine.network import Network, make_ready
from assay.engine.read import TextReading, read_all
from assay.models.local.answering import StopStrings
from assay.models.local.tokens.encoding import encode_pairs, encode_prompts, encode_texts
from assay.models.local.tokens.tokenizer import LocalTokenizer
from tests.golden import items as asked
from tests.golden.items import ITEMS, NEW_TOKENS, TEXTS
from tests.golden.shapes import CONTEXT, HERE, SHAPES, folder_of, model_of

VALUES = json.loads((HERE / "values.json").read_text("utf-8"))
NEAR = 1e-3

of_every_shape = pytest.mark.parametrize("shape", SHAPES)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@cache
def network_of(shape: str, dtype: torch.dtype = torch.float32) -> Network:
    return make_ready(model_of(shape, dtype), context_length=CONTEXT)


@cache
def tokenizer_of(shape: str) -> LocalTokenizer:
    return LocalTokenizer.load(folder_of(SHAPES[shape].tokenizer))


def likelihoods(
    shape: str,
    pairs: Sequence[tuple[str, Sequence[str]]],
    dtype: torch.dtype = torch.float32,
) -> list[tuple[Likelihood, ...]]:
    """By the path of the product: texts, tokens, one tree over all."""
    encoded = encode_pairs(tokenizer_of(shape), pairs)
    questions = [Question(each.context, each.choices) for each in encoded]
    found = dict(choose(network_of(shape, dtype), questions))
    return [found[number] for number in range(len(questions))]


def read_texts(shape: str, texts: Sequence[str]) -> list[TextReading]:
    tokenizer = tokenizer_of(shape)
    ids = encode_texts(tokenizer, texts)
    prefix = tokenizer.prefix_token_id
    assert prefix is not None
    return list(read_all(network_of(shape), ids, prefix=prefix))


def all_items(shape: str) -> list[tuple[Likelihood, ...]]:
    return likelihoods(shape, [(item.context, item.continuations) for item in ITEMS])


def worst(found: Sequence[float], expected: Sequence[float]) -> float:
    return max(abs(one - other) for one, other in zip(found, expected, strict=True))


def test_the_values_were_made_from_these_items() -> None:
    given = hashlib.sha256(Path(asked.__file__).read_bytes()).hexdigest()
    assert VALUES["items"] == given, ".venv-around/bin/python -m tests_around.make_golden"
    assert VALUES["made_with"]["lm_eval"] == "0.4.13"


@of_every_shape
def test_every_shape_is_served_by_the_tree(shape: str) -> None:
    assert network_of(shape).serves_trees, network_of(shape).why_not


@of_every_shape
def test_log_likelihoods_and_is_greedy_are_lm_evals(shape: str) -> None:
    most = 0.0
    for item, ours, theirs in zip(
        ITEMS, all_items(shape), VALUES["shapes"][shape]["choices"], strict=True
    ):
        apart = worst([each.total for each in ours], [value for value, _ in theirs])
        assert apart < NEAR, (item.kind, item.context, apart)
        assert [each.greedy for each in ours] == [greedy for _, greedy in theirs], item
        most = max(most, apart)
    print(f"{shape}: |Δ| at most {most:.1e}")


@of_every_shape
def test_what_the_model_would_write_itself_is_greedy(shape: str) -> None:
    expected = VALUES["shapes"][shape]["greedy"]
    found = likelihoods(shape, [(context, [text]) for context, text, _ in expected])
    assert all(each.greedy for (each,) in found)
    assert worst([each.total for (each,) in found], [value for *_, value in expected]) < NEAR


@of_every_shape
def test_accuracies_are_lm_evals(shape: str) -> None:
    """acc, acc_norm (characters) and acc_bytes of each item, the first of equals."""
    lengths: dict[str, Any] = {
        "acc": lambda _: 1,
        "acc_norm": len,
        "acc_bytes": lambda text: len(text.encode()),
    }
    found = {name: [] for name in lengths}
    for item, ours in zip(ITEMS, all_items(shape), strict=True):
        for name, length in lengths.items():
            values = [
                each.total / length(text) for each, text in zip(ours, item.choices, strict=True)
            ]
            found[name].append(float(values.index(max(values)) == item.right))
    assert found == VALUES["shapes"][shape]["accuracies"]


def test_items_that_share_tokens_do_not_get_each_others_values() -> None:
    """D9: lm-eval keeps logits of one request for others with the same tokens, but scores the
    shorter continuation at the first of its positions. The engine asks both at once.
    """
    fault = VALUES["faults"]["D9"]
    found = likelihoods(fault["shape"], [(context, [text]) for context, text in fault["pairs"]])
    totals = [each.total for (each,) in found]
    assert worst(totals, fault["right"]) < NEAR
    assert abs(totals[1] - fault["lm_eval"][1]) > 0.1


def test_sixteen_bit_models_are_scored_in_thirty_two_bits() -> None:
    """D8: log-softmax in bf16 has three digits: lm-eval gives choices the same value that differ,
    and an order that follows from their place in the list.
    """
    fault = VALUES["faults"]["D8"]
    choices = [row[0] for row in fault["rows"]]
    (found,) = likelihoods(fault["shape"], [(fault["context"], choices)], torch.bfloat16)
    ours = [each.total for each in found]
    theirs, wide, exact = zip(*(row[1:] for row in fault["rows"]), strict=True)
    assert len(set(theirs)) < len(set(ours)) == len(choices)
    assert worst(ours, wide) < 0.1
    mean_error = [
        sum(abs(one - other) for one, other in zip(given, exact, strict=True)) / len(exact)
        for given in (ours, theirs)
    ]
    assert mean_error[0] < mean_error[1]


@of_every_shape
def test_greedy_texts_are_lm_evals(shape: str) -> None:
    """Prompts that are too long lose their beginning, as lm-eval has it."""
    expected = VALUES["shapes"][shape]["generated"]
    tokenizer = tokenizer_of(shape)
    ids = encode_prompts(tokenizer, [one["prompt"] for one in expected])
    stops = [StopStrings(tokenizer.decode, one["until"]) for one in expected]
    prompts = [
        Prompt(
            tokens=tokens[-(CONTEXT - NEW_TOKENS) :],
            most_new=NEW_TOKENS,
            ends=tokenizer.end_ids(),
            stopped=stop,
        )
        for tokens, stop in zip(ids, stops, strict=True)
    ]
    written = dict(generate(network_of(shape), prompts))
    for number, (one, stop) in enumerate(zip(expected, stops, strict=True)):
        text = stop.cut(tokenizer.decode(written[number].tokens))
        assert text == one["text"], (one["prompt"], one["until"])


@of_every_shape
def test_texts_are_read_as_lm_eval_reads_them(shape: str) -> None:
    """Short ones, and such as fill several windows; none of them holds a <s> of its own (D4)."""
    found = read_texts(shape, TEXTS)
    expected = VALUES["shapes"][shape]["texts"]
    sizes = [one.tokens for one in found]
    assert max(sizes) > 5 * CONTEXT
    for one, value in zip(found, expected, strict=True):
        assert abs(one.log_likelihood - value) < NEAR
        assert one.tokens >= one.top5 >= one.top1 >= 0
    if SHAPES[shape].tokenizer == "plain":
        assert VALUES["shapes"][shape]["texts_as_lm_eval"] == expected


def test_the_beginning_of_a_text_is_not_scored_as_a_token_of_it() -> None:
    """D4: where a tokenizer adds <s>, lm-eval puts one more before it and scores the second."""
    fault = VALUES["faults"]["D4"]
    tokenizer = tokenizer_of(fault["shape"])
    (found,) = read_texts(fault["shape"], [fault["text"]])
    assert found.tokens == len(next(encode_texts(tokenizer, [fault["text"]])))
    assert abs(found.log_likelihood - fault["right"]) < NEAR
    assert found.log_likelihood - fault["lm_eval"] > -fault["bos_behind_bos"] / 2 > 1
