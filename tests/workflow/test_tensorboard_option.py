"""Curves for TensorBoard beside the reports of a run; refused before anything is asked."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from assay import api
from assay.errors import AssayError, UsageError
from assay.reports.checkpoints.curves import WRITERS
from assay.reports.progress import SilentProgress
from tests.models.local.checkpoints import make_checkpoint

# Stands where tensorboardX would, with its signature; keeps a line for each number.
STAND_IN = """
import json, os
class SummaryWriter:
    def __init__(self, log_dir, purge_step):
        os.makedirs(log_dir, exist_ok=True)
        self.file = open(os.path.join(log_dir, "events.jsonl"), "a")
    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None):
        self.file.write(json.dumps([tag, global_step, scalar_value]) + "\\n")
    def close(self):
        self.file.close()
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("made")
    for seed in (1, 2):
        make_checkpoint(home / "run" / f"step_{seed}00", seed=seed)
    (home / "text.txt").write_text("The driver of the network card. " * 20)
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """TensorBoard is not installed here, whatever the machine has."""
    shutil.copytree(made, tmp_path / "work")
    for module in WRITERS:
        monkeypatch.setitem(sys.modules, module, None)
    return tmp_path / "work"


@pytest.fixture
def writer(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "packages" / "tensorboardX").mkdir(parents=True)
    (home / "packages" / "tensorboardX" / "__init__.py").write_text(STAND_IN)
    monkeypatch.delitem(sys.modules, "tensorboardX")
    monkeypatch.syspath_prepend(str(home / "packages"))


def settings(home: Path):
    return {
        "suites": ["example"],
        "limit": 2,
        "text": home / "text.txt",
        "measures": ("perplexity",),
        "out": home / "out",
        "log": [f"tensorboard:{home / 'events'}"],
    }


def points(folder: Path, tag: str) -> list[tuple[int, float]]:
    lines = map(json.loads, (folder / "events.jsonl").read_text().splitlines())
    return [(step, value) for name, step, value in lines if name == tag]


def test_a_run_without_tensorboard_is_refused_before_anything_is_asked(home: Path) -> None:
    with pytest.raises(UsageError, match="TensorBoard is not installed") as caught:
        api.run([str(home / "run")], **settings(home))
    assert caught.value.hint == "install it with: pip install tensorboard"
    assert not (home / "out").exists()
    assert not (home / "events").exists()


def test_watching_without_tensorboard_is_refused_before_anything_is_waited_for(home: Path) -> None:
    with pytest.raises(UsageError, match="TensorBoard is not installed"):
        next(iter(api.watch(home / "to-come", **settings(home))))
    assert not (home / "out").exists()


@pytest.mark.usefixtures("writer")
def test_the_curves_of_a_folder_stand_under_its_steps(home: Path) -> None:
    report = api.run([str(home / "run")], **settings(home))
    assert report.decision is not None
    found = [
        (each.step, each.text.perplexity.value) for each in report.decision.measured if each.text
    ]
    assert points(home / "events" / "assay-run", "assay/perplexity") == found
    assert [step for step, _ in found] == [100, 200]
    assert f"--log tensorboard:{home / 'events'}" in report.command


@pytest.mark.usefixtures("writer")
def test_a_checkpoint_that_was_named_itself_has_curves_too(home: Path) -> None:
    api.run([str(home / "run" / "step_200")], **settings(home))
    assert [step for step, _ in points(home / "events" / "assay-run", "assay/perplexity")] == [200]


@pytest.mark.usefixtures("writer")
def test_watching_writes_all_so_far_after_each_checkpoint(home: Path) -> None:
    watching = api.watch(home / "run", **settings(home), once=True, interval=0.05)
    list(watching)
    steps = [step for step, _ in points(home / "events" / "assay-run", "assay/perplexity")]
    assert steps == [100, 100, 200]


@pytest.mark.usefixtures("writer")
def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_asked(home: Path) -> None:
    (home / "events").write_text("a file")
    for folder in (home / "events", home / "events" / "below"):
        with pytest.raises(UsageError, match="cannot be written into"):
            api.run([str(home / "run")], **(settings(home) | {"log": [f"tensorboard:{folder}"]}))
    assert not (home / "out").exists()


@pytest.mark.usefixtures("writer")
def test_what_goes_wrong_at_the_end_is_told_and_costs_no_figure(home: Path) -> None:
    class InTheWay(SilentProgress):
        notes = ""

        def model_finished(self, spec: str) -> None:
            (home / "events").write_text("a file")

        def note(self, sentence: str) -> None:
            self.notes += sentence

    observer = InTheWay()
    report = api.run([str(home / "run")], **settings(home), observer=observer)
    assert report.finished
    assert (home / "run" / "step_100" / "evaluation_report.json").is_file()
    assert f"cannot write {home / 'events'}" in observer.notes


def test_served_models_have_no_curves(home: Path) -> None:
    (home / "scripted.json").write_text('{"default": "B"}')
    with pytest.raises(AssayError, match="--log are for checkpoints"):
        api.run(
            [f"scripted:{home / 'scripted.json'}"],
            suites=["example"],
            out=home / "out",
            log=[f"tensorboard:{home / 'events'}"],
        )


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("mlflow:http://127.0.0.1:5000", "--log mlflow is not available yet"),
        ("wandb:mine", "--log wandb is not available yet"),
        ("events", "--log: 'events' is not a known target"),
    ],
)
def test_other_logs_are_refused_by_name(home: Path, target: str, problem: str) -> None:
    with pytest.raises(AssayError, match=problem):
        api.run([str(home / "run")], **(settings(home) | {"log": [target]}))
