"""Tests that are asked in several wordings and orders: the mean, the spread, and who is ahead."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay import api
from assay.plan import AskOptions, make_plan
from assay.reports.json_documents import run_json
from assay.reports.run_report import run_document
from assay.store import Store
from assay.suites.load import load_suite
from assay.types import Suite
from tests.models.local.checkpoints import make_checkpoint
from tests.workflow.test_early_decision import Stopping

PLAIN, POLITE = "{prompt}", "Please answer in one word. {prompt}"
TESTS = 12


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A suite in two wordings; `terse` knows it as written, `polite` when it is asked politely."""
    tests = [
        {"id": f"words_{n:03d}", "prompt": f"Which word is number {n}?",
         "eval_method": "exact_match", "expected": f"word{n}"}
        for n in range(TESTS)
    ]  # fmt: skip
    folder = tmp_path / "words"
    folder.mkdir()
    (folder / "words.json").write_text(json.dumps(tests))
    (folder / "suite.json").write_text(json.dumps({"templates": {"words": [PLAIN, POLITE]}}))
    suite = load_suite(folder)
    for name, best, known in (("terse", PLAIN, 10), ("polite", POLITE, 9)):
        answers = {
            case.id: {
                "repeats": [
                    f"word{n}" if n < (known if case.drawn(way).wording == best else 4) else "no"
                    for way in range(case.ways)
                ]
            }
            for n, case in enumerate(suite.cases)
        }
        (tmp_path / f"{name}.json").write_text(json.dumps({"answers": answers}))
    return tmp_path


def run(home: Path, *names: str, **more: object):
    settings = {"suites": [str(home / "words")], "out": home / "out"}
    return api.run([f"scripted:{home / name}.json" for name in names], **settings | more)


def test_a_test_is_one_row_whose_score_is_the_mean_of_its_draws(home: Path) -> None:
    suite = run(home, "terse").models[0].suites[0]
    assert len(suite.tests) == suite.score.n == TESTS
    assert {len(row.repeats) for row in suite.tests} == {2}
    assert [row.score for row in suite.tests] == [1.0] * 4 + [0.5] * 6 + [0.0] * 2
    assert not {name for name in suite.measurements if name.startswith("pass")}, "no repeats"
    spread = suite.measurements["spread_over_draws"]
    assert (spread.n, spread.value) == (TESTS, pytest.approx(0.3536, abs=1e-4))
    by_wording = suite.draws.wordings["words"]
    assert {name: each.value for name, each in by_wording.items()} == {
        PLAIN: pytest.approx(10 / 12),
        POLITE: pytest.approx(4 / 12),
    }
    assert all(each.n == TESTS and each.low is not None for each in by_wording.values())


def test_two_models_whose_order_depends_on_the_wording(home: Path) -> None:
    report = run(home, "terse", "polite")
    (order,) = report.drawn_orders
    assert order.models == ("terse", "polite")
    assert order.wording_changes == (("words", POLITE, "polite", "terse"),)
    document = run_json(report)
    assert document["drawn_orders"][0]["wording_changes"]
    assert len(document["models"][0]["suites"][0]["draws"]["scores"]) == 2
    shown = str(run_document(report).blocks)
    assert "polite scores more than terse; over all draws less" in shown


def test_a_suite_without_variation_says_nothing_of_draws(home: Path) -> None:
    (home / "words" / "suite.json").unlink()
    document = run_json(run(home, "terse", "polite"))
    assert "drawn_orders" not in document
    assert "draws" not in document["models"][0]["suites"][0]


def once(suite: Suite) -> Suite:
    """As it was when a test had one wording."""
    return suite.with_cases(replace(case, draws=(), wording="") for case in suite.cases)


def test_replies_from_before_there_were_several_draws_are_reused(home: Path) -> None:
    suite = load_suite(home / "words")
    for repeats in (1, 2):
        run(home, "terse", suites=[once(suite)], repeats=repeats, out=home / f"out{repeats}")
        report = run(home, "terse", suites=[suite], repeats=repeats, out=home / f"out{repeats}")
        with Store(home / f"out{repeats}", read_only=True) as store:
            before, after = store.read_runs()
            assert store.count_replies(before) == TESTS * repeats
            assert store.count_replies(after) == TESTS * repeats  # of the other draw
        assert {len(row.repeats) for row in report.models[0].suites[0].tests} == {2 * repeats}
        assert ("pass@2" in report.models[0].suites[0].measurements) == (repeats == 2)


def test_requests_of_suites_without_variation_have_the_ids_they_had(home: Path) -> None:
    suite = load_suite(home / "words")
    report = run(home, "terse")
    with Store(home / "out", read_only=True) as store:
        facts = store.find_run(report.run).models[0].facts
    old, new = (make_plan([each], facts, AskOptions(repeats=2)) for each in (once(suite), suite))
    first = {plan.request(trial, 0, ()).id for plan in (old,) for trial in plan.trials}
    every = {new.request(trial, 0, ()).id for trial in new.trials}
    assert first < every
    assert len(every) == 2 * len(first)


def test_a_stopped_run_goes_on_where_it_was(home: Path) -> None:
    whole = run(home, "terse", out=home / "whole")
    with pytest.raises(BaseException, match="kept"):
        run(home, "terse", observer=Stopping(after=7))
    resumed = run(home, "terse")
    assert resumed.models[0].suites[0].tests == whole.models[0].suites[0].tests


def test_draws_of_a_test_are_asked_together_with_decide(home: Path) -> None:
    (home / "gate.toml").write_text('[[suite]]\nname = "words"\nmin = 0.05\n')
    report = run(home, "terse", gate=home / "gate.toml", decide=True)
    suite = report.models[0].suites[0]
    assert report.models[0].accepted is True
    assert {len(row.repeats) for row in suite.tests} == {2}


def test_rescoring_scores_each_draw_by_its_own_options(tmp_path: Path) -> None:
    folder = tmp_path / "cards"
    folder.mkdir()
    tests = [
        {"id": f"c_{n:03d}", "prompt": f"Card {n} needs a", "eval_method": "multiple_choice",
         "choices": ["driver", "cable", "screen", "disk"], "expected": "A"}
        for n in range(6)
    ]  # fmt: skip
    (folder / "c.json").write_text(json.dumps(tests))
    (folder / "suite.json").write_text('{"rotate": true}')
    make_checkpoint(tmp_path / "model", seed=0)
    report = api.run(str(tmp_path / "model"), suites=str(folder), out=tmp_path / "out",
                     measures=())  # fmt: skip
    suite = report.models[0].suites[0]
    assert {len(row.repeats) for row in suite.tests} == {4}
    assert len(suite.draws.scores) == 4
    assert api.rescore(report.run, out=tmp_path / "out").changed == 0
