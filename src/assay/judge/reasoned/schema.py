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
from typing import Any

from assay.types.judgements import MOST, RubricCriterion

ANSWERS = ("yes", "no", "partial", "na")
CONFIDENCES = ("low", "medium", "high")

_Schema = dict[str, Any]


def judgement_schema(
    criteria: Sequence[RubricCriterion],
    question_ids: Sequence[str],
    fact_ids: Sequence[str] = (),
    *,
    short: bool = False,
) -> str:
    """The schema of a judgement. A short one has no evidence and no checklist."""
    properties: _Schema = _facts(fact_ids)
    if not short:
        keys = [each.key for each in criteria]
        found = {"criterion": one_of(keys), "quote": text_of(160), "note": text_of(200)}
        properties["evidence"] = list_of(object_of(found), 6)
    if question_ids and not short:
        tick = {"id": one_of(question_ids), "quote": text_of(160), "answer": one_of(ANSWERS)}
        properties["checklist"] = list_of(object_of(tick), len(question_ids))
    reason = 200 if short else 500
    points = list_of(text_of(120), 2) if short else list_of(text_of(200), 4)
    properties |= {
        "criteria": object_of({each.key: _scored(reason) for each in criteria}),
        "strengths": points,
        "weaknesses": points,
        "assessment": text_of(200 if short else 600),
        "verdict": text_of(160 if short else 240),
        "assumptions": points,
        "unusual": points,
        "confidence": one_of(CONFIDENCES),
    }
    return written(object_of(properties))


def _facts(ids: Sequence[str]) -> _Schema:
    return {"facts": object_of({each: one_of(("yes", "no")) for each in ids})} if ids else {}


def _scored(longest: int) -> _Schema:
    # A closed list, as grammars hold to it and not all hold to a minimum and a maximum.
    score = {"type": "integer", "enum": list(range(MOST + 1))}
    return object_of({"reason": text_of(longest), "score": score})


def object_of(properties: _Schema) -> _Schema:
    # Strict servers ask for all properties, and for no others.
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(items: _Schema, most: int) -> _Schema:
    return {"type": "array", "items": items, "maxItems": most}


def text_of(longest: int) -> _Schema:
    return {"type": "string", "maxLength": longest}


def one_of(values: Sequence[str]) -> _Schema:
    return {"type": "string", "enum": list(values)}


def written(schema: _Schema) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
