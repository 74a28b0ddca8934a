"""The curves of a model folder for other programs. As TensorBoard scalars: `assay/FIGURE`, with
`assay-low/` and so on, in `FOLDER/assay-MODEL`, not beside a trainer's. As CSV, a row a checkpoint:
NAME, NAME_low, NAME_high, NAME_n; what a spreadsheet would take for a formula gets a "'" in front.
"""

import csv
import hashlib
import importlib
import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.messages import tr
from assay.reports.checkpoints.figures import EvaluatedFolder, figure_cells, figures, parent_of
from assay.text.safe_text import one_line, spreadsheet_cell

GROUPS = ("assay", "assay-low", "assay-high", "assay-n")  # of a figure
WRITERS = ("torch.utils.tensorboard", "tensorboardX")  # the same class in both


OpenWriter = Callable[..., Any]  # SummaryWriter: called with log_dir and purge_step


def tensorboard_writer() -> OpenWriter:
    """The class that writes; UsageError where there is none, so that a run can ask beforehand."""
    for module in WRITERS:
        try:
            writer: OpenWriter = importlib.import_module(module).SummaryWriter
        except ImportError:
            continue
        return writer
    raise UsageError(
        tr("TensorBoard is not installed, so its files cannot be written"),
        hint=tr("install it with: pip install tensorboard"),
    )


def write_tensorboard(
    folder: Path, of: EvaluatedFolder, *, open_writer: OpenWriter | None = None
) -> Mapping[str, int]:
    """Every figure that was measured; returns the step of each checkpoint."""
    open_writer = open_writer or tensorboard_writer()
    steps = steps_of(of)
    try:
        # What an earlier file of the folder says of these steps is dropped by the reader.
        writer = open_writer(
            log_dir=str(run_folder(folder, of)), purge_step=min(steps.values(), default=0)
        )
        for checkpoint in of.checkpoints:
            for name, figure in figures(of, checkpoint).items():
                for group, number in zip(GROUPS, figure_cells(figure), strict=True):
                    if number is not None:
                        tag = f"{group}/{one_line(name)}"
                        writer.add_scalar(tag, number, steps[checkpoint.name])
        writer.close()
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(tr("cannot write {path}: {why}", path=folder, why=why)) from error
    return steps


def run_folder(folder: Path, of: EvaluatedFolder) -> Path:
    """Where the events of this model are: a run of its own to TensorBoard."""
    parent = parent_of(of.checkpoints) or ""
    slug = re.sub(r"[^\w.-]+", "-", parent)[:60]
    if slug != parent:
        slug += "-" + hashlib.sha256(parent.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return folder / f"assay-{slug}" if slug else folder / "assay"


def steps_of(of: EvaluatedFolder) -> dict[str, int]:
    """By name: whole numbers, and one behind the last for what has no step."""
    known = [round(each.step) for each in of.checkpoints if each.step is not None]
    behind = max(known, default=-1) + 1
    return {each.name: behind if each.step is None else round(each.step) for each in of.checkpoints}


BEFORE, AFTER = ("checkpoint", "step"), ("accepted", "selected", "failed")


def curves_csv(of: EvaluatedFolder) -> str:
    rows = [figures(of, checkpoint) for checkpoint in of.checkpoints]
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text)  # \r\n at line ends, so that a lone \r in a name is quoted
    measured = [f"{name}{part}" for name in names for part in ("", "_low", "_high", "_n")]
    writer.writerow([_cell(head) for head in (*BEFORE, *measured, *AFTER)])
    for checkpoint, row in zip(of.checkpoints, rows, strict=True):
        found = [cell for name in names for cell in figure_cells(row.get(name))]
        acceptance = of.acceptances.get(checkpoint.name)
        accepted = None if acceptance is None else acceptance.accepted
        selected = checkpoint.name == of.selected
        line = [checkpoint.name, checkpoint.step, *found, accepted, selected, checkpoint.failed]
        writer.writerow([_cell(cell) for cell in line])
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if not isinstance(value, str):
        return value
    # A folder's name need not be UTF-8; what cannot be written is shown as an escape.
    return spreadsheet_cell(value.encode("utf-8", "backslashreplace").decode("utf-8"))
