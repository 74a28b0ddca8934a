"""The training loss: out of a trainer's log, or read from a training text."""

from __future__ import annotations

import json
import math
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from assay import api
from assay.errors import UsageError
from assay.measures.training import training_figures
from assay.types import Failed, ReadText
from assay.types.decisions import DecisionPlan, Gate, PlannedCheckpoint
from assay.workflow.checkpoints.measures import (
    MOST_BYTES,
    MOST_KEPT,
    TRAINER_STATE,
    training_log,
)
from tests.models.local.checkpoints import make_checkpoint

SUBJECT = PlannedCheckpoint(
    spec="m/step_10", name="m/step_10", path="m/step_10", step=10.0, training=((10.0, 3.5),)
)
MEASURED = DecisionPlan(
    subjects=(SUBJECT,),
    measures=("training",),
    gate=Gate(source="default"),
    train_text="train.txt",
    train_text_digest="abc",
)


def log(folder, *entries, **about):
    folder.mkdir(parents=True, exist_ok=True)
    document = {"log_history": list(entries), "global_step": 30, **about}
    (folder / TRAINER_STATE).write_text(json.dumps(document), "utf-8")
    return folder


def read(*blocks):
    tokens = sum(count for _, count in blocks)
    return ReadText(
        request_id="r",
        log_likelihood=sum(value for value, _ in blocks),
        tokens=tokens,
        words=tokens,
        bytes=4 * tokens,
        top1=0,
        top5=0,
        blocks=blocks,
    )


# ---------------------------------------------------------------------------------- a trainer's log


def test_losses_are_read_by_step_and_everything_else_in_the_log_is_passed_over(tmp_path):
    log(
        tmp_path,
        {"loss": 9.1, "step": 10, "epoch": 0.1, "learning_rate": 1e-3, "grad_norm": 2.0},
        {"eval_loss": 8.0, "step": 10},
        {"loss": 7.5, "step": 20},
        {"train_loss": 8.2, "train_runtime": 60.0, "step": 20},
        {"loss": -0.4, "step": 30},
    )
    assert training_log(tmp_path, None, None) == (((10.0, 9.1), (20.0, 7.5)), "")


def test_a_step_that_was_trained_again_after_a_stop_counts_as_it_ended(tmp_path):
    log(tmp_path, {"loss": 5, "step": 20}, {"loss": 9, "step": 10}, {"loss": 4, "step": 20})
    assert training_log(tmp_path, None, None) == (((10.0, 9.0), (20.0, 4.0)), "")


def test_the_checkpoints_own_log_comes_before_its_parents_which_is_cut_at_its_step(tmp_path):
    log(tmp_path, {"loss": 3, "step": 10}, {"loss": 2, "step": 20}, {"loss": 1, "step": 30})
    own = log(tmp_path / "step_20", {"loss": 2.5, "step": 20})
    other = tmp_path / "step_10"
    other.mkdir()
    assert training_log(own, tmp_path, 20.0) == (((20.0, 2.5),), "")
    assert training_log(other, tmp_path, 10.0) == (((10.0, 3.0),), "")


def test_above_a_model_folder_nothing_is_looked_for(tmp_path):
    log(tmp_path, {"loss": 3, "step": 10})
    final = tmp_path / "model"
    final.mkdir()
    assert training_log(final, final, None) == ((), "")
    assert training_log(final, None, None) == (((10.0, 3.0),), "")


def test_without_a_log_there_is_nothing_to_say(tmp_path):
    assert training_log(tmp_path, tmp_path, 10.0) == ((), "")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "no log_history"),
        (b'{"log_history": {"loss": 1, "step": 1}}', "no log_history"),
        (b'{"log_history": []}', "names no loss"),
        (b'{"log_history": [{"loss": NaN, "step": 1}, {"loss": Infinity, "step": 2}]}', "no loss"),
        (b'{"log_history": [{"loss": true, "step": 1}, {"loss": "2", "step": 2}]}', "no loss"),
        (b'{"log_history": [{"loss": 1, "step": null}, {"loss": 1}, 7, null, [1]]}', "no loss"),
        (b'{"log_history": [{"loss": 1, "step": -5}]}', "no loss"),
        (b'{"log_history": [{"loss": 1' + b"0" * 400 + b', "step": 1}]}', "no loss"),
        (b'{"log_history": [{"loss": 1, "step": 1' + b"0" * 5000 + b"}]}", "not JSON"),
    ],
)
def test_a_log_that_is_none_is_left_out_and_named(tmp_path, content, why):
    (tmp_path / TRAINER_STATE).write_bytes(content)
    losses, note = training_log(tmp_path, None, None)
    assert losses == ()
    assert why in note
    assert str(tmp_path / TRAINER_STATE) in note


def test_what_is_no_file_or_too_large_is_not_opened(tmp_path):
    pipe, folder, large = (tmp_path / name for name in ("pipe", "folder", "large"))
    for place in (pipe, folder, large):
        place.mkdir()
    os.mkfifo(pipe / TRAINER_STATE)  # opened, it would wait for a writer for ever
    (folder / TRAINER_STATE).mkdir()
    with (large / TRAINER_STATE).open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert "not a file" in training_log(pipe, pipe, None)[1]
    assert "not a file" in training_log(folder, folder, None)[1]
    assert "64 MB" in training_log(large, large, None)[1]


def test_neighbours_of_a_long_log_are_put_together(tmp_path):
    """2,500 losses, at most 1,000 kept: three at a time, 834 of them; the first is the mean of 1, 2
    and 3 at step 3, the last stands alone.
    """
    log(tmp_path, *({"loss": step, "step": step} for step in range(1, 2501)))
    losses, _ = training_log(tmp_path, None, None)
    assert len(losses) == 834
    assert losses[0] == (3.0, 2.0)
    assert losses[-1] == (2500.0, 2500.0)


@settings(max_examples=30, deadline=None)
@given(some.lists(some.floats(0, 10), min_size=1, max_size=3 * MOST_KEPT))
def test_a_shortened_log_keeps_its_last_step_and_its_bounds(tmp_path_factory, values):
    folder = log(
        tmp_path_factory.mktemp("log"), *({"loss": v, "step": n} for n, v in enumerate(values))
    )
    losses, note = training_log(folder, None, None)
    assert note == ""
    assert len(losses) <= MOST_KEPT
    assert losses[-1][0] == len(values) - 1
    assert all(min(values) - 1e-9 <= loss <= max(values) + 1e-9 for _, loss in losses)


# ---------------------------------------------------------------------------------- a training text


def test_the_measured_loss_takes_the_place_of_the_logged_one():
    """Documents of 100 and 300 tokens with -300 and -500 nats: 800 / 400 = 2 nats a token."""
    replies = [read((-300.0, 100)), read((-500.0, 300))]
    losses, note, provenance = training_figures(SUBJECT, replies, MEASURED)
    assert losses == {10.0: pytest.approx(2.0)}
    assert note == ""
    assert provenance["training_text"] == {
        "text": "train.txt",
        "digest": "abc",
        "loss": pytest.approx(2.0),
        "tokens": 400,
    }


def test_a_document_that_failed_leaves_no_loss_but_its_reason():
    replies = [read((-300.0, 100)), Failed(request_id="r", reason="too little memory")]
    losses, note, _ = training_figures(SUBJECT, replies, MEASURED)
    assert (losses, note) == ({}, "too little memory")


def test_without_a_training_text_the_log_counts():
    deciding = DecisionPlan(subjects=(SUBJECT,), measures=("perplexity",), gate=MEASURED.gate)
    assert training_figures(SUBJECT, [], deciding)[0] == {10.0: 3.5}


# ------------------------------------------------------------------------------------------- a run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two steps and a final one, with a log in the first and a broken one in the second."""
    home = tmp_path_factory.mktemp("training") / "model"
    for name, seed in (("step_10", 1), ("step_20", 2), ("", 3)):
        make_checkpoint(home / name, seed=seed)
    log(home / "step_10", {"loss": 6.5, "step": 5}, {"loss": 6.0, "step": 10})
    (home / "step_20" / TRAINER_STATE).write_text("{")
    (home.parent / "train.txt").write_text("The small dog found a red ball. " * 20)
    (home.parent / "held-out.txt").write_text("The old cat lives in the house. " * 20)
    return home


def measured(report):
    return {each.name: each for each in report.decision.measured}


def run(folder, out, **more):
    return api.run(
        [str(folder)],
        suites=[],
        text=folder.parent / "held-out.txt",
        measures=("perplexity",),
        limit=1,
        out=out,
        write_back=False,
        **more,
    )


def test_the_logs_of_a_folder_are_in_its_reports(folder, tmp_path):
    found = measured(run(folder, tmp_path))
    assert found["model/step_10"].training_loss == {5.0: 6.5, 10.0: 6.0}
    assert found["model/step_20"].training_loss == {}
    assert "not JSON" in found["model/step_20"].not_measured["training_loss"]
    file = tmp_path / "checkpoints" / "model" / "step_10" / "evaluation_report.json"
    assert json.loads(file.read_text())["details"]["training_loss"] == [[5, 6.5], [10, 6.0]]


def test_a_training_text_is_read_by_every_checkpoint_and_kept(folder, tmp_path):
    text = folder.parent / "train.txt"
    first = run(folder, tmp_path, train_text=text)
    assert f"--train-text {text}" in first.command
    found = measured(first)
    loss = found["model/step_10"].training_loss[10.0]
    assert found["model/step_10"].training_loss.keys() == {10.0}  # and not step 5 of the log
    assert found["model/step_20"].training_loss.keys() == {20.0}
    assert found["model/step_20"].training_loss[20.0] != loss
    # The same text as held-out text has the perplexity exp(loss).
    other = api.run(
        [str(folder / "step_10")],
        text=text,
        measures=("perplexity",),
        limit=1,
        out=tmp_path,
        write_back=False,
    )
    (alone,) = measured(other).values()
    assert math.log(alone.text.perplexity.value) == pytest.approx(loss)
    assert found["model/final"].training_loss == {}
    assert found["model/final"].provenance["training_text"]["loss"] > 0
    # From the store alone it reads the same.
    assert measured(api.report(first.run, out=tmp_path)) == found


def test_a_training_text_that_is_not_there_is_refused_before_anything_is_asked(folder, tmp_path):
    with pytest.raises(UsageError, match=r"none\.txt"):
        run(folder, tmp_path, train_text=tmp_path / "none.txt")
    assert not (tmp_path / "assay.db").exists()


def test_the_training_loss_is_no_measure_to_name(folder, tmp_path):
    with pytest.raises(UsageError, match="no measure 'training'"):
        api.run([str(folder)], measures=("training",), out=tmp_path)
