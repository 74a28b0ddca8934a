"""`assay validate` as a command: odd paths, and checkers that are not tried."""

from __future__ import annotations

from tests.conftest import Bench


def test_an_empty_path_is_refused_and_is_not_the_folder_one_stands_in(bench: Bench) -> None:
    done = bench.assay("validate", "")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "an empty path" in done.stderr


def test_a_checker_that_is_not_tried_out_is_named(bench: Bench) -> None:
    assert bench.assay("new-suite", "--test", "--judged", "sales").returncode == 0
    done = bench.assay("validate", "my-tests")
    assert "Checkers not tried: 1; add --allow-code-execution to try them" in done.stderr
