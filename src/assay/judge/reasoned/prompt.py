"""What a judge is told before it writes reasons and scores.

In: the test, the rubric, the hard evidence, the answer. Out: messages. No reference solution is
shown: small judges then describe the reference instead of the answer. Texts are joined, never
formatted, so that braces in them mean nothing. Not translated: a judgement must not change with the
user's language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.judge.guards.fencing import Fenced, defused, fence, heading
from assay.types import Case, Message
from assay.types.judgements import Criterion, Evidence, Question

LONGEST_TASK = 24_000  # characters
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
    """All that a judge is asked about one answer. `questions` are those of the checklist."""

    case: Case
    criteria: tuple[Criterion, ...]
    questions: tuple[Question, ...]
    evidence: Evidence
    answer: str
    use_case: str = ""


def question_id(number: int) -> str:
    """How the prompt and the form call a question; from 1."""
    return f"q{number}"


def messages(
    asked: Asked, form: str, *, answer_limit: int, complaint: str = ""
) -> tuple[Message, ...]:
    """The conversation that asks for a judgement.

    Args:
        asked: what is judged.
        form: the JSON Schema of the reply, as text.
        answer_limit: characters of the answer that are shown.
        complaint: why the reply before this one could not be used.
    """
    work = fence(asked.answer, limit=answer_limit)
    parts = [*_about_the_task(asked), *_about_the_criteria(asked), *_about_the_facts(asked)]
    parts += [heading("RULES"), work.rule, "", work.block, "", *_after(work, form)]
    if complaint:
        parts += ["", heading("COMPLAINT"), _about_the_last_reply(complaint)]
    return (Message("system", _ROLE), Message("user", "\n".join(parts)))


def _about_the_task(asked: Asked) -> list[str]:
    task = "\n\n".join(
        message.content for message in asked.case.messages if message.role != "system"
    )
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
    return parts


def _about_the_facts(asked: Asked) -> list[str]:
    evidence = asked.evidence
    if not evidence.checks and not evidence.notes:
        return [""]
    parts = ["", heading("FACTS")]
    if evidence.checks:
        parts.append(
            f"{evidence.passed} of {evidence.total} checks hold, so correctness is at most "
            f"{evidence.cap}."
        )
    # Those that do not hold first: they are what a judge overlooks.
    for check in sorted(evidence.checks, key=lambda check: check.passed)[:_MOST_FACTS]:
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
