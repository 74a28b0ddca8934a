"""Stores that earlier versions wrote are still read, scored again and continued."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from assay import api

RECORDED = Path(__file__).resolve().parents[1] / "recordings" / "store_0_1_0"
SEEN = json.loads((RECORDED / "report.json").read_text("utf-8"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the recorded store, as it was."""
    place = tmp_path / "old"
    shutil.copytree(RECORDED, place)
    (place / "assay-out").mkdir()
    connection = sqlite3.connect(place / "assay-out" / "assay.db")
    connection.executescript((place / "store.sql").read_text("utf-8").replace("PLACE", str(place)))
    connection.close()
    monkeypatch.chdir(place)
    return place


def rows(report) -> list[dict[str, object]]:
    (suite,) = report.models[0].suites
    return [
        {"id": row.id, "outcome": str(row.outcome.value), "score": row.score, "answer": row.answer}
        for row in suite.tests
    ]


def test_a_report_says_what_it_said(home: Path) -> None:
    report = api.report(SEEN["run"])
    (suite,) = report.models[0].suites
    assert rows(report) == SEEN["tests"]
    assert suite.score.value == pytest.approx(SEEN["score"]["value"], abs=1e-9)
    assert suite.score.low == pytest.approx(SEEN["score"]["low"], abs=1e-9)
    assert report.judged is not None


def test_scoring_again_changes_nothing(home: Path) -> None:
    api.rescore(SEEN["run"])
    assert rows(api.report(SEEN["run"])) == SEEN["tests"]


def test_an_interrupted_run_is_continued_and_nothing_is_asked_twice(home: Path) -> None:
    def replies() -> tuple[int, int]:
        with sqlite3.connect(home / "assay-out" / "assay.db") as connection:
            return connection.execute(
                "SELECT count(*), count(DISTINCT request_id) FROM replies WHERE run_id != ?",
                [SEEN["run"]],
            ).fetchone()

    before, _ = replies()
    assert 0 < before < 10
    fast = json.loads((home / "slow.json").read_text("utf-8"))
    assert fast["delay_s"] > 0
    report = api.run(["scripted:slow.json"], suites=["./mysuite"])
    assert report.run.startswith("20261116T160622Z"), "the interrupted run, and no new one"
    after, distinct = replies()
    assert after == distinct == 10


def test_its_answers_can_be_reviewed(home: Path) -> None:
    item = api.review_queue(SEEN["run"]).items[0]
    api.store_review(item.id, author="Ama", value=1.0, reason="right", run=SEEN["run"])
    reviews = api.report(SEEN["run"]).reviews
    assert reviews is not None
    assert reviews.reviewers == {"Ama": 1}
    assert rows(api.report(SEEN["run"])) == SEEN["tests"]
