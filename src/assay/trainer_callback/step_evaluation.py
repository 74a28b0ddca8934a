"""One checkpoint that a Trainer saved, evaluated: its figures, under the names of the log.

What goes wrong is a note in place of the figures, and never an exception; a Ctrl-C is raised.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.errors import AssayError, UsageError, in_one_line
from assay.messages import tr
from assay.reports.checkpoints.figures import evaluated_folder, figures
from assay.reports.checkpoints.headlines import checkpoint_line
from assay.types.choices import MeasureKind
from assay.types.decisions import Acceptance, Decision, Gate, GateCriterion
from assay.types.measures import every_measure
from assay.workflow.commands.watch import CheckpointSequence, best_in, places_in

PREFIX = "eval_assay_"  # integrations file what begins with eval_ under evaluation


def figures_logged(gate: Gate, kinds: Collection[MeasureKind]) -> dict[str, bool]:
    """By its name in the log each figure beside the suites', and whether less of it is better."""
    followed = {
        each.name: measure.better == "lower"
        for measure in every_measure()
        if measure.kind in kinds or measure.of_every_model
        for each in measure.followed(gate)
    }
    return {**followed, "weighted_score": False}


def has_stalled(
    history: Sequence[Mapping[str, Any]], figure: str, patience: int, *, smaller: bool
) -> bool:
    """Whether a figure of the log was not better than its best at so many evaluations in a row."""
    values = [row[figure] for row in history if figure in row]
    if not values:
        return False
    best = values.index(min(values) if smaller else max(values))
    return len(values) - 1 - best >= patience


@dataclass(frozen=True, slots=True)
class SavedStep:
    """A checkpoint as the Trainer saved it; `path` as the Trainer names it."""

    number: int
    epoch: float | None
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFigures:
    """What was found of it, or in `note` why nothing was. `stops`: it is accepted, and clearly so
    after so many looks, unless the gate lets a marginal pass stop a training. `best`: the name of
    the best folder so far, by the gate and the weighted score. `line`: all of it in a sentence.
    """

    figures: Mapping[str, float] = field(default_factory=dict)
    accepted: bool = False
    stops: bool = False
    best: str = ""
    line: str = ""
    note: str = ""


def evaluate_step(step: SavedStep, steps: CheckpointSequence) -> StepFigures:
    """Evaluate one more, and decide over those that are still there."""
    try:
        return _evaluate(Path(step.path), steps)
    except AssayError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # a Ctrl-C is for the training
            raise error.__cause__ from None
        return StepFigures(note=in_one_line(error))
    # Hours of training are not lost for a mistake of ours, or for memory that ran out here.
    except Exception as error:  # noqa: BLE001
        return StepFigures(note=f"{type(error).__name__}: {error}")


def _evaluate(path: Path, steps: CheckpointSequence) -> StepFigures:
    place = next((each for each in places_in(path.parent) if each.path == path), None)
    if place is None:
        raise UsageError(tr("there is no checkpoint {path}", path=path))
    job = steps.job = replace(steps.job, models=(str(path.parent),))
    decision = steps.evaluate(place, job.observer)
    if decision is None:
        raise UsageError(tr("{path} was removed while it was evaluated", path=path))
    asked = _asked_for(decision.acceptances[place.name], job.measures or ())
    accepted = _accepted(asked)
    at_look = _asked_for(steps.acceptance_at_look(decision, place.name), job.measures or ())
    is_clear = all(each.clear for each in at_look) or steps.gate.accept.clear is False
    selection = best_in(decision, place.name)
    best = selection.selected or selection.best_so_far or ""
    return StepFigures(
        figures=_logged(decision, place.name, accepted=accepted),
        accepted=accepted is True,
        stops=accepted is True and is_clear,
        best=best.rpartition("/")[2],
        line=checkpoint_line(decision, place.name, selection),
    )


def _asked_for(acceptance: Acceptance, measures: Sequence[MeasureKind]) -> list[GateCriterion]:
    """The limits whose measure was asked for; the others are for `assay run`."""
    kinds = {each.metric: each.kind for each in every_measure() if not each.of_every_model}
    return [
        each
        for name, each in acceptance.criteria.items()
        if not (kind := kinds.get(name)) or kind in measures
    ]


def _accepted(criteria: Sequence[GateCriterion]) -> bool | None:
    passed = [each.passed for each in criteria]
    if False in passed:
        return False
    return None if None in passed or not passed else True


def _logged(decision: Decision, name: str, *, accepted: bool | None) -> dict[str, float]:
    """Numbers alone: what reads a Trainer's log draws them. What was not measured is left out."""
    seen = evaluated_folder(decision, decision.acceptances, None)
    checkpoint = next(each for each in decision.measured if each.name == name)
    found = figures(seen, checkpoint)
    wanted = {
        each.figure: each.name
        for measure in every_measure()
        for each in measure.followed(decision.gate)
    }
    wanted["weighted_score"] = "weighted_score"
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
