"""What transformers' Trainer calls, and what it finds in its log.

The training stays as it is: the weights are a copy read from the saved folder, random numbers are
drawn as if nothing had happened, and whatever goes wrong is a warning and a note in the log.

The best checkpoint is chosen by one of our figures as `metric_for_best_model`, by the selection
where the training arguments name no metric, by the Trainer itself where they name another's. The
Trainer chooses before it saves, when our figure of the checkpoint does not exist yet. With our
metric it chooses nothing, and `note_best` writes what it would have into its state later. Until
then its rotation keeps both the checkpoint just saved and the best so far.
"""

import json
import logging
import os
import random
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from transformers.integrations import is_deepspeed_zero3_enabled
from transformers.trainer import TRAINER_STATE_NAME
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR, rotate_checkpoints

from assay.errors import UsageError
from assay.files.wording import did_you_mean
from assay.files.writing import replace_file
from assay.messages import tr
from assay.models.local.folder import find_tokenizer
from assay.models.local.loading.checkpoint import choose_device, choose_dtype
from assay.suites.gate_file import load_gate
from assay.trainer_callback.background import BackgroundEvaluation
from assay.trainer_callback.step_evaluation import (
    PREFIX,
    SavedStep,
    StepFigures,
    evaluate_step,
    figures_logged,
    has_stalled,
)
from assay.types.choices import MeasureKind
from assay.types.decisions import Gate
from assay.workflow.commands.watch import CheckpointSequence
from assay.workflow.reporting.reference import gate_with_reference
from assay.workflow.running.job import Job
from assay.workflow.running.job_files import check_files

NOTE = f"{PREFIX}note"
_BEST = ("best_metric", "best_global_step", "best_model_checkpoint")  # fields of a Trainer's state
_log = logging.getLogger("assay")


class TrainerCallback(transformers.TrainerCallback):  # type: ignore[misc]  # it has no types
    """Give it to a Trainer, or call `attach(trainer)`, which brings the figures into the reports of
    TensorBoard, Weights & Biases and the progress bar, and makes them usable as
    `metric_for_best_model`.

    Args:
        suites: None: those that the gate names.
        limit: maximum number of tests per suite; None: all of them.
        measures: beside the suites. Speed taken in the middle of training says nothing.
        stop_when_accepted: end training when every limit of the gate that was measured is clearly
            met: with its whole interval, narrower with every look. `[accept] clear = false` in the
            gate lets a marginal pass end it.
        patience: end training when `figure` was not better than its best at so many evaluations in
            a row. `figure`: any figure of ours in the log, such as perplexity or weighted_score.
        background: evaluate in a process of its own, while training goes on.
        device: for the copy; None: the CPU, for training has the GPU.
        options: any other of `api.run` but `decide`, such as gate, text, dtype, tokenizer, out,
            seed, observer.

    Raises AssayError for a mistake in any of these, with every mistake at once; before training.
    """

    def __init__(
        self,
        *,
        suites: Sequence[str] | None = None,
        limit: int | None = 50,
        measures: Sequence[MeasureKind] = ("perplexity", "generation"),
        stop_when_accepted: bool = False,
        patience: int | None = None,
        figure: str | None = None,
        background: bool = False,
        device: str | None = None,
        **options: Any,
    ) -> None:
        if "decide" in options:
            raise UsageError(
                tr("decide is an option of a run, and a training asks all tests"),
                hint=tr("leave decide out; limit sets how many tests of a suite are asked"),
            )
        device = choose_device(device or "cpu")
        job = Job(models=("",), limit=limit, measures=measures, device=device, **options)
        if suites is None:
            suites = [each.name for each in load_gate(job.gate).suites]
        self._job = job = replace(job, suites=suites)
        choose_dtype(job.dtype, device, "float32")
        if job.tokenizer is not None:
            find_tokenizer(Path(), job.tokenizer)
        self._stop_when_accepted = stop_when_accepted
        self._gate = gate_with_reference(check_files(job), job.out)
        self._patience, self._figure = patience, PREFIX + (figure or "").removeprefix(PREFIX)
        self._smaller = check_patience(patience, figure, job, self._gate)
        self._steps = CheckpointSequence(job, self._gate)
        self._in_background = background
        self._background: BackgroundEvaluation | None = None
        self._limit: int | None = None  # save_total_limit, as the user gave it
        self._best: str | None = None
        self._trainer: weakref.ref[Any] | None = None

    def attach(self, trainer: Any) -> "TrainerCallback":
        """Add it to a Trainer, whose own `log` then takes the figures.

        Raises UsageError where `metric_for_best_model` names a figure of ours that cannot choose.
        """
        check_metric(trainer.args, self._job, self._gate)
        self._trainer = weakref.ref(trainer)
        leave_choice_to_us(trainer)
        if self._in_background:
            trainer.train = self._ended_with(trainer.train)
        trainer.add_callback(self)
        return self

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if own_metric(args) and self._trainer is None:
            raise UsageError(
                tr("metric_for_best_model needs a callback that knows its Trainer"),
                hint=tr("call assay.TrainerCallback(...).attach(trainer), not callbacks=[...]"),
            )
        left = find_unevaluated(args, state) if state.is_world_process_zero else []
        if self._in_background and state.is_world_process_zero:
            self._end_background()
            self._limit = self._limit or args.save_total_limit
            self._background = BackgroundEvaluation(self._job, self._gate)
            for step in left:
                self._background.add(step)
            self._hold_waiting(args)
        elif state.global_step and not is_deepspeed_zero3_enabled():
            with _random_numbers_kept():
                found = [(step, evaluate_step(step, self._steps)) for step in left]
            self._use(found, args, state, control)

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        folder = Path(args.output_dir) / f"{PREFIX_CHECKPOINT_DIR}-{state.global_step}"
        step = SavedStep(state.global_step, state.epoch, str(folder))
        found: list[tuple[SavedStep, StepFigures]] = []
        if self._background is not None:
            self._background.add(step)
            found = self._background.take()
        elif state.is_world_process_zero and is_deepspeed_zero3_enabled():
            why = tr("with DeepSpeed ZeRO-3 no model can be loaded beside the one in training: "
                     "evaluate in a process of its own, with background=True or assay watch "
                     "{folder}", folder=folder.parent)  # fmt: skip
            found = [(step, StepFigures(note=why))]
        elif state.is_world_process_zero:
            with _random_numbers_kept():
                found = [(step, evaluate_step(step, self._steps))]
        return self._use(found, args, state, control)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        """Several processes wait for each other: they use what was found when they save."""
        if self._background and args.world_size == 1 and (found := self._background.take()):
            return self._use(found, args, state, control)
        return control

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """The last log of a training comes before the best checkpoint is loaded."""
        if "train_runtime" not in (logs or {}):
            return
        if self._in_background:
            self._finish_background(args, state, control)
        self._best = state.best_model_checkpoint
        if args.metric_for_best_model is None:
            # The Trainer would delete the last one for the sake of a best one that nobody named.
            state.best_model_checkpoint = None

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        state.best_model_checkpoint = self._best

    def _finish_background(self, args: Any, state: Any, control: Any) -> None:
        if self._background is None:  # of several processes, not the first
            self._use((), args, state, control)
            return
        if count := len(self._background.waiting):
            _log.warning(tr("training has ended; waiting for the evaluation of {count} "
                            "checkpoints", count=count))  # fmt: skip
        self._use(self._background.take(wait=True), args, state, control)
        rotate_checkpoints(
            args.output_dir, args.save_total_limit, state.best_model_checkpoint, use_mtime=True
        )
        self._end_background()

    def _use(
        self,
        all_found: Sequence[tuple[SavedStep, StepFigures]],
        args: Any,
        state: Any,
        control: Any,
    ) -> Any:
        """Log, choose the best, and stop where that is wanted: in all processes alike."""
        stops = False
        for step, found in all_found:
            self._write_down(step, found, state, control)
            note_best(args, state, step, found)
            _add_to_saved_state(args, state, step)
            stops |= self._stop_when_accepted and found.stops
        if self._patience is not None and all_found:
            stops |= has_stalled(
                state.log_history, self._figure, self._patience, smaller=self._smaller
            )
        self._hold_waiting(args)
        told = [stops, *(getattr(state, key) for key in _BEST)]
        if args.world_size > 1:  # one that stopped alone would leave the others waiting for it
            torch.distributed.broadcast_object_list(told, src=0)
        stops, state.best_metric, state.best_global_step, state.best_model_checkpoint = told
        if stops:
            control.should_training_stop = True
        return control

    def _hold_waiting(self, args: Any) -> None:
        """Beside those that wait the rotation keeps the one that is saved next, and the best."""
        if self._background is not None and self._limit:
            held = len(self._background.waiting)
            args.save_total_limit = max(self._limit, held + 2) if held else self._limit

    def _write_down(self, step: SavedStep, found: StepFigures, state: Any, control: Any) -> None:
        row: dict[str, Any] = {NOTE: found.note} if found.note else dict(found.figures)
        if found.note:
            _log.warning(
                tr("step {step} was not evaluated: {why}", step=step.number, why=found.note)
            )
        else:
            _log.info(found.line)
        trainer = self._trainer and self._trainer()
        if found.note or not trainer:
            state.log_history.append({**row, "epoch": step.epoch, "step": step.number})
            return
        now, wanted = (state.global_step, state.epoch), control.should_log
        state.global_step, state.epoch = step.number, step.epoch
        try:
            trainer.log(row)
        finally:
            state.global_step, state.epoch = now
            control.should_log = wanted  # the Trainer's own log of this step is still to come

    def _ended_with(self, train: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(train)
        def run(*args: Any, **options: Any) -> Any:
            try:
                return train(*args, **options)
            finally:
                self._end_background()

        return run

    def _end_background(self) -> None:
        if self._background is not None:
            self._background.stop()
            self._background = None


def find_unevaluated(args: Any, state: Any) -> list[SavedStep]:
    """Checkpoints up to the one that a training resumes from of which its log has no figure of
    ours: they waited when it was killed.
    """
    if not state.global_step:
        return []
    known = {
        row.get("step") for row in state.log_history if any(key.startswith(PREFIX) for key in row)
    }
    found = []
    for folder in Path(args.output_dir).glob(f"{PREFIX_CHECKPOINT_DIR}-*"):
        number = folder.name.rpartition("-")[2]
        if not number.isdigit() or int(number) > state.global_step or int(number) in known:
            continue
        epoch = None
        with suppress(OSError, ValueError):
            epoch = json.loads((folder / TRAINER_STATE_NAME).read_text("utf-8")).get("epoch")
        path = str(Path(args.output_dir) / folder.name)
        found.append(SavedStep(int(number), epoch, path))
    return sorted(found, key=lambda step: step.number)


def _add_to_saved_state(args: Any, state: Any, step: SavedStep) -> None:
    """A training that resumes from this checkpoint knows its figures and the best one by then. The
    folder keeps its time of change, by which the Trainer removes the oldest.
    """
    file = Path(step.path) / TRAINER_STATE_NAME
    with suppress(OSError, ValueError):
        saved: dict[str, Any] = json.loads(file.read_text("utf-8"))
        saved["log_history"] = [row for row in state.log_history if row["step"] <= step.number]
        if own_metric(args) or args.metric_for_best_model is None:
            saved |= {key: getattr(state, key) for key in _BEST}
        before = file.parent.stat()
        replace_file(file, json.dumps(saved, indent=2, sort_keys=True) + "\n")
        os.utime(file.parent, ns=(before.st_atime_ns, before.st_mtime_ns))


@contextmanager
def _random_numbers_kept() -> Iterator[None]:
    """Training goes on with the random numbers it would have had."""
    own, of_numpy = random.getstate(), np.random.get_state()
    cuda: Any = torch.cuda
    cards = range(cuda.device_count()) if cuda.is_initialized() else ()
    with torch.random.fork_rng(devices=cards):
        try:
            yield
        finally:
            random.setstate(own)
            np.random.set_state(of_numpy)


def own_metric(args: Any) -> str | None:
    """The figure of ours that the training arguments choose by."""
    named = args.metric_for_best_model or ""
    full = named if named.startswith("eval_") else f"eval_{named}"
    return full if full.startswith(PREFIX) else None


def figures_known(job: Job, gate: Gate) -> dict[str, bool]:
    """By its name in the log each figure that will be there, and whether less of it is better."""
    suites = [each.removeprefix("suite:") for each in gate.suite_criteria()]
    suites += [f"{Path(str(each)).stem}_points" for each in job.suites]
    return {**dict.fromkeys(suites, False), **figures_logged(gate, job.measures or ())}


def check_patience(patience: int | None, figure: str | None, job: Job, gate: Gate) -> bool:
    """Whether less of the figure is better. Raises UsageError where it is not measured."""
    if patience is None and figure is None:
        return False
    if patience is None or figure is None or patience < 1:
        raise UsageError(
            tr(
                "patience is a number of evaluations, at least 1, and needs the figure it waits for"
            ),
            hint=tr("write patience=3, figure='perplexity'"),
        )
    known, name = figures_known(job, gate), figure.removeprefix(PREFIX)
    if name not in known:
        problem = tr("figure names {name}, which is not measured here", name=figure)
        raise UsageError(did_you_mean(problem, figure, list(known)))
    return known[name]


def check_metric(args: Any, job: Job, gate: Gate) -> None:
    """Raises UsageError where the training would end in an error, or in the worst checkpoint."""
    metric = own_metric(args)
    if metric is None:
        return
    name = metric.removeprefix(PREFIX)
    known = figures_known(job, gate)
    if name not in (*known, "accepted"):
        problem = tr("metric_for_best_model names {name}, which is not measured here", name=metric)
        raise UsageError(did_you_mean(problem, metric, [PREFIX + each for each in known]))
    smaller = known.get(name, False)
    if bool(args.greater_is_better) is smaller:
        raise UsageError(
            tr("with this greater_is_better the worst {name} would be taken for the best",
               name=metric),
            hint=tr("give the training arguments greater_is_better={value}", value=not smaller),
        )  # fmt: skip
    waits = args.lr_scheduler_type in ("reduce_lr_on_plateau", "greedy")
    if waits or args.save_strategy == "best":
        raise UsageError(
            tr("save_strategy='best' and a learning rate that waits for {name} need it before the "
               "checkpoint is saved", name=metric),
            hint=tr("choose another lr_scheduler_type, and save_strategy='steps' with "
                    "save_total_limit=1: the best one is kept"),
        )  # fmt: skip


def leave_choice_to_us(trainer: Any) -> None:
    """Have this Trainer look for no metric of ours among those of its own evaluation."""
    own = trainer._determine_best_metric

    def choose(metrics: dict[str, float], trial: Any) -> bool:
        return False if own_metric(trainer.args) else bool(own(metrics=metrics, trial=trial))

    trainer._determine_best_metric = choose


def note_best(args: Any, state: Any, step: SavedStep, found: StepFigures) -> None:
    """Write it into the Trainer's state if it is the best so far."""
    metric = own_metric(args)
    if metric is None:
        if args.metric_for_best_model is None and found.best:
            state.best_model_checkpoint = str(Path(step.path).with_name(found.best))
        return
    value, best = found.figures.get(metric), state.best_metric
    if value is None:
        return
    if best is None or (value > best if args.greater_is_better else value < best):
        state.best_metric = value
        state.best_global_step = step.number
        state.best_model_checkpoint = step.path
