"""`python -m assay.lm_eval` where the harness is not installed; with it, see `tests_around`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest


@pytest.mark.skipif(
    importlib.util.find_spec("lm_eval") is not None, reason="lm-evaluation-harness is installed"
)
def test_without_the_harness_the_extra_is_named_with_exit_2(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "assay.lm_eval", "run", "--model", "assay"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "needs lm_eval, which is not installed" in done.stderr
    assert "pip install 'slm-assay[lm-eval]'" in done.stderr
