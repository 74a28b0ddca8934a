"""The form a judge fills in: a JSON Schema whose order is the order of writing.

In: a rubric's criteria in the order in which they are asked, and the questions of the checklist.
Out: the schema as text.

Evidence comes before reasons and reasons before scores, so that a score follows from what was
written. Every text and list is bounded: a small model in a grammar without bounds goes round for
ever. No `$ref` and no alternatives, which not every server's grammar knows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.types.judgements import MOST, RubricCriterion

ANSWERS = ("yes", "no", "partial", "na")
CONFIDENCES = ("low", "medium", "high")

_Schema = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormSize:
    """How much a judge may write: characters of texts, items of lists."""

    evidence: int
    quote: int
    note: int
    reason: int
    points: int
    point: int
    assessment: int
    verdict: int


FULL = FormSize(evidence=6, quote=160, note=200, reason=500, points=4, point=200, assessment=600,
            verdict=240)  # fmt: skip
SHORT = FormSize(evidence=0, quote=0, note=0, reason=200, points=2, point=120, assessment=200,
             verdict=160)  # fmt: skip


def whole_schema(
    criteria: Sequence[RubricCriterion],
    question_ids: Sequence[str],
    size: FormSize,
    fact_ids: Sequence[str] = (),
) -> str:
    """The schema of a whole judgement. Without room for evidence there is no checklist either."""
    properties: _Schema = _facts(fact_ids)
    if size.evidence:
        properties["evidence"] = _list(
            _object(
                {
                    "criterion": _one_of([each.key for each in criteria]),
                    "quote": _text(size.quote),
                    "note": _text(size.note),
                }
            ),
            size.evidence,
        )
    if size.evidence and question_ids:
        properties["checklist"] = _list(
            _object(
                {
                    "id": _one_of(question_ids),
                    "quote": _text(size.quote),
                    "answer": _one_of(ANSWERS),
                }
            ),
            len(question_ids),
        )
    properties["criteria"] = _object({each.key: _scored(size.reason) for each in criteria})
    properties["strengths"] = _list(_text(size.point), size.points)
    properties["weaknesses"] = _list(_text(size.point), size.points)
    properties["assessment"] = _text(size.assessment)
    properties["verdict"] = _text(size.verdict)
    properties["assumptions"] = _list(_text(size.point), size.points)
    properties["unusual"] = _list(_text(size.point), size.points)
    properties["confidence"] = _one_of(CONFIDENCES)
    return _written(_object(properties))


def one_criterion_schema(
    criterion: RubricCriterion, fact_ids: Sequence[str] = (), size: FormSize = SHORT
) -> str:
    return _written(_object({**_facts(fact_ids), criterion.key: _scored(size.reason)}))


def _facts(ids: Sequence[str]) -> _Schema:
    return {"facts": _object({each: _one_of(("yes", "no")) for each in ids})} if ids else {}


def _scored(longest: int) -> _Schema:
    # A closed list, as grammars hold to it and not all hold to a minimum and a maximum.
    score = {"type": "integer", "enum": list(range(MOST + 1))}
    return _object({"reason": _text(longest), "score": score})


def _object(properties: _Schema) -> _Schema:
    # Strict servers ask for all properties, and for no others.
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: _Schema, most: int) -> _Schema:
    return {"type": "array", "items": items, "maxItems": most}


def _text(longest: int) -> _Schema:
    return {"type": "string", "maxLength": longest}


def _one_of(values: Sequence[str]) -> _Schema:
    return {"type": "string", "enum": list(values)}


def _written(schema: _Schema) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
