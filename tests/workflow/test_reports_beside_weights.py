"""A run of suites alone does not replace the whole report that lies beside the weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from assay import api
from assay.reports.progress import SilentProgress
from tests.models.local.checkpoints import make_checkpoint

REPORT = "evaluation_report.json"
SUITE_ALONE = {"measures": None, "gate": None, "text": None}


class Notes(SilentProgress):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)

    @property
    def kept(self) -> list[str]:
        return [note for note in self.notes if "stays beside the weights" in note]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("made")
    for number, step in enumerate(("step_1", "step_2")):
        make_checkpoint(home / "run" / step, seed=number)
    (home / "held_out.txt").write_text("The driver of the network card. " * 60)
    (home / "tests").mkdir()
    test = {"id": "pick_001", "prompt": "Which lies in the garden?", "expected": "A",
            "eval_method": "multiple_choice", "choices": ["the ball", "the machine"]}  # fmt: skip
    (home / "tests" / "pick.json").write_text(json.dumps([test]))
    (home / "gate.toml").write_text("[perplexity]\nmax = 1e8\n")
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "work")
    return tmp_path / "work"


def run(home: Path, **changes):
    notes = Notes()
    settings = {"suites": [str(home / "tests")], "text": home / "held_out.txt"}
    settings |= {"measures": ("perplexity",), "gate": home / "gate.toml", "out": home / "out"}
    return api.run([str(home / "run/step_1")], observer=notes, **(settings | changes)), notes


def files_of(home: Path) -> tuple[Path, Path]:
    """The report under out, and the one beside the weights."""
    return home / "out/checkpoints/run/step_1" / REPORT, home / "run/step_1" / REPORT


def test_suites_alone_leave_the_whole_report_as_it_is_and_say_so(home: Path) -> None:
    run(home)
    own, beside = files_of(home)
    before = beside.read_bytes()
    report, notes = run(home, **SUITE_ALONE)
    assert report.exit_code == 0
    assert beside.read_bytes() == before
    assert json.loads(own.read_text())["perplexity"] is None
    (note,) = notes.kept
    assert str(beside) in note


def test_a_run_with_a_gate_always_writes(home: Path) -> None:
    run(home, measures=("perplexity", "generation"))
    (home / "strict.toml").write_text("[perplexity]\nmax = 1.5\n")
    report, notes = run(home, gate=home / "strict.toml")
    assert report.models[0].accepted is False
    assert not notes.kept
    own, beside = files_of(home)
    assert own.read_bytes() == beside.read_bytes()


def test_the_whole_takes_the_place_of_a_part(home: Path) -> None:
    run(home, **SUITE_ALONE)
    _, notes = run(home)
    assert not notes.kept
    assert all(json.loads(file.read_text())["perplexity"] > 1 for file in files_of(home))


def test_other_weights_and_broken_reports_are_replaced(home: Path) -> None:
    run(home)
    beside = files_of(home)[1]
    beside.write_text("{")
    run(home, **SUITE_ALONE)
    assert json.loads(beside.read_text())["perplexity"] is None
    run(home)
    weights = "model.safetensors"
    shutil.copy(home / "run/step_2" / weights, home / "run/step_1" / weights)
    _, notes = run(home, **SUITE_ALONE)
    assert not notes.kept
    assert json.loads(beside.read_text())["perplexity"] is None


def test_select_prefers_the_report_with_more_figures(home: Path) -> None:
    run(home)
    run(home, **SUITE_ALONE)
    own, beside = files_of(home)
    assert json.loads(own.read_text())["perplexity"] is None
    earlier = json.loads(beside.read_text()) | {"timestamp": "2026-01-01T00:00:00Z"}
    beside.write_text(json.dumps(earlier))
    found = api.select([str(home / "run/step_1")], gate=home / "gate.toml", out=home / "out")
    assert found.selection.selected == "run/step_1"
    assert found.selection.ranked_on == ("perplexity",)
