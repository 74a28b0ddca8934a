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
    """A suite, a model that answers all of it, and one that answers a tenth less, slowly."""
    tests = numbered(TESTS)
    bench.suite({"sum": tests})
    bench.script("base", answers=right(tests))
    lost = dict.fromkeys([test["id"] for test in tests][::10], "no idea")
    bench.script("tuned", answers=right(tests) | lost, delay_s=0.01)
    bench.document("run", spec(bench, "base"), "-s", "tests")
    return bench


def spec(bench, name):
    return f"scripted:{bench.folder / name}.json"


def compared(bench, limit="0.02"):
    """A fall of ten points against a limit of two takes several portions, and not all tests."""
    return ["compare", spec(bench, "base"), spec(bench, "tuned"), "--max-drop", limit, "--decide"]


def rows(bench, sql):
    if not (bench.out / "assay.db").is_file():
        return []
    with closing(sqlite3.connect(bench.out / "assay.db", timeout=30)) as database:
        return database.execute(sql).fetchall()


def asked(bench):
    """The tests that the tuned model was asked, in the order in which the replies were stored."""
    found = rows(
        bench,
        "SELECT requests.test_id FROM replies JOIN requests ON requests.id = request_id "
        "WHERE replies.run_id = (SELECT id FROM runs ORDER BY rowid LIMIT 1 OFFSET 1) "
        "ORDER BY replies.id",
    )
    return [test for (test,) in found]


def decided(document):
    """What was decided, without the names of the runs."""
    return [suite for pair in document["pairs"] for suite in pair["suites"]]


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


def test_a_killed_comparison_goes_on_to_the_same_decision_and_asks_nothing_twice(
    base, tmp_path_factory
):
    words = compared(base)
    counted = killed_on_the_way(base, words)
    assert counted == sorted(counted), "a counted reply was lost"
    resumed = base.document(*words)
    assert len(asked(base)) > counted[-1] > 0, "nothing was left to continue"
    assert len(asked(base)) == len(set(asked(base))), "a test was asked twice"
    assert rows(base, "SELECT count(*) FROM runs") == [(2,)], "continued, not begun again"

    whole = type(base)(base.folder)
    whole.out = tmp_path_factory.mktemp("whole")
    whole.document("run", spec(whole, "base"), "-s", "tests")
    unbroken = whole.document(*compared(whole))
    assert decided(resumed) == decided(unbroken)
    assert resumed["exit_code"] == unbroken["exit_code"] == 1
    assert asked(base) == asked(whole), "the tests of the drawn order, in that order"
    assert decided(resumed)[0]["early"]["passed"] is False
    assert len(asked(base)) < TESTS


def test_a_killed_run_goes_on_to_the_same_decision_and_asks_nothing_twice(base, tmp_path_factory):
    (base.folder / "gate.toml").write_text('[[suite]]\nname = "tests"\nmin = 0.8\n')
    words = ["run", spec(base, "tuned"), "-s", "tests", "--gate", "gate.toml", "--decide"]
    counted = killed_on_the_way(base, words)
    resumed = base.document(*words)
    assert len(asked(base)) > counted[-1] > 0, "nothing was left to continue"
    assert len(asked(base)) == len(set(asked(base))), "a test was asked twice"

    whole = type(base)(base.folder)
    whole.out = tmp_path_factory.mktemp("whole")
    whole.document("run", spec(whole, "base"), "-s", "tests")
    unbroken = whole.document(*words)
    for document in (resumed, unbroken):
        (model,) = document["models"]
        assert model["accepted"] is True
        assert model["suites"][0]["score"]["n"] < TESTS
    assert asked(base) == asked(whole)
    first, second = (each["models"][0] for each in (resumed, unbroken))
    assert first["decision"] == second["decision"]
    assert first["suites"] == second["suites"]
