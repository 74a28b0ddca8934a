"""Requests of several clients, computed together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from time import sleep
from typing import Any

import pytest

from assay.api.scoring import open_scorer
from assay.models.local.completions import Completions, ToComplete, complete
from assay.models.local.scoring import TextScorer
from tests.engine.shapes import watched
from tests.models.local.checkpoints import make_checkpoint

CONTEXT = "The driver of the network card is loaded when the machine starts. " * 2


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> TextScorer:
    return open_scorer(str(make_checkpoint(tmp_path_factory.mktemp("model"), adds_bos=True)))[1]


def asked(scorer: TextScorer, text: str, **options: Any) -> ToComplete:
    wanted = {"max_tokens": 1, "echo": True, "logprobs": 1, **options}
    return ToComplete(ids=tuple(scorer.encode([text])[0]), **wanted)


def seen_by(scorer: TextScorer, watch: Callable[[int], object]) -> TextScorer:
    """The same scorer; whatever it computes, `watch` hears of how many tokens."""
    return replace(scorer, network=watched(scorer.network, lambda ids, _: watch(ids.numel())))


def test_clients_that_wait_are_computed_together(scorer: TextScorer) -> None:
    """While the first is computed five others come; what these begin with is then fed once."""
    begun, go_on, fed = Event(), Event(), []

    def watch(tokens: int) -> None:
        fed.append(tokens)
        begun.set()
        assert go_on.wait(60)

    completions = Completions(seen_by(scorer, watch))
    texts = [f"{CONTEXT}{number} plus {number} is" for number in range(5)]
    wanted = [asked(scorer, text) for text in texts]
    with ThreadPoolExecutor(6) as clients:
        try:
            first = clients.submit(completions.ask, [asked(scorer, "Once there was")])
            assert begun.wait(60)
            others = [clients.submit(completions.ask, [each]) for each in wanted]
            while completions.waiting < len(others):
                sleep(0.01)
            before = len(fed)
        finally:
            go_on.set()
        found = [other.result()[0] for other in others]
        assert first.result()[0].text.startswith("<|endoftext|>Once there was")
    longest = max(len(each.ids) for each in wanted)
    # Once to write and once to score, and what is left of the first; alone it were ten times.
    assert sum(fed[before:]) < 4 * longest
    alone = [complete(scorer, [each])[0] for each in wanted]
    assert [one.text for one in found] == [one.text for one in alone]
    for one, other in zip(found, alone, strict=True):
        values = [token.told.log_likelihood for token in other.tokens if token.told]
        assert [token.told.log_likelihood for token in one.tokens if token.told] == (
            pytest.approx(values, abs=1e-4)
        )
