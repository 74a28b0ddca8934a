"""What broke once under hostile or unusual shapes of work."""

from __future__ import annotations

import copy
import random
import weakref
from collections.abc import Sequence
from typing import Any

import pytest
import torch
import transformers

from assay.engine import choose
from assay.engine.choose import Question
from assay.engine.generate import Dice, draw
from assay.engine.layout.packing import Packing, grow
from assay.engine.network import Network, make_ready
from tests.engine.shapes import made_again, random_model

VOCABULARY = 211
SWITCHES_AT = 40  # tokens; shorter texts have the short table


def test_a_model_whose_rotary_table_depends_on_length_is_computed_text_by_text() -> None:
    own = _with_two_rotary_tables()
    network = make_ready(copy.deepcopy(own), context_length=96)
    assert not network.serves_trees
    assert "rotary" in network.why_not
    short, long = _tokens(0, 30), _tokens(1, 70)
    asked = [Question(short, ((5,),)), Question(long, ((5,),)), Question(long[:50], ((5,),))]
    for index, (found,) in choose.choose(network, asked):
        context = asked[index].context
        assert found.total == pytest.approx(_alone(own, context, 5), abs=1e-4)


def test_a_model_whose_rotary_table_never_changes_within_its_context_is_served() -> None:
    network = make_ready(_with_two_rotary_tables(), context_length=SWITCHES_AT)
    assert network.serves_trees


def test_a_model_with_a_window_that_only_its_layers_know_is_not_served() -> None:
    model = random_model("llama")
    for layer in model.model.layers:
        _pass_on(layer.self_attn, sliding_window=64)
    network = make_ready(model, context_length=128)
    assert network.why_not == "sliding_window"


def test_a_model_whose_head_does_not_fit_its_body_is_computed_the_plain_way() -> None:
    model = random_model("gpt2")
    model.lm_head = _Narrowing()
    network = make_ready(model, context_length=128)
    assert not network.serves_trees
    (found,) = dict(choose.choose(network, [Question((1, 2, 3), ((4,),))]))[0]
    assert found.total == pytest.approx(_alone(model, (1, 2, 3), 4), abs=1e-4)


@pytest.mark.parametrize("by_blocks", [False, True])
def test_a_question_that_overflows_spoils_no_other(by_blocks: bool) -> None:
    own = random_model("llama")
    network = make_ready(copy.deepcopy(own), context_length=128)
    network.by_blocks = by_blocks
    with torch.no_grad():
        network.model.model.embed_tokens.weight[50] = float("nan")
        network.model.lm_head.weight = torch.nn.Parameter(own.lm_head.weight.clone())
    spoilt, short, long = (50, *_tokens(0, 4)), _tokens(1, 8), _tokens(2, 12)
    asked = [Question(each, ((5,), (6, 7))) for each in (spoilt, short, long)]
    found = dict(choose.choose(network, asked))
    assert all(value.total != value.total for value in found[0])
    for number, context in ((1, short), (2, long)):
        assert found[number][0].total == pytest.approx(_alone(own, context, 5), abs=1e-4)


def test_contexts_may_grow_out_of_each_other_a_thousand_times() -> None:
    text = _tokens(0, 20_000)
    forest = grow([text[:end] for end in range(20, 20_000, 20)])
    deepest = max(trunk.end for root in forest.roots for trunk in root.family())
    assert deepest > 19_000


@pytest.mark.parametrize("by_blocks", [False, True])
def test_no_more_trunks_are_kept_than_there_is_room_for(by_blocks: bool) -> None:
    own = random_model("llama")
    room = 682
    kept: list[tuple[weakref.ref[torch.Tensor], int]] = []
    held: list[int] = []

    class LittleRoom(Network):
        tokens_kept = room

        def hidden(self, packing: Packing) -> torch.Tensor:
            found = super().hidden(packing)
            for new in (span.keep for span in packing.spans if span.keep is not None):
                kept.append((weakref.ref(next(iter(new.keys.values()))), new.length))
            held.append(sum(length for keys, length in kept if keys() is not None))
            return found

    network = made_again(make_ready(copy.deepcopy(own), context_length=128), LittleRoom)
    network.by_blocks = by_blocks
    preamble = _tokens(0, 20)
    documents = [preamble + _tokens(seed, 60) for seed in range(1, 21)]
    asked = [
        Question(document + _tokens(100 + number, 3), ((7,), (8, 9)))
        for document in documents
        for number in range(4)
    ]
    found = dict(choose.choose(network, asked))
    assert sum(map(len, documents)) > 2 * room  # they would not fit together
    assert max(held) <= room + len(preamble)
    for number in (0, 37, 79):
        alone = _alone(own, asked[number].context, 7)
        assert found[number][0].total == pytest.approx(alone, abs=1e-4)


@pytest.mark.parametrize("temperature", [1e-30, 1e-46, 1e-300])
def test_no_temperature_is_too_low(temperature: float) -> None:
    logits = torch.randn(1, VOCABULARY, generator=torch.Generator().manual_seed(0))
    dice = Dice(temperature, seed=3)
    assert {draw(logits, [(dice, step)])[0] for step in range(9)} == {int(logits.argmax())}


# ------------------------------------------------------------------------------------------ shapes


def _tokens(seed: int, count: int) -> tuple[int, ...]:
    draws = random.Random(seed)
    return tuple(draws.randrange(VOCABULARY) for _ in range(count))


def _alone(model: Any, context: Sequence[int], token: int) -> float:
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([list(context)]), use_cache=False).logits[0, -1]
    return float(logits.double().log_softmax(-1)[token])


def _with_two_rotary_tables() -> Any:
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=96,
        rope_parameters={
            "rope_type": "longrope",
            "rope_theta": 10_000.0,
            "original_max_position_embeddings": SWITCHES_AT,
            "short_factor": [1.0] * 6,
            "long_factor": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        },
    )
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0.0, 0.2)
    return model


def _pass_on(attention: Any, **more: object) -> None:
    forward = attention.forward
    attention.forward = lambda *given, **named: forward(*given, **named, **more)


class _Narrowing(torch.nn.Linear):
    """A head that takes half of what the body gives, as the model's own forward calls it."""

    def __init__(self) -> None:
        super().__init__(24, VOCABULARY, bias=False)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return super().forward(hidden[..., :24])
