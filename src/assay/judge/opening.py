"""Which inquiry a judge is asked through.

In: a judge's facts and form, a test with its rubric, an answer with its evidence. Out: an
Questionnaire.
"""

from __future__ import annotations

from assay.judge.likelihood.layouts import LAYOUTS
from assay.judge.likelihood.questionnaire import LikelihoodQuestionnaire
from assay.judge.questionnaire import Questionnaire
from assay.judge.reasoned.questionnaire import ReasonedQuestionnaire
from assay.types import Case, ModelFacts
from assay.types.judgements import Evidence, Layout, Rubric


def layout_of_repeat(layout: Layout | None, repeat: int) -> Layout | None:
    """The same question asked twice is answered twice the same: by likelihood, another repeat has
    another layout. None: the form has none.
    """
    if layout is None:
        return None
    return LAYOUTS[(LAYOUTS.index(layout) + repeat) % len(LAYOUTS)]


def open_questionnaire(
    judge: ModelFacts,
    case: Case,
    rubric: Rubric,
    answer: str,
    evidence: Evidence,
    *,
    layout: Layout | None = None,
    repeat: int = 0,
    use_case: str = "",
    key: str | None = None,
    explain: bool = True,
) -> Questionnaire:
    """An inquiry by likelihood in this layout; without one, by reasons and scores.

    Args:
        judge: who is asked.
        case: the test.
        rubric: what is judged.
        answer: what a model wrote.
        evidence: what running and computing showed.
        layout: where the question stands.
        repeat: the number of the judge's repeat.
        use_case: what the user wants the answer for.
        key: what the requests are filed under; None: the test's id.
        explain: whether a judge that is asked by likelihood writes reasons afterwards.
    """
    if layout is None:
        return ReasonedQuestionnaire(
            case=case,
            rubric=rubric,
            answer=answer,
            evidence=evidence,
            judge=judge,
            repeat=repeat,
            use_case=use_case,
            key=key,
        )
    return LikelihoodQuestionnaire(
        case=case,
        rubric=rubric,
        answer=answer,
        judge=judge,
        repeat=repeat,
        layout=layout,
        evidence=evidence,
        use_case=use_case,
        key=key,
        explain=explain,
    )
