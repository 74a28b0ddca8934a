"""Evaluates each checkpoint of a folder as it appears, once its files are as they were at the look
before. Folders are looked at, not listened to: that works on every file system.
"""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Literal

from assay.decide.accept import accept
from assay.errors import (
    AssayError,
    ExitCode,
    Interrupted,
    ModelUnavailable,
    Refusals,
    UsageError,
    in_one_line,
)
from assay.messages import tr
from assay.reports.cards.checkpoints import decision_card
from assay.reports.checkpoints.decision import decision_tables
from assay.reports.checkpoints.facts import sentences
from assay.reports.checkpoints.file_names import CHECKPOINTS, REPORT_FILE, SELECTION_FILE
from assay.reports.checkpoints.headlines import checkpoint_line
from assay.reports.checkpoints.json_documents import checkpoint_document
from assay.stats.looks import alpha_of_look
from assay.store import Store, utc_now
from assay.types import Observer
from assay.types.decisions import (
    Acceptance,
    Decision,
    DecisionPlan,
    Gate,
    Measurements,
    PlannedCheckpoint,
    Selection,
)
from assay.types.documents import Document
from assay.types.options import WatchOptions
from assay.types.results import Report
from assay.workflow.checkpoints.measures import failed_subject
from assay.workflow.checkpoints.places import (
    FINAL,
    MAKES_CHECKPOINT,
    CheckpointPlace,
    places_of,
    planned_checkpoint,
)
from assay.workflow.commands.evaluation import evaluate
from assay.workflow.reporting.checkpoint_files import write_decisions
from assay.workflow.reporting.decision import decide
from assay.workflow.reporting.reference import gate_with_reference
from assay.workflow.running.job import Job
from assay.workflow.running.job_files import check_files

BETWEEN_TWO_LOOKS_S = 1.0  # where two looks are all there is
# What belongs to a model or is written with it; logs that grow beside it do not.
_SUFFIXES = {".safetensors", ".bin", ".pt", ".pth", ".json", ".model", ".jinja", ".py"}
_NAMES = {"vocab.txt", "merges.txt"}
_OURS = {REPORT_FILE, SELECTION_FILE}

Files = frozenset[tuple[str, int, int]]  # name, bytes, time of change


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """One thing that was seen: a result as `line` and `document`, anything else as a `note`."""

    kind: Literal["waiting", "unready", "gone", "evaluated", "failed", "end"]
    name: str = ""
    line: str = ""
    document: dict[str, object] | None = None
    note: str = ""
    ending: Document | None = None  # the table and the card, at the end


class Watching:
    """Iterate over it; then its exit code and selection are those of the end."""

    def __init__(self, job: Job, options: WatchOptions, observer: Observer) -> None:
        self._job, self._options, self._observer = job, options, observer
        self._folder = Path(options.folder)
        self._seen: dict[Path, Files] = {}  # at the look before
        self._tried: dict[Path, tuple[str, Files]] = {}  # by name, and with which files
        self._accepted = False
        self._told_waiting = False
        self._all = CheckpointSequence(job, self._checked())
        self.selection: Selection | None = None

    @property
    def exit_code(self) -> ExitCode:
        """As for a run over the folder; 0 where it ended with the first accepted one."""
        if self._options.until_accepted and self._accepted:
            return ExitCode.DONE
        if self._all.has_failures:
            return ExitCode.REQUESTS_FAILED
        selected = self.selection is not None and self.selection.selected is not None
        return ExitCode.DONE if selected else ExitCode.NOT_ACCEPTED

    def end(self) -> Sight:
        reason = sentences(self.selection.reasons) if self.selection else ""
        document: dict[str, object] = {
            "selected": self.selection.selected if self.selection else None,
            "best_so_far": self.selection.best_so_far if self.selection else None,
            "reason": reason or None,
            "out": str(self._job.out.resolve()),
            "exit_code": int(self.exit_code),
        }
        note = "" if self.selection else tr("nothing was evaluated")
        ending = self._ending() if self.selection else None
        return Sight(kind="end", line=reason, document=document, note=note, ending=ending)

    def _ending(self) -> Document | None:
        report = self._all.decided
        if report is None or report.decision is None:
            return None
        return Document(
            tr("Selection"),
            (),
            out=report.out,
            card=decision_card(report.decision),
            scores=tuple(decision_tables(report)),
        )

    def interrupted(self) -> Interrupted:
        """What Ctrl-C leaves, wherever it came: also while somebody shows what was seen."""
        best = self.selection and (self.selection.selected or self.selection.best_so_far)
        what = tr("every answer that was counted is kept in {out}", out=self._job.out)
        if best:
            what = tr("{what}; best so far: {name}", what=what, name=best)
        return Interrupted(what, hint=tr("continue with: {command}", command=self._job.command))

    def __iter__(self) -> Iterator[Sight]:
        yield from self._look()
        if self._options.once:
            time.sleep(min(self._options.interval, BETWEEN_TWO_LOOKS_S))
            yield from self._look()
            for place in places_in(self._folder) if not self._ended else ():
                if place.path not in self._tried:
                    note = tr("{name} changed between two looks, and is still being written")
                    yield Sight(kind="unready", name=place.name, note=note.format(name=place.name))
            return
        while not self._ended:
            time.sleep(self._options.interval)
            yield from self._look()

    @property
    def _ended(self) -> bool:
        return self._accepted and self._options.until_accepted

    def _checked(self) -> Gate:
        """A mistake must not show itself hours later, when the first checkpoint comes."""
        from assay.models.local.loading.checkpoint import choose_device, choose_dtype

        if self._folder.exists() and not self._folder.is_dir():
            raise UsageError(
                tr("{path} is not a folder", path=self._folder),
                hint=tr("name the folder that checkpoints are saved into"),
            )
        if self._options.once and not places_in(self._folder):
            raise UsageError(
                tr("there is no checkpoint in '{path}'", path=self._folder),
                hint=tr("name the folder that checkpoints are saved into, or leave out --once"),
            )
        gate = gate_with_reference(check_files(self._job), self._job.out)
        choose_dtype(self._job.dtype, choose_device(self._job.device), "float32")
        return gate

    def _look(self) -> Iterator[Sight]:
        places = places_in(self._folder)
        if not places and not self._tried and not self._told_waiting:
            self._told_waiting = True
            note = tr("no checkpoint in {folder} yet; waiting", folder=self._folder)
            yield Sight(kind="waiting", note=note)
        yield from self._gone({place.path for place in places})
        before, self._seen = self._seen, {}
        for place in places:
            files = self._seen[place.path] = _files_of(place.path)
            _, tried = self._tried.get(place.path, ("", None))
            if files == before.get(place.path) and files != tried and not self._ended:
                self._tried[place.path] = (place.name, files)
                yield from self._evaluate(place)

    def _gone(self, there: set[Path]) -> Iterator[Sight]:
        gone = [path for path in self._tried if path not in there]
        best = self.selection and (self.selection.selected or self.selection.best_so_far)
        for path in gone:
            name, _ = self._tried.pop(path)
            self._all.drop(name)
            note = tr("{name} was removed, and is no candidate any more", name=name)
            if name == best:
                note = tr(
                    "{name}, the best so far, was removed: save_total_limit of the Trainer may do "
                    "so; keep more checkpoints, or copy the best",
                    name=name,
                )
            yield Sight(kind="gone", name=name, note=note)
        if gone:
            self._take_over(self._all.decide(self._observer))

    def _evaluate(self, place: CheckpointPlace) -> Iterator[Sight]:
        try:
            decision = self._all.evaluate(place, self._observer)
        except AssayError as error:
            errors = error.errors if isinstance(error, Refusals) else (error,)
            if not all(isinstance(each, ModelUnavailable) for each in errors):
                raise  # the disk is at fault, or what was asked for
            if is_there(place.path):  # else the next look says so
                yield self._failed(place, in_one_line(error))
            return
        if decision is None:
            note = tr("{name} was removed before it was evaluated; skipped", name=place.name)
            yield Sight(kind="gone", name=place.name, note=note)
            del self._tried[place.path]
            return
        self.selection = best_in(decision, place.name)
        self._accepted |= self._all.stops_at(decision, place.name)
        found = (decision, place.name, self.selection)
        unclear = ""
        if self._options.until_accepted and not self._accepted:
            at_look = self._all.acceptance_at_look(decision, place.name)
            if at_look.accepted:
                names = [name for name, each in at_look.criteria.items() if not each.clear]
                unclear = tr("{name} passes, but not clearly at look {look}: {criteria}; the "
                             "training goes on", name=place.name, look=self._all.looks,
                             criteria=", ".join(names))  # fmt: skip
        report = self._job.out.resolve() / CHECKPOINTS / place.name / REPORT_FILE
        note = tr("{name}: some requests failed; they are asked again at the next start",
                  name=place.name)  # fmt: skip
        yield Sight(
            kind="evaluated",
            name=place.name,
            line=checkpoint_line(*found),
            document={**checkpoint_document(*found), "report": str(report), "failed": None},
            note=note if place.name in self._all.with_failed_requests else unclear,
        )

    def _failed(self, place: CheckpointPlace, why: str) -> Sight:
        """It is tried again when its files change."""
        self._take_over(self._all.fail(place, why, self._observer))
        return Sight(
            kind="failed",
            name=place.name,
            line=tr("{name}: failed: {why}", name=place.name, why=why),
            document={"checkpoint": place.name, "accepted": None, "failed": why},
        )

    def _take_over(self, decision: Decision | None) -> None:
        """After a change among the candidates that is not a new one."""
        self.selection = best_in(decision, decision.measured[0].name) if decision else None


def _files_of(folder: Path) -> Files:
    found = []
    with suppress(OSError):
        for file in folder.iterdir():
            belongs = file.suffix in _SUFFIXES or file.name in _NAMES
            if belongs and file.name not in _OURS and file.is_file():
                told = file.stat()
                found.append((file.name, told.st_size, told.st_mtime_ns))
    return frozenset(found)


@dataclass(slots=True)
class CheckpointSequence:
    """The candidates so far. `gate` is read once, so that one gate decides on all of them."""

    job: Job
    gate: Gate
    _found: dict[str, tuple[PlannedCheckpoint, Measurements]] = field(default_factory=dict)
    _top: str = ""
    _last: Report | None = None
    with_failed_requests: set[str] = field(default_factory=set)
    decided: Report | None = None
    looks: int = 1  # checkpoints looked at with this gate, earlier trainings' included

    def evaluate(self, place: CheckpointPlace, observer: Observer) -> Decision | None:
        """Ask and measure one, then decide over all. None: it was removed meanwhile."""
        alone = replace(place, folder=None, top=None)
        report = evaluate(replace(self.job, places=(alone,), leaves=False), observer)
        if not is_there(place.path) or report.decision is None:
            self.drop(place.name)
            return None
        self._last, self._top = report, str(place.top or "")
        self.gate = replace(self.gate, reference=report.decision.gate.reference)
        with Store(self.job.out, read_only=True) as store:
            self.looks = max(1, store.count_looks(report.decision.gate.digest))
        self._found[place.name] = planned_checkpoint(place), report.decision.measured[0]
        self.with_failed_requests.discard(place.name)
        if report.exit_code == ExitCode.REQUESTS_FAILED:
            self.with_failed_requests.add(place.name)
        decision = self.decide(observer)
        return decision if place.name in self._found else None

    def fail(self, place: CheckpointPlace, why: str, observer: Observer) -> Decision | None:
        """One that cannot be opened is in the selection as failed. None: all are."""
        subject = replace(planned_checkpoint(place), failed=why)
        self._found[place.name] = subject, failed_subject(subject, utc_now())
        return self.decide(observer)

    def acceptance_at_look(self, decision: Decision, name: str) -> Acceptance:
        """As the gate has it, clear by what is left of alpha after so many looks."""
        measured = next(each for each in decision.measured if each.name == name)
        return accept(measured, decision.gate, tail=alpha_of_look(self.looks) / 2)

    def stops_at(self, decision: Decision, name: str) -> bool:
        """Whether a training may stop at it: a marginal pass stops nothing, unless the gate lets
        it.
        """
        acceptance = self.acceptance_at_look(decision, name)
        lets = self.gate.accept.clear is False
        return acceptance.accepted is True and (lets or acceptance.clear)

    def drop(self, *names: str) -> None:
        for name in names:
            self._found.pop(name, None)
            self.with_failed_requests.discard(name)

    @property
    def has_failures(self) -> bool:
        broken = any(measured.failed for _, measured in self._found.values())
        return broken or bool(self.with_failed_requests)

    def decide(self, observer: Observer) -> Decision | None:
        """Over those that are still there. None: nothing is left to decide on."""
        self.drop(*[name for name, (each, _) in self._found.items() if not is_there(each.path)])
        last = self._last.decision if self._last else None
        if last is None or all(measured.failed for _, measured in self._found.values()):
            return None

        def by_step(found: tuple[PlannedCheckpoint, Measurements]) -> tuple[str, float, str]:
            each, _ = found
            return each.folder, inf if each.step is None else each.step, each.name

        found = sorted(self._found.values(), key=by_step)
        deciding = DecisionPlan(
            subjects=tuple(each for each, _ in found),
            measures=tuple(self.job.measures or ()),
            gate=self.gate,
            selects=True,
            asked=self.job.gate is not None,
            top=self._top,
            write_back=self.job.write_back,
        )
        with Store(self.job.out, read_only=True) as store:
            attempts = store.count_attempts(last.gate.digest)
        measured = [each for _, each in found]
        decision = decide(deciding, measured, timestamp=utc_now(), attempts=attempts)
        assert self._last is not None
        report = replace(self._last, decision=decision)
        self.decided = replace(report, models=())  # the table is of all, not of the last one asked
        logs = self.job.tensorboard
        for note in write_decisions(report, self.job.out, deciding, tensorboard=logs):
            observer.note(note)
        return decision


def best_in(decision: Decision, name: str) -> Selection:
    if decision.overall is not None:
        return decision.overall
    folder = next(folder for folder, names in decision.folders.items() if name in names)
    return decision.selections[folder]


def places_in(folder: Path) -> list[CheckpointPlace]:
    """In step order now. One with a config.json and no steps is `final`, as it will be then."""
    here = Path(os.path.abspath(folder)).name
    return [
        replace(place, parent=here, step_name=FINAL, folder=folder) if not place.folder else place
        for _, place in places_of([f"hf:{folder}"])
        if place is not None and is_there(place.path)
    ]


def is_there(path: str | Path) -> bool:
    return any((Path(path) / name).is_file() for name in MAKES_CHECKPOINT)
