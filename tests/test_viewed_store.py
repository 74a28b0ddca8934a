"""What the viewer reads: kept by triggers in SQL, equal to what Python computes from records."""

from __future__ import annotations

import sqlite3

import pytest

from assay import api
from assay.errors import StoreError
from assay.store import Store
from assay.store.viewed import ViewedStore
from assay.types.views import SHOWS, SampleFilter, TestKey
from tests.conftest import Bench
from tests.test_store import forget_index

LETTERS = {"pass": "p", "fail": "f", "no_answer": "n", "unscored": "u", "failed": "x"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """Two models, three tries of each test: right, wrong, silent, failed and without a judge."""
    made = Bench(tmp_path_factory.mktemp("viewed"))
    tests = {
        "plain": [
            {"id": f"plain_{n:03}", "prompt": f"Name number {n}, please", "expected": "yes",
             "eval_method": "exact_match"} for n in range(8)
        ],
        "open": [{"id": "open_001", "prompt": "Write", "eval_method": "judge", "rubric": "coding"}],
    }  # fmt: skip
    answers = {
        "plain_001": "no",
        "plain_002": {"repeats": ["yes", "no", "yes"]},
        "plain_003": "",
        "plain_004": {"repeats": ["", "yes", "yes"]},
        "plain_005": {"repeats": ["no", "no", "yes"]},
    }
    one = made.script("one", answers=answers, default="yes", fail={"plain_006": "no route"})
    two = made.script("two", answers={"plain_001": "wrongly put"}, default="yes")
    suite = made.suite(tests, pass_mark=0.6)
    made.report = api.run([one, two], suites=[suite], repeats=3, out=made.out)
    return made


def outcomes_of(out, run, **wanted):
    with ViewedStore(out) as store:
        page = store.read_matrix(run, SampleFilter(**wanted), most=100)
    assert page.total == len(page.rows)
    return {row.test_id: "".join(cell.outcome for cell in row.cells) for row in page.rows}


def expected_of(report):
    rows = [{row.id: row for row in model.suites[0].tests} for model in report.models]
    return {test: "".join(LETTERS[of[test].outcome] for of in rows) for test in rows[0]}


def test_outcomes_in_sql_are_those_of_the_report(bench):
    found = outcomes_of(bench.out, bench.report.run)
    assert found == expected_of(bench.report)
    assert set("".join(found.values())) == set("pfnux")


def test_every_filter_finds_what_it_says(bench):
    rows = outcomes_of(bench.out, bench.report.run)
    wrong = set("fn")
    holds = {
        "all": lambda letters: True,
        "failed": lambda letters: bool(set(letters) & wrong),
        "failed_all": lambda letters: set(letters) <= wrong,
        "differ": lambda letters: len(set(letters)) > 1,
        "unscored": lambda letters: bool(set(letters) & set("ux")),
        "waiting": lambda letters: "." in letters,
    }
    assert set(holds) == set(SHOWS)
    with ViewedStore(bench.out) as store:
        counts = store.count_tests(bench.report.run)
    assert counts.categories == {"tests": {"open": 1, "plain": 8}}
    for show, is_shown in holds.items():
        expected = {test: letters for test, letters in rows.items() if is_shown(letters)}
        assert outcomes_of(bench.out, bench.report.run, show=show) == expected, show
        assert counts.shown[show] == len(expected), show


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("plain_002", {"plain_002"}),
        ("PLEASE number 3", {"plain_003"}),
        ("wrongly", {"plain_001"}),
        ("wrong", {"plain_001"}),
        ('"put" wrongly', {"plain_001"}),
        ("absent", set()),
        ("* ^ ( - ' \" ; -- NEAR(", set()),
        ("\x00", set()),
        ("wrongly\x00put", {"plain_001"}),
    ],
)
def test_words_of_ids_questions_and_answers_are_found(bench, text, tests):
    assert set(outcomes_of(bench.out, bench.report.run, text=text)) == tests


def test_neighbours_follow_the_filter(bench):
    with ViewedStore(bench.out) as store:
        wanted = SampleFilter(show="failed")
        key = TestKey(suite="tests", test_id="plain_003")
        place = store.find_place(bench.report.run, key, wanted)
    found = list(outcomes_of(bench.out, bench.report.run, show="failed"))
    at = found.index("plain_003")
    assert (place.number, place.total) == (at + 1, len(found))
    assert place.before.test_id == found[at - 1]
    assert place.after.test_id == found[at + 1]


def test_scores_of_a_changed_suite_are_shown_by_its_new_pass_mark(bench, tmp_path):
    again = Bench(tmp_path)
    tests = {"plain": [{"id": "plain_001", "prompt": "?", "expected_keywords": ["a", "b"],
                        "eval_method": "keywords"}]}  # fmt: skip
    suite = again.suite(tests, pass_mark=0.6)
    report = api.run([again.script("half", default="a")], suites=[suite], out=again.out)
    assert outcomes_of(again.out, report.run) == {"plain_001": "f"}
    again.suite(tests, pass_mark=0.5)
    api.rescore(report.run, out=again.out)
    assert outcomes_of(again.out, report.run) == {"plain_001": "p"}


def test_an_older_store_gets_the_same_index_as_a_new_one(bench, tmp_path):
    queries = ("SELECT * FROM tests", "SELECT * FROM tries", "SELECT * FROM results",
               "SELECT rowid FROM answer_words WHERE answer_words MATCH 'yes'",
               "SELECT rowid FROM question_words WHERE question_words MATCH 'please'")  # fmt: skip
    copy = tmp_path / "assay.db"
    with sqlite3.connect(bench.out / "assay.db") as source, sqlite3.connect(copy) as database:
        source.backup(database)
        before = [sorted(database.execute(query).fetchall()) for query in queries]
        forget_index(database)
        database.execute("PRAGMA user_version = 5")
    source.close()
    database.close()
    Store(tmp_path).close()
    with sqlite3.connect(copy) as database:
        assert [sorted(database.execute(query).fetchall()) for query in queries] == before
        database.execute("INSERT INTO answer_words (answer_words) VALUES ('integrity-check')")
    database.close()
    assert all(before)


def test_the_viewer_cannot_write_into_the_store(bench):
    with ViewedStore(bench.out) as store:
        run = store.find_run("latest")
        with pytest.raises(StoreError, match="cannot write"):
            store.update_run(run, finished="2026-01-01T00:00:00Z")
