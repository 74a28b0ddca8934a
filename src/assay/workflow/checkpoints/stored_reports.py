"""The checkpoints that a user names, and their stored reports.

DIR           a checkpoint, a model folder, a folder of model folders, an out folder
its report    DIR/…/evaluation_report.json, or OUT/checkpoints/PARENT/STEP/…, if it says that it
is of this very folder; of both, the one with more figures, then the newer
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.errors import InvalidFiles, UsageError
from assay.files.file_text import Refused, shown_path
from assay.files.json_file import read_json
from assay.messages import tr, trn
from assay.reports.checkpoints.file_names import CHECKPOINTS, REPORT_FILE
from assay.reports.checkpoints.stored_report import measured_from
from assay.store import FILE_NAME
from assay.types import FileFinding
from assay.types.decisions import Measurements
from assay.workflow.checkpoints.places import CONFIG, CheckpointPlace, places_of


def places_in(folders: Sequence[str]) -> list[CheckpointPlace]:
    """Every checkpoint that these mean, once, folder by folder; those that were named singly may
    come in any order.
    """
    found: dict[str, CheckpointPlace] = {}
    for _, place in places_of(list(map(_inside, folders)), holding=(CONFIG, REPORT_FILE)):
        assert place is not None  # `_inside` names folders only
        files = (place.path / CONFIG, place.path / REPORT_FILE)
        if place.folder is None and not any(file.is_file() for file in files):
            raise _nothing_there(
                tr("there is no checkpoint in '{path}'", path=shown_path(place.path))
            )
        found.setdefault(os.path.abspath(place.path), place)
    order = list(dict.fromkeys(map(folder_of, found.values())))
    return sorted(
        found.values(),
        key=lambda place: (
            order.index(folder_of(place)),
            float("inf") if place.step is None else place.step,
        ),
    )


def folder_of(place: CheckpointPlace) -> Path:
    """The model folder it lies in; for one that was named itself, its parent."""
    return place.folder if place.folder is not None else Path(os.path.abspath(place.path)).parent


def _inside(folder: str) -> str:
    """An out folder stands for the checkpoints in it."""
    path = Path(folder.removeprefix("hf:"))
    if not path.is_dir():
        raise _nothing_there(tr("there is no folder '{path}'", path=shown_path(path)))
    beneath = path / CHECKPOINTS
    is_out = (path / FILE_NAME).is_file() and beneath.is_dir()
    return f"hf:{beneath if is_out else path}"


def _nothing_there(problem: str) -> UsageError:
    hint = tr("name a checkpoint, a folder of checkpoints, or the --out folder of a run")
    return UsageError(problem, hint=hint)


def read_reports(
    places: Sequence[CheckpointPlace], out: Path
) -> tuple[dict[str, Measurements], list[str]]:
    """What was measured of each that has a report, by its name, and what a user should know. Raises
    InvalidFiles with every mistake in all of them.
    """
    measured: dict[str, Measurements] = {}
    notes: list[str] = []
    findings: list[FileFinding] = []
    broken: list[str] = []
    for place in places:
        try:
            found = _newest(place, out, notes)
        except InvalidFiles as error:
            findings += error.findings
            broken.append(str(place.path))
            continue
        if found is not None:
            # A report that was kept elsewhere says where the weights lie.
            path = str(place.path) if (place.path / CONFIG).is_file() else found.path
            measured[place.name] = replace(found, name=place.name, path=path, step=place.step)
    if findings:
        again = shlex.join(["assay", "run", *broken])
        raise InvalidFiles(
            trn("{count} report cannot be used", "{count} reports cannot be used", len(findings)),
            findings,
            hint=tr("evaluate these again with: {command}", command=again),
        )
    return measured, notes


def _newest(place: CheckpointPlace, out: Path, notes: list[str]) -> Measurements | None:
    """The report beside the weights or the one under `out`: whichever was made later, unless that
    one lacks what the other has, as that of a run of a part does.
    """
    beside = place.path / REPORT_FILE
    found = [read_report(beside)] if beside.is_file() else []
    kept = out / CHECKPOINTS / place.name / REPORT_FILE
    if kept.is_file() and os.path.abspath(kept) != os.path.abspath(beside):
        other = read_report(kept)
        if os.path.abspath(other.path) == os.path.abspath(place.path):
            found.append(other)
        elif not found:
            notes.append(
                tr(
                    "{name}: the report {file} is of another folder, {path}, and not used",
                    name=place.name,
                    file=shown_path(kept),
                    path=shown_path(Path(other.path)),
                )
            )
    if not found:
        return None
    return max(found, key=lambda report: (_count_measures(report), report.timestamp))


def _count_measures(report: Measurements) -> int:
    """How many kinds of figures it has: a run of suites alone has fewer than a whole evaluation."""
    kinds = (report.text, report.speed, report.memory_mb, report.samples, report.suites or None)
    return sum(each is not None for each in kinds)


def read_report(file: Path) -> Measurements:
    try:
        document = read_json(file).value
    except Refused as refused:
        raise InvalidFiles(refused.finding.message, [refused.finding]) from refused
    return measured_from(document, source=shown_path(file))
