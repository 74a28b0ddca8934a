"""Cards in the user's data folder: found by fingerprint, and only while they are valid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.judge.qualification.readings import gold_digest
from assay.judge.rubrics import load_rubric
from assay.models.opening import open_model
from assay.types import Estimate
from assay.types.judging.cards import CardMark, CardScale, JudgeCard
from assay.types.options import LocalOptions, ServerOptions
from assay.workflow.running.judging.judge_scales import scale_on_card
from assay.workflow.running.judging.panel import cards_folder, read_card, write_card
from tests.workflow.judged_work import Court, form, scores, verdicts


def mark(value: float | None, *, n: int = 40, unscored: int = 0) -> CardMark:
    estimate = Estimate(
        value=value, low=None, high=None, n=n, unscored=unscored, unit="share", method="wilson"
    )
    return CardMark(name="order", estimate=estimate, limit=0.8, at_least=True)


CARD = JudgeCard(
    judge="ollama:judge",
    name="judge",
    fingerprint="sha256:ab/../c",
    digest=gold_digest(),
    made="2026-11-16T10:00:00Z",
    form="likelihood",
    marks=(mark(0.9),),
    scales=(
        CardScale(
            rubric="coding",
            examples=36,
            knots={"correctness": ((0.0, 0.0), (0.5, 9.0), (1.0, 10.0))},
        ),
    ),
)


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def test_a_card_is_found_again_by_its_fingerprint() -> None:
    assert read_card(CARD.fingerprint) is None
    file = write_card(CARD)
    assert file.parent == cards_folder()
    assert read_card(CARD.fingerprint) == CARD
    assert read_card("another") is None
    scale = scale_on_card(CARD, load_rubric("coding"), "likelihood")
    assert scale is not None
    assert scale.score("correctness", 0.5) == 9
    assert scale_on_card(CARD, load_rubric("data"), "likelihood") is None
    assert scale_on_card(None, load_rubric("coding"), "likelihood") is None


def test_a_card_of_other_gold_answers_or_of_no_sense_is_none() -> None:
    write_card(replace(CARD, digest="older"))
    assert read_card(CARD.fingerprint) is None
    write_card(CARD).write_text("{")
    assert read_card(CARD.fingerprint) is None


def test_a_panel_leaves_out_who_failed_its_check_unless_all_did(tmp_path: Path) -> None:
    court = Court(tmp_path)
    good, bad = court.judge(form(6, 6, 6)), court.judge(form(10, 10, 10), name="bad")

    def card(spec: str, order: float) -> None:
        facts = open_model(spec, ServerOptions(), LocalOptions()).facts
        write_card(
            replace(CARD, judge=spec, fingerprint=facts.fingerprint, form="reasoned",
                    marks=(mark(order),), scales=())
        )  # fmt: skip

    card(bad, 0.5)
    document = court.run(good, bad)
    assert scores(verdicts(document)["own_001"]) == (6, 6, 6)
    assert document["judged"]["judges"] == [good]
    assert f"{bad} is not qualified: order 0.50" in "\n".join(document["judged"]["notes"])
    assert "left out of the panel" in "\n".join(document["judged"]["notes"])
    card(good, 0.6)
    document = court.judge_again("latest", good, bad)
    assert document["judged"]["judges"] == [good, bad]
    assert verdicts(document)["own_001"]["confidence"] == "low"


def test_a_mark_of_nothing_or_of_half_passes_nothing() -> None:
    assert mark(0.8).passed
    assert not mark(0.79).passed
    assert not mark(None, n=0).passed
    assert not mark(0.9, n=9, unscored=1).passed
    assert CARD.qualified
    assert not replace(CARD, marks=()).qualified
    assert "not qualified: order 0.50" in replace(CARD, marks=(mark(0.5),)).sentence
