"""Perplexity of a real model beside transformers and llama.cpp: stories260K on 2,000 tokens of
WikiText-2, as four texts that fit its window. Skipped where the model is not at hand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from assay.models.opening import open_model
from assay.types import ReadText, Request, ToRead
from assay.types.options import LocalOptions

SHARED = Path(__file__).parents[3] / "shared"
STORIES = SHARED / "models" / "stories260K"
WIKITEXT = SHARED / "data" / "wikitext2" / "wiki.test.raw"
SIZE, TEXTS = 500, 4

pytestmark = pytest.mark.skipif(
    not (STORIES.is_dir() and WIKITEXT.is_file()), reason="stories260K or WikiText-2 is not here"
)


def first_tokens(tokenizer) -> list[list[int]]:
    text = WIKITEXT.read_text("utf-8")[: SIZE * TEXTS * 8]
    (ids,) = tokenizer.encode_batch([text], special=False)
    return [ids[start : start + SIZE] for start in range(0, SIZE * TEXTS, SIZE)]


def measured(spec: str) -> tuple[float, list[list[int]], Sequence[int]]:
    """The perplexity, the texts, and what the tokenizer puts before each."""
    model = open_model(spec, local=LocalOptions(device="cpu", dtype="float32"))
    texts = first_tokens(model._tokens())
    begin = model._tokens().begins_texts_with
    requests = [
        Request(id=str(number), suite="s", test_id="t", turn=0, repeat=0, work=ToRead(tokens=ids))
        for number, ids in enumerate(texts)
    ]
    replies = list(model.answer(requests))
    model.close()
    assert all(isinstance(each, ReadText) for each in replies), replies
    tokens = sum(each.tokens for each in replies)
    nats = -sum(each.log_likelihood for each in replies)
    return math.exp(nats / tokens), texts, begin


def of_transformers(texts: Sequence[Sequence[int]], begin: Sequence[int]) -> float:
    bare = AutoModelForCausalLM.from_pretrained(STORIES, dtype=torch.float32).eval()
    nats = count = 0.0
    for ids in texts:
        fed = torch.tensor([[*begin, *ids]])
        with torch.inference_mode():
            nats += bare(fed, labels=fed).loss.double().item() * (fed.shape[1] - 1)
        count += fed.shape[1] - 1
    return math.exp(nats / count)


@pytest.mark.parametrize("file", ["", "gguf/stories260K-f32.gguf"])
def test_perplexity_is_that_of_transformers(file: str) -> None:
    """The folder and the GGUF file have the same weights; their tokens differ at white space."""
    spec = f"gguf:{STORIES / file}" if file else str(STORIES)
    found, texts, begin = measured(spec)
    assert list(begin) == [1], "both tokenizers add <s>"
    assert found == pytest.approx(of_transformers(texts, begin), rel=1e-4)
