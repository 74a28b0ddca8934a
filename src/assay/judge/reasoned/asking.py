"""The requests of the `reasoned` form, step by step of its ladder.

In: what is judged, who judges, and the step. Out: the work to be done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from assay.judge.guards.fencing import LIMIT
from assay.judge.reasoned.prompt import Asked, messages, question_id
from assay.judge.reasoned.schema import FULL, SHORT, one_criterion_schema, whole_schema
from assay.judge.rubrics import questions_for
from assay.types import Case, ModelFacts, Sampling, Thinking, ToAnswer
from assay.types.judgements import Criterion, Question, Rubric

Step = Literal["whole", "again", "shorter", "split"]

MOST_QUESTIONS = 12  # of the checklist; a quote for each is what a small judge can hold
LATER_TEMPERATURE = 0.3  # of repeats after the first: equal repeats say nothing about stability
MOST_TOKENS: Mapping[Step, int] = {"whole": 4096, "again": 4096, "shorter": 1536, "split": 768}
_CHARACTERS_PER_TOKEN = 3  # code and numbered lines; English prose has 4.5
_LEAST_SHOWN = 800  # characters of an answer


def work_for(
    step: Step,
    asked: Asked,
    judge: ModelFacts,
    repeat: int,
    *,
    answer_limit: int,
    with_schema: bool,
    complaint: str = "",
) -> ToAnswer:
    """What the judge is to write. The checklist belongs to the first two steps only.

    Args:
        step: of the ladder.
        asked: what is judged; of a split, one criterion.
        judge: who is asked.
        repeat: from 0.
        answer_limit: characters of the answer that are shown.
        with_schema: whether the judge's server is bound to the form; it is in the prompt anyway.
        complaint: why the reply before this one could not be used.
    """
    in_full = step in ("whole", "again")
    asked = asked if in_full else replace(asked, questions=())
    form = _form(step, asked)
    return ToAnswer(
        messages=messages(asked, form, answer_limit=answer_limit, complaint=complaint),
        sampling=_sampling(step, judge, repeat),
        schema=form if with_schema else None,
    )


def room_for(asked: Asked, judge: ModelFacts, repeat: int) -> int:
    """Characters of the answer that fit beside the rest of the prompt and the reply."""
    context = judge.context_length
    if not context:
        return LIMIT
    without = replace(asked, answer="")
    told = messages(without, _form("whole", without), answer_limit=LIMIT)
    around = sum(len(message.content) for message in told)
    tokens = context - _sampling("whole", judge, repeat).max_tokens
    # A third of it is left for line numbers.
    room = (tokens * _CHARACTERS_PER_TOKEN - around) * 2 // 3
    return max(_LEAST_SHOWN, min(LIMIT, room))


def rotated(criteria: tuple[Criterion, ...], repeat: int) -> tuple[Criterion, ...]:
    """Another order for each repeat."""
    first = repeat % len(criteria)
    return criteria[first:] + criteria[:first]


def checklist_of(rubric: Rubric, case: Case) -> tuple[Question, ...]:
    """The test's own checklist; where it has none, the first questions of each criterion."""
    judged = case.check.judged
    if judged and judged.checklist:
        return tuple(
            Question(id=f"checklist.{number}", criterion="", text=text)
            for number, text in enumerate(judged.checklist[:MOST_QUESTIONS], 1)
        )
    asked = questions_for(rubric, case)
    each = max(1, MOST_QUESTIONS // len(rubric.criteria))
    return tuple(
        question
        for criterion in rubric.criteria
        for question in [q for q in asked if q.criterion == criterion.key][:each]
    )


def _form(step: Step, asked: Asked) -> str:
    if step == "split":
        return one_criterion_schema(asked.criteria[0])
    ids = [question_id(number + 1) for number in range(len(asked.questions))]
    return whole_schema(asked.criteria, ids, FULL if step in ("whole", "again") else SHORT)


def _sampling(step: Step, judge: ModelFacts, repeat: int) -> Sampling:
    think: Thinking | None = next((t for t in judge.thinks if t == "off"), None)
    think = think or next((t for t in judge.thinks if t == "low"), None)
    # Thinking that cannot be turned off takes its room from the answer.
    most = MOST_TOKENS[step] * (2 if judge.thinks and think != "off" else 1)
    context = judge.context_length
    return Sampling(
        temperature=LATER_TEMPERATURE if repeat else 0.0,
        seed=repeat,
        max_tokens=min(most, context // 3) if context else most,
        think=think,
    )
