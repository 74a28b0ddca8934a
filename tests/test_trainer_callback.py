"""A real Trainer on the CPU, with checkpoints evaluated in between: a tiny GPT-2, six steps."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch
from safetensors.torch import load_file
from transformers import PreTrainedTokenizerFast, TrainerCallback

import assay
from assay.errors import (
    InvalidFiles,
    ModelUnavailable,
    SuiteNotFound,
    UsageError,
    in_one_line,
)
from assay.reports.progress import SilentProgress
from assay.store import Store
from tests.command_runs import run_python
from tests.models.local.checkpoints import END, TEXT, make_model, make_tokenizer, save_tokenizer
from tests.waiting import wait_for

STEPS, SAVED = 6, (2, 4, 6)
EASY = """
perplexity.max = 1e9
speed.min_tokens_per_s = 1
[[suite]]
name = "tests"
min = 0
[accept]
clear = false
"""
# Steps of this size overshoot: of three checkpoints the second has the lowest perplexity.
BEST_IN_THE_MIDDLE = {"learning_rate": 0.3, "lr_scheduler_type": "constant"}
HARD = "[perplexity]\nmax = 1.5\n"


class Gym:
    """A model to train, with dropout, so that random numbers matter at every step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "easy.toml").write_text(EASY, "utf-8")
        (folder / "hard.toml").write_text(HARD, "utf-8")
        (folder / "text.txt").write_text("The old cat lives in the house. " * 6, "utf-8")
        pick = {
            "prompt": "Which of these lies in the garden?",
            "eval_method": "multiple_choice",
            "choices": ["the ball", "the machine"],
        }
        tests = [{"id": f"pick_00{n}", **pick, "expected": "AB"[n % 2]} for n in (1, 2, 3)]
        (folder / "tests").mkdir()
        (folder / "tests" / "pick.json").write_text(json.dumps(tests), "utf-8")

    @classmethod
    def again(cls, folder: Path) -> Gym:
        """As another process left it."""
        gym = cls.__new__(cls)
        gym.folder = folder
        return gym

    def callback(self, **changes):
        given = {
            "suites": [str(self.folder / "tests")],
            "text": self.folder / "text.txt",
            "gate": self.folder / "easy.toml",
            "measures": ("perplexity",),
            "out": self.folder / "out",
        }
        return assay.TrainerCallback(**(given | changes))

    def trainer(self, name="run", *callbacks, with_tokenizer=True, **changes):
        # Pandas, datasets and accelerate: 1.5 s, which the other workers need not load.
        from transformers import Trainer, TrainingArguments

        tokenizer = make_tokenizer()
        ids = tokenizer.encode(TEXT).ids
        rows = [ids[at : at + 16] for at in range(0, len(ids) - 16, 16)]
        wrapped = PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, bos_token=END, eos_token=END, pad_token=END
        )
        given = {
            "output_dir": str(self.folder / name),
            "max_steps": STEPS,
            "save_steps": 2,
            "logging_steps": 1,
            "per_device_train_batch_size": 2,
            "learning_rate": 0.01,
            "use_cpu": True,
            "report_to": "none",
            "disable_tqdm": True,
            "dataloader_pin_memory": False,
            "seed": 3,
        }
        return Trainer(
            model=make_model("gpt2", seed=1).train(),
            args=TrainingArguments(**(given | changes)),
            train_dataset=[{"input_ids": row, "labels": row} for row in rows],
            eval_dataset=[{"input_ids": row, "labels": row} for row in rows[:2]],
            processing_class=wrapped if with_tokenizer else None,
            callbacks=list(callbacks),
        )


@pytest.fixture
def gym(tmp_path):
    return Gym(tmp_path)


def losses(trainer):
    return [row["loss"] for row in trainer.state.log_history if "loss" in row]


def figures(trainer):
    return {row["step"]: row for row in trainer.state.log_history if "eval_assay_perplexity" in row}


def notes(trainer):
    return [row["eval_assay_note"] for row in trainer.state.log_history if "eval_assay_note" in row]


class WastesRandomNumbers(SilentProgress):
    """Draws from every generator while a checkpoint is evaluated."""

    def model_started(self, spec, *, total, reused):
        torch.rand(7)
        np.random.rand(7)
        random.random()


def test_training_is_the_same_to_the_bit_with_and_without_it(gym):
    without = gym.trainer("without")
    without.train()
    drawn = (torch.rand(1).item(), np.random.rand(), random.random())
    trainer = gym.trainer("with", gym.callback(observer=WastesRandomNumbers()))
    trainer.train()
    assert (torch.rand(1).item(), np.random.rand(), random.random()) == drawn
    assert len(figures(trainer)) == 3, "it did evaluate"
    assert losses(trainer) == losses(without)
    assert len(losses(trainer)) == STEPS
    ended = trainer.model.state_dict()
    assert trainer.model.training
    assert all(torch.equal(each, ended[name]) for name, each in without.model.state_dict().items())


def test_each_saved_checkpoint_is_evaluated_and_its_figures_are_in_the_log(gym):
    trainer = gym.trainer("run", gym.callback(limit=2))
    trainer.train()
    found = figures(trainer)
    assert tuple(found) == SAVED
    assert notes(trainer) == []
    report = json.loads((gym.folder / "run/checkpoint-4/evaluation_report.json").read_text("utf-8"))
    assert found[4]["eval_assay_perplexity"] == report["perplexity"]
    assert report["details"]["acceptance"]["accepted"] is None, "speed is not measured meanwhile"
    assert {row["eval_assay_accepted"] for row in found.values()} == {1.0}
    assert found[2]["eval_assay_tests"] in (0.0, 0.5, 1.0), "two tests were asked"
    assert found[2]["eval_assay_perplexity"] != found[6]["eval_assay_perplexity"]
    selection = json.loads((gym.folder / "run/best_checkpoint_selection.json").read_text("utf-8"))
    assert len(selection["ranking"]) == 3
    with Store(gym.folder / "out", read_only=True) as store:
        assert {len(run.models) for run in store.read_runs()} == {1}
        assert "assay run" in store.read_runs()[0].command
    saved = json.loads((gym.folder / "run/checkpoint-6/trainer_state.json").read_text("utf-8"))
    assert [row["step"] for row in saved["log_history"] if "eval_assay_accepted" in row] == [
        2,
        4,
        6,
    ]


class Reader(TrainerCallback):
    """What an integration such as TensorBoard's is told."""

    def __init__(self):
        self.read = []

    def on_log(self, args, state, control, logs=None, **kwargs):
        self.read.append(dict(logs))


def test_attached_to_a_trainer_its_figures_reach_what_the_trainer_reports_to(gym):
    reader = Reader()
    trainer = gym.trainer("run", reader)
    callback = gym.callback(gate=gym.folder / "hard.toml")
    assert callback.attach(trainer) is callback
    trainer.train()
    read = [logs for logs in reader.read if "eval_assay_perplexity" in logs]
    assert [logs["eval_assay_accepted"] for logs in read] == [0.0, 0.0, 0.0]
    assert all(isinstance(value, float) for value in read[0].values())
    assert tuple(figures(trainer)) == SAVED


def test_a_marginal_pass_stops_no_training(gym):
    """A text as short as this one has no interval, and is not clear."""
    (gym.folder / "clear.toml").write_text("[perplexity]\nmax = 1e9\n", "utf-8")
    callback = gym.callback(stop_when_accepted=True, gate=gym.folder / "clear.toml")
    trainer = gym.trainer("run", callback)
    trainer.train()
    assert trainer.state.global_step == STEPS
    assert {row["eval_assay_accepted"] for row in figures(trainer).values()} == {1.0}


def test_patience_ends_training_on_any_figure(gym):
    """The score of the tests does not change at all."""
    callback = gym.callback(patience=1, figure="tests_points")
    trainer = gym.trainer("run", callback)
    trainer.train()
    points = [row["eval_assay_tests_points"] for row in figures(trainer).values()]
    assert points[0] == max(points)
    assert trainer.state.global_step == 4


def test_patience_needs_a_figure_that_is_measured(gym):
    for given in ({"patience": 3}, {"figure": "perplexity"}, {"patience": 0, "figure": "x"}):
        with pytest.raises(UsageError, match="needs the figure"):
            gym.callback(**given)
    with pytest.raises(UsageError, match="did you mean 'perplexity'"):
        gym.callback(patience=2, figure="perplexty")


def test_a_figure_stalls_where_its_best_is_long_ago():
    from assay.trainer_callback.step_evaluation import has_stalled

    rows = [{"loss": 1.0}, *({"eval_assay_perplexity": value} for value in (9.0, 7.0, 8.0, 7.5))]
    of = "eval_assay_perplexity"
    assert has_stalled(rows, of, 2, smaller=True)
    assert not has_stalled(rows, of, 3, smaller=True)
    assert has_stalled(rows, of, 3, smaller=False)
    assert not has_stalled(rows, "eval_assay_other", 1, smaller=True)


def test_training_stops_when_one_is_accepted_and_only_then(gym):
    stopped = gym.trainer("stopped", gym.callback(stop_when_accepted=True))
    stopped.train()
    assert stopped.state.global_step == 2
    hard = gym.callback(stop_when_accepted=True, gate=gym.folder / "hard.toml")
    went_on = gym.trainer("went_on", hard)
    went_on.train()
    assert went_on.state.global_step == STEPS


def test_old_checkpoints_are_removed_in_their_order_and_the_best_one_stays(gym):
    """What is best by the selection stays beside the last one, from which training resumes."""
    gate = gym.folder / "by_perplexity.toml"
    easy = (gym.folder / "easy.toml").read_text("utf-8")
    gate.write_text(f"{easy}\n[score]\nweights = {{ perplexity = 1 }}\n", "utf-8")
    callback = gym.callback(gate=gate)
    trainer = gym.trainer("run", callback, save_total_limit=1, **BEST_IN_THE_MIDDLE)
    trainer.train()
    found = figures(trainer)
    assert tuple(found) == SAVED
    assert min(SAVED, key=lambda step: found[step]["eval_assay_perplexity"]) == 4
    kept = {path.name for path in (gym.folder / "run").glob("checkpoint-*")}
    assert kept == {"checkpoint-4", "checkpoint-6"}
    assert trainer.state.best_model_checkpoint == str(gym.folder / "run/checkpoint-4")
    selection = json.loads((gym.folder / "run/best_checkpoint_selection.json").read_text("utf-8"))
    ranked = {row["checkpoint"] for row in selection["ranking"]}
    assert ranked == {"run/checkpoint-4", "run/checkpoint-6"}


# -------------------------------------------------------------------------- metric_for_best_model

BY_OUR_FIGURE = {
    "metric_for_best_model": "assay_perplexity",
    "greater_is_better": False,
    "load_best_model_at_end": True,
    "eval_strategy": "steps",
    "eval_steps": 2,
    "save_total_limit": 1,
    **BEST_IN_THE_MIDDLE,
}


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    """A training that takes the checkpoint of the lowest perplexity, in the foreground."""
    gym = Gym(tmp_path_factory.mktemp("chosen"))
    trainer = gym.trainer("run", **BY_OUR_FIGURE)
    gym.callback().attach(trainer)
    trainer.train()
    return trainer


def test_the_best_checkpoint_by_our_figure_is_kept_and_loaded_at_the_end(chosen):
    found = {step: row["eval_assay_perplexity"] for step, row in figures(chosen).items()}
    assert tuple(found) == SAVED
    best = min(SAVED, key=lambda step: found[step])
    assert best == 4
    folder = Path(chosen.args.output_dir) / "checkpoint-4"
    assert chosen.state.best_metric == found[best]
    assert chosen.state.best_model_checkpoint == str(folder)
    assert [path.name for path in folder.parent.glob("checkpoint-*")] == ["checkpoint-4"]
    saved = load_file(folder / "model.safetensors")
    assert all(torch.equal(chosen.model.state_dict()[name], each) for name, each in saved.items())


def test_a_training_that_resumes_knows_the_best_one_and_its_figure(chosen):
    folder = Path(chosen.args.output_dir) / "checkpoint-4"
    saved = json.loads((folder / "trainer_state.json").read_text("utf-8"))
    assert saved["best_metric"] == chosen.state.best_metric
    assert saved["best_model_checkpoint"] == str(folder)
    assert saved["log_history"][-1]["eval_assay_perplexity"] == saved["best_metric"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"greater_is_better": None}, "greater_is_better=False"),
        ({"metric_for_best_model": "assay_perplexty"}, "did you mean 'eval_assay_perplexity'"),
        ({"metric_for_best_model": "eval_assay_generation_failures"}, "not measured"),
        ({"save_strategy": "best"}, "save_total_limit=1"),
        ({"lr_scheduler_type": "reduce_lr_on_plateau"}, "lr_scheduler_type"),
    ],
)
def test_a_metric_that_cannot_choose_is_refused_before_training(gym, changes, why):
    trainer = gym.trainer("run", **BY_OUR_FIGURE | changes)
    with pytest.raises(UsageError) as refused:
        gym.callback().attach(trainer)
    assert why in in_one_line(refused.value)


def test_our_metric_without_attach_is_refused_with_what_to_call(gym):
    trainer = gym.trainer("run", gym.callback(), **BY_OUR_FIGURE)
    with pytest.raises(UsageError, match="knows its Trainer"):
        trainer.train()
    assert trainer.state.global_step == 0


# ------------------------------------------------------------------------------- in the background


def test_in_the_background_the_figures_the_best_and_the_losses_are_the_same(gym, chosen, caplog):
    reader = Reader()
    trainer = gym.trainer("run", reader, **BY_OUR_FIGURE)
    gym.callback(background=True).attach(trainer)
    trainer.train()
    assert losses(trainer) == losses(chosen)
    found, expected = figures(trainer), figures(chosen)
    assert found.keys() == expected.keys()
    for step, row in expected.items():  # fewer threads round the last digits otherwise
        assert found[step] == pytest.approx(row, rel=1e-5)
    assert trainer.state.best_global_step == chosen.state.best_global_step == 4
    assert sum("eval_assay_perplexity" in logs for logs in reader.read) == 3
    ended, best = trainer.model.state_dict(), chosen.model.state_dict()
    assert all(torch.equal(ended[name], each) for name, each in best.items())
    kept = [path.name for path in (gym.folder / "run").glob("checkpoint-*")]
    assert kept == ["checkpoint-4"]
    assert trainer.args.save_total_limit == 1
    assert any("waiting for the evaluation of" in each.getMessage() for each in caplog.records)


class AtStep(TrainerCallback):
    """Does something at the end of certain steps."""

    def __init__(self, what):
        self.what = what

    def on_step_end(self, args, state, control, **kwargs):
        if state.global_step in self.what:
            self.what[state.global_step]()


def test_a_process_that_dies_is_a_note_and_the_next_one_can_stop_the_training(gym):
    callback = gym.callback(background=True, stop_when_accepted=True)
    what = {
        3: lambda: callback._background._process.kill(),
        5: lambda: wait_for(callback._background.answers),
    }
    trainer = gym.trainer("run", AtStep(what), save_total_limit=1)
    callback.attach(trainer)
    trainer.train()
    (note,) = notes(trainer)
    assert "ended with -9" in note
    assert tuple(figures(trainer)) == (4,)
    assert trainer.state.global_step == 5, "step 4 was accepted"
    kept = {path.name for path in (gym.folder / "run").glob("checkpoint-*")}
    assert "checkpoint-4" in kept


def interrupt():
    raise KeyboardInterrupt


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.test_trainer_callback import AtStep, Gym, wait_for
gym = Gym(Path(sys.argv[1]))
callback = gym.callback(background=True)
what = {
    3: lambda: wait_for(callback._background.answers),
    4: lambda: os.kill(callback._background._process.pid, signal.SIGSTOP),
    5: lambda: (
        print(callback._background._process.pid, flush=True),
        os.kill(os.getpid(), signal.SIGKILL),
    ),
}
trainer = gym.trainer("run", AtStep(what), save_total_limit=2, max_steps=8)
callback.attach(trainer)
trainer.train()
"""


def test_what_waited_at_a_kill_is_evaluated_after_resuming_and_kept_until_then(tmp_path, root):
    """SIGKILL at step 5: the second checkpoint has no figures, and the limit of one would have
    removed it at the next save. The process in the background ends with the training.
    """
    (tmp_path / "killed.py").write_text(KILLED, "utf-8")
    home = tmp_path / "gym"
    home.mkdir()
    words = [str(tmp_path / "killed.py"), str(home), str(root)]
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    environment.pop("PYTHONUNBUFFERED", None)
    done = run_python(words, tmp_path, environment)
    assert done.returncode == -signal.SIGKILL, done.stderr
    background = int(done.stdout.split()[-1])
    os.kill(background, signal.SIGCONT)
    wait_for(lambda: not psutil.pid_exists(background))
    state = json.loads((home / "run/checkpoint-4/trainer_state.json").read_text("utf-8"))
    logged = [row["step"] for row in state["log_history"] if "eval_assay_perplexity" in row]
    assert logged == [2]
    gym = Gym.again(home)
    callback = gym.callback(background=True)
    kept = []
    look = {7: lambda: kept.extend(path.name for path in (home / "run").glob("checkpoint-*"))}
    resumed = gym.trainer("run", AtStep(look), save_total_limit=2, max_steps=8)
    callback.attach(resumed)
    resumed.train(resume_from_checkpoint=True)
    assert set(figures(resumed)) >= {4, 6, 8}
    assert "checkpoint-4" in kept
    assert not notes(resumed)


def test_without_a_background_what_was_not_evaluated_is_when_training_resumes(gym):
    plain = gym.trainer("run")
    plain.train()
    resumed = gym.trainer("run", max_steps=8)
    gym.callback().attach(resumed)
    resumed.train(resume_from_checkpoint=True)
    assert tuple(sorted(figures(resumed))) == (2, 4, 6, 8)


def test_ctrl_c_in_the_training_ends_the_process(gym):
    callback = gym.callback(background=True)
    processes = []
    what = {1: lambda: processes.append(callback._background._process), 3: interrupt}
    trainer = gym.trainer("run", AtStep(what))
    callback.attach(trainer)
    with pytest.raises(KeyboardInterrupt):
        trainer.train()
    (process,) = processes
    assert process.returncode == -9


# --------------------------------------------------------------------------------- what goes wrong


def test_an_evaluation_that_fails_ends_nothing_and_is_noted(gym, caplog):
    trainer = gym.trainer("run", gym.callback(stop_when_accepted=True), with_tokenizer=False)
    trainer.train()
    assert trainer.state.global_step == STEPS
    assert len(notes(trainer)) == 3
    assert "no tokenizer" in notes(trainer)[0]
    told = [record.getMessage() for record in caplog.records if record.name == "assay"]
    assert len(told) == 3
    assert told[0].startswith("step 2 was not evaluated: ")


class Breaks(SilentProgress):
    """Something nobody foresaw, and a user's Ctrl-C."""

    def __init__(self, error):
        self.error = error

    def model_started(self, spec, *, total, reused):
        raise self.error


def test_a_mistake_of_ours_ends_nothing_and_ctrl_c_ends_the_training(gym):
    trainer = gym.trainer("run", gym.callback(observer=Breaks(ZeroDivisionError("oh"))))
    trainer.train()
    assert notes(trainer) == ["ZeroDivisionError: oh"] * 3
    trainer = gym.trainer("stopped", gym.callback(observer=Breaks(KeyboardInterrupt())))
    with pytest.raises(KeyboardInterrupt):
        trainer.train()
    assert trainer.state.global_step == 2


def test_a_tokenizer_that_is_not_saved_with_the_weights_can_be_named(gym):
    save_tokenizer(gym.folder / "words")
    callback = gym.callback(tokenizer=gym.folder / "words")
    trainer = gym.trainer("run", callback, with_tokenizer=False, max_steps=2)
    trainer.train()
    assert tuple(figures(trainer)) == (2,)


class Zero3:
    """What DeepSpeed's configuration says of itself."""

    def is_zero3(self):
        return True


def test_where_no_second_model_can_be_loaded_it_says_so_and_names_watch(gym):
    callback, config = gym.callback(), Zero3()
    trainer = gym.trainer("run", callback, max_steps=2)
    from transformers.integrations import deepspeed

    deepspeed.set_hf_deepspeed_config(config)
    try:
        trainer.state.global_step = 2
        callback.on_save(trainer.args, trainer.state, trainer.control)
    finally:
        deepspeed.unset_hf_deepspeed_config()
    (note,) = notes(trainer)
    assert "assay watch" in note


def test_only_the_first_process_evaluates(gym):
    callback = gym.callback(stop_when_accepted=True)
    trainer = gym.trainer("run", callback, max_steps=2)
    trainer.state.is_world_process_zero = False
    control = callback.on_save(trainer.args, trainer.state, trainer.control)
    assert trainer.state.log_history == []
    assert not control.should_training_stop


def test_what_is_wrong_is_refused_before_training_begins(gym):
    (gym.folder / "wrong.toml").write_text("[perplexity]\nmin = 3\n", "utf-8")
    with pytest.raises(InvalidFiles, match=r"wrong\.toml:2:1: -: error: .*min"):
        gym.callback(gate=gym.folder / "wrong.toml")
    with pytest.raises(InvalidFiles):
        gym.callback(gate=str(gym.folder / "wrong.toml"), suites=None)
    with pytest.raises(SuiteNotFound):
        gym.callback(suites=["nowhere"])
    with pytest.raises(UsageError, match="device"):
        gym.callback(device="abacus")
    with pytest.raises(UsageError, match="decide is an option of a run"):
        gym.callback(decide=True)
    with pytest.raises(UsageError, match="did you mean 'speed'"):
        gym.callback(measures=("perplexity", "speeed"))
    with pytest.raises(ModelUnavailable, match="tokenizer"):
        gym.callback(tokenizer=gym.folder)


# -------------------------------------------------------------------------------------- the import


def test_importing_assay_imports_neither_torch_nor_transformers():
    code = (
        "import sys, assay; assert not {'torch', 'transformers', 'numpy'} & set(sys.modules); "
        "assert not hasattr(assay, 'nothing'); print(assay.__version__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == assay.__version__


# ----------------------------------------------------------------------------- several processes

PAIR = """
import json, os, socket, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.test_trainer_callback import Gym, figures
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
other = os.fork()
rank = "0" if other else "1"
os.environ |= {"WORLD_SIZE": "2", "RANK": rank, "LOCAL_WORLD_SIZE": "2", "LOCAL_RANK": rank}
os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
gym = Gym(Path(sys.argv[1]) / rank)
trainer = gym.trainer("../run", gym.callback(stop_when_accepted=True), ddp_backend="gloo")
trainer.train()
told = {"step": trainer.state.global_step, "evaluated": list(figures(trainer))}
(gym.folder / "told.json").write_text(json.dumps(told))
if other:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(other, 0)[1]))
"""


def test_processes_that_train_together_stop_together(tmp_path, root):
    """One that stopped alone would leave the other waiting."""
    (tmp_path / "pair.py").write_text(PAIR, "utf-8")
    for rank in "01":
        (tmp_path / rank).mkdir()
    words = [str(tmp_path / "pair.py"), str(tmp_path), str(root)]
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    environment.pop("PYTHONUNBUFFERED", None)
    done = run_python(words, tmp_path, environment)
    assert done.returncode == 0, done.stderr
    told = [json.loads((tmp_path / rank / "told.json").read_text("utf-8")) for rank in "01"]
    assert told == [{"step": 2, "evaluated": [2]}, {"step": 2, "evaluated": []}]
