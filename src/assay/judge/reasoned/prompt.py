"""The prompts of the `reasoned` form, step by step of its ladder: task and answer first, so that
all that is asked about an answer has one beginning.

In: what is judged, who judges, and the step. Out: the work for the judge. No reference solution is
shown: small judges then describe the reference instead of the answer. Texts are joined, never
formatted, so that braces in them mean nothing. Not translated: a judgement must not change with the
user's language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from assay.judge.guards.fencing import LIMIT, Fenced, defused, fence, heading
from assay.judge.likelihood.layouts import LONGEST_TASK, task_of
from assay.judge.questionnaire import fact_question
from assay.judge.reasoned.schema import judgement_schema
from assay.judge.rubrics import questions_for
from assay.types import Case, Message, ModelFacts, Sampling, Thinking, ToAnswer
from assay.types.judgements import (
    BOUND_CLOSELY,
    Evidence,
    Rubric,
    RubricCriterion,
    RubricQuestion,
)

Step = Literal["whole", "again", "shorter"]
Item = TypeVar("Item")

MOST_QUESTIONS = 12  # of the checklist; a quote for each is what a small judge can hold
LATER_TEMPERATURE = 0.3  # of repeats after the first: equal repeats say nothing about stability
MOST_TOKENS: Mapping[Step, int] = {"whole": 4096, "again": 4096, "shorter": 1536}
_CHARACTERS_PER_TOKEN = 3  # code and numbered lines; English prose has 4.5
_LEAST_SHOWN = 800  # characters of an answer
_MOST_FACTS = 40
_LONGEST_FACT = 300
_LONGEST_COMPLAINT = 300

_ROLE = (
    "You examine one piece of work against fixed criteria. You are exact and sober: you give a "
    "score because of what stands in the work, never because of its length, its tone or its "
    "confidence. You judge what the task asks for and not what you would have liked. Facts that "
    "were established by running or computing are given to you; they are certain, and your scores "
    "agree with them."
)
_RULES = (
    "Quotes are copied from the answer letter by letter, without the line numbers, 8 to 160 "
    "characters each; leave a quote empty where there is none. Write each reason before its "
    "score. Scores are whole numbers from 0 to 10. You compute no overall score. Under "
    "assumptions say what you had to assume, under unusual what a reader would not expect in such "
    'an answer; both may be empty. An answer to a question is "yes", "no", "partial", or "na" '
    "where the question does not apply."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """All that a judge is asked about one answer. `questions` are those of the checklist, `facts`
    what it looks for in the answer.
    """

    case: Case
    criteria: tuple[RubricCriterion, ...]
    questions: tuple[RubricQuestion, ...]
    evidence: Evidence
    answer: str
    use_case: str = ""
    facts: tuple[str, ...] = ()


def fact_id(number: int) -> str:
    return f"f{number}"


def question_id(number: int) -> str:
    """How the prompt and the form call a question; from 1."""
    return f"q{number}"


def messages(
    asked: Asked, form: str, *, answer_limit: int, complaint: str = ""
) -> tuple[Message, ...]:
    """The conversation that asks for a judgement. `form`: the JSON Schema of the reply, as text;
    `answer_limit`: characters of the answer that are shown; `complaint`: why the reply before this
    one could not be used.
    """
    work = fence(asked.answer, limit=answer_limit)
    parts = [*_about_the_task(asked), "", heading("RULES"), work.rule, "", work.block]
    parts += [*_about_the_criteria(asked), *_about_the_facts(asked), *_after(work, form)]
    if complaint:
        parts += ["", heading("COMPLAINT"), _about_the_last_reply(complaint)]
    return (Message("system", _ROLE), Message("user", "\n".join(parts)))


def _about_the_task(asked: Asked) -> list[str]:
    task = task_of(asked.case)
    parts = [heading("TASK"), fence(task, name="TASK", limit=LONGEST_TASK, numbered=False).block]
    judged = asked.case.check.judged
    if judged:
        parts += _listed("REQUIREMENTS", judged.requirements)
        parts += _listed("EVALUATION POINTS", judged.evaluation_points)
    if asked.use_case.strip():
        parts += ["", heading("USE CASE"), "The answer is wanted for this: "
                  + " ".join(defused(asked.use_case).split())]  # fmt: skip
    return parts


def _about_the_criteria(asked: Asked) -> list[str]:
    parts = ["", heading("CRITERIA")]
    for criterion in asked.criteria:
        parts.append(f"{criterion.key} ({criterion.label}), 0 to 10:")
        for anchor in criterion.anchors:
            span = str(anchor.low) if anchor.low == anchor.high else f"{anchor.low}-{anchor.high}"
            parts.append(f"  {span}: {anchor.text}")
    if asked.questions:
        parts += ["", heading("QUESTIONS")]
        parts += [f"{question_id(n)}: {each.text}" for n, each in enumerate(asked.questions, 1)]
    if asked.facts:
        parts += ["", heading("QUESTIONS"), "Under facts answer these with yes or no:"]
        parts += [f"{fact_id(n)}: {fact_question(each)}" for n, each in enumerate(asked.facts, 1)]
    return parts


def _about_the_facts(asked: Asked) -> list[str]:
    evidence = asked.evidence
    if not evidence.checks and not evidence.notes:
        return [""]
    parts = ["", heading("FACTS")]
    if evidence.share is not None:
        least, most = evidence.bounds_of(BOUND_CLOSELY)
        parts.append(
            f"{evidence.passed} of {evidence.total} checks hold, so correctness is between {least} "
            f"and {most}."
        )
    # Those that do not hold first: they are what a judge overlooks.
    decided = [check for check in evidence.checks if check.passed is not None]
    for check in sorted(decided, key=lambda check: bool(check.passed))[:_MOST_FACTS]:
        state = "holds" if check.passed else "does not hold"
        parts.append(f"- {_fact(check.name)}: {state}. {_fact(check.explanation)}".rstrip())
    parts += [f"- {_fact(note)}" for note in evidence.notes[:_MOST_FACTS]]
    return [*parts, ""]


def _after(work: Fenced, form: str) -> list[str]:
    return [
        heading("RULES"),
        work.rule,
        _RULES,
        "",
        heading("FORM"),
        "Reply with one JSON object that meets this JSON Schema, its properties in this order, "
        "and with nothing before or after it:",
        form,
    ]


def _about_the_last_reply(complaint: str) -> str:
    words = " ".join(defused(complaint[:_LONGEST_COMPLAINT]).split())
    return f"Your last reply could not be used: {words}. Reply with the JSON object alone."


def _listed(name: str, items: Sequence[str]) -> list[str]:
    return ["", heading(name), *(f"- {item}" for item in items)] if items else []


def _fact(text: str) -> str:
    """What an examiner says may repeat the answer's own words: a name, a value it printed."""
    return " ".join(defused(text[:_LONGEST_FACT]).split())


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
    """What the judge is to write; the shorter form has no checklist. `with_schema`: whether the
    judge's server is bound to the form, which is in the prompt anyway.
    """
    asked = replace(asked, questions=()) if step == "shorter" else asked
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
    shown = messages(without, _form("whole", without), answer_limit=LIMIT)
    around = sum(len(message.content) for message in shown)
    tokens = context - _sampling("whole", judge, repeat).max_tokens
    # A third of it is left for line numbers.
    room = (tokens * _CHARACTERS_PER_TOKEN - around) * 2 // 3
    return max(_LEAST_SHOWN, min(LIMIT, room))


def rotated(asked: tuple[Item, ...], repeat: int) -> tuple[Item, ...]:
    """Criteria or questions in another order for each repeat."""
    first = repeat % max(1, len(asked))
    return asked[first:] + asked[:first]


def checklist_of(rubric: Rubric, case: Case) -> tuple[RubricQuestion, ...]:
    """The test's own checklist; where it has none, the first questions of each criterion."""
    judged = case.check.judged
    if judged and judged.checklist:
        return tuple(
            RubricQuestion(id=f"checklist.{number}", criterion="", text=text)
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
    questions = [question_id(number + 1) for number in range(len(asked.questions))]
    facts = [fact_id(number + 1) for number in range(len(asked.facts))]
    return judgement_schema(asked.criteria, questions, facts, short=step == "shorter")


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
