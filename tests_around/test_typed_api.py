"""What an editor knows of the public functions: type checkers read a user's file and the docs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import assay

SRC = Path(assay.__file__).parents[1]
# What the examples call `trainer`: they only add a callback to it.
TRAINER = "from types import SimpleNamespace\ntrainer = SimpleNamespace(add_callback=print)\n"
USES = """
from pathlib import Path

import assay

result = assay.run(Path("runs/my-model"), suites=Path("my-tests"), gate="gate.toml", out="out")
reveal_type(result)
reveal_type(assay.select_checkpoint("runs/my-model"))
assay.watch("runs/my-model", gate=Path("gate.toml"), once=True)
assay.run("scripted:good.json", suits="example")
assay.run("scripted:good.json", limit="two")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    made = tmp_path_factory.mktemp("typed")
    page = (root / "docs" / "api.md").read_text("utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    (made / "page.py").write_text(TRAINER + "\n".join(examples), "utf-8")
    (made / "uses.py").write_text(USES, "utf-8")
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(SRC)]}
    (made / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    return made


def _said_by_mypy(folder: Path) -> str:
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        "cache",
        "page.py",
        "uses.py",
    ]
    return _printed(command, folder, MYPYPATH=str(SRC))


def _said_by_pyright(folder: Path) -> str:
    # A package that brings its own runtime; --level leaves out what only its authors ask for.
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable]
    return _printed([*command, "--level", "error"], folder)


def _printed(command: list[str], folder: Path, **more: str) -> str:
    environment = {**os.environ, **more}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=environment
    )
    return done.stdout


@pytest.mark.parametrize("check", [_said_by_mypy, _said_by_pyright])
def test_examples_are_clean_and_a_wrong_argument_is_underlined(check, folder: Path) -> None:
    said = check(folder)

    place = re.compile(r"(page|uses)\.py:(\d+)")  # of the user's files; ours are checked elsewhere
    wrong = [line for line in said.splitlines() if " error: " in line and place.search(line)]
    assert [place.search(line)[0] for line in wrong] == ["uses.py:10", "uses.py:11"]
    assert "suits" in wrong[0]
    assert re.search("limit|Literal", wrong[1])


def test_results_have_their_types(folder: Path) -> None:
    said = _said_by_mypy(folder)

    assert '"assay.reports.formats.notebook.RunResult"' in said
    assert '"dict[str, Any]"' in said
