"""The form a judge fills in, and the reader of its replies: scores and words, or their problem.

Evidence comes before reasons and reasons before scores, so that a score follows from what was
written. Every text and list is bounded: a small model in a grammar without bounds goes round for
ever. No `$ref` and no alternatives, which not every server's grammar knows.

    our form         {"criteria": {"correctness": {"reason": …, "score": 8}, …}, …}
    a flat object    {"correctness": 8, …}, or the same under "scores"; labels as well
    the standard     TEST ID: … EVALUATION: Correctness: 8/10 - …, where there is no object
    evaluation

The reader never raises and never invents a score. The last object counts. What is in the answer
word for word is the answer's and not the judge's, which may repeat scores of the answer.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from assay.judge.evaluation_reading import Imported, read_evaluations
from assay.judge.trivial import is_refusal
from assay.messages import tr
from assay.text.json_in_prose import JsonObject, is_one_object, objects_in
from assay.types import Answered, Failed, Reply
from assay.types.judging.judgements import MOST, Answer, CriterionScore, RubricCriterion

ANSWERS = ("yes", "no", "partial", "na")
CONFIDENCES = ("low", "medium", "high")
Trouble = Literal["unreadable", "truncated", "refused", "empty", "failed"]
_Schema = dict[str, Any]
_TEXTS, _LISTS = ("assessment", "verdict"), ("strengths", "weaknesses", "assumptions", "unusual")
_LONGEST_TEXT = 2_000
_MOST_ITEMS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReply:
    """`trouble` and `problem`: a code and a sentence on why there are no scores. `checklist`:
    answers and quotes by id. `words`: what is only shown, by a Judgement's names.
    """

    scores: Mapping[str, CriterionScore] = field(default_factory=dict)
    trouble: Trouble | None = None
    problem: str = ""
    facts: Mapping[str, tuple[Answer, str]] = field(default_factory=dict)  # with a quote
    quotes: tuple[str, ...] = ()
    checklist: Mapping[str, tuple[Answer, str]] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)


class Unusable(Exception):
    """Why a score cannot be taken; stays inside this package."""


def read_reply(text: str, criteria: Sequence[RubricCriterion], answer: str = "") -> ReadReply:
    names = {_bare(name): each.key for each in criteria for name in (each.label, each.key)}
    judged = _packed(answer)
    found = [
        each
        for each in objects_in(text)
        if any(_bare(name) in names for holder in _holders(each) for name in holder)
    ]
    own = [each for each in found if _packed(each.written) not in judged]
    try:
        if found and not own:
            raise Unusable(tr("the only scores in it are words of the answer"))
        reading = _from_object(own[-1], names) if own else _from_evaluation(text, names, answer)
        if missing := [each.key for each in criteria if each.key not in reading.scores]:
            raise Unusable(tr("there is no score for {names}", names=", ".join(missing)))
    except Unusable as why:
        return ReadReply(problem=str(why))
    return reading


def _evaluations_in(text: str) -> list[Imported]:
    if not any(line.lstrip("#*_ \t").startswith("TEST ID") for line in text.splitlines()):
        text = f"TEST ID: -\n{text}"
    return [each for each in read_evaluations(text, file="") if each.criteria]


def _from_evaluation(text: str, names: Mapping[str, str], answer: str) -> ReadReply:
    """The last evaluation in the standard format that is not the answer's own."""
    theirs = [each.judgement.scores for each in _evaluations_in(answer)]
    found = [each for each in _evaluations_in(text) if each.judgement.scores not in theirs]
    if not found:
        raise Unusable(
            tr("there is no JSON object with scores in it, nor an evaluation of the standard form")
        )
    last = found[-1]
    if strange := sorted(set(last.criteria) - set(names.values())):
        raise Unusable(tr("{names} is not asked for", names=", ".join(strange)))
    if not last.judgement.scores:
        raise Unusable(last.judgement.explanation)
    said = last.judgement
    return ReadReply(
        scores={each.criterion: each for each in said.scores},
        words={name: getattr(said, name) for name in (*_TEXTS, "strengths", "weaknesses")},
    )


def _from_object(found: JsonObject, names: Mapping[str, str]) -> ReadReply:
    scores: dict[str, CriterionScore] = {}
    for holder in _holders(found):
        for name, value in holder.items():
            key = names.get(_bare(name))
            if key is None:
                continue
            read = _read_score(key, name, value)
            if name in holder.twice or scores.get(key, read).score != read.score:
                raise Unusable(tr("{name} has two scores that differ", name=key))
            scores[key] = read
    return ReadReply(
        scores=scores,
        facts=_facts(found.get("facts")),
        quotes=tuple(
            quote
            for each in _objects(found.get("evidence"))
            if (quote := read_text(each.get("quote")))
        ),
        checklist=_checklist(found.get("checklist")),
        words={
            **{name: read_text(found.get(name)) for name in _TEXTS},
            **{name: read_texts(found.get(name)) for name in _LISTS},
            "stated_confidence": _one_of(found.get("confidence"), CONFIDENCES),
        },
    )


def _holders(found: JsonObject) -> list[JsonObject]:
    """Where scores may be."""
    places = (found, found.get("criteria"), found.get("scores"))
    return [each for each in places if isinstance(each, JsonObject)]


def _read_score(key: str, name: str, value: object) -> CriterionScore:
    """`name`: the criterion as the judge wrote it."""
    reason = ""
    if isinstance(value, JsonObject):
        if "score" in value.twice:
            raise Unusable(tr("{name} has two scores that differ", name=name[:60]))
        reason, value = read_text(value.get("reason")), value.get("score")
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unusable(tr("the score of {name} is no whole number", name=name[:60]))
    if not 0 <= value <= MOST:
        raise Unusable(tr("the score of {name} is not between 0 and 10", name=name[:60]))
    return CriterionScore(criterion=key, score=value, reason=reason)


def _facts(value: object) -> dict[str, tuple[Answer, str]]:
    """Anything but a yes or a no says nothing."""
    read: dict[str, tuple[Answer, str]] = {}
    for name, said in value.items() if isinstance(value, JsonObject) else ():
        quote = read_text(said.get("quote")) if isinstance(said, JsonObject) else ""
        word = _yes_or_no(said.get("answer") if isinstance(said, JsonObject) else said)
        if word:
            read[name] = cast(Answer, word), quote
    return read


def _yes_or_no(said: object) -> str:
    if isinstance(said, bool):
        return "yes" if said else "no"
    return _one_of(said, ("yes", "no"))


def _checklist(value: object) -> dict[str, tuple[Answer, str]]:
    ticks: dict[str, tuple[Answer, str]] = {}
    for each in _objects(value):
        name = read_text(each.get("id"))
        said = cast(Answer, _one_of(each.get("answer", each.get("verdict")), ANSWERS))
        if name and said:
            ticks[name] = said, read_text(each.get("quote"))
    return ticks


def _objects(value: object) -> Iterable[JsonObject]:
    items = value if isinstance(value, list) else []
    return [each for each in items[:100] if isinstance(each, JsonObject)]


def read_texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(text for each in items[:_MOST_ITEMS] if (text := read_text(each)))


def read_text(value: object) -> str:
    """A text of a bounded length without halves of characters, which no file can hold."""
    if not isinstance(value, str):
        return ""
    return value[:_LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8").strip()


def _one_of(value: object, known: Sequence[str]) -> str:
    said = read_text(value).casefold()
    return said if said in known else ""


def _packed(text: str) -> str:
    """Without white space: a judge wraps what it repeats."""
    return "".join(text.split())


def _bare(name: str) -> str:
    return "".join(c for c in name[:100].casefold() if c.isalnum())


_REFUSED_BY_THE_SERVER = frozenset({"content_filter", "refusal", "safety"})

# Not translated: put to a judge, whose reply must not change with the user's language.
COMPLAINTS: Mapping[Trouble, str] = {
    "unreadable": "it was not one JSON object in the form above, with a whole number from 0 to 10 "
                  "as the score of every criterion",
    "truncated": "it was longer than there is room for",
    "refused": "it declined to judge; nothing is asked of you but to read the work and score it",
    "empty": "it was empty",
    "failed": "it did not arrive",
}  # fmt: skip


def read_or_refuse(
    reply: Reply, criteria: Sequence[RubricCriterion], answer: str = ""
) -> ReadReply:
    if isinstance(reply, Failed):
        return ReadReply(trouble="failed", problem=reply.reason)
    if not isinstance(reply, Answered):
        return ReadReply(trouble="failed", problem=tr("the judge gave another kind of answer"))
    # Some servers close the object and fill what room is left with white space.
    cut = reply.truncated and not is_one_object(reply.text)
    if reply.reasoning_unclosed or cut:
        return ReadReply(trouble="truncated")
    reading = read_reply(reply.text, criteria, answer)
    if reading.scores:
        return reading
    if reply.finish.casefold() in _REFUSED_BY_THE_SERVER or is_refusal(reply.text):
        return replace(reading, trouble="refused")
    return replace(reading, trouble="unreadable" if reply.text.strip() else "empty")


def explain(trouble: Trouble, why: str, attempts: int) -> str:
    told = {
        "truncated": tr("the judge's answer was cut off, in {count} attempts"),
        "refused": tr("the judge declined to judge, in {count} attempts"),
        "empty": tr("the judge's answer was empty, in {count} attempts"),
        "failed": tr("the judge could not be asked: {why}"),
        "unreadable": tr("the judge's answer could not be read, in {count} attempts: {why}"),
    }
    return told[trouble].format(count=attempts, why=why)


def judgement_schema(
    criteria: Sequence[RubricCriterion],
    question_ids: Sequence[str],
    fact_ids: Sequence[str] = (),
    *,
    short: bool = False,
) -> str:
    """The schema of a judgement. A short one has no evidence and no checklist."""
    properties: _Schema = {}
    if fact_ids:
        found_fact = object_of({"quote": text_of(160), "answer": one_of(("yes", "no"))})
        properties["facts"] = object_of(dict.fromkeys(fact_ids, found_fact))
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
