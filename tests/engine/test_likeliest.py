"""How likely every token of a row is, and what would have been likelier in its place."""

from __future__ import annotations

import pytest
import torch

from assay.engine.likeliest import tell
from assay.engine.network import make_ready
from tests.engine.shapes import random_model

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
