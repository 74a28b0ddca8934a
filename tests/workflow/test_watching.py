"""Folders in which checkpoints appear while they are watched: real files, written bit by bit."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from assay import api
from assay.errors import ExitCode, InvalidFiles, StoreError, UsageError
from assay.reports.progress import SilentProgress
from assay.store import Store
from tests.conftest import no_hang
from tests.models.local.checkpoints import make_checkpoint

QUICK = 0.05  # seconds between two looks
TEXT = "The driver of the network card is loaded when the machine starts. " * 4
CLEAR = '[perplexity]\nmax = 1e9\n\n[[suite]]\nname = "tests"\nmin = 0\n'
EASY = f"{CLEAR}[accept]\nclear = false\n"  # a marginal pass ends it: the text is short
HARD = "[perplexity]\nmax = 1.5\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two whole checkpoints to copy from."""
    folder = tmp_path_factory.mktemp("made")
    return [make_checkpoint(folder / str(seed), seed=seed) for seed in (1, 2)]


class Yard:
    """A folder to train into, and how it is watched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = folder / "run"
        (folder / "text.txt").write_text(TEXT, "utf-8")
        (folder / "easy.toml").write_text(EASY, "utf-8")
        (folder / "hard.toml").write_text(HARD, "utf-8")
        tests = [
            {
                "id": f"pick_{n:03d}",
                "prompt": f"Which of these lies in garden {n}?",
                "eval_method": "multiple_choice",
                "choices": ["the ball", "the machine"],
                "expected": "AB"[n % 2],
            }
            for n in range(1, 4)
        ]
        (folder / "tests").mkdir()
        (folder / "tests" / "pick.json").write_text(json.dumps(tests), "utf-8")
        (folder / "tests" / "suite.json").write_text("{}", "utf-8")
        self.options = {
            "suites": [str(folder / "tests")],
            "text": folder / "text.txt",
            "measures": ("perplexity",),
            "gate": folder / "easy.toml",
            "out": folder / "out",
            "device": "cpu",
            "interval": QUICK,
        }

    def watch(self, **changes):
        return api.watch(self.run, **(self.options | changes))

    def selection(self):
        return json.loads((self.run / "best_checkpoint_selection.json").read_text("utf-8"))

    def replies(self):
        with Store(self.folder / "out", read_only=True) as store:
            return [store.count_replies(run) for run in store.read_runs()]


@pytest.fixture
def yard(tmp_path):
    with no_hang():
        yield Yard(tmp_path)


def put(made, path):
    shutil.copytree(made, path)


def names(sights, kind):
    return [sight.name for sight in sights if sight.kind == kind]


# ------------------------------------------------------------------------------ what is whole


def test_one_that_grows_all_the_time_is_not_even_opened(yard, made):
    """A thread copies the weights in pieces, quicker than the looks."""
    step = yard.run / "step_100"
    shutil.copytree(made[0], step, ignore=shutil.ignore_patterns("model.safetensors"))
    weights = (made[0] / "model.safetensors").read_bytes()
    whole = threading.Event()

    def write():
        with (step / "model.safetensors").open("wb", buffering=0) as file:
            for at in range(0, len(weights), len(weights) // 40):
                file.write(weights[at : at + len(weights) // 40])
                time.sleep(QUICK / 2)
        whole.set()

    writer = threading.Thread(target=write)
    writer.start()
    sights = []
    for sight in yard.watch(until_accepted=True, interval=2 * QUICK):
        sights.append(sight)
        assert whole.is_set() or sight.kind not in ("evaluated", "failed")
    writer.join()
    assert names(sights, "evaluated") == ["run/step_100"]


def test_what_cannot_be_opened_fails_once_and_the_others_go_on(yard, made):
    put(made[0], yard.run / "step_100")
    put(made[1], yard.run / "step_200")
    broken = yard.run / "step_100" / "model.safetensors"
    broken.write_bytes(broken.read_bytes()[:-10])
    watching = yard.watch()
    sights = []
    for sight in watching:
        sights.append(sight)
        if sight.name == "run/step_200":
            make_checkpoint(yard.run / "step_300", seed=3)
        elif sight.name == "run/step_300":
            break
    assert names(sights, "failed") == ["run/step_100"], "said once, however many looks"
    assert names(sights, "evaluated") == ["run/step_200", "run/step_300"], "the others go on"
    assert "is damaged" in sights[0].line
    assert "\n" not in sights[0].line
    assert watching.exit_code == ExitCode.REQUESTS_FAILED
    ranking = {row["checkpoint"]: row for row in yard.selection()["ranking"]}
    assert "is damaged" in ranking["run/step_100"]["failed"]
    assert ranking["run/step_200"]["failed"] is None


def test_one_that_failed_is_tried_again_when_its_files_change(yard, made):
    put(made[0], yard.run / "step_100")
    broken = yard.run / "step_100" / "model.safetensors"
    whole = broken.read_bytes()
    broken.write_bytes(whole[:-10])
    watching = yard.watch(until_accepted=True)
    sights = []
    for sight in watching:
        sights.append(sight)
        if sight.kind == "failed":
            broken.write_bytes(whole)
    assert sights[-1].kind == "evaluated"
    assert watching.exit_code == ExitCode.DONE


# ------------------------------------------------------------------------------- as they come


def test_a_folder_that_is_not_there_yet_is_waited_for(yard, made):
    sights = []
    for sight in yard.watch(until_accepted=True):
        sights.append(sight)
        if sight.note.startswith("no checkpoint in"):
            put(made[0], yard.run / "step_100")
    assert [sight.kind for sight in sights] == ["waiting", "evaluated"]


def test_each_one_is_decided_on_with_all_before_it(yard, made):
    put(made[0], yard.run / "step_100")
    before = os.stat(yard.run / "step_100").st_mtime_ns
    watching, lines = yard.watch(until_accepted=False), []
    for sight in watching:
        assert sight.kind == "evaluated", sight
        lines.append(sight.line)
        found = yard.selection()
        assert len(found["ranking"]) == len(lines)
        assert found["selected"] in lines[-1].rpartition("; ")[2]
        if len(lines) == 2:
            break
        put(made[1], yard.run / "step_200")
    assert lines[0].startswith("run/step_100: perplexity ")
    assert ", suite:tests " in lines[0]
    assert ", accepted" in lines[0]
    document = sight.document
    assert document["accepted"] is True
    assert document["perplexity"]["n"] > 0
    assert document["suites"]["tests"]["n"] == 3
    for step in ("step_100", "step_200"):
        beside = json.loads((yard.run / step / "evaluation_report.json").read_text("utf-8"))
        assert beside["checkpoint"] == f"run/{step}"
        assert (yard.folder / "out/checkpoints/run" / step / "evaluation_report.json").is_file()
    assert os.stat(yard.run / "step_100").st_mtime_ns == before, (
        "a Trainer with save_total_limit deletes by the time a folder was changed"
    )


def test_what_the_store_holds_is_not_computed_again_and_our_own_files_are_no_change(yard, made):
    put(made[0], yard.run / "step_100")
    first = []
    for sight in yard.watch():
        first.append(sight)
        if len(first) == 2:
            break
        put(made[1], yard.run / "step_200")
    assert names(first, "evaluated") == ["run/step_100", "run/step_200"], "a report is no change"
    again = list(yard.watch(once=True))
    assert names(again, "evaluated") == ["run/step_100", "run/step_200"]
    assert sorted(yard.replies()) == [0, 0, 4, 4]
    assert again[0].document["perplexity"] == first[0].document["perplexity"]


def test_the_folder_itself_is_the_final_one_and_does_not_stand_for_its_steps(yard, made):
    put(made[0], yard.run)
    put(made[1], yard.run / "step_100")
    (yard.run / "train.log").write_text("grows", "utf-8")
    watching = yard.watch(once=True)
    assert names(list(watching), "evaluated") == ["run/step_100", "run/final"]
    assert {row["checkpoint"] for row in yard.selection()["ranking"]} == {
        "run/step_100",
        "run/final",
    }
    assert yard.replies() == [4, 4], "each was asked by itself"


def test_several_model_folders_have_a_selection_each_and_one_over_all(yard, made):
    put(made[0], yard.run / "a" / "step_100")
    put(made[1], yard.run / "b" / "step_100")
    watching = yard.watch(once=True)
    assert names(list(watching), "evaluated") == ["a/step_100", "b/step_100"]
    both = yard.selection()
    assert {row["checkpoint"] for row in both["ranking"]} == {"a/step_100", "b/step_100"}
    assert watching.selection.selected == both["selected"]
    assert (yard.run / "a" / "best_checkpoint_selection.json").is_file()


# ------------------------------------------------------------------------------ what vanishes


def test_one_that_is_removed_is_said_and_no_candidate_any_more(yard, made):
    put(made[0], yard.run / "step_100")
    put(made[1], yard.run / "step_200")
    sights, best = [], ""
    for sight in yard.watch():
        sights.append(sight)
        if sight.kind == "gone":
            assert sight.note.startswith(f"{best}, the best so far, was removed")
            make_checkpoint(yard.run / "step_300", seed=3)
        elif len(sights) == 2:
            best = yard.selection()["selected"]
            shutil.rmtree(yard.run / best.rpartition("/")[2])
        elif len(sights) == 4:
            break
    assert sight.name == "run/step_300"
    named = {row["checkpoint"] for row in yard.selection()["ranking"]}
    assert named == {"run/step_100", "run/step_200", "run/step_300"} - {best}


class RemovesIt(SilentProgress):
    """Deletes the folder as soon as its first answer is there, as a Trainer may."""

    def __init__(self, folder):
        self.folder = folder

    def replied(self, spec, reply, score):
        shutil.rmtree(self.folder, ignore_errors=True)

    def note(self, sentence):
        raise AssertionError(sentence)


def test_one_that_vanishes_while_it_is_evaluated_is_skipped(yard, made):
    put(made[0], yard.run / "step_100")
    watching, sights = yard.watch(observer=RemovesIt(yard.run / "step_100")), []
    for sight in watching:
        sights.append(sight)
        if sight.kind == "waiting":
            break
    assert [sight.kind for sight in sights] == ["gone", "waiting"]
    assert "removed before it was evaluated" in sights[0].note
    assert watching.selection is None
    assert watching.exit_code == ExitCode.NOT_ACCEPTED
    assert not (yard.run / "step_100").exists(), "nothing is written where nothing is any more"


# ----------------------------------------------------------------------------------- the end


def test_none_accepted_ends_with_1_and_says_what_is_best(yard, made):
    put(made[0], yard.run / "step_100")
    watching = yard.watch(once=True, until_accepted=True, gate=yard.folder / "hard.toml")
    (sight,) = watching
    assert "not accepted (perplexity)" in sight.line
    assert watching.exit_code == ExitCode.NOT_ACCEPTED
    assert yard.selection()["best_so_far"] == "run/step_100"


def test_once_says_what_is_still_being_written(yard, made):
    put(made[0], yard.run / "step_100")
    put(made[1], yard.run / "step_200")
    growing = yard.run / "step_200" / "optimizer.pt"
    ends = threading.Event()

    def grow():
        while not ends.wait(QUICK / 4):
            with growing.open("ab") as file:
                file.write(b"more")

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        sights = list(yard.watch(once=True, interval=10 * QUICK))
    finally:
        ends.set()
        writer.join()
    assert names(sights, "evaluated") == ["run/step_100"]
    assert names(sights, "unready") == ["run/step_200"]


def test_what_was_not_looked_at_again_is_not_called_unfinished(yard, made):
    put(made[0], yard.run / "step_100")
    put(made[1], yard.run / "step_200")
    sights = list(yard.watch(once=True, until_accepted=True))
    assert names(sights, "evaluated") == ["run/step_100"]
    assert names(sights, "unready") == []


# ------------------------------------------------------------------------ refused at the start


def test_a_mistake_is_found_before_anything_is_waited_for(yard):
    (yard.folder / "wrong.toml").write_text("[perplexity]\nmin = 3\n", "utf-8")
    with pytest.raises(InvalidFiles):
        list(yard.watch(gate=yard.folder / "wrong.toml"))
    with pytest.raises(UsageError, match="nowhere"):
        list(yard.watch(text=yard.folder / "nowhere.txt"))
    with pytest.raises(UsageError, match="device"):
        list(yard.watch(device="abacus"))
    with pytest.raises(UsageError, match="no checkpoint"):
        list(yard.watch(once=True))
    yard.run.write_text("a file", "utf-8")
    with pytest.raises(UsageError, match="not a folder"):
        list(yard.watch())


def test_a_store_that_cannot_be_written_ends_it_and_is_no_fault_of_the_checkpoint(yard, made):
    put(made[0], yard.run / "step_100")
    (yard.folder / "out").mkdir()
    (yard.folder / "out" / "assay.db").write_text("not a database at all " * 100, "utf-8")
    with pytest.raises(StoreError):
        list(yard.watch())


def test_a_marginal_pass_ends_no_training_and_says_so(yard, made):
    """A text as short as this one has no interval, and is not clear."""
    (yard.folder / "clear.toml").write_text(CLEAR, "utf-8")
    for seed, step in enumerate(("step_1", "step_2")):
        shutil.copytree(made[seed], yard.run / step)
    gate = yard.folder / "clear.toml"
    watching = yard.watch(once=True, until_accepted=True, gate=gate)
    sights = list(watching)
    assert [each.name for each in sights if each.kind == "evaluated"] == [
        "run/step_1",
        "run/step_2",
    ]
    assert "not clearly at look 1: perplexity" in sights[0].note
    assert "not clearly at look 2: perplexity" in sights[1].note
    assert yard.selection()["selected"] is not None


def test_looks_are_counted_over_restarts(yard, made):
    shutil.copytree(made[0], yard.run / "step_1")
    (yard.folder / "clear.toml").write_text(CLEAR, "utf-8")
    options = {"once": True, "until_accepted": True, "gate": yard.folder / "clear.toml"}
    list(yard.watch(**options))
    shutil.rmtree(yard.run / "step_1")
    shutil.copytree(made[1], yard.run / "step_2")
    (seen,) = [each for each in yard.watch(**options) if each.kind == "evaluated"]
    assert "at look 2" in seen.note


CONFIRMED = """
perplexity.max = 1e4
[[suite]]
name = "tests"
min = {limit}
[accept]
clear = false
confirm = 0.3
"""


def test_each_that_passes_is_asked_what_was_kept_back_and_the_selected_one_needs_it(yard, made):
    """Any answer passes these tests. Of 40, 12 are kept back: 12 of 12 have the bound 0.779."""
    rule = {"eval_method": "format", "expected_format": {"max_length": 100_000}, "max_tokens": 2}
    tests = [{"id": f"easy_{n:03d}", "prompt": f"Say {n}.", **rule} for n in range(1, 41)]
    (yard.folder / "tests" / "pick.json").write_text(json.dumps(tests), "utf-8")
    put(made[0], yard.run / "step_1")
    put(made[0], yard.run / "step_2")
    put(made[1], yard.run / "step_3")
    weights = yard.run / "step_2" / "model.safetensors"
    save_file({name: each * 30 for name, each in load_file(weights).items()}, weights)
    gate = yard.folder / "confirmed.toml"
    gate.write_text(CONFIRMED.format(limit=0.7), "utf-8")
    sights = list(yard.watch(once=True, gate=gate))
    with Store(yard.folder / "out", read_only=True) as store:
        asked = {run.models[0].facts.name: store.count_replies(run) for run in store.read_runs()}
    text, all_tests = 1, 40
    assert asked == {
        "run/step_1": text + all_tests,
        "run/step_2": text + 28,
        "run/step_3": text + all_tests,
    }
    criteria = [each.document["criteria"] for each in sights if each.kind == "evaluated"]
    assert ["confirm" in each for each in criteria] == [True, False, True]
    assert (yard.selection()["confirmed"], yard.selection()["selected"] is None) == (True, False)

    gate.write_text(CONFIRMED.format(limit=0.8), "utf-8")
    watching = yard.watch(once=True, until_accepted=True, gate=gate)
    assert names(watching, "evaluated") == ["run/step_1", "run/step_2", "run/step_3"]
    assert watching.exit_code == ExitCode.NOT_ACCEPTED
    assert (yard.selection()["confirmed"], yard.selection()["selected"]) == (False, None)


def test_what_none_may_be_worse_than_is_known_before_the_first_checkpoint(yard, made):
    gate = yard.folder / "no_worse.toml"
    gate.write_text('[accept]\nno_worse_than = "base/step_1"\nmargin = 1.0\n', "utf-8")
    yard.run.mkdir()
    with pytest.raises(UsageError, match="no_worse_than names 'base/step_1'"):
        list(yard.watch(until_accepted=True, gate=gate))
    base = yard.folder / "base"
    shutil.copytree(made[0], base / "step_1")
    api.run([str(base)], **{name: yard.options[name] for name in ("suites", "text", "out")})
    shutil.copytree(made[0], yard.run / "step_2")
    (seen,) = [each for each in yard.watch(once=True, gate=gate) if each.kind == "evaluated"]
    assert seen.document["criteria"]["no_worse_than"]["passed"] is True
