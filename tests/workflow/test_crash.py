"""Runs that are killed, interrupted, doubled, or run out of room; real processes, a real store."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest

from tests.conftest import numbered, right
from tests.waiting import PATIENCE_S, wait_for

TESTS = 400
KILLS = 4


def replies(bench):
    """What another process sees in the store; counted as the run's progress is."""
    path = bench.out / "assay.db"
    if not path.is_file():
        return 0
    database = sqlite3.connect(path, timeout=30)
    try:
        return database.execute("SELECT count(DISTINCT request_id) FROM replies").fetchone()[0]
    except sqlite3.OperationalError:  # the very first moment: the tables are not made yet
        return 0
    finally:
        database.close()


def is_sound(bench):
    database = sqlite3.connect(bench.out / "assay.db")
    try:
        return database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    finally:
        database.close()


def results(document):
    """What a run says, without its name, its place and its clock."""
    return [
        {
            "model": model["model"].rpartition("/")[2],
            "suites": model["suites"],
        }
        for model in document["models"]
    ]


def words_for(bench, *, delay, tests=TESTS):
    questions = numbered(tests)
    answers = right(questions) | {"sum_007": "no idea"}
    model = bench.script("able", answers=answers, fail={"sum_009": "reset"}, delay_s=delay)
    return ["run", model, "-s", bench.suite({"sum": questions})]


def test_a_run_killed_again_and_again_ends_like_one_that_was_not(bench, tmp_path_factory):
    words = words_for(bench, delay=0.002)
    chance = random.Random(20261115)
    counted = 0
    for _ in range(KILLS):
        process = bench.start(*words)
        # Some kills fall into start-up, some between two replies, some inside a commit.
        target = counted + chance.randint(0, 12)
        wait_for(lambda: replies(bench) >= target or process.poll() is not None)  # noqa: B023
        time.sleep(chance.uniform(0, 0.01))
        process.kill()
        process.communicate()
        assert replies(bench) >= counted, "a counted reply was lost"
        counted = replies(bench)
    assert is_sound(bench)
    assert counted < TESTS, "nothing was left to continue"
    resumed = bench.document(*words)

    whole = type(bench)(tmp_path_factory.mktemp("whole"))
    unbroken = whole.document(*words_for(whole, delay=0))
    assert results(resumed) == results(unbroken)
    database = sqlite3.connect(bench.out / "assay.db")
    asked = database.execute(
        "SELECT max(times), count(*) FROM (SELECT count(*) AS times FROM replies "
        "WHERE kind = 'answered' GROUP BY request_id)"
    ).fetchone()
    runs = database.execute("SELECT count(*) FROM runs").fetchone()[0]
    database.close()
    assert asked == (1, TESTS - 1), "a finished request was asked twice"
    assert runs == 1, "a killed run is continued, not begun again"


MEASURE = """
import assay

@assay.measure("brevity", unit="words", better="lower")
class Brevity:
    def requests(self):
        return [assay.Ask(f"Describe the number {n}.") for n in range(80)]
    def value(self, replies):
        return [len(reply.text.split()) for reply in replies]
"""


def test_a_plugin_measure_killed_while_it_asks_is_continued_and_asks_nothing_twice(bench):
    (bench.folder / "brevity.py").write_text(MEASURE)
    model = bench.script("able", default="two words", delay_s=0.01)
    words = ["run", model, "-s", bench.suite({"sum": numbered(2)}), "--plugin", "brevity.py"]
    for target in (5, 30):
        process = bench.start(*words)
        wait_for(lambda: replies(bench) >= 2 + target or process.poll() is not None)  # noqa: B023
        process.kill()
        process.communicate()
        assert 2 + target <= replies(bench) < 82
    (model,) = bench.document(*words)["models"]
    assert (model["measurements"]["brevity"]["value"], model["measurements"]["brevity"]["n"]) == (
        2, 80,
    )  # fmt: skip
    with closing(sqlite3.connect(bench.out / "assay.db")) as database:
        assert database.execute(
            "SELECT count(*), count(DISTINCT request_id) FROM replies"
        ).fetchone() == (82, 82)
        assert database.execute("SELECT count(*) FROM runs").fetchone() == (1,)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_continue_and_ends_with_130(bench, number):
    words = words_for(bench, delay=0.05, tests=60)
    process = bench.start(*words)
    wait_for(lambda: replies(bench) >= 5)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert stdout == ""
    assert "Traceback" not in stderr
    (command,) = [line for line in stderr.splitlines() if "continue with:" in line]
    kept = replies(bench)
    again = command.partition("continue with: assay ")[2].split()
    done = bench.assay(*again[: again.index("--out")])
    assert done.returncode == 3, done.stderr
    assert kept < replies(bench) == 60


def test_the_last_count_shown_is_never_more_than_the_store_holds(bench):
    process = bench.start(*words_for(bench, delay=0.002))
    wait_for(lambda: replies(bench) >= 30)
    process.kill()
    _, stderr = process.communicate()
    shown = [int(word.split("/")[0]) for word in stderr.split() if word.endswith(f"/{TESTS}")]
    assert shown, stderr
    assert shown[-1] <= replies(bench)


def test_two_processes_on_one_store_do_not_disturb_each_other(bench):
    words = words_for(bench, delay=0.002)
    other = bench.script("other", default="2", delay_s=0.002)
    processes = [bench.start(*words, "--json"), bench.start(*words, "--json")]
    processes.append(bench.start("run", other, *words[2:], "--json"))
    ends = [(process.communicate(timeout=PATIENCE_S), process.returncode) for process in processes]
    assert [code for _, code in ends] == [3, 3, 0], ends
    assert is_sound(bench)
    scores = [stored_score(bench, run) for run in finished(bench)]
    able = 100 * (TESTS - 2) / (TESTS - 1)
    assert sorted(scores) == pytest.approx([100 / TESTS, able, able])


def stored_score(bench, run):
    document = json.loads(bench.assay("report", run, "--format", "json").stdout)
    return document["models"][0]["suites"][0]["score"]["value"]


def finished(bench):
    database = sqlite3.connect(bench.out / "assay.db")
    ids = [row[0] for row in database.execute("SELECT id FROM runs WHERE finished IS NOT NULL")]
    database.close()
    assert len(ids) == 3
    return ids


@pytest.fixture
def small_disk(tmp_path):
    """A real file system with little room. Needs the right to mount."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    tried = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=900k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if not tried or tried.returncode:
        pytest.skip("needs the right to mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_stops_the_run_cleanly_and_the_same_command_continues(bench, small_disk):
    bench.out = small_disk / "out"
    questions = numbered(300)
    model = bench.script("long", default="word " * 800)
    words = ["run", model, "-s", bench.suite({"sum": questions})]
    done = bench.assay(*words)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert "make room" in done.stderr
    kept = replies(bench)
    assert 0 < kept < 300
    assert is_sound(bench)
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    done = bench.assay(*words)
    assert done.returncode == 0, done.stderr
    assert replies(bench) == 300


def test_a_disk_that_fills_while_the_reports_are_written_loses_nothing_either(bench, small_disk):
    """The answers would fit; they and the files made from them do not."""
    bench.out = small_disk / "out"
    subprocess.run(["mount", "-o", "remount,size=6m", str(small_disk)], check=True)
    words = ["run", bench.script("brief", default="2"), "-s", bench.suite({"sum": numbered(500)})]
    done = bench.assay(*words)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert 0 < replies(bench) <= 500
    assert is_sound(bench)
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    document = bench.document(*words)
    assert document["exit_code"] == 0
    (run,) = (bench.out / "runs").iterdir()
    assert document["run"] == run.name, "the same run, continued"
    assert replies(bench) == 500, "nothing was asked twice"
    assert len(list(next((run / "outputs").iterdir()).iterdir())) == 500
    assert len(list((run / "test-plans").iterdir())) == 500


@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees the folder as writable")
def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_asked(bench):
    bench.out = bench.folder / "file" / "out"
    (bench.folder / "file").write_text("in the way")
    done = bench.assay(*words_for(bench, delay=0, tests=3))
    assert done.returncode == 2
    assert "--out" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def read_only_disk(tmp_path, bench):
    """The store on a file system mounted read-only. Needs the right to mount."""
    bench.out = tmp_path / "mounted" / "out"
    bench.out.parent.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(bench.out.parent)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs the right to mount a file system")
    assert bench.assay(*words_for(bench, delay=0, tests=4)).returncode == 0
    subprocess.run(["mount", "-o", "remount,ro", str(bench.out.parent)], check=True)
    yield bench
    subprocess.run(["umount", "-l", str(bench.out.parent)], check=True)


def test_a_store_that_cannot_be_written_is_read_all_the_same(read_only_disk):
    for words in (["report"], ["export"], ["leaderboard"]):
        done = read_only_disk.assay(*words)
        assert done.returncode == 0, done.stderr
        assert "able" in "".join(done.stdout.split())  # a narrow column wraps it
    refused = read_only_disk.assay("rescore")
    assert refused.returncode == 2
    assert "--out" in refused.stderr
