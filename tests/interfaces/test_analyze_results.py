"""`analyze-results.sh`, for whoever comes from the old framework: it reads a run of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Bench, numbered, right

SCRIPT = Path(__file__).parents[2] / "analyze-results.sh"


def analyze(bench: Bench, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**bench.environment, "PYTHON": sys.executable}
    return subprocess.run(
        ["sh", str(SCRIPT), *words],
        cwd=bench.folder,
        env=environment,
        capture_output=True,
        text=True,
    )


def test_it_shows_scores_and_performance_of_a_run_and_where_everything_is(bench: Bench) -> None:
    tests = numbered(3)
    model = bench.script("model", answers=right(tests))
    run = bench.document("run", model, "-s", bench.suite({"sum": tests}))["run"]
    for words in (("--out", str(bench.out)), (run[:20], "--out", str(bench.out))):
        done = analyze(bench, *words)
        assert done.returncode == 0, done.stderr
        performance = bench.out / "runs" / run / "performance.md"
        assert performance.read_text("utf-8").strip() in done.stdout
        assert "100" in done.stdout
        assert f"{bench.out / 'runs' / run}/outputs/" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--frm",), "unknown option --frm"), (("--out",), "--out needs a folder"),
     (("nothing", "--out", "gone"), "")],
)  # fmt: skip
def test_what_cannot_be_read_ends_with_2(bench: Bench, words: tuple[str, ...], said: str) -> None:
    done = analyze(bench, *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr
