"""What a gate's `no_worse_than` names, a checkpoint that was evaluated or a run: its suites."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from assay.errors import RunNotFound, StoreError, UsageError
from assay.measures.suites import suite_figures
from assay.messages import tr
from assay.reports.checkpoints.file_names import CHECKPOINTS, REPORT_FILE
from assay.store import FILE_NAME, Store
from assay.types.decisions import DecisionPlan, Gate, SuiteFigures
from assay.types.results import Report
from assay.workflow.reporting.checkpoint_files import read_report
from assay.workflow.reporting.decision import selected_in
from assay.workflow.reporting.results import report_of


def with_reference(deciding: DecisionPlan, out: Path) -> DecisionPlan:
    """With the suites of what its gate names; one of its own checkpoints is known later."""
    names = {part for each in deciding.subjects for part in (each.name, each.name.split("/")[-1])}
    gate = deciding.gate
    if not gate.accept.no_worse_than or gate.accept.no_worse_than in names:
        return deciding
    return replace(deciding, gate=gate_with_reference(gate, out))


def gate_with_reference(gate: Gate, out: Path) -> Gate:
    named = gate.accept.no_worse_than
    return replace(gate, reference=_suites_of(named, out)) if named else gate


def _suites_of(named: str, out: Path) -> Mapping[str, SuiteFigures]:
    """A folder with a report in it, a checkpoint that was evaluated into `out`, or a run there."""
    for file in (Path(named) / REPORT_FILE, out / CHECKPOINTS / named / REPORT_FILE):
        if file.is_file():
            return read_report(file).suites
    if (out / FILE_NAME).is_file():
        try:
            with Store(out, read_only=True) as store:
                return _of_run(report_of(store, store.find_run(named)), named)
        except (RunNotFound, StoreError):
            pass
    raise UsageError(
        tr("no_worse_than names {name!r}, which is no checkpoint that was evaluated and no run",
           name=named),
        hint=tr("name a folder with an {file}, PARENT/STEP of one evaluated into {out}, or a run",
                file=REPORT_FILE, out=out),
    )  # fmt: skip


def _of_run(report: Report, named: str) -> Mapping[str, SuiteFigures]:
    """Its only model, or the one that it selected."""
    best = selected_in(report.decision) if report.decision else None
    for each in report.decision.measured if report.decision else ():
        if each.name == best or len(report.models) == 1:
            return each.suites
    if len(report.models) != 1:
        raise UsageError(
            tr("no_worse_than names the run {run}, which has several models and selected none",
               run=named),
            hint=tr("name one of its checkpoints"),
        )  # fmt: skip
    return {each.suite: suite_figures(each, "") for each in report.models[0].suites}
