"""Perplexity and accuracies: over documents, inside one document, and without an interval."""

from __future__ import annotations

import math
import random

import pytest

from assay.decide.accept import accept, find_not_covered
from assay.decide.scores import weigh
from assay.measures.perplexity import paired_nats, text_figures
from assay.reports.checkpoints.facts import sentence, sentences
from assay.stats.documents import BY_BLOCKS, BY_DOCUMENTS, over_documents
from assay.types import ReadText
from assay.types.decisions import TextFigures
from tests.decide.candidates import GATE, candidate


def document(tokens: int, loss: float, right: int, **further: object) -> ReadText:
    return ReadText(
        request_id="r",
        log_likelihood=-loss * tokens,
        tokens=tokens,
        words=tokens // 2,
        bytes=4 * tokens,
        top1=right,
        top5=min(tokens, 2 * right),
        **further,
    )  # type: ignore[arg-type]


def documents(count: int, seed: int = 0, harder: float = 0.0) -> list[ReadText]:
    """Losses about 3 nats; `harder` by a little more in each."""
    draw, other = random.Random(seed), random.Random(seed + 1)
    found = []
    for _ in range(count):
        tokens, loss = draw.randint(200, 900), draw.gauss(3.0, 0.3)
        found.append(document(tokens, loss + harder * other.uniform(0.9, 1.1), tokens // 3))
    return found


def figures_of(*read: ReadText) -> TextFigures:
    found, why = text_figures(read, text="t", tokenizer="k")
    assert found is not None, why
    return found


def test_the_units_of_a_text_of_documents_are_its_documents() -> None:
    read = documents(30)
    found = figures_of(*read)
    by_hand = over_documents(
        [-each.log_likelihood for each in read], [float(each.tokens) for each in read], unit="nats"
    )
    assert by_hand.low is not None
    assert by_hand.high is not None
    assert found.perplexity.low == pytest.approx(math.exp(by_hand.low))
    assert found.perplexity.high == pytest.approx(math.exp(by_hand.high))
    assert found.perplexity.method == found.top1.method == BY_DOCUMENTS
    assert found.top1.low is not None
    assert len(found.blocks) == 30


def test_few_documents_have_no_interval_and_a_sentence_says_so() -> None:
    found = figures_of(*documents(5))
    assert (found.perplexity.low, found.top1.high) == (None, None)
    measured = candidate(text=found)
    said = [sentence(each) for each in find_not_covered(measured, GATE, weigh(measured))]
    assert any("the text has 5 documents, and an interval needs 12" in each for each in said)


def test_the_interval_inside_one_document_is_said_to_hold_for_more_of_it() -> None:
    draw = random.Random(0)
    blocks = tuple((-500 * draw.gauss(3.0, 0.2), 500) for _ in range(12))
    hits = tuple((150 + draw.randint(-20, 20), 300) for _ in range(12))
    read = document(6000, -sum(of for of, _ in blocks) / 6000, sum(first for first, _ in hits))
    found = figures_of(
        ReadText(
            request_id="r",
            log_likelihood=read.log_likelihood,
            tokens=6000,
            words=0,
            bytes=0,
            top1=read.top1,
            top5=3600,
            blocks=blocks,
            block_hits=hits,
        )
    )
    assert found.perplexity.method == BY_BLOCKS
    assert found.top1.low is not None
    criterion = accept(candidate(text=found), GATE).criteria["perplexity"]
    assert "interval for more of this document is" in sentences(criterion.reasons)


def test_a_short_text_has_no_interval() -> None:
    found = figures_of(document(900, 3.0, 300, blocks=((-2700.0, 900),), block_hits=((300, 600),)))
    assert (found.perplexity.low, found.top1.low) == (None, None)
    assert found.perplexity.value == pytest.approx(math.exp(3.0))


def test_replies_of_before_that_kept_no_hits_have_shares_without_an_interval() -> None:
    blocks = tuple((-3000.0 - place, 1000) for place in range(14))
    found = figures_of(document(14_000, 3.0, 4200, blocks=blocks))
    assert (found.top1.value, found.top1.low, found.top1.n) == (0.3, None, 14_000)
    assert found.perplexity.low is not None


def test_a_change_is_paired_by_document() -> None:
    """A twentieth of what the documents differ by among themselves."""
    before, after = figures_of(*documents(30)), figures_of(*documents(30, harder=0.015))
    change = paired_nats(before, after)
    assert change is not None
    assert change.value == pytest.approx(0.015, rel=0.1)
    assert change.low is not None
    assert change.low > 0
    assert before.perplexity.high is not None
    assert (after.perplexity.value or 0) < before.perplexity.high
