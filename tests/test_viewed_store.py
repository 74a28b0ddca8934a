"""What the viewer reads: filled by SQL, equal to what Python reads in records."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from assay import api
from assay.errors import StoreError, StoreFull
from assay.store import Store, viewer_index
from assay.store.viewed import ViewedStore
from assay.types.views import SHOWS, SampleFilter, TestKey
from tests.conftest import Bench

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


def fill_index(out):
    with ViewedStore(out) as store:
        store.count_tests("")


def expected_of(report):
    rows = [{row.id: row for row in model.suites[0].tests} for model in report.models]
    return {test: "".join(LETTERS[of[test].outcome] for of in rows) for test in rows[0]}


def test_outcomes_in_sql_are_those_of_the_report(bench):
    found = outcomes_of(bench.out, bench.report.run)
    assert found == expected_of(bench.report)
    assert set("".join(found.values())) == set("pfnux")


def test_what_lacks_its_block_has_a_letter_of_its_own() -> None:
    for letter in "cn":
        body = json.dumps({"no_answer": True, "unread": letter == "c"})
        case = viewer_index.TRIES.partition("s.value,")[2].partition("END,")[0] + "END"
        sql = f"SELECT {case} FROM (SELECT ? AS body, 0.0 AS value) s"
        (missing,) = sqlite3.connect(":memory:").execute(sql, (body,)).fetchone()
        assert missing == {"c": "not_checked", "n": "no_answer"}[letter]


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


INDEX = (
    "SELECT * FROM tests", "SELECT * FROM tries", "SELECT * FROM results", "SELECT * FROM indexed",
    "SELECT rowid FROM answer_words WHERE answer_words MATCH 'yes'",
    "SELECT rowid FROM question_words WHERE question_words MATCH 'please'",
)  # fmt: skip


def index_of(out):
    database = sqlite3.connect(out / "assay.db")
    found = [sorted(database.execute(query).fetchall()) for query in INDEX]
    for words in ("answer_words", "question_words") if all(found) else ():
        # 1: compared with the texts, too
        database.execute(f"INSERT INTO {words} ({words}, rank) VALUES ('integrity-check', 1)")
    database.close()
    return found


def empty_index(database):
    """As a run leaves it that was killed before it ended."""
    for words in ("question_words", "answer_words"):
        database.execute(f"INSERT INTO {words} ({words}) VALUES ('delete-all')")
    for table in ("results", "tries", "tests"):
        database.execute(f"DELETE FROM {table}")
    database.execute("UPDATE indexed SET scores = 0, replies = 0")


def copy_with_empty_index(bench, folder):
    """Copy the bench's store, its index emptied; return what the full index holds."""
    fill_index(bench.out)
    with (
        sqlite3.connect(bench.out / "assay.db") as source,
        sqlite3.connect(folder / "assay.db") as database,
    ):
        source.backup(database)
        empty_index(database)
    source.close()
    database.close()
    return index_of(bench.out)


def test_a_finished_run_fills_the_index_and_a_score_after_it_leaves_that_to_whoever_looks(tmp_path):
    bench = Bench(tmp_path)
    suite = bench.suite({"plain": [{"id": "plain_001", "prompt": "?", "expected": "yes",
                                    "eval_method": "exact_match"}]})  # fmt: skip
    run = api.run([bench.script("one", default="yes")], suites=[suite], out=bench.out).run
    filled = index_of(bench.out)
    assert all(filled[:3])
    api.rescore(run, out=bench.out)  # a newer score of the same try
    with ViewedStore(bench.out) as store:
        assert store.list_runs()[0].answered == 1
    assert index_of(bench.out) == filled
    assert outcomes_of(bench.out, run, text="yes") == {"plain_001": "p"}
    assert index_of(bench.out) != filled


def test_a_run_is_finished_although_the_index_cannot_be_filled(tmp_path):
    bench = Bench(tmp_path)
    Store(bench.out).close()
    with closing(sqlite3.connect(bench.out / "assay.db")) as database:
        database.execute(
            "CREATE TRIGGER no_room BEFORE UPDATE ON indexed BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    suite = bench.suite({"plain": [{"id": "plain_001", "prompt": "?", "expected": "yes",
                                    "eval_method": "exact_match"}]})  # fmt: skip
    run = api.run([bench.script("one", default="yes")], suites=[suite], out=bench.out).run
    assert not any(index_of(bench.out)[:3])
    with closing(sqlite3.connect(bench.out / "assay.db")) as database:
        database.execute("DROP TRIGGER no_room")
    assert outcomes_of(bench.out, run) == {"plain_001": "p"}


def test_an_emptied_index_is_filled_as_it_was(bench, tmp_path):
    before = copy_with_empty_index(bench, tmp_path)
    assert index_of(tmp_path) != before
    fill_index(tmp_path)
    assert index_of(tmp_path) == before
    assert all(before)


@pytest.mark.parametrize("at_once", [1, 7])
def test_an_index_filled_in_steps_is_the_one_filled_at_once(bench, tmp_path, at_once):
    before = copy_with_empty_index(bench, tmp_path)
    with ViewedStore(tmp_path) as store:
        viewer_index.fill_viewer_index(store._file, at_once=at_once)
    assert index_of(tmp_path) == before


VIEW = """
import json, sys
from pathlib import Path
from tests.test_viewed_store import outcomes_of
print(json.dumps(outcomes_of(Path(sys.argv[1]), sys.argv[2])))
"""


def test_a_store_whose_file_alone_is_read_only_is_viewed_in_a_copy(bench, tmp_path, root):
    copy_with_empty_index(bench, tmp_path)
    empty = index_of(tmp_path)
    file = str(tmp_path / "assay.db")
    words = ["--dev-bind", "/", "/", "--ro-bind", file, file, sys.executable, "-c", VIEW]
    done = subprocess.run(
        [shutil.which("bwrap") or pytest.skip("needs bubblewrap"), *words, tmp_path,
         bench.report.run],
        capture_output=True, text=True, check=False, cwd=root,
    )  # fmt: skip
    if "ermission" in done.stderr and "bwrap" in done.stderr:
        pytest.skip(f"bubblewrap cannot work here: {done.stderr}")
    assert json.loads(done.stdout) == expected_of(bench.report), done.stderr
    assert index_of(tmp_path) == empty


def test_a_full_disk_is_said_and_the_index_is_filled_once_there_is_room(tmp_path):
    made = Bench(tmp_path)
    tests = [{"id": f"plain_{n:03}", "prompt": f"{n}? {'word ' * 60}", "expected": "yes",
              "eval_method": "exact_match"} for n in range(60)]  # fmt: skip
    suite = made.suite({"plain": tests})
    run = api.run([made.script("one", default="yes")], suites=[suite], out=made.out).run
    before = index_of(made.out)
    with closing(sqlite3.connect(made.out / "assay.db")) as database:
        empty_index(database)
        database.commit()
        database.execute("VACUUM")
    with ViewedStore(made.out) as store:
        empty = index_of(made.out)
        file = store._file.connection
        (pages,) = file.execute("PRAGMA page_count").fetchone()
        file.execute(f"PRAGMA max_page_count = {pages}")  # SQLite then says that the disk is full
        with pytest.raises(StoreFull) as full:
            store.count_tests(run)
        assert "make room" in full.value.hint
        assert index_of(made.out) == empty != before
        assert store.list_runs()[0].id == run
        file.execute(f"PRAGMA max_page_count = {pages * 10}")
        store.count_tests(run)
    assert index_of(made.out) == before


def test_two_viewers_fill_one_index_once(bench, tmp_path):
    before = copy_with_empty_index(bench, tmp_path)
    ready = threading.Barrier(2)

    def look():
        with ViewedStore(tmp_path) as store:
            ready.wait()
            return store.count_tests(bench.report.run)

    with ThreadPoolExecutor(2) as pool:
        first, second = (each.result() for each in [pool.submit(look), pool.submit(look)])
    assert first == second
    assert index_of(tmp_path) == before


def test_the_viewer_cannot_write_into_the_store(bench):
    with ViewedStore(bench.out) as store:
        run = store.find_run("latest")
        with pytest.raises(StoreError, match="cannot write"):
            store.update_run(run, finished="2026-01-01T00:00:00Z")
