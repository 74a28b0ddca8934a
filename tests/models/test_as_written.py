"""Texts that are put to a model as they are: likelihoods behind contexts, whole documents, and what
follows a text, with no template and no turns around it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.models.home_made.adapter import model_of
from assay.models.opening import open_model
from assay.models.scripted import ScriptedModel
from assay.types import Answered, ChoiceLikelihoods, Failed, Model, Reply, ToContinue, ToScore, Work
from tests.models.asking import request_of
from tests.models.test_home_made import Bigram

TINY = Path(__file__).parents[2] / "src/assay/builtin/checkpoints/tiny/step_008000"


def asked(model: Model, *works: Work) -> list[Reply]:
    requests = [request_of(work) for work in works]
    found = {reply.request_id: reply for reply in model.answer(requests)}
    return [found[request.id] for request in requests]


@pytest.fixture(scope="module")
def tiny() -> Iterator[Model]:
    model = open_model(str(TINY))
    yield model
    model.close()


def test_several_contexts_of_one_request_are_scored_in_their_order(tiny: Model) -> None:
    contexts = [("The driver", (" loads.", " of the disk")), ("", (" loads.",))]
    (both,) = asked(tiny, ToScore(texts=tuple(contexts)))
    alone = asked(tiny, *(ToScore(texts=(each,)) for each in contexts))
    assert isinstance(both, ChoiceLikelihoods)
    values = [value for one in alone for value in one.log_likelihoods]  # type: ignore[union-attr]
    assert both.log_likelihoods == pytest.approx(values, abs=1e-4)
    assert len(both.greedy) == 3


def test_a_continuation_without_a_token_fails_alone(tiny: Model) -> None:
    good = ToScore(texts=(("The driver", (" loads.",)),))
    broken, fine = asked(tiny, ToScore(texts=(("The driver", ("",)),)), good)
    assert isinstance(broken, Failed)
    assert "no token is left" in broken.reason
    assert isinstance(fine, ChoiceLikelihoods)


def test_a_document_longer_than_the_window_is_read_whole(tiny: Model) -> None:
    short, long = "The kernel loads a driver. ", "The kernel loads a driver. " * 400
    one, many = asked(
        tiny,
        ToScore(texts=(("", (short,)),), rolling=True),
        ToScore(texts=(("", (long,)),), rolling=True),
    )
    assert isinstance(one, ChoiceLikelihoods)
    assert isinstance(many, ChoiceLikelihoods)
    assert many.log_likelihoods[0] < one.log_likelihoods[0] < 0


def test_what_follows_a_text_ends_before_the_first_stop(tiny: Model) -> None:
    (free,) = asked(tiny, ToContinue(text="The kernel", max_tokens=12))
    assert isinstance(free, Answered)
    word = free.text.split()[1]
    (cut,) = asked(tiny, ToContinue(text="The kernel", max_tokens=12, stop=(word,)))
    assert isinstance(cut, Answered)
    assert cut.text == free.text.split(word)[0]


def test_samples_differ_by_seed_and_come_again(tiny: Model) -> None:
    drawn = ToContinue(text="The", max_tokens=16, temperature=1.0, seeds=(1, 2, 3))
    first, second = asked(tiny, drawn)[0], asked(tiny, drawn)[0]
    assert isinstance(first, Answered)
    assert isinstance(second, Answered)
    assert len(set(first.predictions)) == 3
    assert first.predictions == second.predictions


def test_a_model_of_one_s_own_scores_texts_as_they_are() -> None:
    plugin = Bigram()
    (reply,) = asked(model_of(plugin), ToScore(texts=(("ab", ("cd",)),)))
    assert isinstance(reply, ChoiceLikelihoods)
    assert reply.log_likelihoods[0] == pytest.approx(sum(plugin.log_likelihoods("abcd")[1:]))


def test_a_script_is_cut_at_stops_and_not_read_for_thoughts(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    document: dict[str, Any] = {"default": "<think>so</think> 4\n\nQ:"}
    file.write_text(json.dumps(document))
    (reply,) = asked(ScriptedModel(file), ToContinue(text="2+2=", max_tokens=8, stop=("\n\n",)))
    assert isinstance(reply, Answered)
    assert reply.text == "<think>so</think> 4"
