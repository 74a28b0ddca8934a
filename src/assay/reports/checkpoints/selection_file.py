"""best_checkpoint_selection.json: which checkpoint to ship, and how the others fared.

In: a Selection. Out: a document of plain values, its keys the contract's exactly.

The contract has no key for notes, and a warning must not get lost: they follow the reason.
"""

from __future__ import annotations

from assay.reports.checkpoints.facts import sentences
from assay.reports.json_values import estimate
from assay.types.decisions import Ranked, Selection

Document = dict[str, object]


def selection_document(selection: Selection) -> Document:
    """The whole document."""
    return {
        "selected": selection.selected,
        "best_so_far": selection.best_so_far,
        "reason": sentences((*selection.reasons, *selection.notes)),
        "tie": selection.tie,
        "tied_with": list(selection.tied_with),
        "ranking": [_ranked(row) for row in selection.ranking],
        "ranked_on": list(selection.ranked_on),
        "difference": None if selection.difference is None else estimate(selection.difference),
        "gate": selection.gate,
        "timestamp": selection.timestamp,
    }


def _ranked(row: Ranked) -> Document:
    return {
        "checkpoint": row.name,
        "accepted": row.accepted,
        "weighted_score": row.weighted_score,
        "ranking_score": row.ranking_score,
        "missing_parts": list(row.missing_parts),
        "failed": row.failed or None,
    }
