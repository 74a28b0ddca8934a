"""Agreement of judgements in reports: repeats, judges and imported evaluations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay import api
from assay.stats.agreement import icc, krippendorff_alpha, quadratic_kappa, spearman
from assay.summary.judge_agreement import agreements_of
from assay.types.judging.judgements import CriterionScore as Score
from assay.types.judging.judgements import Evidence, FinalJudgement, Judgement
from tests.workflow.judged_work import Court, form, judged_test, standard

POINTS = {"own_001": 9, "own_002": 7, "own_003": 5, "own_004": 3}


@pytest.fixture
def court(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Court:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Court(tmp_path)


def steady(court: Court, name: str, *shifts: int) -> str:
    """A judge who gives the points, each repeat shifted."""
    answers = {
        f"judge:{test}": {"repeats": [form(*[points + shift] * 3) for shift in shifts]}
        for test, points in POINTS.items()
    }
    return court.script(name, answers=answers)


def test_repeats_judges_and_imported_scores_are_compared_in_the_report(court) -> None:
    suite = court.tests(*map(judged_test, POINTS))
    one, other = steady(court, "one", 0, 0), steady(court, "other", 1, -1)
    court.run(suite=suite)
    evaluations = [
        standard(points, points, points + 1, overall=f"{points}.3", rating="GOOD", test=test,
                 model=court.model)
        for test, points in POINTS.items()
    ]  # fmt: skip
    file = court.folder / "people.txt"
    file.write_text("\n".join(evaluations), "utf-8")
    options: dict[str, Any] = {"judge_repeats": 2, "imports": [file], "out": court.out}
    report = api.judge("latest", judges=[one, other], **options)
    found = {
        (each["kind"], *each["raters"]): each
        for each in json.loads(api.render(report, "json"))["judged"]["agreements"]
    }
    assert list(found) == [
        ("repeats", one), ("repeats", other), ("judges", one, other),
        ("imported", one), ("imported", other),
    ]  # fmt: skip
    same = found["repeats", one]["figures"]
    assert (found["repeats", one]["answers"], same["exact"]["n"]) == (4, 12)
    assert {name: each["value"] for name, each in same.items()} == dict.fromkeys(
        ("alpha", "icc", "exact", "within_one"), 1.0
    )
    assert same["exact"]["low"] < 0.6  # four tests, not twelve scores
    table = [(points + 1, points - 1) for points in POINTS.values() for _ in range(3)]
    apart = found["repeats", other]["figures"]
    assert apart["alpha"]["value"] == pytest.approx(krippendorff_alpha(table, draws=2).value)
    assert apart["icc"]["value"] == pytest.approx(icc(table, draws=2).value)
    assert (apart["exact"]["value"], apart["within_one"]["value"]) == (0.0, 0.0)
    # The lower of two repeats counts: always a point below the other judge.
    assert found["judges", one, other]["figures"]["within_one"]["value"] == 1.0
    people = [points + more for points in POINTS.values() for more in (0, 0, 1)]
    judge = [points for points in POINTS.values() for _ in range(3)]
    imported = found["imported", one]["figures"]
    assert imported["kappa"]["value"] == pytest.approx(
        quadratic_kappa(judge, people, draws=2).value
    )
    assert imported["spearman"]["value"] == pytest.approx(spearman(judge, people, draws=2).value)
    assert imported["exact"]["value"] == pytest.approx(2 / 3)
    alone = api.judge("latest", **options)
    assert alone.judged
    assert [each.kind for each in alone.judged.agreements] == [kind for kind, *_ in found]
    text = api.render(report, verbose=True)
    assert "How far judgements agree" in text
    assert "quadratic kappa" in text


def test_what_no_judge_decided_is_not_compared() -> None:
    def said(score: int, raw: float | None, **more: Any) -> Judgement:
        given = Score(criterion="correctness", score=score, raw=raw)
        return Judgement(judge="j", fingerprint="f", form="likelihood", scores=(given,), **more)

    def final(test: str, *judgements: Judgement) -> FinalJudgement:
        return FinalJudgement(
            test_id=test, suite="s", rubric="r", evidence=Evidence(), judgements=judgements
        )

    finals = [
        final("a", said(3, 0.3), said(5, 0.5)),
        final("b", said(9, None), said(9, None)),  # the evidence decided it
        final("c", said(0, 0.0, trivial="empty"), said(0, 0.0, trivial="empty")),
        final("d", said(8, 0.8)),
        final("e", said(7, 0.7), said(7, 0.7)),
    ]
    (found,) = agreements_of(finals)
    assert (found.kind, found.answers) == ("repeats", 2)
    assert found.figures["exact"].value == 0.5
    assert [*agreements_of(finals[1:4])] == []
