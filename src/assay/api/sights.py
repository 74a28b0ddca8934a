"""What `watch` sees, in words and as documents.

In: a Sight, or a Watching that has ended. Out: Seen: a result for stdout, a note for stderr.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.messages import tr
from assay.reports.checkpoints.headlines import checkpoint_line
from assay.reports.checkpoints.json_documents import checkpoint_document
from assay.workflow.checkpoints.watch import (
    Evaluated,
    Gone,
    NotEvaluated,
    Sight,
    Unready,
    Waiting,
    Watching,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """`line` and `document` are the same result; empty where there is only a note."""

    line: str = ""
    document: dict[str, object] | None = None
    note: str = ""


def describe_sight(sight: Sight) -> Seen:
    """A checkpoint that was evaluated or could not be; anything else is a note."""
    if isinstance(sight, Evaluated):
        found = (sight.decision, sight.name, sight.selection)
        note = tr("{name}: some requests failed; they are asked again at the next start",
                  name=sight.name)  # fmt: skip
        return Seen(
            line=checkpoint_line(*found),
            document={
                **checkpoint_document(*found), "report": str(sight.report), "failed": None
            },
            note=note if sight.requests_failed else "",
        )  # fmt: skip
    if isinstance(sight, NotEvaluated):
        return Seen(
            line=tr("{name}: failed: {why}", name=sight.name, why=sight.why),
            document={"checkpoint": sight.name, "accepted": None, "failed": sight.why},
        )
    return Seen(note=_note(sight))


def _note(sight: Waiting | Unready | Gone) -> str:
    if isinstance(sight, Waiting):
        if sight.exists:
            return tr("no checkpoint in {folder} yet; waiting", folder=sight.folder)
        return tr("there is no folder {folder} yet; waiting", folder=sight.folder)
    if isinstance(sight, Unready):
        return tr("{name}: left alone for now: {why}", name=sight.name, why=sight.why)
    if not sight.evaluated:
        return tr("{name} was removed before it was evaluated; skipped", name=sight.name)
    if sight.was_best:
        return tr(
            "{name}, the best so far, was removed: save_total_limit of the Trainer may do so; keep "
            "more checkpoints, or copy the best",
            name=sight.name,
        )
    return tr("{name} was removed, and is no candidate any more", name=sight.name)


def describe_end(watching: Watching, out: Path) -> Seen:
    """What is selected when watching has ended."""
    selection = watching.selection
    document: dict[str, object] = {
        "selected": selection.selected if selection else None,
        "best_so_far": selection.best_so_far if selection else None,
        "reason": watching.reason or None,
        "out": str(out.resolve()),
        "exit_code": int(watching.exit_code),
    }
    if selection is None:
        return Seen(document=document, note=tr("nothing was evaluated"))
    return Seen(line=watching.reason, document=document)
