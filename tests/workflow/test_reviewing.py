"""People review stored answers: the queue, reviews beside scores, and what reports make of them."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assay import api
from assay.errors import UsageError
from tests.conftest import numbered, right
from tests.workflow.judged_work import CRITERIA, RUBRIC, Court, form, judged_test

SUMS = numbered(8)
POINTS = dict.fromkeys(CRITERIA, 6)


@pytest.fixture(scope="module")
def reviewed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on eight sums and two judged tests; one judged test has no readable judgement."""
    folder = tmp_path_factory.mktemp("reviewing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        court = Court(folder)
        suite = court.suite(
            {"sums": SUMS, "writing": [judged_test("own_001"), judged_test("own_002")]}
        )
        court.rubric(RUBRIC)
        good = court.script("good", answers=right(SUMS), default="def find(): ...")
        half = court.script("half", answers=dict.fromkeys(right(SUMS), "2"), default="def find()")
        said = {"judge:own_001": form(9, 9, 9, quotes=("def find()",) * 2), "judge:own_002": "?"}
        judge = court.script("judge", answers=said)
        court.run(judge, suite=suite, models=[good, half])
    return court.out


@pytest.fixture
def out(reviewed_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(reviewed_once, tmp_path / "out"))


def first(out: Path, group: str, author: str = "Ama") -> Any:
    """The first answer of a group that somebody has left."""
    queue = api.review_queue(author=author, out=out)
    return next(each for each in queue.items if each.group == group)


def reviews(out: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(api.render(api.report(out=out), "json"))
    found: dict[str, Any] = document["reviews"]
    return found


def scores(out: Path) -> list[Any]:
    with sqlite3.connect(out / "assay.db") as database:
        return database.execute("SELECT * FROM scores ORDER BY id").fetchall()


def test_the_queue_shows_what_to_review_first_and_not_whose_it_is(out: Path) -> None:
    queue = api.review_queue(author="Ama", out=out)
    groups = [each.group for each in queue.items]
    assert groups == [*["unscored"] * 2, *["failed"] * 7, *["doubtful"] * 2, *["sample"] * 9]
    assert api.review_queue(author="Esi", out=out).items == queue.items
    assert api.review_queue(author="Ama", out=out, seed=1).items != queue.items
    for item in queue.items[:3]:
        shown = repr(api.answer_to_review(item.id, author="Ama", out=out))
        assert "good.json" not in shown
        assert "half.json" not in shown
    doubtful = api.review_queue(groups=["doubtful"], out=out)
    assert [each.group for each in doubtful.items] == ["doubtful"] * 2
    orders = [[each.test_id for each in api.review_queue(out=out, seed=n).items] for n in range(3)]
    assert any(order[2:9] != sorted(order[2:9]) for order in orders)


def test_a_review_stands_beside_the_score_and_the_report_shows_both(out: Path) -> None:
    before = scores(out)
    assert "reviews" not in json.loads(api.render(api.report(out=out), "json"))
    item = first(out, "failed")
    review = api.store_review(item.id, author="Ama", value=1, reason="two is fine", out=out)
    assert (review.value, review.machine, review.accepted) == (1.0, 0.0, False)
    assert scores(out) == before
    found = reviews(out)
    (row,) = found["suites"]
    assert (row["reviewed"], row["changed"], row["others"], row["passes"]) == (1, 1, [1, 8], [0, 2])
    assert row["people"]["value"] > row["machine"]["value"]
    assert row["people"]["n"] == row["machine"]["n"]
    assert found["reviewers"] == {"Ama": 1}
    told = api.render(api.report(out=out), "md")
    assert "Reviewed by people" in told
    records = [json.loads(line)["reviews"] for line in api.export(out=out)]
    (exported,) = [record for record in records if record]
    assert (exported[0]["author"], exported[0]["reason"]) == ("Ama", "two is fine")
    stored = datetime.fromisoformat(exported[0]["created"])
    assert abs(datetime.now(UTC) - stored) < timedelta(minutes=5), "a review has its day"
    assert "likely too high" in told


def test_a_second_opinion_is_a_second_row_and_of_two_the_lower_counts(out: Path) -> None:
    item = first(out, "failed")
    api.store_review(item.id, author="Ama", value=1, reason="right", out=out)
    queue = api.review_queue(author="Esi", out=out)
    assert next(each.reviewers for each in queue.items if each.id == item.id) == 1
    api.store_review(item.id, author="Esi", accept=True, out=out)
    assert api.review_queue(author="Kofi", out=out).progress["failed"].done == 1
    (row,) = reviews(out)["suites"]
    assert (row["reviewed"], row["changed"]) == (1, 0)
    assert item.id not in [each.id for each in api.review_queue(author="Kofi", out=out).items]
    three = api.review_queue(author="Kofi", reviewers=3, out=out)
    assert item.id in [each.id for each in three.items]


def test_agreement_of_people_and_with_the_machine_has_n_and_an_interval(out: Path) -> None:
    queue = api.review_queue(author="Ama", out=out)
    sums = [each for each in queue.items if each.suite == "tests" and each.test_id[:3] == "sum"]
    for place, item in enumerate(sums):
        api.store_review(item.id, author="Ama", accept=True, out=out)
        wrong = {"value": 0.0, "reason": "no"} if place % 4 == 0 else {"accept": True}
        api.store_review(item.id, author="Esi", **wrong, out=out)  # type: ignore[arg-type]
    found = {(each["kind"], *each["raters"]): each for each in reviews(out)["agreements"]}
    assert list(found) == [("people", "Ama", "Esi"), ("machine", "Ama"), ("machine", "Esi")]
    same = found["machine", "Ama"]["figures"]
    assert (same["exact"]["value"], same["exact"]["n"], same["kappa"]["value"]) == (1.0, 16, 1.0)
    kappa = found["people", "Ama", "Esi"]["figures"]["kappa"]
    assert kappa["low"] <= kappa["value"] < 1
    assert kappa["low"] < kappa["high"]


def test_a_judged_answer_is_corrected_criterion_by_criterion(out: Path) -> None:
    item = first(out, "unscored")
    answer = api.answer_to_review(item.id, author="Ama", out=out)
    assert [each.key for each in answer.criteria] == list(CRITERIA)
    assert answer.criteria[0].anchors
    for wrong in ({}, {**POINTS, "charm": 3}, {**POINTS, "correctness": 11}):
        with pytest.raises(UsageError, match="from 0 to 10 for each criterion"):
            api.store_review(item.id, author="Ama", criteria=wrong, reason="x", out=out)
    with pytest.raises(UsageError, match="only a score that there is"):
        api.store_review(item.id, author="Ama", accept=True, out=out)
    points = {"correctness": 9, "completeness": 5, "code_quality": 4}
    review = api.store_review(item.id, author="Ama", criteria=points, reason="short", out=out)
    assert (review.value, review.machine) == (0.63, None)
    (row,) = reviews(out)["suites"]
    assert row["people"]["unscored"] == row["machine"]["unscored"] - 1
    judged = first(out, "doubtful")
    accepted = api.store_review(judged.id, author="Ama", accept=True, out=out)
    assert (accepted.value, set(accepted.criteria.values())) == (0.9, {9})


def test_undo_takes_back_ones_own_last_review_and_nobody_elses(out: Path) -> None:
    item, other = (each for each in api.review_queue(out=out).items[2:4])
    api.store_review(item.id, author="Ama", value=1, reason="a", out=out)
    api.store_review(item.id, author="Ama", value=0.5, reason="on second thoughts", out=out)
    api.store_review(other.id, author="Esi", value=1, reason="b", out=out)
    undone = api.undo_review(author="Ama", out=out)
    assert undone is not None
    assert undone.value == 0.5
    own = api.answer_to_review(item.id, author="Ama", out=out).own
    assert own is not None
    assert own.value == 1.0
    api.undo_review(author="Ama", out=out)
    assert api.undo_review(author="Ama", out=out) is None
    assert reviews(out)["reviewers"] == {"Esi": 1}


def test_an_accepted_score_counts_until_it_changes_and_a_correction_stays(
    out: Path, reviewed_once: Path
) -> None:
    failed = [
        each for each in api.review_queue(author="Ama", out=out).items if each.group == "failed"
    ]
    for item in failed:
        api.store_review(item.id, author="Ama", accept=True, out=out)
    api.store_review(failed[0].id, author="Esi", value=1, reason="right", out=out)
    tests = reviewed_once.parent / "tests" / "sums.json"
    before = tests.read_text("utf-8")
    tests.write_text(json.dumps([{**each, "expected": "2"} for each in SUMS]), "utf-8")
    try:
        api.rescore(out=out)
    finally:
        tests.write_text(before, "utf-8")
    found = reviews(out)
    assert (found["reviewers"], found["outdated"]) == ({"Esi": 1}, 7)
    assert "7 reviews no longer count" in api.render(api.report(out=out), "md")
    with pytest.raises(UsageError, match="to review"):  # the page is of the old score
        api.store_review(failed[0].id, author="Ama", accept=True, out=out)


def test_an_answer_that_another_run_uses_again_brings_its_reviews_along(
    out: Path, reviewed_once: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(out))
    api.store_review(first(out, "failed").id, author="Ama", value=1, reason="right", out=out)
    home = reviewed_once.parent
    half = f"scripted:{home / 'half.json'}"
    api.run(half, suites=[str(home / "tests")], categories=["sums"], out=out)
    assert reviews(out)["reviewers"] == {"Ama": 1}


HOSTILE = "Robert'); DROP TABLE reviews;--<script>alert(1)</script>"


@pytest.mark.parametrize("name", ["", " \n", "a" * 81, "Ama\x1b[31m", "Ama\u202e", "\ud800"])
def test_a_name_that_cannot_be_shown_is_refused(out: Path, name: str) -> None:
    with pytest.raises(UsageError, match="1 to 80 visible characters"):
        api.store_review(first(out, "failed").id, author=name, accept=True, out=out)


def test_hostile_names_and_reasons_are_stored_as_text_and_shown_as_text(out: Path) -> None:
    item = first(out, "failed")
    with pytest.raises(UsageError, match="a correction needs a reason"):
        api.store_review(item.id, author="Ama", value=1, reason=" ", out=out)
    for reason in ("x" * 4_001, "\ud800"):
        with pytest.raises(UsageError, match="at most 4000 characters"):
            api.store_review(item.id, author="Ama", value=1, reason=reason, out=out)
    for value in (-0.1, 1.1, float("nan")):
        with pytest.raises(UsageError, match="from 0 to 1"):
            api.store_review(item.id, author="Ama", value=value, reason="x", out=out)
    reason = "\x1b]0;title\x07 ‮ = \x00 '\"<b>"
    api.store_review(item.id, author=HOSTILE, value=1, reason=reason, out=out)
    own = api.answer_to_review(item.id, author=HOSTILE, out=out).own
    assert own is not None
    assert own.reason == reason
    page = api.render(api.report(out=out), "html")
    assert "<script>alert" not in page
    assert HOSTILE in reviews(out)["reviewers"]


def test_two_reviewers_at_once_lose_nothing(out: Path) -> None:
    items = [each.id for each in api.review_queue(out=out).items if each.group == "sample"]

    def review(author: str) -> None:
        for item in items:
            api.store_review(item, author=author, accept=True, out=out)

    with ThreadPoolExecutor(2) as both:
        for done in [both.submit(review, author) for author in ("Ama", "Esi")]:
            done.result()
    assert reviews(out)["reviewers"] == {"Ama": 9, "Esi": 9}


KILLED = """
import sys, time
from pathlib import Path
from assay.store import Store
from assay.types.judging.reviews import Review
store = Store(Path(sys.argv[1]))
run = store.find_run("latest")
state = next(iter(store.read_answer_states(run)))
store.store_review(run, state, Review(author="Ama", value=1.0))
with store._file.writing() as connection:
    connection.execute("UPDATE reviews SET author = 'nobody'")
    print("writing", flush=True)
    time.sleep(600)
"""


def test_a_killed_writer_leaves_what_it_had_stored_and_blocks_nobody(out: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(out)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "writing\n"
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    api.store_review(first(out, "failed").id, author="Esi", accept=True, out=out)
    assert reviews(out)["reviewers"] == {"Ama": 1, "Esi": 1}
