"""What a decision leaves on the disk. A run in which no gate decides does not replace the report
beside the same weights: `assay select` needs all its figures.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from assay.errors import InvalidFiles, UsageError
from assay.files.file_text import Refused, shown_path
from assay.files.json_file import read_json
from assay.files.writing import after_asking, explain_write_errors, replace_file
from assay.messages import tr
from assay.models.local.hub import read_hub_spec
from assay.reports.checkpoints.curves import curves_csv, write_tensorboard
from assay.reports.checkpoints.figures import evaluated_folder
from assay.reports.checkpoints.file_names import (
    CHECKPOINTS,
    CURVES,
    OVER_STEPS,
    REPORT_FILE,
    SELECTION_FILE,
)
from assay.reports.checkpoints.json_documents import evaluation_report, selection_document
from assay.reports.pictures.steps import over_steps
from assay.types.decisions import Decision, DecisionPlan, Measurements
from assay.types.results import Report

PACKAGE = Path(__file__).resolve().parents[2]


def write_decisions(
    report: Report,
    out: Path,
    deciding: DecisionPlan | None,
    *,
    tensorboard: Sequence[Path] = (),
) -> Iterator[str]:
    """Write everything; yields what a user should know."""
    decision = report.decision
    if decision is None or deciding is None or not deciding.leaves:
        return
    home = out.resolve() / CHECKPOINTS
    refused: dict[Path, str] = {}
    kept: list[Path] = []
    with after_asking():
        for measured in decision.measured:
            if measured.failed:
                continue
            document = evaluation_report(decision, measured)
            _write(home / measured.name / REPORT_FILE, document)
            beside = Path(measured.path) / REPORT_FILE
            if not deciding.write_back or not measured.path or read_hub_spec(measured.path):
                continue
            if not decision.gate_decides and _is_report_of(measured.fingerprint, beside):
                kept.append(beside)
            else:
                _put_beside(beside, document, refused)
        _put_selections(decision, home, deciding, refused)
    yield from _told(refused, home)
    if kept:
        yield tr(
            "no gate decided, so the earlier report stays beside the weights ({files}); this run's "
            "figures are in {home}",
            files=", ".join(map(shown_path, kept)),
            home=shown_path(home),
        )
    for folder in tensorboard:
        yield from _leave_curves(decision, folder)


def _is_report_of(fingerprint: str, file: Path) -> bool:
    try:
        return read_report(file).fingerprint == fingerprint
    except InvalidFiles:  # a broken or missing report is replaced
        return False


def read_report(file: Path) -> Measurements:
    from assay.reports.checkpoints.report_shapes import measured_from  # slow to make

    try:
        document = read_json(file).value
    except Refused as refused:
        raise InvalidFiles(refused.finding.message, [refused.finding]) from refused
    return measured_from(document, source=shown_path(file))


def write_selections(decision: Decision, out: Path, deciding: DecisionPlan) -> Iterator[str]:
    home = out.resolve() / CHECKPOINTS
    refused: dict[Path, str] = {}
    _put_selections(decision, home, deciding, refused)
    yield from _told(refused, home)


def _put_selections(
    decision: Decision, home: Path, deciding: DecisionPlan, refused: dict[Path, str]
) -> None:
    on_disk = {measured.name for measured in decision.measured if measured.path}
    for folder, selection in decision.selections.items():
        of_folder = home / _parent(decision.folders[folder])
        _write(of_folder / SELECTION_FILE, selection_document(selection))
        if deciding.write_back and on_disk.intersection(decision.folders[folder]):
            _put_beside(Path(folder) / SELECTION_FILE, selection_document(selection), refused)
        shown = evaluated_folder(decision, decision.folders[folder], selection)
        _write(of_folder / OVER_STEPS, over_steps(shown))
        _write(of_folder / CURVES, curves_csv(shown))
    if decision.overall is not None:
        document = selection_document(decision.overall)
        _write(home / SELECTION_FILE, document)
        if deciding.write_back and deciding.top:
            _put_beside(Path(deciding.top) / SELECTION_FILE, document, refused)


def _told(refused: Mapping[Path, str], home: Path) -> Iterator[str]:
    for folder_path, why in refused.items():
        yield tr(
            "nothing is written beside the weights in {folder}: {why}; the reports are in {home}",
            folder=folder_path,
            why=why,
            home=home,
        )


def write_checkpoint_report(
    document: Mapping[str, object], measured: Measurements, out: Path
) -> None:
    with after_asking():
        _write(out / CHECKPOINTS / measured.name / REPORT_FILE, document)


def _leave_curves(decision: Decision, into: Path) -> Iterator[str]:
    """Of every folder, and of those named singly. A disk that is full must not cost the figures."""
    inside = {name for names in decision.folders.values() for name in names}
    named: dict[str, list[str]] = {}
    for each in decision.measured:
        if each.name not in inside:
            named.setdefault(_parent([each.name]), []).append(each.name)
    for names in (*decision.folders.values(), *named.values()):
        try:
            write_tensorboard(into, evaluated_folder(decision, names, None))
        except UsageError as error:
            yield error.message


def _parent(names: Sequence[str]) -> str:
    return names[0].rpartition("/")[0]


def _write(path: Path, content: str | Mapping[str, object]) -> None:
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content if isinstance(content, str) else _as_text(content))


def _as_text(document: Mapping[str, object]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _put_beside(file: Path, document: Mapping[str, object], refused: dict[Path, str]) -> None:
    """Where nobody may write, that spoils nothing. The folder keeps its time of change: a Trainer
    with save_total_limit deletes the one that changed first. What ships stays as it is.
    """
    folder = file.parent
    if folder.resolve().is_relative_to(PACKAGE):
        return
    try:
        before = folder.stat()
        replace_file(file, _as_text(document))
        with suppress(OSError):  # in a folder of somebody else's one may write and not do this
            os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))
    except OSError as error:
        refused[folder] = error.strerror or str(error)
