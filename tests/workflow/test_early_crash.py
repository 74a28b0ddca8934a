"""Decisions after part of the tests, by processes that are killed: a real command, a real store."""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import closing

import pytest

from tests.conftest import numbered, right
from tests.waiting import wait_for

TESTS = 240
KILLS = 3


@pytest.fixture
def base(bench):
    """A suite, and a model that answers nine tenths of it, slowly."""
    tests = numbered(TESTS)
    bench.suite({"sum": tests})
    lost = dict.fromkeys([test["id"] for test in tests][::10], "no idea")
    bench.script("tuned", answers=right(tests) | lost, delay_s=0.01)
    return bench


def spec(bench, name):
    return f"scripted:{bench.folder / name}.json"


def rows(bench, sql):
    if not (bench.out / "assay.db").is_file():
        return []
    with closing(sqlite3.connect(bench.out / "assay.db", timeout=30)) as database:
        try:
            return database.execute(sql).fetchall()
        except sqlite3.OperationalError:  # its tables are not there yet
            return []


def asked(bench):
    """The tests that the tuned model was asked, in the order in which the replies were stored."""
    found = rows(
        bench,
        "SELECT requests.test_id FROM replies JOIN requests ON requests.id = request_id "
        "WHERE replies.run_id = (SELECT id FROM runs ORDER BY rowid LIMIT 1) "
        "ORDER BY replies.id",
    )
    return [test for (test,) in found]


def killed_on_the_way(bench, words):
    """Killed again and again; how many replies were counted before each start."""
    chance = random.Random(20261119)
    counted = [0]
    for _ in range(KILLS):
        process = bench.start(*words)
        target = counted[-1] + chance.randint(1, 10)
        wait_for(lambda: len(asked(bench)) >= target or process.poll() is not None)  # noqa: B023
        time.sleep(chance.uniform(0, 0.01))  # between two replies, or inside a commit
        process.kill()
        process.communicate()
        counted.append(len(asked(bench)))
    return counted


def test_a_killed_run_goes_on_to_the_same_decision_and_asks_nothing_twice(base, tmp_path_factory):
    (base.folder / "gate.toml").write_text('[[suite]]\nname = "tests"\nmin = 0.8\n')
    words = ["run", spec(base, "tuned"), "-s", "tests", "--gate", "gate.toml", "--decide"]
    counted = killed_on_the_way(base, words)
    resumed = base.document(*words)
    assert len(asked(base)) > counted[-1] > 0, "nothing was left to continue"
    assert len(asked(base)) == len(set(asked(base))), "a test was asked twice"

    whole = type(base)(base.folder)
    whole.out = tmp_path_factory.mktemp("whole")
    unbroken = whole.document(*words)
    for document in (resumed, unbroken):
        (model,) = document["models"]
        assert model["accepted"] is True
        assert model["suites"][0]["score"]["n"] < TESTS
    assert asked(base) == asked(whole)
    first, second = (each["models"][0] for each in (resumed, unbroken))
    assert first["decision"] == second["decision"]
    assert first["suites"] == second["suites"]
