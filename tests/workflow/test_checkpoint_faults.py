"""Faults around checkpoints: names, token ids, options, and files that cannot be written."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from assay import api
from assay.errors import AssayError, Interrupted, UsageError
from assay.files.writing import replace_file
from assay.store import Store
from assay.types import Reply, Score
from assay.types.scores import SilentProgress
from tests.conftest import word_tests
from tests.models.local.checkpoints import make_checkpoint


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder with two steps, a text and a suite."""
    home = tmp_path_factory.mktemp("made")
    for number, step in enumerate(("step_900", "step_1000")):
        make_checkpoint(home / "run" / step, seed=number)
    (home / "held_out.txt").write_text("The driver of the network card. " * 60)
    (home / "tests").mkdir()
    (home / "tests" / "word.json").write_text(json.dumps(word_tests(2)))
    (home / "anything.toml").write_text("[perplexity]\nmax = 1e8\n")
    return home


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "work")
    return tmp_path / "work"


def run(folder: Path, *models: str, **more):
    settings = {"suites": [str(folder / "tests")], "text": folder / "held_out.txt"}
    settings |= {"out": folder / "out", "measures": ("perplexity",)}
    settings |= {"gate": folder / "anything.toml"} | more
    return api.run(models or [str(folder / "run")], **settings)


def replies_in(folder: Path) -> int:
    with Store(folder / "out", read_only=True) as store:
        return sum(store.count_replies(run) for run in store.read_runs())


# --------------------------------------------------------------------- files that cannot be written


def test_a_file_that_cannot_be_written_after_asking_is_a_stop_and_not_a_refusal(
    folder: Path,
) -> None:
    """An end with 2 says that nothing was asked."""
    in_the_way = folder / "out" / "checkpoints" / "run"
    in_the_way.parent.mkdir(parents=True)
    in_the_way.write_text("a file where a folder is to be")
    with pytest.raises(Interrupted, match="every answer that was counted is kept") as caught:
        run(folder)
    assert caught.value.exit_code == 130
    assert "the same command then continues" in caught.value.hint
    asked = replies_in(folder)
    assert asked > 0
    in_the_way.unlink()
    assert run(folder).exit_code == 0
    assert replies_in(folder) == asked


def test_two_processes_may_write_the_same_file_at_once(tmp_path: Path) -> None:
    """Each under a name of its own: neither takes the other's half away, nor renames it."""
    file = tmp_path / "evaluation_report.json"
    faults: list[OSError] = []

    def write(letter: str) -> None:
        for _ in range(100):
            try:
                replace_file(file, letter * 20_000)
            except OSError as fault:
                faults.append(fault)
            assert len(set(file.read_text())) == 1

    writers = [threading.Thread(target=write, args=(letter,)) for letter in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert faults == []
    assert list(tmp_path.iterdir()) == [file]


# -------------------------------------------------------------------------------------- token ids


def write_ids(folder: Path, name: str, ids: list[int]) -> Path:
    path = folder / name
    match path.suffix:
        case ".npy":
            np.save(path, np.array(ids))
        case ".bin":
            np.array(ids, dtype="<u2").tofile(path)
        case _:
            path.write_text(
                json.dumps({"input_ids": [1, 2]}) + "\n" + json.dumps({"input_ids": ids})
            )
    return path


@pytest.mark.parametrize("name", ["ids.npy", "ids.bin", "ids.jsonl"])
def test_token_ids_that_no_checkpoint_knows_are_refused_before_anything_is_asked(
    folder: Path, name: str
) -> None:
    """The vocabulary has 384 tokens: 383 is the last."""
    text = write_ids(folder, name, [5, 6, 384, 7])
    one = str(folder / "run" / "step_900")
    for settings in ({"text": text}, {"train_text": text}):
        with pytest.raises(UsageError, match=r"token id 384.*only 384 tokens"):
            run(folder, one, **settings)
    with pytest.raises(UsageError, match="none of the checkpoints"):
        run(folder, text=text)
    assert not (folder / "out").exists()
    # One that is not read does no harm, and one with known ids is read.
    assert run(folder, one, text=text, gate=None, measures=()).exit_code == 0
    known = write_ids(folder, f"known_{name}", [5, 6, 383, 7])
    assert run(folder, one, text=known).exit_code == 0


def test_of_a_folder_only_those_fail_that_do_not_know_the_token_ids(folder: Path) -> None:
    make_checkpoint(folder / "run" / "step_2000", vocabulary=390, seed=5)
    report = run(folder, text=write_ids(folder, "ids.npy", [5, 6, 387, 7, 8, 9]))
    assert report.exit_code == 3
    assert report.decision is not None
    failed = {each.name: each.failed for each in report.decision.measured}
    assert "token id 387" in failed["run/step_900"]
    assert "token id 387" in failed["run/step_1000"]
    assert failed["run/step_2000"] == ""


# ------------------------------------------------------------------------------ names and options


def test_a_folder_whose_name_is_no_text_is_refused_by_name(folder: Path) -> None:
    os.rename(folder / "run" / "step_1000", os.fsencode(folder / "run") + b"/step_1\xff00")
    with pytest.raises(UsageError, match=r"step_1\\xff00 is not UTF-8"):
        run(folder)


def test_what_is_named_and_is_no_text_is_refused(folder: Path) -> None:
    os.rename(folder / "run", os.fsencode(folder) + b"/r\xffn")
    named = os.fsdecode(os.fsencode(folder) + b"/r\xffn")
    for models in ([named], [f"{named}/step_900"]):
        with pytest.raises(AssayError, match=r"r\\(udcff|xff)n") as caught:
            run(folder, *models)
        caught.value.message.encode()
        assert caught.value.exit_code == 2
    with pytest.raises(AssayError, match="UTF-8"):
        api.evaluate_model(f"{named}/step_900", None, ["accuracy"], out=folder / "out")
    shutil.move(named, folder / "run")
    text = Path(os.fsdecode(os.fsencode(folder) + b"/t\xffxt.txt"))
    shutil.copy(folder / "held_out.txt", text)
    with pytest.raises(UsageError, match="a name in this command is not UTF-8"):
        run(folder, text=text)
    assert not (folder / "out").exists()


def test_a_measure_that_there_is_not_is_refused_with_the_one_that_was_meant(folder: Path) -> None:
    with pytest.raises(UsageError, match="no measure 'speeed'; did you mean 'speed'"):
        run(folder, measures=("perplexity", "speeed"))
    assert not (folder / "out").exists()


# ------------------------------------------------------- what is found before the first request


class Told(SilentProgress):
    def __init__(self) -> None:
        self.order: list[str] = []

    def replied(self, model: str, reply: Reply, score: Score | None) -> None:
        self.order.append(Path(model).name)

    def note(self, sentence: str) -> None:
        self.order.append(sentence)


def test_shapes_of_a_folder_are_checked_before_the_first_request_and_values_when_their_turn_comes(
    folder: Path,
) -> None:
    """Of a folder's checkpoints only the first is loaded before anything is asked."""
    for step, number in (("step_1100", 2), ("step_1200", 3), ("step_1300", 4)):
        make_checkpoint(folder / "run" / step, seed=number)
    shapes = folder / "run" / "step_1100" / "model.safetensors"
    tensors = load_file(shapes)
    name = next(name for name, each in sorted(tensors.items()) if each.dim() == 2)
    save_file(tensors | {name: tensors[name][:-1].clone()}, shapes, metadata={"format": "pt"})
    values = folder / "run" / "step_1200" / "model.safetensors"
    tensors = load_file(values)
    tensors[name][0, 0] = float("nan")
    save_file(tensors, values, metadata={"format": "pt"})
    told = Told()
    report = run(folder, observer=told)
    assert report.exit_code == 3

    def place(*words: str) -> int:
        return next(n for n, each in enumerate(told.order) if all(word in each for word in words))

    assert place("step_1100", "has the shape") < told.order.index("step_900")
    assert told.order.index("step_1000") < place("step_1200", "not a number")
    assert place("step_1200", "not a number") < told.order.index("step_1300")
    assert {"step_900", "step_1000", "step_1300"} <= {*told.order}
