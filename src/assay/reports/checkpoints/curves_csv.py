"""The figures of a model folder as CSV, one row a checkpoint: NAME, NAME_low, NAME_high, NAME_n.
What a spreadsheet would take for a formula gets a "'" in front.
"""

import csv
import io

from assay.reports.checkpoints.figures import EvaluatedFolder, figure_cells, figures
from assay.text.safe_text import spreadsheet_cell

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
