"""Speed and memory belong to a shape: timed by its first checkpoint, shared, and reused."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from assay import api
from assay.types import Reply, Score
from assay.types.results import Report
from assay.types.scores import SilentProgress
from tests.models.local.checkpoints import make_checkpoint
from tests.models.local.stopwatch import Stopwatch

GATE = "[perplexity]\nmax = 1e8\n\n[speed]\nmin_tokens_per_s = 1\n"


@pytest.fixture
def stopwatch(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Stopwatch:
    found = Stopwatch(tmp_path_factory.mktemp("stopwatch"))
    monkeypatch.setattr(sys, "executable", found.program)
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two steps with equal weights and other metadata, a text and a gate."""
    home = tmp_path_factory.mktemp("made")
    make_checkpoint(home / "run" / "step_1")
    shutil.copytree(home / "run" / "step_1", home / "run" / "step_2")
    weights = home / "run" / "step_2" / "model.safetensors"
    save_file(load_file(weights), weights, metadata={"format": "pt", "note": "another trainer"})
    (home / "held_out.txt").write_text("The driver of the network card. " * 500)
    (home / "gate.toml").write_text(GATE)
    test = {"id": "word", "prompt": "The dog", "eval_method": "keywords", "max_tokens": 4}
    (home / "word.json").write_text(json.dumps([{**test, "expected_keywords": ["the"]}]))
    return home


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "work")


def run(folder: Path, *steps: str, **more: Any) -> Report:
    models = [str(folder / "run" / step) for step in steps] or [str(folder / "run")]
    settings = {"gate": folder / "gate.toml", "text": folder / "held_out.txt"}
    settings |= {"measures": ("perplexity", "speed"), "out": folder / "out"} | more
    return api.run(models, suites=[str(folder / "word.json")], **settings)


class Watched(SilentProgress):
    """Whose replies came, and how many runs had been timed by then."""

    def __init__(self, stopwatch: Stopwatch) -> None:
        self._stopwatch = stopwatch
        self.replies: list[tuple[str, int]] = []

    def replied(self, model: str, reply: Reply, score: Score | None) -> None:
        self.replies.append((model, sum(runs for _, runs in self._stopwatch.timed)))


def details_of(folder: Path, step: str) -> Mapping[str, Any]:
    file = folder / "out" / "checkpoints" / "run" / step / "evaluation_report.json"
    return json.loads(file.read_text("utf-8"))["details"]


def test_equal_checkpoints_differ_by_nothing_and_tie(folder: Path, stopwatch: Stopwatch) -> None:
    report = run(folder)
    assert report.exit_code == 0
    file = folder / "out" / "checkpoints" / "run" / "best_checkpoint_selection.json"
    selection = json.loads(file.read_text("utf-8"))
    difference = selection["difference"]
    assert (difference["value"], difference["low"], difference["high"]) == (0, 0, 0)
    assert (selection["selected"], selection["tied_with"]) == ("run/step_2", ["run/step_1"])
    assert "speed" in selection["ranked_on"]
    assert len({each["ranking_score"] for each in selection["ranking"]}) == 1


def test_a_shape_is_timed_by_one_process_and_each_of_its_checkpoints_has_its_speed(
    folder: Path, stopwatch: Stopwatch
) -> None:
    report = run(folder)
    assert stopwatch.timed == [("step_1", 3)]
    for step in ("step_1", "step_2"):
        found = details_of(folder, step)
        assert found["speed"]["runs_per_s"] == [33, 66, 29]
        assert found["speed"]["share_of_bandwidth"] == pytest.approx(0.033)
        speed_of = found["inference_speed"]
        assert [speed_of[name] for name in ("value", "low", "high", "n")] == [33, 29, 66, 3]
        assert found["memory_usage_mb"]["value"] == 8.5
    said = " ".join(api.render(report, verbose=True).split())
    assert "in float32, 2 cores of Pocket Calculator, Linux, median of 3 runs" in said


def test_a_later_checkpoint_of_the_shape_is_timed_only_on_demand(
    folder: Path, stopwatch: Stopwatch
) -> None:
    run(folder, "step_1")
    assert stopwatch.timed == [("step_1", 3)]
    run(folder, "step_2")
    assert details_of(folder, "step_2")["speed"]["runs_per_s"] == [33, 66, 29]
    run(folder, "step_2", fresh=True)
    assert stopwatch.timed == [("step_1", 3), ("step_2", 3)]
    assert details_of(folder, "step_2")["speed"]["runs_per_s"] == [50, 41, 42]
    run(folder, "step_1")
    assert details_of(folder, "step_1")["speed"]["runs_per_s"] == [50, 41, 42]


def test_a_speed_of_a_busy_machine_is_measured_again_when_it_is_quiet(
    folder: Path, stopwatch: Stopwatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopwatch.busy.touch()
    report = run(folder, "step_1")
    said = " ".join(api.render(report, verbose=True).split())
    assert "on a busy machine: other programs took 60 % of the computing time" in said
    monkeypatch.setattr(os, "getloadavg", lambda: (99.0, 99.0, 99.0), raising=False)
    run(folder, "step_2")
    assert stopwatch.timed == [("step_1", 3)], "it is still busy"
    stopwatch.busy.unlink()
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0), raising=False)
    run(folder, "step_2")
    assert stopwatch.timed == [("step_1", 3), ("step_2", 3)]
    assert details_of(folder, "step_2")["speed"]["runs_per_s"] == [50, 41, 42]
    run(folder, "step_2")
    assert len(stopwatch.timed) == 2, "a speed of a quiet machine is reused"


def test_another_shape_and_another_machine_are_timed_anew(
    folder: Path, stopwatch: Stopwatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_checkpoint(folder / "run" / "step_3", context=48)
    run(folder, "step_1")
    run(folder, "step_3")
    assert stopwatch.timed == [("step_1", 3), ("step_3", 3)]
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(99), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 99)
    run(folder, "step_2", measures=("speed",))
    assert stopwatch.timed[2:] == [("step_2", 3)]


def test_the_last_checkpoint_makes_up_for_a_run_that_failed(
    folder: Path, stopwatch: Stopwatch
) -> None:
    stopwatch.fail_once()
    report = run(folder)
    assert stopwatch.timed == [("step_1", 3), ("step_2", 3)]
    assert report.exit_code == 0
    assert details_of(folder, "step_1")["speed"]["runs_per_s"] == [33, 66, 29]


def test_speed_is_measured_when_every_checkpoint_has_been_asked(
    folder: Path, stopwatch: Stopwatch
) -> None:
    watched = Watched(stopwatch)
    run(folder, observer=watched)
    assert [timed for _, timed in watched.replies[-3:]] == [3, 3, 3]
    assert {timed for _, timed in watched.replies[:-3]} == {0}
    assert {name for name, _ in watched.replies[:-3]} == {
        str(folder / "run" / step) for step in ("step_1", "step_2")
    }
