"""`assay validate` as a command: odd paths."""

from __future__ import annotations

from tests.conftest import Bench


def test_an_empty_path_is_refused_and_is_not_the_folder_one_stands_in(bench: Bench) -> None:
    done = bench.assay("validate", "")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "error: one of the paths is empty" in done.stderr
