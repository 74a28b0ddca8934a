"""How likely every token of a row is, and what would have been likelier in its place."""

from __future__ import annotations

import random

import pytest
import torch

from assay.engine.likeliest import ToTell, tell, tell_all
from assay.engine.network import NotFinite, make_ready
from tests.engine.shapes import random_model, watched

ROW = [7, 3, 200, 41, 41, 0, 9, 150, 77, 12]


@pytest.mark.parametrize("shape", ["llama", "gpt2", "mistral"])  # the last goes the plain way
@pytest.mark.parametrize("first", [1, 6])
def test_every_token_is_told_as_the_models_own_forward_has_it(shape, first):
    model = random_model(shape)
    with torch.inference_mode():
        logs = model(torch.tensor([ROW])).logits[0].double().log_softmax(-1)
    found = tell(make_ready(model, context_length=32), ROW, first=first, count=3)
    assert len(found) == len(ROW) - first
    for place, one in enumerate(found, start=first):
        here = logs[place - 1]
        best = here.topk(3)
        assert one.log_likelihood == pytest.approx(here[ROW[place]].item(), abs=1e-4)
        assert one.rank == int((here > here[ROW[place]]).sum())
        assert [token for token, _ in one.likeliest] == best.indices.tolist()
        values = [value for _, value in one.likeliest]
        assert values == pytest.approx(best.values.tolist(), abs=1e-4)
        assert (one.rank == 0) == (one.log_likelihood == max(values))


def rows_that_begin_alike(seed: int = 0) -> list[ToTell]:
    """Trunks, trunks that hang on trunks, equal rows, rows alone, and of each other parts told."""
    draw = random.Random(seed)

    def tokens(count: int) -> list[int]:
        return [draw.randrange(211) for _ in range(count)]

    preamble, other = tokens(40), tokens(30)
    nested = [*preamble, *tokens(25)]
    found = [
        ToTell([*start, *tokens(draw.randint(1, 9))], draw.choice([1, 1, 20, 45, 68]), count)
        for start in (preamble, nested, other, [])
        for count in (0, 1, 3, 5)
    ]
    same = [*nested, *tokens(4)]
    found += [ToTell(same), ToTell(same, 1, 4), ToTell(same[:-1]), ToTell(nested, len(nested) - 1)]
    found += [ToTell(same, len(same)), ToTell([7]), ToTell([7, 9]), ToTell(preamble, 39)]
    return found


@pytest.mark.parametrize("shape", ["llama", "gpt2", "mistral"])
@pytest.mark.parametrize("by_blocks", [False, True])
def test_rows_told_together_are_told_as_each_is_alone(shape, by_blocks):
    network = make_ready(random_model(shape), context_length=96)
    network.by_blocks = by_blocks and network.serves_trees
    asked = rows_that_begin_alike()
    for budget in (None, 1, 50):
        together = dict(tell_all(network, asked, budget=budget))
        assert sorted(together) == list(range(len(asked)))
        for number, one in enumerate(asked):
            alone = tell(network, one.tokens, first=one.first, count=one.count)
            assert len(together[number]) == len(alone)
            for found, expected in zip(together[number], alone, strict=True):
                assert found.log_likelihood == pytest.approx(expected.log_likelihood, abs=1e-4)
                assert found.rank == expected.rank
                assert [token for token, _ in found.likeliest] == [
                    token for token, _ in expected.likeliest
                ]


def test_what_rows_begin_with_is_computed_once():
    network = make_ready(random_model("gpt2"), context_length=96)
    draw = random.Random(1)
    preamble = [draw.randrange(211) for _ in range(60)]
    rows = [[*preamble, *(draw.randrange(211) for _ in range(8))] for _ in range(20)]
    fed: list[int] = []
    counting = watched(network, lambda ids, _: fed.append(ids.numel()))
    assert len(dict(tell_all(counting, [ToTell(row) for row in rows]))) == 20
    assert sum(fed) == 60 + 20 * 7  # the last token of each is fed to nothing


def test_a_row_that_overflows_gives_no_number():
    model = random_model("llama")
    network = make_ready(model, context_length=96)
    with torch.no_grad():
        model.get_output_embeddings().weight[7] = float("inf")
    with pytest.raises(NotFinite):
        list(tell_all(network, [ToTell([1, 2, 3]), ToTell([1, 2, 7])]))


def test_memory_that_runs_out_halves_the_rows():
    network = make_ready(random_model("gpt2"), context_length=96)
    asked = rows_that_begin_alike()
    whole = dict(tell_all(network, asked))
    refused = []

    def small(ids: torch.Tensor, _arrangement: object) -> None:
        if ids.numel() > 40:
            refused.append(ids.numel())
            raise torch.OutOfMemoryError("too much")

    again = dict(tell_all(watched(network, small), asked))
    assert refused
    for number, told in whole.items():
        values = [one.log_likelihood for one in told]
        assert [one.log_likelihood for one in again[number]] == pytest.approx(values, abs=1e-4)
