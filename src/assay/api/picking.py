"""Picking the better of two answers: what `assay ask --pick` asks of the rest."""

from assay.types.judging.picks import PICKS, AnswerPair, Pick
from assay.workflow.commands.picking import pairs_to_pick, preferences, store_pick

__all__ = ["PICKS", "AnswerPair", "Pick", "pairs_to_pick", "preferences", "store_pick"]
