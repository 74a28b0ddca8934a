"""The words that go with scores read by likelihood: asked for afterwards, and changing none.

In: the task, the answer, and how the questions were answered. Out: messages and a JSON Schema; from
the judge's text, the words in it. Never raises, whatever the text is: what cannot be read is left
empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.judge.guards.fencing import Fenced, defused, heading
from assay.judge.guards.quotes import Searched, check_quote
from assay.judge.likelihood.layouts import before_all
from assay.judge.reasoned.reading import read_text, read_texts
from assay.judge.reasoned.schema import list_of, object_of, text_of, written
from assay.text.json_in_prose import JsonObject, objects_in
from assay.types import Message
from assay.types.judgements import ChecklistAnswer, Evidence, RubricCriterion

MOST_TOKENS = 700
_MOST_POINTS = 4
_MOST_FACTS = 20
_LONGEST = 600  # characters of the assessment, and of a fact

_ROLE = (
    "This time no Yes or No is wanted: explain what was found in the work. Be exact and sober, "
    "speak of what stands in the work, and give no marks."
)
_FORM = (
    "Reply with one JSON object and nothing else: reasons (an object with one sentence for each of "
    "{criteria}), quotes (a list of up to four short passages that matter most, copied from the "
    "work letter by letter, without line numbers), strengths (a list of up to four), weaknesses (a "
    "list of up to four), assessment (two or three sentences), verdict (one sentence). Lists may "
    "be empty."
)


def explanation_schema(criteria: Sequence[RubricCriterion]) -> str:
    """The form, as text whose order is the order of writing."""
    point = text_of(200)
    return written(
        object_of(
            {
                "reasons": object_of({each.key: point for each in criteria}),
                "quotes": list_of(point, _MOST_POINTS),
                "strengths": list_of(point, _MOST_POINTS),
                "weaknesses": list_of(point, _MOST_POINTS),
                "assessment": text_of(_LONGEST),
                "verdict": text_of(240),
            }
        )
    )


def to_explain(
    *,
    task: str,
    answer: Fenced,
    criteria: Sequence[RubricCriterion],
    checklist: Sequence[ChecklistAnswer],
    evidence: Evidence,
    use_case: str = "",
) -> tuple[Message, ...]:
    """The conversation that asks for reasons, behind the beginning that the questions have; `task`
    as layouts.shown_task has it.
    """
    system, beginning = before_all(task, answer, use_case)
    answered = [
        f"- {one.question} {'Yes' if one.is_yes else 'No'} ({one.probability:.2f})."
        for one in checklist
        if one.probability is not None
    ]
    parts = [beginning, _ROLE, "", heading("QUESTIONS"), *answered, ""]
    failed = [check for check in evidence.checks if check.passed is False][:_MOST_FACTS]
    facts = [f"{check.name}: does not hold. {check.explanation}" for check in failed]
    facts += evidence.notes[:_MOST_FACTS]
    if facts:
        plain = (" ".join(defused(fact[:_LONGEST]).split()) for fact in facts)
        parts += [heading("FACTS"), *(f"- {fact}" for fact in plain), ""]
    form = _FORM.replace("{criteria}", ", ".join(each.key for each in criteria))
    parts += [heading("RULES"), answer.rule, "", heading("FORM"), form]
    return (system, Message("user", "\n".join(parts)))


def read_words(
    text: str, *, criteria: Sequence[RubricCriterion], answer: str, task: str, shown: str
) -> tuple[dict[str, str], dict[str, Any]]:
    """The reasons by criterion, and what else the reply says, by the names that a Judgement has for
    it; of several objects the last one that has any of the parts counts.
    """
    texts, lists = ("assessment", "verdict"), ("strengths", "weaknesses")
    parts = {"reasons", "quotes", *texts, *lists}
    found = [one for one in objects_in(text) if parts & one.keys()]
    last = found[-1] if found else JsonObject()
    reasons = last.get("reasons")
    quotes = read_texts(last.get("quotes"))[:_MOST_POINTS]
    in_answer, in_task, as_shown = Searched(answer), Searched(task), Searched(shown)
    return {
        each.key: reason
        for each in criteria
        if isinstance(reasons, JsonObject) and (reason := read_text(reasons.get(each.key)))
    }, {
        "quotes": tuple(check_quote(quote, in_answer, in_task, as_shown) for quote in quotes),
        **{name: read_texts(last.get(name))[:_MOST_POINTS] for name in lists},
        **{name: read_text(last.get(name)) for name in texts},
    }
