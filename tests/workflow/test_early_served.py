"""Decisions after part of the tests, of servers whose answers come out of the order of asking.

Wrong answers take longest: fed as they come, the first ones of each portion would all be right.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from assay import api
from assay.decide.early import draw_order
from assay.stats.early import Race, ScorePair, SuiteMean
from assay.store import Store
from tests.conftest import numbered
from tests.servers.fixtures import Server
from tests.workflow.judged_work import Court

TESTS = 96
AT_ONCE = 8
LATE_S = 0.15


@pytest.fixture
def court(tmp_path: Path) -> Court:
    court = Court(tmp_path)
    court.suite({"sum": numbered(TESTS)}, name="sums")
    return court


def question_of(number: int) -> str:
    return f"What is {number} plus {number}?"


def teach(server: Server, wrong: Iterable[int], *, late: bool) -> None:
    """It adds, but for those that are wrong; `late`: these come after all others."""
    wrong = set(wrong)
    server.answers(
        {question_of(n): "I do not know" if n in wrong else str(2 * n) for n in range(1, TESTS + 1)}
    )
    for number in wrong if late else ():
        server.fault("delay", when=question_of(number), times=None, seconds=LATE_S)


def in_stored_order(out: Path) -> list[str]:
    """The tests of the newest run by the place of their replies in the store."""
    with closing(sqlite3.connect(out / "assay.db")) as database:
        found = database.execute(
            "SELECT requests.test_id FROM replies JOIN requests ON requests.id = request_id "
            "WHERE replies.run_id = (SELECT id FROM runs ORDER BY rowid DESC LIMIT 1) "
            "AND requests.suite = 'sums' ORDER BY replies.id"
        ).fetchall()
    return [test for (test,) in found]


def in_drawn_order(out: Path, tests: Iterable[str]) -> list[str]:
    with Store(out, read_only=True) as store:
        run = store.read_runs()[-1]
        fingerprint = run.models[0].facts.fingerprint
    return draw_order(run.seed, fingerprint, "sums", tests)


def twice(
    server: Server, court: Court, wrong: Iterable[int], decide: Callable[[Path, int], Any]
) -> list[Any]:
    """What was decided where one test is asked after another, and where the wrong answers of
    several come last.
    """
    found = []
    for at_once in (1, AT_ONCE):
        server.reset()
        teach(server, wrong, late=at_once > 1)
        out = court.folder / f"{at_once}-at-once"
        found.append(decide(out, at_once))
        stored = in_stored_order(out)
        assert len(stored) == len(set(stored)) < TESTS
        assert (stored == in_drawn_order(out, stored)) is (at_once == 1)
    assert server.max_at_once > 1
    return found


def test_a_gate_is_decided_in_the_drawn_order_though_answers_come_out_of_it(openai_server, court):
    gate = court.folder / "gate.toml"
    gate.write_text('[[suite]]\nname = "sums"\nmin = 0.4\n')

    def decide(out: Path, at_once: int) -> Any:
        report = api.run(
            [openai_server.spec()], suites=[str(court.folder / "sums")], gate=gate, decide=True,
            connections=at_once, out=out,
        )  # fmt: skip
        suite = report.models[0].suites[0]
        return report.models[0].accepted, suite.early, [row.id for row in suite.tests], suite.score

    first, late = twice(openai_server, court, range(1, TESTS + 1, 4), decide)
    assert first == late
    assert first[0] is True
    out, every = court.folder / f"{AT_ONCE}-at-once", [f"sum_{n:03d}" for n in range(1, TESTS + 1)]
    race = Race(SuiteMean(size=TESTS, limit=Fraction(2, 5), whole=True))
    for test in in_drawn_order(out, every):
        value = 0.0 if int(test[-3:]) % 4 == 1 else 1.0
        race.feed(ScorePair(value, value))
    assert (race.passes, race.at) == (True, first[1].at)
    assert set(in_stored_order(out)) == set(in_drawn_order(out, every)[: len(first[2])])
