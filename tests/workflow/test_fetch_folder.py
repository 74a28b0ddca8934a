"""The folder of a fetched suite: a user's files stay, and a killed fetch leaves no rubbish."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from assay.errors import UsageError
from tests.conftest import Bench
from tests.suites.test_fetching import PASSAGES, TEST, archive, lines
from tests.waiting import PATIENCE_S

from .test_fetching import listed, quietly


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """One folder with both benchmarks."""
    archive(tmp_path / "copy" / "mmlu", machine_learning=TEST)
    lines(tmp_path / "copy" / "hellaswag", PASSAGES)
    return tmp_path / "copy"


def refused(copy: Path, benchmarks: Path) -> str:
    """The message of a fetch that changes nothing."""
    before = {path: os.lstat(path).st_mtime_ns for path in benchmarks.rglob("*")}
    with pytest.raises(UsageError) as caught:
        quietly("mmlu", copy, benchmarks)
    assert {path: os.lstat(path).st_mtime_ns for path in benchmarks.rglob("*")} == before
    return caught.value.message


@pytest.fixture
def fetched(copy: Path, tmp_path: Path) -> Path:
    quietly("mmlu", copy, tmp_path / "b")
    return tmp_path / "b"


# ---------------------------------------------------------------------------- what is the user's


@pytest.mark.parametrize(
    "name", [".mynotes", ".git/HEAD", "notes/a.txt", "computer_science.json.bak"]
)
def test_whatever_a_user_put_there_stays(copy: Path, fetched: Path, name: str) -> None:
    path = fetched / "mmlu" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    assert name.split("/")[0] in refused(copy, fetched)
    assert path.read_text() == "mine"


def test_what_is_no_folder_is_the_users(copy: Path, tmp_path: Path) -> None:
    benchmarks = tmp_path / "b"
    benchmarks.mkdir()
    (benchmarks / "mmlu").write_text("my notes")
    assert "cannot look into" in refused(copy, benchmarks)


@pytest.mark.parametrize("record", ["[" * 100_000, "{", "[]", '{"files": 3}', ""])
def test_without_a_sound_record_everything_is_the_users(
    copy: Path,
    fetched: Path,
    record: str,
) -> None:
    (fetched / "mmlu" / ".fetched.json").write_text(record)
    assert "computer_science.json" in refused(copy, fetched)


def forbid(monkeypatch: pytest.MonkeyPatch, function: str, *paths: Path) -> None:
    """As for a user who may not look into these: whoever runs the tests may be root."""
    really = getattr(os, function)

    def denied(path: Any = ".", *given: Any, **named: Any) -> Any:
        if not isinstance(path, int) and Path(path) in paths:
            raise PermissionError(13, "Permission denied")
        return really(path, *given, **named)

    monkeypatch.setattr(os, function, denied)


def test_a_folder_that_cannot_be_listed_is_left_alone(
    copy: Path,
    fetched: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = listed(fetched)
    with monkeypatch.context() as denied:
        forbid(denied, "listdir", fetched / "mmlu")
        with pytest.raises(UsageError, match=r"cannot look into .*mmlu: Permission denied"):
            quietly("mmlu", copy, fetched)
    assert listed(fetched) == before


def test_the_next_fetch_takes_away_what_a_killed_one_left(copy: Path, fetched: Path) -> None:
    (fetched / ".mmlu.partial").mkdir()
    (fetched / ".mmlu.partial" / "suite.json").write_text("{")
    quietly("mmlu", copy, fetched)
    assert [path.name for path in fetched.iterdir()] == ["mmlu"]


# ------------------------------------------------------------------------------ half of the work


def test_ctrl_c_ends_a_fetch_with_130(bench: Bench, copy: Path) -> None:
    """A pipe that never opens would be refused; a slow library is what one waits for."""
    slow = bench.folder / "slow"
    slow.mkdir()
    (slow / "datasets.py").write_text("print('here', flush=True)\nimport time\ntime.sleep(100)\n")
    bench.environment["PYTHONPATH"] = str(slow)
    started = bench.start("fetch", "mmlu")
    assert started.stdout is not None
    assert started.stdout.readline() == "here\n"
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=PATIENCE_S)
    assert started.returncode == 130
