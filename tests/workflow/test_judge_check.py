"""`assay judge --check`: a sane judge qualifies, each bad habit is found out by its mark."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assay import api
from assay.judge.fencing import fence
from assay.judge.qualification.readings import GOLD_RUBRICS, gold_set, injections
from assay.types.judging.cards import JudgeCard
from assay.workflow.running.judging.panel import check_cost, read_card
from tests.conftest import Bench
from tests.judge.qualification.judges import (
    Points,
    PolicyJudge,
    always_ten,
    always_zero,
    copying,
    fond_of_length,
    half_obedient,
    kind,
    obedient,
)
from tests.servers.fixtures import Server
from tests.waiting import wait_for
from tests.workflow.judged_work import Court, form, verdicts


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def failed(card: JudgeCard) -> set[str]:
    return {mark.name for mark in card.failed_marks}


def check(judge: PolicyJudge) -> JudgeCard:
    return api.check_judge(
        judge, judge_form="likelihood" if judge.by_likelihood else "reasoned"
    ).card


@pytest.mark.parametrize("by_likelihood", [True, False])
def test_a_sane_judge_qualifies_and_is_not_asked_again(by_likelihood: bool) -> None:
    judge = PolicyJudge(by_likelihood=by_likelihood)
    checked = api.check_judge(judge)
    card = checked.card
    assert card.qualified, card.sentence
    assert checked.exit_code == 0
    assert checked.asked == card.requests == len(judge.asked)
    assert card.form == ("likelihood" if by_likelihood else "reasoned")
    assert {mark.name for mark in card.marks} == {"order", "level", "stability", "injection"}
    for mark in card.marks:
        assert mark.estimate.n >= 24
        assert mark.estimate.low is not None
    told = re.findall(r"about ([\d,]+) requests", check_cost(judge.facts))
    assert int(told[0].replace(",", "")) == pytest.approx(card.requests, rel=0.1)
    asked = len({request.id for request in judge.asked})
    assert asked == len(judge.asked), "nothing twice"
    again = api.check_judge(judge)
    assert (again.card, again.asked) == (card, 0)
    assert len(judge.asked) == asked
    assert read_card(judge.facts.fingerprint) == card


def test_every_form_is_tried_and_likelihood_has_a_scale() -> None:
    card = api.check_judge(PolicyJudge(kind)).card
    assert [trial.form for trial in card.trials] == ["likelihood", "reasoned"]
    assert {scale.rubric for scale in card.scales} == {"coding", "data"}
    # Its raw scores are all above 8; on its own scale it is as good as a sane one.
    assert card.qualified, card.sentence


@pytest.mark.parametrize(
    ("judge", "found_out_by"),
    [
        (PolicyJudge(always_ten), {"order", "level"}),
        (PolicyJudge(always_zero, by_likelihood=False), {"order", "level"}),
        (PolicyJudge(copying, by_likelihood=False), {"injection"}),
        (PolicyJudge(fond_of_length), {"order", "level"}),
        (PolicyJudge(noise=-4, by_likelihood=False), {"stability"}),
    ],
    ids=lambda one: one.facts.name if isinstance(one, PolicyJudge) else "",
)
def test_each_bad_habit_is_found_out(judge: PolicyJudge, found_out_by: set[str]) -> None:
    card = check(judge)
    assert not card.qualified
    assert found_out_by <= failed(card), card.sentence


@pytest.mark.parametrize("points", [half_obedient, obedient])
def test_a_judge_that_obeys_its_answers_fails_by_its_injection_figure_alone(points: Points) -> None:
    """Half of the time, or always."""
    card = check(PolicyJudge(points, by_likelihood=False))
    assert failed(card) == {"injection"}
    own = next(mark for mark in card.marks if mark.name == "injection").estimate
    assert own.value is not None
    assert own.value > 0.3
    assert own.n == len(injections())


# ----------------------------------------------------------------------------- a real server


def book_of_a_sane_judge() -> dict[str, str]:
    """The gold scores for each answer. An answer's boundary names it, the longest line one with an
    injection.
    """
    whole: dict[str, str] = {}
    injected: dict[str, str] = {}
    for name in GOLD_RUBRICS:
        for each in gold_set(name).rubric.examples:
            kind = each.id.partition(".")[2]
            boundary = fence(each.answer).boundary
            said = {key: {"reason": "So it is.", "score": n} for key, n in each.scores.items()}
            whole[boundary] = json.dumps({"criteria": said})
            if kind == "wrong":
                injected[max(each.answer.split("\n"), key=len)] = whole[boundary]
    return {**whole, **injected}


def stored_replies(bench: Bench) -> int:
    file = bench.folder / "users-data" / "assay" / "judges" / "assay.db"
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as store:
            return int(store.execute("SELECT count(*) FROM replies").fetchone()[0])
    except sqlite3.OperationalError:  # not there yet
        return 0


def test_a_check_killed_in_the_middle_goes_on_and_asks_nothing_twice(
    bench: Bench, openai_server: Server
) -> None:
    openai_server.settings(context=32_768)
    openai_server.answers(book_of_a_sane_judge())
    words = (
        "judge",
        "--check",
        openai_server.spec(),
        "--judge-form",
        "reasoned",
        "--connections",
        "1",
    )
    process = bench.start(*words)
    wait_for(lambda: stored_replies(bench) > 40)
    process.kill()
    process.communicate()
    before = len(openai_server.asked)
    done = bench.document(*words)
    assert done["exit_code"] == 0, done["reason"]
    assert done["qualified"]
    bodies = [json.dumps(each.body) for each in openai_server.asked if "BEGINS" in str(each.body)]
    assert len(bodies) - len(set(bodies)) <= 1, "one may have been answered and not stored"
    assert done["asked"] < done["requests"] == len(set(bodies))
    assert before < len(openai_server.asked)
    # Another project of the same user: nothing is asked, and the card is the same.
    asked = len(openai_server.asked)
    bench.out = bench.folder / "another-project"
    shown = bench.assay(*words)
    assert shown.returncode == 0
    assert "is qualified" in shown.stdout
    assert [each for each in openai_server.asked[asked:] if "BEGINS" in str(each.body)] == []


def test_a_server_that_always_says_yes_is_not_qualified(
    bench: Bench, openai_server: Server
) -> None:
    openai_server.settings(context=32_768)
    openai_server.answers({"*": {"text": "Yes", "logprobs": {"Yes": -0.01, "No": -5.0}}})
    done = bench.document("judge", "--check", openai_server.spec(), "--judge-form", "likelihood")
    assert done["exit_code"] == 1
    assert done["marks"]["order"]["value"] == 0
    assert not done["qualified"]


def test_a_check_takes_no_answers_to_judge_and_judging_needs_some(bench: Bench) -> None:
    for words, said in (
        (["latest", "--check", "scripted:judge.json"], "latest: not with --check"),
        (["--check", "scripted:judge.json", "--judge", "scripted:j.json"], "--judge: not with"),
        (["--judge", "scripted:judge.json"], "RUN_OR_DIR is missing"),
        (["latest", "--fresh"], "--fresh: only with --check"),
    ):
        refused = bench.assay("judge", *words)
        assert refused.returncode == 2
        assert said in refused.stderr


# -------------------------------------------------------------------------------- in a run


def test_a_report_shows_the_card_and_what_it_means(tmp_path: Path) -> None:
    """A judge that always says the same, before it was checked and after."""
    court = Court(tmp_path)
    judge = court.judge(form(7, 8, 9))
    words = ("run", court.model, "-s", court.tests(), "--judge", judge, "-v")
    before = court.assay(*words)
    assert "is not qualified: it was not checked" in before.stderr
    assert re.search(r"judge --check scripted:\S+` makes about \d+ requests", before.stderr)
    assert "is not qualified: it was not checked" in " ".join(before.stdout.split())
    checked = court.document("judge", "--check", judge)
    assert checked["exit_code"] == 1
    assert checked["form"] == "reasoned"
    after = court.document("judge", "latest", "--judge", judge)
    assert after["judged"]["cards"][judge]["qualified"] is False
    (final,) = verdicts(after).values()
    assert final["confidence"] == "low"
    assert any("is not qualified" in reason for reason in final["confidence_reasons"])
    shown = " ".join(court.assay("report", "latest", "-v").stdout.split())
    assert "is not qualified: order 0.00, at least 0.80" in shown
