"""Puts a selection on the screen: chooses the renderer, computes nothing.

In: a Selected. Out: text on stdout, or one document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import click

from assay.interfaces.cli.output import reader_may_leave, stdout_takes_unicode
from assay.messages import tr
from assay.reports.decision import groups
from assay.reports.decision_blocks import group_blocks
from assay.reports.evaluation_report import acceptance_document
from assay.reports.formats.json import render_json
from assay.reports.formats.terminal import console_for, draw
from assay.reports.json_values import JsonObject
from assay.reports.selection import selection_document
from assay.types.documents import Block, Document, Hint, Note
from assay.workflow.checkpoints.selection import Selected


@reader_may_leave()
def show_selected(selected: Selected, form: str) -> None:
    """What was decided, as `assay run` shows it; then who was not evaluated."""
    if form == "json":
        click.echo(render_json(document(selected), ascii_only=not stdout_takes_unicode()))
    else:
        shown = Document(tr("Selection"), tuple(_blocks(selected)), out=selected.out)
        draw(shown, console_for())


def _blocks(selected: Selected) -> Iterator[Block]:
    for group in groups(selected.report):
        left = tuple(file for file in group.files if str(file.path.parent) in selected.left_in)
        yield from group_blocks(replace(group, files=left))
    yield from map(Note, selected.notes)
    for each in selected.not_evaluated:
        gaps = {"name": each.name, "command": each.command}
        yield Hint(tr("{name} was not evaluated: {command}", **gaps))


def document(selected: Selected) -> JsonObject:
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
