"""Evaluates every checkpoint that transformers' Trainer saves, in the training process.

It leaves the training as it is: the weights are a copy read from the saved folder, random numbers
are drawn as if it had not been there, and whatever goes wrong here is a warning and a note in the
log.

    trainer = Trainer(..., callbacks=[assay.TrainerCallback(limit=50)])

Reached as `assay.TrainerCallback`; importing this module imports transformers.
"""

from __future__ import annotations

import logging
import random
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from transformers.integrations import is_deepspeed_zero3_enabled
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR

from assay.errors import AssayError, UsageError, in_one_line
from assay.messages import tr
from assay.models.local.folder import find_tokenizer
from assay.models.local.loading.checkpoint import choose_device, choose_dtype
from assay.reports.checkpoints.figures import evaluated_folder, figures, suites_asked
from assay.reports.checkpoints.headlines import checkpoint_line
from assay.suites.gate_file import load_gate
from assay.types.choices import MeasureKind
from assay.types.decisions import Acceptance, Decision
from assay.workflow.checkpoints.single_checkpoint import MEASURE_OF
from assay.workflow.checkpoints.watch import CheckpointSequence, best_in, places_in
from assay.workflow.evaluate.job import Job
from assay.workflow.evaluate.preparation import check_files

PREFIX = "eval_assay_"  # integrations file what begins with eval_ under evaluation
NOTE = f"{PREFIX}note"
_LOGGED = (
    "perplexity", "accuracy_top1", "accuracy_top5", "generation_failures", "weighted_score",
)  # fmt: skip
_log = logging.getLogger("assay")


class TrainerCallback(transformers.TrainerCallback):  # type: ignore[misc]  # it has no types
    """Give it to a Trainer, or call `attach(trainer)`, which brings the figures into the reports of
    TensorBoard, Weights & Biases and the progress bar as well.

    Args:
        suites: as for `api.run`; None: those that the gate names.
        limit: at most so many tests of each suite; None: all of them.
        measures: what is measured beside the suites. Speed is not, by default: a figure taken in
            the middle of training says nothing, and neither it nor memory changes with training.
        stop_when_accepted: ask the Trainer to stop when a checkpoint meets every limit of the gate
            that was measured.
        device: for the copy; None: the CPU, for training has the GPU.
        options: any other of `api.run`: gate, text (for perplexity), dtype, tokenizer (its folder,
            where checkpoints are saved without one), out, write_back, seed, observer.

    Raises:
        AssayError: for a mistake in any of these, with every mistake at once; before training.
    """

    def __init__(
        self,
        *,
        suites: Sequence[str] | None = None,
        limit: int | None = 50,
        measures: Sequence[MeasureKind] = ("perplexity", "generation"),
        stop_when_accepted: bool = False,
        device: str | None = None,
        **options: Any,
    ) -> None:
        device = choose_device(device or "cpu")
        job = Job(models=("",), limit=limit, measures=measures, device=device, **options)
        if suites is None:
            suites = [each.name for each in load_gate(job.gate).suites]
        self._job = job = replace(job, suites=suites)
        choose_dtype(job.dtype, device, "float32")
        if job.tokenizer is not None:
            find_tokenizer(Path(), job.tokenizer)
        self._stop_when_accepted = stop_when_accepted
        self._all = CheckpointSequence(job, check_files(job))
        self._trainer: weakref.ref[Any] | None = None

    def attach(self, trainer: Any) -> TrainerCallback:
        """Add it to a Trainer, whose own `log` then takes the figures."""
        self._trainer = weakref.ref(trainer)
        trainer.add_callback(self)
        return self

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        accepted = False
        if state.is_world_process_zero:
            with _random_numbers_kept():
                accepted = self._evaluated(Path(args.output_dir), state)
        if self._stop_when_accepted and _agreed(accepted, processes=args.world_size):
            control.should_training_stop = True
        return control

    def _evaluated(self, folder: Path, state: Any) -> bool:
        """Whether it is accepted; what goes wrong is told and ends nothing."""
        try:
            return self._evaluate(folder, state)
        except AssayError as error:
            if isinstance(error.__cause__, KeyboardInterrupt):  # a Ctrl-C is for the training
                raise error.__cause__ from None
            self._note(state, in_one_line(error))
        # Hours of training are not lost for a mistake of ours, or for memory that ran out here.
        except Exception as error:  # noqa: BLE001
            self._note(state, f"{type(error).__name__}: {error}")
        return False

    def _evaluate(self, folder: Path, state: Any) -> bool:
        if is_deepspeed_zero3_enabled():
            raise UsageError(
                tr("with DeepSpeed ZeRO-3 no model can be loaded beside the one in training"),
                hint=tr("evaluate in a process of its own: assay watch {folder}", folder=folder),
            )
        step = folder / f"{PREFIX_CHECKPOINT_DIR}-{state.global_step}"
        place = next((each for each in places_in(folder) if each.path == step), None)
        if place is None:
            raise UsageError(tr("there is no checkpoint {path}", path=step))
        self._all.job = replace(self._job, models=(str(folder),))
        decision = self._all.evaluate(place, self._job.observer)
        if decision is None:
            raise UsageError(tr("{path} was removed while it was evaluated", path=step))
        _log.info(checkpoint_line(decision, place.name, best_in(decision, place.name)))
        accepted = _accepted(decision.acceptances[place.name], self._job.measures or ())
        found = _logged(decision, place.name, accepted=accepted)
        if trainer := self._trainer and self._trainer():
            trainer.log(found)
        else:
            state.log_history.append({**found, "epoch": state.epoch, "step": state.global_step})
        return accepted is True

    def _note(self, state: Any, why: str) -> None:
        _log.warning(tr("step {step} was not evaluated: {why}", step=state.global_step, why=why))
        state.log_history.append({NOTE: why, "epoch": state.epoch, "step": state.global_step})


def _accepted(acceptance: Acceptance, measures: Sequence[MeasureKind]) -> bool | None:
    """By the limits whose measure was asked for; the others are for `assay run`."""
    passed = [
        each.passed
        for name, each in acceptance.criteria.items()
        if name not in MEASURE_OF or MEASURE_OF[name] in measures
    ]
    if False in passed:
        return False
    return None if None in passed or not passed else True


def _logged(decision: Decision, name: str, *, accepted: bool | None) -> dict[str, float]:
    """Numbers alone: what reads a Trainer's log draws them. What was not measured is left out."""
    seen = evaluated_folder(decision, decision.acceptances, None)
    checkpoint = next(each for each in decision.measured if each.name == name)
    found = figures(seen, checkpoint)
    wanted = {each: each for each in _LOGGED}
    wanted |= {each.figure: each.criterion for each in suites_asked(seen)}
    logged = {
        PREFIX + title.removeprefix("suite:"): figure.value
        for key, title in wanted.items()
        if (figure := found.get(key)) is not None and figure.value is not None
    }
    for suite, result in checkpoint.suites.items():
        if result.score.value is not None:
            logged.setdefault(f"{PREFIX}{suite}_points", result.score.value)
    if accepted is not None:
        logged[f"{PREFIX}accepted"] = float(accepted)
    return logged


def _agreed(accepted: bool, *, processes: int) -> bool:
    """What the first process found, known to all: one that stopped alone would leave the others
    waiting for it.
    """
    if processes <= 1:
        return accepted
    told = [accepted]
    torch.distributed.broadcast_object_list(told, src=0)
    return told[0]


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
