"""The words that go with scores read by likelihood: asked for afterwards, and changing none.

In: the task, the answer, and how the questions were answered. Out: messages and a JSON Schema; from
the judge's text, the Words in it. Never raises, whatever the text is: what cannot be read is left
empty.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.judge.guards.fencing import Fenced, defused, heading
from assay.judge.guards.quotes import Searched, check_quote
from assay.judge.likelihood.layouts import before_all
from assay.text.json_in_prose import JsonObject, objects_in
from assay.types import Message
from assay.types.judgements import ChecklistAnswer, Evidence, Quote, RubricCriterion

MOST_TOKENS = 700
_MOST_POINTS = 4
_MOST_QUOTES = 4
_MOST_FACTS = 20
_LONGEST = 600  # characters of one text

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a judge wrote; each part is empty where it wrote none."""

    reasons: Mapping[str, str] = field(default_factory=dict)
    quotes: tuple[Quote, ...] = ()
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    assessment: str = ""
    verdict: str = ""


def explanation_schema(criteria: Sequence[RubricCriterion]) -> str:
    """The form, as text whose order is the order of writing."""
    text = {"type": "string", "maxLength": _LONGEST}
    point = {"type": "string", "maxLength": 200}
    properties = {
        "reasons": _all_of({each.key: point for each in criteria}),
        "quotes": {"type": "array", "items": point, "maxItems": _MOST_QUOTES},
        "strengths": {"type": "array", "items": point, "maxItems": _MOST_POINTS},
        "weaknesses": {"type": "array", "items": point, "maxItems": _MOST_POINTS},
        "assessment": text,
        "verdict": {"type": "string", "maxLength": 240},
    }
    return json.dumps(_all_of(properties), separators=(",", ":"))


def _all_of(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


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
    answered = [one for one in checklist if one.probability is not None]
    parts = [beginning, _ROLE, "", heading("QUESTIONS"), *map(_question_line, answered), ""]
    failed = [check for check in evidence.checks if check.passed is False][:_MOST_FACTS]
    facts = [f"{check.name}: does not hold. {check.explanation}" for check in failed]
    facts += evidence.notes[:_MOST_FACTS]
    if facts:
        parts += [heading("FACTS"), *(f"- {_one_line(fact)}" for fact in facts), ""]
    form = _FORM.replace("{criteria}", ", ".join(each.key for each in criteria))
    parts += [heading("RULES"), answer.rule, "", heading("FORM"), form]
    return (system, Message("user", "\n".join(parts)))


def read_words(
    text: str, *, criteria: Sequence[RubricCriterion], answer: str, task: str, shown: str
) -> Words:
    """What the reply says; of several objects the last one that has any of the parts counts."""
    parts = ("reasons", "quotes", "strengths", "weaknesses", "assessment", "verdict")
    found = [one for one in objects_in(text) if any(part in one for part in parts)]
    last = found[-1] if found else JsonObject()
    reasons = last.get("reasons")
    quotes = _texts(last.get("quotes"))[:_MOST_QUOTES]
    in_answer, in_task, as_shown = Searched(answer), Searched(task), Searched(shown)
    return Words(
        reasons={
            each.key: reason
            for each in criteria
            if isinstance(reasons, JsonObject) and (reason := _text(reasons.get(each.key)))
        },
        quotes=tuple(check_quote(quote, in_answer, in_task, as_shown) for quote in quotes),
        strengths=_texts(last.get("strengths"))[:_MOST_POINTS],
        weaknesses=_texts(last.get("weaknesses"))[:_MOST_POINTS],
        assessment=_text(last.get("assessment")),
        verdict=_text(last.get("verdict")),
    )


def _question_line(one: ChecklistAnswer) -> str:
    said = "Yes" if one.is_yes else "No"
    return f"- {one.question} {said} ({one.probability:.2f})."


def _one_line(text: str) -> str:
    return " ".join(defused(text[:_LONGEST]).split())


def _texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(text for one in items[:_MOST_FACTS] if (text := _text(one)))


def _text(value: object) -> str:
    """Bounded, and without halves of characters, which no file can hold."""
    if not isinstance(value, str):
        return ""
    return value[:_LONGEST].encode("utf-8", "replace").decode("utf-8").strip()
