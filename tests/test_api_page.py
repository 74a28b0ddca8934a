"""docs/api.md: its examples run, and every public name is on it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import assay
from tests.command_runs import run_python
from tests.conftest import numbered, right
from tests.models.local.checkpoints import make_checkpoint
from tests.models.local.gguf.gguf_files import write_gguf
from tests.models.local.stopwatch import Stopwatch
from tests.suites.test_fetching import TEST, archive

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
# What the examples call `trainer`: they only add a callback to it.
TRAINER = "from types import SimpleNamespace\ntrainer = SimpleNamespace(add_callback=print)\n"


@pytest.fixture
def folder(tmp_path):
    tests = numbered(4)
    scripts = {
        "good": {"answers": right(tests), "default": "A driver."},
        "weak": {"default": "5"},
        "judge": {"default": "{}"},
    }
    for name, script in scripts.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(script))
    (tmp_path / "my-tests").mkdir()
    (tmp_path / "my-tests" / "sum.json").write_text(json.dumps(tests))
    (tmp_path / "prompts.txt").write_text("What is a driver?\n")
    (tmp_path / "held-out.txt").write_text("The old cat lives in the same house as the dog. " * 5)
    (tmp_path / "gate.toml").write_text("[perplexity]\nmax = 1e9\n")
    for seed, step in enumerate((10, 20)):
        make_checkpoint(tmp_path / "runs" / "my-model" / f"step_{step}", seed=seed, context=512)
    for kind in ("F16", "Q8_0"):
        base = tmp_path / "runs" / "my-model" / "step_10"
        write_gguf(base, tmp_path / f"model-{kind}.gguf", kind)
    asked = {"id": "c1", "prompt": "2 + 2 =", "eval_method": "multiple_choice", "expected": "B"}
    (tmp_path / "choices").mkdir()
    (tmp_path / "choices" / "sums.json").write_text(json.dumps([{**asked, "choices": ["3", "4"]}]))
    archive(tmp_path / "data", college_computer_science=TEST)
    return tmp_path


def examples():
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)


def test_every_example_runs(folder, tmp_path_factory):
    stopwatch = Stopwatch(tmp_path_factory.mktemp("stopwatch"))
    timed = f"import sys\nsys.executable = {stopwatch.program!r}\n"
    (folder / "page.py").write_text(timed + TRAINER + "\n".join(examples()), "utf-8")
    environment = {
        **os.environ, "PYTHONWARNINGS": "error", "OLLAMA_HOST": "127.0.0.1:1",
        "XDG_DATA_HOME": str(folder / "users-data"),
    }  # fmt: skip
    environment.pop("PYTHONUNBUFFERED", None)
    done = run_python(["page.py"], folder, environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", assay.__all__)
def test_every_public_name_is_in_an_example(name):
    assert any(re.search(rf"\bassay\.{name}\b", each) for each in examples())
