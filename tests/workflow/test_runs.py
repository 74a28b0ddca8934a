"""`assay runs`: every run of a store, and only what nothing refers to is freed."""

from __future__ import annotations

import json
import sqlite3
import time

import pytest

import assay
from assay.reports.json_documents import run_json
from assay.workflow.running.run_folder import RunFolder
from tests.conftest import numbered, right
from tests.workflow.judged_work import Court, form, judged_test

ORPHAN = "20250101T000000Z-0a0a0a"


@pytest.fixture
def store(bench):
    """A request failed and was asked again, the suite changed, a folder has lost its run."""
    tests = numbered(3)
    path = bench.suite({"sum": tests})
    script = bench.script("model", answers=right(tests), fail={"sum_002": "no luck"})
    first = assay.run(script, suites=path, out=bench.out)
    assert first.exit_code == 3
    # As asking again leaves it: a reply that did not fail, and a newer score.
    with sqlite3.connect(bench.out / "assay.db") as connection:
        (run,) = connection.execute("SELECT id FROM runs").fetchone()
        failed = connection.execute("SELECT id FROM replies WHERE kind = 'failed'").fetchone()[0]
        connection.execute(
            "INSERT INTO replies (request_id, run_id, kind, created, body) "
            "SELECT request_id, run_id, 'answered', created, "
            "(SELECT body FROM replies WHERE kind = 'answered' LIMIT 1) FROM replies WHERE id = ?",
            (failed,),
        )
        connection.execute(
            "INSERT INTO scores (run_id, model, suite, test_id, repeat, reply_id, created, value, "
            "body) SELECT run_id, model, suite, test_id, repeat, last_insert_rowid(), created, 1, "
            "(SELECT body FROM scores WHERE body IS NOT NULL LIMIT 1) FROM scores "
            "WHERE reply_id = ?",
            (failed,),
        )
    (bench.folder / "tests" / "sum.json").write_text(
        json.dumps([{**each, "description": "changed"} for each in tests])
    )
    assay.rescore(run, out=bench.out)
    orphan = bench.out / "runs" / ORPHAN
    (orphan / "reports").mkdir(parents=True)
    (orphan / "reports" / "report.md").write_text("x" * 5000)
    (bench.out / "runs" / "mine").mkdir()
    return bench


def test_every_run_is_listed_with_its_state_and_headline(store):
    listed = assay.runs(out=store.out)
    (run,) = listed.runs
    assert (run.state, run.suites, run.models) == ("finished", ("tests",), ("model",))
    assert run.headline == assay.report(out=store.out).headline
    assert run.size > 0
    assert listed.unused.folders == (str(store.out.resolve() / "runs" / ORPHAN),)
    assert (listed.unused.replies, listed.unused.suites) == (1, 1)
    assert listed.unused.size > 5000
    assert listed.headline == "1 run: 1 finished."
    assert len(listed.to_pandas()) == 1


def test_pruning_frees_what_nothing_refers_to_and_no_result(store):
    before = assay.report(out=store.out)
    exported = "".join(assay.export(out=store.out))
    freed = assay.runs(prune=True, out=store.out)
    assert freed.freed
    assert freed.unused.replies == 1
    after = assay.runs(out=store.out)
    assert (after.unused.folders, after.unused.replies, after.unused.suites) == ((), 0, 0)
    assert assay.report(out=store.out).models == before.models
    assert "".join(assay.export(out=store.out)) == exported
    assert not (store.out / "runs" / ORPHAN).exists()
    assert (store.out / "runs" / "mine").is_dir()
    with sqlite3.connect(store.out / "assay.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.execute("INSERT INTO question_words (question_words) VALUES ('integrity-check')")


def test_a_run_that_is_being_written_is_left_alone(store):
    (run,) = assay.runs(out=store.out).runs
    with RunFolder(store.out, ORPHAN) as orphan, RunFolder(store.out, run.run) as busy:
        assert orphan.take()
        assert busy.take()
        with sqlite3.connect(store.out / "assay.db") as connection:
            connection.execute("UPDATE runs SET finished = NULL")
        listed = assay.runs(prune=True, out=store.out)
        assert [each.state for each in listed.runs] == ["running"]
        assert (listed.unused.folders, listed.unused.replies) == ((), 0)
        assert orphan.path.is_dir()
    (run,) = assay.runs(out=store.out).runs
    assert run.state == "unfinished"
    assert run.headline == "3 of 3 answers"


def test_the_command_lists_and_as_json_states_what_was_freed(store):
    shown = store.assay("runs").stdout
    assert "1 run: 1 finished." in shown
    assert "assay runs --prune" in shown
    document = store.document("runs")
    assert list(document) == ["headline", "out", "runs", "could_be_freed", "exit_code"]
    assert store.document("runs", "--prune")["freed"]["replies"] == 1
    assert store.document("runs", "--prune")["freed"]["folders"] == []


def test_a_folder_without_a_store_is_refused(tmp_path):
    with pytest.raises(assay.AssayError, match="there is no store"):
        assay.runs(out=tmp_path)


def test_a_clock_that_is_set_back_changes_neither_the_order_nor_the_latest(bench, monkeypatch):
    now, day = 1_795_000_000, 86_400  # seconds
    monkeypatch.setattr(time, "time", lambda: now)
    court = Court(bench.folder)
    judge, made = court.judge(form(7, 8, 9)), []
    for scale in ("first", "second", "third"):
        suite = court.tests(judged_test("own_001", description=scale))
        made.append(assay.run(court.model, suites=suite, judges=judge, out=bench.out).run)
        now -= day
    assert made == sorted(made, reverse=True)
    assert [row.run for row in assay.runs(out=bench.out).runs] == made[::-1]
    assert assay.report(out=bench.out).run == made[-1]
    document = run_json(assay.report(out=bench.out))
    (over,) = document["judged"]["models"][0]["over_runs"]
    assert [each["run"] for each in over["runs"]] == made


def test_the_list_of_runs_is_in_one_language(bench):
    tests = numbered(2)
    assay.run(bench.script("model", answers=right(tests)), suites=bench.suite({"sum": tests}),
              out=bench.out)  # fmt: skip
    french = bench.assay("runs", "--lang", "fr").stdout
    assert "ne bat pas le" in french
    assert " does not " not in french
    assert " does not " in bench.assay("runs").stdout
