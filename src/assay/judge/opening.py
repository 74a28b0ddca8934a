"""The questionnaire for an assignment, by its form.

In: an Assignment. Out: a Questionnaire; and the layout of each repeat.
"""

from __future__ import annotations

from assay.judge.likelihood.layouts import LAYOUTS
from assay.judge.likelihood.questionnaire import LikelihoodQuestionnaire
from assay.judge.questionnaire import Assignment, Questionnaire
from assay.judge.reasoned.questionnaire import ReasonedQuestionnaire
from assay.types.choices import Layout


def open_questionnaire(assignment: Assignment) -> Questionnaire:
    if assignment.layout is None:
        return ReasonedQuestionnaire(assignment)
    return LikelihoodQuestionnaire(assignment)


def layout_of_repeat(layout: Layout | None, repeat: int) -> Layout | None:
    """The same question asked twice is answered twice the same: by likelihood, another repeat has
    another layout. The reasoned form has none.
    """
    if layout is None:
        return None
    return LAYOUTS[(LAYOUTS.index(layout) + repeat) % len(LAYOUTS)]
