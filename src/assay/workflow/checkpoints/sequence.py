"""Checkpoints that are evaluated one at a time, as they come, and decided on together.

Each is a run of its own in the store, so that nothing is computed twice; the decision over all is
made anew every time, and never of one that is no longer there.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

from assay.errors import ExitCode
from assay.store import utc_now
from assay.types import Observer
from assay.types.decisions import (
    Decision,
    DecisionPlan,
    Gate,
    Measurements,
    PlannedCheckpoint,
    Selection,
)
from assay.types.results import Report
from assay.workflow.checkpoints.decision import decide
from assay.workflow.checkpoints.measures import failed_subject
from assay.workflow.checkpoints.places import FINAL, CheckpointPlace, places_of, planned_checkpoint
from assay.workflow.checkpoints.report_files import write_decisions
from assay.workflow.evaluate.evaluation import evaluate
from assay.workflow.evaluate.job import Job


@dataclass(slots=True)
class CheckpointSequence:
    """The candidates so far, by their names. `gate` is read once: a file that is changed meanwhile
    must not decide on some of them only.
    """

    job: Job
    gate: Gate
    _subjects: dict[str, PlannedCheckpoint] = field(default_factory=dict)
    _measured: dict[str, Measurements] = field(default_factory=dict)
    _top: str = ""
    _last: Report | None = None
    with_failed_requests: set[str] = field(default_factory=set)

    def evaluate(self, place: CheckpointPlace, observer: Observer) -> Decision | None:
        """Ask and measure one, then decide over all. None: it was removed meanwhile, and is no
        candidate; what was found of it is in the store. Raises what `evaluate` raises.
        """
        alone = replace(place, folder=None, top=None)
        report = evaluate(replace(self.job, places=(alone,), leaves=False), observer)
        if not is_there(place.path) or report.decision is None:
            self.drop(place.name)
            return None
        self._last, self._top = report, str(place.top or "")
        self._subjects[place.name] = planned_checkpoint(place)
        self._measured[place.name] = report.decision.measured[0]
        self.with_failed_requests.discard(place.name)
        if report.exit_code == ExitCode.REQUESTS_FAILED:
            self.with_failed_requests.add(place.name)
        decision = self.decide(observer)
        return decision if place.name in self._subjects else None

    def fail(self, place: CheckpointPlace, why: str, observer: Observer) -> Decision | None:
        """One that cannot be opened stands in the selection as failed. None: so do all."""
        subject = replace(planned_checkpoint(place), failed=why)
        self._subjects[place.name] = subject
        self._measured[place.name] = failed_subject(subject, utc_now())
        return self.decide(observer)

    def drop(self, *names: str) -> None:
        for name in names:
            self._subjects.pop(name, None)
            self._measured.pop(name, None)
            self.with_failed_requests.discard(name)

    @property
    def failed(self) -> tuple[str, ...]:
        return tuple(name for name, each in self._measured.items() if each.failed)

    def decide(self, observer: Observer) -> Decision | None:
        """Over those that are still there. None: nothing is left to decide on."""
        gone = [each.name for each in self._subjects.values() if not is_there(each.path)]
        self.drop(*gone)
        if self._last is None or all(each.failed for each in self._measured.values()):
            return None
        subjects = sorted(
            self._subjects.values(),
            key=lambda each: (each.folder, inf if each.step is None else each.step, each.name),
        )
        deciding = DecisionPlan(
            subjects=tuple(subjects),
            measures=tuple(self.job.measures or ()),
            gate=self.gate,
            selects=True,
            asked=self.job.gate is not None,
            top=self._top,
            write_back=self.job.write_back,
        )
        measured = [self._measured[subject.name] for subject in subjects]
        decision = decide(deciding, measured, timestamp=utc_now())
        report = replace(self._last, decision=decision)
        logs = self.job.tensorboard
        for note in write_decisions(report, self.job.out, deciding, tensorboard=logs):
            observer.note(note)
        return decision


def best_in(decision: Decision, name: str) -> Selection:
    """The selection that a checkpoint took part in: over all folders, or in its own."""
    if decision.overall is not None:
        return decision.overall
    folder = next(folder for folder, names in decision.folders.items() if name in names)
    return decision.selections[folder]


def places_in(folder: Path) -> list[CheckpointPlace]:
    """The checkpoints of a folder now, in step order. Where it has a config.json and no steps, it
    is `final`, as it will be when there are.
    """
    here = Path(os.path.abspath(folder)).name
    return [
        replace(place, parent=here, step_name=FINAL, folder=folder) if not place.folder else place
        for _, place in places_of([f"hf:{folder}"])
        if place is not None and is_there(place.path)
    ]


def is_there(path: str | Path) -> bool:
    """Whether the folder still is one of a checkpoint."""
    return (Path(path) / "config.json").is_file()
