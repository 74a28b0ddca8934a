"""Ewe is spoken of where a suite has any, and nowhere else."""

from __future__ import annotations

import pytest

from tests.conftest import numbered, right

ASKED = {"id": "a_001", "prompt": "Who is it?", "eval_method": "exact_match", "expected": "man"}


def test_a_suite_without_ewe_is_not_spoken_to_of_ewe(bench):
    tests = numbered(3)
    script = bench.script("able", answers=right(tests))
    done = bench.assay("run", script, "-s", bench.suite({"sum": tests}), "-v")
    report = bench.assay("report", "latest", "--format", "md").stdout
    assert done.returncode == 0
    assert "Ewe" not in done.stdout + done.stderr + report


@pytest.mark.parametrize(
    "changed",
    [
        {"expected": "ŋutsu"},
        {"prompt": "Say it in Ewe: who is it?"},
        {"eval_method": "format", "expected": None, "expected_format": {"contains_ewe": True}},
    ],
)
def test_a_suite_with_ewe_and_without_a_language_is_warned(bench, changed):
    test = {key: value for key, value in (ASKED | changed).items() if value is not None}
    script = bench.script("able", default="ŋutsu")
    done = bench.assay("run", script, "-s", bench.suite({"a": [test]}))
    assert "run_benchmark.py takes it for Ewe" in done.stderr
