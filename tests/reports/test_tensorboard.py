"""TensorBoard: scalars by step where it is installed; if not, the way to install it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from assay.errors import ExitCode, UsageError
from assay.reports.checkpoints.curves import (
    WRITERS,
    run_folder,
    steps_of,
    tensorboard_writer,
    write_tensorboard,
)
from tests.reports.evaluated_folders import HOSTILE, checkpoint, evaluated, three, twelve


class Recorder:
    """Keeps what is written, as SummaryWriter would."""

    def __init__(self, log_dir: str, purge_step: int) -> None:
        self.log_dir, self.purge_step = log_dir, purge_step
        self.scalars: dict[str, list[tuple[int, float]]] = {}
        self.closed = False

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        self.scalars.setdefault(tag, []).append((global_step, scalar_value))

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def recorders() -> list[Recorder]:
    return []


@pytest.fixture
def recording(recorders):
    def open_recorder(**options):
        recorders.append(Recorder(**options))
        return recorders[-1]

    return open_recorder


def test_without_tensorboard_the_way_to_install_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if importlib.util.find_spec("tensorboard") or importlib.util.find_spec("tensorboardX"):
        for module in WRITERS:
            monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match="TensorBoard is not installed") as caught:
        write_tensorboard(tmp_path / "events", three())
    assert caught.value.hint == "install it with: pip install tensorboard"
    assert caught.value.exit_code == ExitCode.REFUSED
    assert not (tmp_path / "events").exists()
    with pytest.raises(UsageError):
        tensorboard_writer()


def test_figures_stand_under_their_steps_with_limits_and_n(tmp_path, recording, recorders) -> None:
    write_tensorboard(tmp_path, three(), open_writer=recording)
    (kept,) = recorders
    assert kept.scalars["assay/perplexity"] == [(160, 137.1), (3200, 50.4), (8000, 46.8)]
    assert kept.scalars["assay-low/perplexity"][0] == (160, 133.1)
    assert kept.scalars["assay-high/perplexity"][0] == (160, 141.1)
    assert kept.scalars["assay-n/perplexity"][0] == (160, 27)
    assert kept.closed


def test_what_was_not_measured_is_not_written(tmp_path, recording, recorders) -> None:
    write_tensorboard(tmp_path, twelve(), open_writer=recording)
    (kept,) = recorders
    assert 6000 not in [step for step, _ in kept.scalars["assay/perplexity"]]
    assert not [tag for tag in kept.scalars if "mmlu" in tag]
    assert "assay-low/memory_usage_mb" not in kept.scalars


def test_final_stands_one_step_behind_the_last(tmp_path, recording) -> None:
    steps = write_tensorboard(tmp_path, twelve(), open_writer=recording)
    assert steps["tiny/final"] == 12_001
    assert steps["tiny/step_12000"] == 12_000
    assert steps_of(evaluated([checkpoint("final", None)])) == {"final": 0}


def test_a_second_writing_takes_the_place_of_the_first(tmp_path, recording, recorders) -> None:
    """SummaryWriter's purge_step: what older files say from there on is not shown."""
    write_tensorboard(tmp_path, three(), open_writer=recording)
    assert recorders[0].purge_step == 160


def test_curves_of_a_trainer_in_the_same_folder_are_left_alone(
    tmp_path, recording, recorders
) -> None:
    write_tensorboard(tmp_path, three(), open_writer=recording)
    assert Path(recorders[0].log_dir) == tmp_path / "assay-tiny"


def test_no_name_leads_out_of_the_folder(tmp_path) -> None:
    for parent in ("..", "../..", "/etc", HOSTILE, "a/b", ""):
        made = evaluated([checkpoint(f"{parent}/x" if parent else "x", 1)])
        assert run_folder(tmp_path, made).resolve().parent == tmp_path.resolve()
    one, other = (evaluated([checkpoint(f"{p}/x", 1)]) for p in ("a/b", "a-b"))
    assert run_folder(tmp_path, one) != run_folder(tmp_path, other)


def test_a_folder_that_cannot_be_written_is_refused_in_our_words(tmp_path) -> None:
    def refuse(**_options):
        raise PermissionError(13, "Permission denied")

    with pytest.raises(UsageError, match=r"cannot write .*: Permission denied"):
        write_tensorboard(tmp_path, three(), open_writer=refuse)


def test_tensorboard_itself_reads_what_was_written(tmp_path) -> None:
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator"
    ).EventAccumulator
    for _ in range(2):
        write_tensorboard(tmp_path, twelve())
    events = accumulator(str(tmp_path / "assay-tiny"))
    events.Reload()
    shown = [(event.step, round(event.value, 3)) for event in events.Scalars("assay/perplexity")]
    assert len(shown) == 12
    assert shown[-1] == (12_001, 31.2)
