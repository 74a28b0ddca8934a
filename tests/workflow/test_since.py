"""What changed since an earlier run, in a report and as a comment on a pull request."""

from __future__ import annotations

import json

import pytest

import assay
from assay.errors import UsageError
from assay.plugins import write_report
from tests.conftest import numbered, right

MOST_LINES = 60


@pytest.fixture
def two_runs(bench):
    """The same model before and after: five tests more are right, one less."""
    tests = numbered(30)
    answers = right(tests)
    suite = bench.suite({"sum": tests})
    ids = [test["id"] for test in tests]
    before = {**answers, **dict.fromkeys(ids[:5], "no idea")}
    first = assay.run(bench.script("model", answers=before), suites=suite, out=bench.out)
    after = {**answers, ids[-1]: "no idea"}
    bench.script("model", answers=after)
    second = assay.run(first.models[0].spec, suites=suite, out=bench.out)
    return first, second, ids


def test_a_comment_has_the_card_and_what_changed_in_under_60_lines(bench, two_runs):
    first, second, ids = two_runs
    done = bench.assay("report", second.run, "--against", first.run, "--format", "pr-comment")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) < MOST_LINES
    assert lines[0].startswith("### ")
    assert f"### Changed since {first.run}" in lines
    assert any(line.startswith("The decision then: ") for line in lines)
    (changed,) = [line for line in lines if "points on 30 tests" in line]
    assert f"now wrong: {ids[-1]};" in changed
    assert "and 1 more" in changed.partition("now right")[2]


def test_every_form_says_what_changed_and_json_only_where_it_was_asked(two_runs):
    first, second, _ = two_runs
    report = assay.report(second.run, against=first.run, out=second.out)
    for form in ("text", "md", "html"):
        assert f"Changed since {first.run}" in write_report(report, form)
    document = json.loads(write_report(report, "json"))
    assert document["since"]["run"] == first.run
    (pair,) = document["since"]["pairs"]
    assert pair["suites"][0]["difference"]["n"] == 30
    assert "since" not in second.to_dict()


def test_a_run_is_not_compared_with_itself(two_runs):
    first, _, _ = two_runs
    with pytest.raises(UsageError, match="itself"):
        assay.report(first.run, against=first.run, out=first.out)
