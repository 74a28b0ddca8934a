"""Which checkpoint of a training is the best: by one of our figures as `metric_for_best_model`, by
the selection where the training arguments name no metric, by the Trainer itself where they name
another's.

The Trainer chooses before it saves, when our figure of the checkpoint does not exist yet. With our
metric it chooses nothing, and `note_best` writes what it would have into its state later. Until
then its rotation keeps both the checkpoint just saved and the best so far.
"""

from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.files.wording import did_you_mean
from assay.messages import tr
from assay.trainer_callback.step_evaluation import LOGGED, PREFIX, SavedStep, StepFigures
from assay.types.decisions import Gate
from assay.workflow.evaluate.job import Job

_SMALLER_IS_BETTER = ("perplexity", "generation_failures")


def own_metric(args: Any) -> str | None:
    """The figure of ours that the training arguments choose by."""
    named = args.metric_for_best_model or ""
    full = named if named.startswith("eval_") else f"eval_{named}"
    return full if full.startswith(PREFIX) else None


def check_metric(args: Any, job: Job, gate: Gate) -> None:
    """Raises UsageError where the training would end in an error, or in the worst checkpoint."""
    metric = own_metric(args)
    if metric is None:
        return
    name = metric.removeprefix(PREFIX)
    known = [each for each, of in LOGGED.items() if of is None or of in (job.measures or ())]
    known += [each.removeprefix("suite:") for each in gate.suite_criteria()]
    known += [f"{Path(str(each)).stem}_points" for each in job.suites]
    if name not in (*known, "accepted"):
        problem = tr("metric_for_best_model names {name}, which is not measured here", name=metric)
        raise UsageError(did_you_mean(problem, metric, [PREFIX + each for each in known]))
    smaller = name in _SMALLER_IS_BETTER
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
