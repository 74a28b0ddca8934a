"""Puts a selection on the screen: chooses the renderer, computes nothing.

In: a Selected. Out: text on stdout, or one document.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from assay.interfaces.cli.output import reader_may_leave, stdout_takes_unicode
from assay.messages import tr
from assay.reports import as_json
from assay.reports.decision import groups
from assay.reports.decision_terminal import one_group
from assay.reports.evaluation_report import acceptance_document
from assay.reports.selection import selection_document
from assay.reports.terminal_blocks import console_for, notes_and_hints
from assay.workflow.checkpoints.selection import Selected


@reader_may_leave()
def show_selected(selected: Selected, form: str) -> None:
    """What was decided, as `assay run` shows it; then who was not evaluated."""
    if form == "json":
        text = as_json.as_text(document(selected), ascii_only=not stdout_takes_unicode())
        click.echo(text)
        return
    console, out = console_for(), Path(selected.out)
    for group in groups(selected.report):
        left = tuple(file for file in group.files if str(file.path.parent) in selected.left_in)
        one_group(console, replace(group, files=left), out)
    missing = (
        tr("{name} was not evaluated: {command}", name=each.name, command=each.command)
        for each in selected.not_evaluated
    )
    notes_and_hints(console, selected.notes, missing)


def document(selected: Selected) -> as_json.Document:
    """The selection that counts, key by key as its file has it; then those of the folders, every
    checkpoint at the gate, and who was not evaluated.
    """
    decision = selected.decision
    return {
        **selection_document(selected.selection),
        "folders": {
            folder: selection_document(selection)
            for folder, selection in decision.selections.items()
        },
        "checkpoints": [
            {
                "checkpoint": each.name,
                "path": each.path,
                **acceptance_document(decision.acceptances[each.name]),
            }
            for each in decision.measured
        ],
        "not_evaluated": [
            {"checkpoint": each.name, "path": each.path, "command": each.command}
            for each in selected.not_evaluated
        ],
        "notes": list(selected.notes),
        "out": selected.out,
        "exit_code": int(selected.exit_code),
    }
