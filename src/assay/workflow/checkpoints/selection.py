"""Gate and pick among checkpoints that were evaluated before; no model is loaded.

a model folder    has its own selection; of several there is one over all
named singly      compared with each other, and no file is written: a folder's selection is one
among all of its checkpoints
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import assay
from assay.errors import ExitCode, UsageError
from assay.files.file_text import shown_path
from assay.files.notes import invalid_files
from assay.messages import tr
from assay.reports.checkpoints.file_names import CHECKPOINTS
from assay.store import FILE_NAME, utc_now
from assay.suites.gate_file import check_gate, load_gate
from assay.types.decisions import Decision, DecisionPlan, Gate, Measurements, Selection, fact
from assay.types.options import DEFAULT_OUT
from assay.types.results import Report
from assay.workflow.checkpoints.decision import decide
from assay.workflow.checkpoints.places import CheckpointPlace, planned_checkpoint
from assay.workflow.checkpoints.report_files import write_selections
from assay.workflow.checkpoints.stored_reports import folder_of, places_in, read_reports


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutReport:
    name: str
    path: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """`selection` is the one that counts: over all, or of the only folder. `report`: a run's report
    without models. `left_in`: the folders under `out` with the selections.
    """

    decision: Decision
    selection: Selection
    not_evaluated: tuple[WithoutReport, ...]
    left_in: frozenset[str]
    report: Report

    @property
    def exit_code(self) -> int:
        return self.report.exit_code


def select(
    folders: Sequence[str],
    *,
    gate: Path | None = None,
    write_back: bool = True,
    out: Path = DEFAULT_OUT,
) -> Selected:
    """Gate and pick among checkpoints that were evaluated before, from their reports alone.

    A folder is a checkpoint, a model folder, a folder of those, or the `out` of a run. Selections
    are written under `out`, and into the folders as well with `write_back`.
    """
    asked = load_gate(gate)
    places = places_in(folders)
    measured, notes = read_reports(places, out)
    missing = tuple(
        WithoutReport(
            name=place.name,
            path=str(place.path),
            command=_command(["run", str(place.path)], gate, out),
        )
        for place in places
        if place.name not in measured
    )
    if not measured:
        where = ", ".join(shown_path(Path(folder)) for folder in folders)
        names = ", ".join(each.name for each in missing)
        raise UsageError(
            tr("nothing in {folders} was evaluated yet: {names}", folders=where, names=names),
            hint="\n".join(each.command for each in missing),
        )
    if gate is not None:
        _refuse_unknown_suites(asked, list(measured.values()))
    deciding = _deciding(places, measured, asked, gate, write_back)
    found = [measured[subject.name] for subject in deciding.subjects]
    now = utc_now()
    decision = decide(deciding, found, timestamp=now)
    decision = _with_missing(decision, missing)
    to_leave = _of_whole_folders(decision, places)
    notes += write_selections(to_leave, out, deciding)
    firsts = [decision.folders[folder][0] for folder in to_leave.selections]
    left_in = {f"{CHECKPOINTS}/{name.rpartition('/')[0]}" for name in firsts}
    if to_leave.overall is not None:
        left_in.add(CHECKPOINTS)
    selection = decision.overall or next(iter(decision.selections.values()))
    return Selected(
        decision=decision,
        selection=selection,
        not_evaluated=missing,
        left_in=frozenset(left_in),
        report=Report(
            run="",
            out=str(out.resolve()),
            created=now,
            finished=now,
            command=_command(["select", *folders], gate, out),
            version=assay.__version__,
            models=(),
            exit_code=ExitCode.DONE if selection.selected else ExitCode.NOT_ACCEPTED,
            selected=next((each.path for each in found if each.name == selection.selected), None),
            decision=decision,
            notes=tuple(notes),
        ),
    )


def _command(words: Sequence[str], gate: Path | None, out: Path) -> str:
    with_gate = () if gate is None else ("--gate", str(gate))
    where = () if out == DEFAULT_OUT else ("--out", str(out))
    return shlex.join(["assay", *words, *with_gate, *where])


def _refuse_unknown_suites(asked: Gate, measured: Sequence[Measurements]) -> None:
    """A suite that no report has would leave every checkpoint undecided."""
    known: dict[str, list[str]] = {}
    for each in measured:
        for name, suite in each.suites.items():
            known.setdefault(name, []).extend(suite.categories)
    if findings := check_gate(asked, known):
        raise invalid_files(
            asked.source,
            findings,
            hint=tr("fix the gate, or evaluate the checkpoints with the suites it names"),
        )


def _deciding(
    places: Sequence[CheckpointPlace],
    measured: dict[str, Measurements],
    asked: Gate,
    gate: Path | None,
    write_back: bool,
) -> DecisionPlan:
    tops = {place.top for place in places}
    top = tops.pop() if len(tops) == 1 else None
    of_one_folder = len({folder_of(place) for place in places}) == 1
    if top is not None and of_one_folder and (top.absolute().parent / FILE_NAME).is_file():
        top = None  # what a run of one model folder left
    return DecisionPlan(
        subjects=tuple(
            replace(
                planned_checkpoint(place),
                path=measured[place.name].path,
                folder=str(folder_of(place)),
            )
            for place in places
            if place.name in measured
        ),
        measures=(),
        gate=asked,
        selects=True,
        asked=gate is not None,
        top="" if top is None else str(top),
        write_back=write_back,
    )


def _with_missing(decision: Decision, missing: Sequence[WithoutReport]) -> Decision:
    """A selection says who took no part in it."""

    def noted(selection: Selection, *folders: str) -> Selection:
        homes = {decision.folders[folder][0].rpartition("/")[0] for folder in folders}
        absent = sorted(each.name for each in missing if each.name.rpartition("/")[0] in homes)
        note = (fact("not_evaluated", names=tuple(absent)),) if absent else ()
        return replace(selection, notes=(*selection.notes, *note))

    return replace(
        decision,
        selections={folder: noted(each, folder) for folder, each in decision.selections.items()},
        overall=noted(decision.overall, *decision.folders) if decision.overall else None,
    )


def _of_whole_folders(decision: Decision, places: Sequence[CheckpointPlace]) -> Decision:
    """Without what was picked among checkpoints that were named singly."""
    singly = {str(folder_of(place)) for place in places if place.folder is None}
    return replace(
        decision,
        selections={
            folder: selection
            for folder, selection in decision.selections.items()
            if folder not in singly
        },
        overall=None if singly else decision.overall,
    )
