"""Perplexity in its units, against values computed by hand."""

from __future__ import annotations

import json
import math
import re

import pytest
import torch

from assay.models.local.reading import (
    Figures,
    bits_per_byte,
    bytes_in,
    figures_of,
    perplexity,
    together,
    words_in,
)


def figures(**changed):
    given = {"log_likelihood": -6.0, "tokens": 3, "words": 2, "bytes": 12, "top1": 1, "top5": 2}
    return Figures(**{**given, **changed})


def test_every_unit_comes_from_the_one_sum():
    found = figures()
    assert found.per_token == pytest.approx(math.e**2)
    assert found.per_word == pytest.approx(math.e**3)
    assert found.per_byte == pytest.approx(math.e**0.5)
    assert found.bits_per_byte == pytest.approx(0.7213475204444817)  # 0.5 / ln 2
    assert found.accuracy_top1 == pytest.approx(1 / 3)
    assert found.accuracy_top5 == pytest.approx(2 / 3)


def test_a_model_that_guesses_among_256_bytes_needs_eight_bits_for_each():
    text = "abcdefghij"
    assert bits_per_byte(-10 * math.log(256), bytes_in(text)) == pytest.approx(8)
    assert perplexity(-10 * math.log(256), 10) == pytest.approx(256)


def test_several_texts_weigh_what_they_hold():
    long, short = (
        figures(tokens=900, log_likelihood=-900.0),
        figures(tokens=100, log_likelihood=-400),
    )
    both = together([long, short])
    assert both.per_token == pytest.approx(math.exp(1.3))
    assert (both.tokens, both.words, both.bytes, both.top1, both.top5) == (1000, 4, 24, 2, 4)


def test_where_one_text_has_no_words_the_whole_has_none():
    both = together([figures(), figures(words=None, bytes=None)])
    assert both.per_token is not None
    assert (both.per_word, both.per_byte, both.bits_per_byte) == (None, None, None)


def test_nothing_measured_is_nothing_and_not_zero():
    empty = together([])
    assert (empty.per_token, empty.per_word, empty.accuracy_top1) == (None, None, None)
    assert perplexity(-1e6, 10) == math.inf


@pytest.mark.parametrize(
    ("text", "words", "size"),
    [
        ("one two three", 3, 13),
        ("one", 1, 3),
        ("", 1, 0),
        (" one  two\n\n", 4, 11),
        ("ɖo ŋgɔ", 2, 9),
        ("a\u00a0b\u2003c", 3, 8),
        ("🙂", 1, 4),
        ("\ud83d", 1, 3),
    ],
)
def test_words_and_bytes_are_counted_as_lm_eval_counts_them(text, words, size):
    assert words_in(text) == words == len(re.split(r"\s+", text))
    assert bytes_in(text) == size


def test_a_real_model_reads_a_real_text(shared):
    transformers = pytest.importorskip("transformers")
    from assay.engine.network import make_ready
    from assay.engine.read import read

    torch.set_num_threads(1)
    folder = shared / "models" / "stories260K"
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    load = transformers.AutoModelForCausalLM.from_pretrained
    stories = json.loads((folder / "reference.json").read_text("utf-8"))["greedy"]
    text = next(iter(stories.values()))
    network = make_ready(load(folder, dtype=torch.float32), context_length=512)

    def encode(given):
        return tokenizer.encode(given, add_special_tokens=False)

    begin = tokenizer.bos_token_id
    ids = encode(text)
    reading = read(network, ids, prefix=begin)
    found = figures_of(reading, text)

    with torch.inference_mode():
        logits = load(folder, dtype=torch.float32)(torch.tensor([[begin, *ids[:-1]]])).logits[0]
    wanted = torch.tensor(ids)
    naive = logits.double().log_softmax(-1).gather(1, wanted[:, None]).sum().item()
    assert found.log_likelihood == pytest.approx(naive, abs=1e-3)
    assert found.tokens == len(ids) == reading.tokens
    # It wrote the text itself, taking the likeliest token each time.
    assert found.accuracy_top1 is not None
    assert found.accuracy_top1 > 0.9
    assert found.words == len(re.split(r"\s+", text))
    assert figures_of(reading, None).per_word is None
