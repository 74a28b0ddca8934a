"""The leaderboard: reviewing a suite does not split its table, and a hidden run is not in it."""

from pathlib import Path

import assay
from assay.api.rendering import render
from assay.store.bodies import content_hash
from assay.suites.load import load_suite
from tests.conftest import numbered, right


def content_of(bench, files, **settings):
    return content_hash(load_suite(Path(bench.suite(files, **settings))))


def remarked(tests):
    return [
        {**each, "reviewed": "Ama, 2026-11-18", "description": "checked", "tags": ["sums"]}
        for each in tests
    ]


def test_a_review_a_title_or_a_licence_changes_no_content_hash(bench):
    tests = numbered(3)
    before = content_of(bench, {"sum": tests})
    remarks = {"title": "Sums", "version": "2", "licence": "CC BY 4.0"}
    assert content_of(bench, {"sum": remarked(tests)}, **remarks) == before


def test_what_is_asked_or_scored_changes_the_content_hash(bench):
    tests = numbered(3)
    before = content_of(bench, {"sum": tests})
    changed = [
        ({"sum": [{**tests[0], "expected": "3"}, *tests[1:]]}, {}),
        ({"sum": [{**tests[0], "temperature": 0.9}, *tests[1:]]}, {}),
        ({"sum": tests}, {"pass_mark": 0.5}),
        ({"sum": tests}, {"system": "Be brief."}),
    ]
    hashes = [content_of(bench, files, **how) for files, how in changed]
    assert len({before, *hashes}) == 5


def test_models_asked_before_and_after_a_review_are_in_one_table(bench):
    tests = numbered(12)
    first = bench.script("first", answers=right(tests))
    second = bench.script("second", answers=right(tests), default="0")
    assay.run(first, suites=bench.suite({"sum": tests}), out=bench.out)
    reviewed = bench.suite({"sum": remarked(tests)}, licence="CC BY 4.0")
    assay.run(second, suites=reviewed, out=bench.out)
    board = assay.leaderboard(out=bench.out)
    (table,) = board.suites
    assert [row.rank for row in table.rows] == [1, 2]
    assert not board.notes
    page = render(board, "md")
    assert "CC BY 4.0" in page
    assert "reviewers: Ama" in page


def test_answers_to_an_older_version_are_scored_again_by_the_newest(bench):
    tests = numbered(12)
    wrong_key = [{**tests[0], "expected": "3"}, *tests[1:]]
    old = bench.script("old", answers=right(tests))
    new = bench.script("new", answers=right(tests), default="0")
    report = assay.run(old, suites=bench.suite({"sum": wrong_key}), out=bench.out)
    assert report.models[0].suites[0].score.value < 100
    assay.run(new, suites=bench.suite({"sum": tests}), out=bench.out)
    board = assay.leaderboard(out=bench.out)
    (table,) = board.suites
    assert [row.score.value for row in table.rows] == [100.0, 100.0]
    assert "scored again" in board.notes[0]
    stored = assay.report(report.run, out=bench.out)
    assert stored.models[0].suites[0].score.value < 100  # the store is as it was


def test_a_version_that_asks_something_else_has_a_table_of_its_own(bench):
    tests = numbered(4)
    assay.run(bench.script("m", default="2"), suites=bench.suite({"sum": tests}), out=bench.out)
    other = [{**tests[0], "prompt": "What is one and one?"}, *tests[1:]]
    assay.run(bench.script("m", default="2"), suites=bench.suite({"sum": other}), out=bench.out)
    assert len(assay.leaderboard(out=bench.out).suites) == 2


def test_a_hidden_run_is_in_no_leaderboard_until_it_is_shown_again(bench):
    suite = bench.suite({"sum": numbered(12)})
    run = assay.run(bench.script("m", answers=right(numbered(12))), suites=suite, out=bench.out).run
    done = bench.assay("runs", "--hide", run)
    assert (done.returncode, "hidden" in done.stdout) == (0, True)
    board = assay.leaderboard(out=bench.out)
    assert not board.suites
    assert "hidden runs that are left out: 1" in board.notes
    assert bench.assay("runs", "--unhide", run[:12]).returncode == 0
    assert len(assay.leaderboard(out=bench.out).suites) == 1


def test_a_score_within_guessing_has_no_rank(bench):
    tests = numbered(12)
    suite = bench.suite({"sum": tests})
    good, guess = bench.script("good", answers=right(tests)), bench.script("guess", default="2")
    assay.run([good, guess], suites=suite, out=bench.out)
    board = assay.leaderboard(out=bench.out)
    (table,) = board.suites
    assert [(row.rank, row.within_guessing) for row in table.rows] == [(1, False), (None, True)]
    assert "not above what guessing" in render(board, "md")
