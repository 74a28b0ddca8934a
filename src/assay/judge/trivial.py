"""Answers that are none: scored 0 without asking a judge.

In: an answer and the test it answers. Out: the reason why it is none, or None. Refuses to know:
rubrics and judges. Empty phrases earn high marks from language models, so none is asked of them.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from rapidfuzz import fuzz

from assay.judgements import CriterionScore, JudgeForm, Judgement, Layout, Rubric
from assay.messages import tr
from assay.types import Case, ModelFacts

Trivial = Literal["empty", "short", "punctuation", "echo", "refusal"]

SHORTEST = 3  # visible characters; "Paris" or "x + 1" may be all that somebody's own test asks for
_ECHO = 95.0  # of 100
_LONGEST_COMPARED = 100_000
_LONGEST_REFUSAL = 400
# Words that promise an answer and stop: they earn full marks from many judges (arXiv:2507.08794).
_ANNOUNCES = re.compile(r"[^\n]{0,60}:|let[’']?s [^\n]{0,40}step by step\.?", re.IGNORECASE)
_REFUSAL = re.compile(
    r"^\W{0,9}(?:(?:i[’']?m|i\s+am)\s+(?:very\s+|really\s+|so\s+)?sorry\b|sorry\b|(?:i\s+)?apologi[sz]e"
    r"|unfortunately\b|as\s+an\s+ai\b|i\s+(?:can(?:no|[’'])?t|can\s+not|won[’']?t|will\s+not"
    r"|am\s+(?:not\s+able|unable)|must\s+decline)\b|i[’']m\s+(?:not\s+able|unable)\b)",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"\b(?:can(?:no|[’'])?t|can\s+not|won[’']?t|will\s+not|unable|not\s+able|decline|not\s+possible)\b",
    re.IGNORECASE,
)


def why_trivial(answer: str, case: Case) -> Trivial | None:
    """Why an answer need not be judged; None where it must be."""
    seen = "".join(c for c in answer[:_LONGEST_COMPARED] if _is_visible(c))
    if not seen:
        return "empty"
    if len(seen) < SHORTEST or _ANNOUNCES.fullmatch(answer.strip()):
        return "short"
    if not any(c.isalnum() for c in seen):
        return "punctuation"
    if _echoes(answer, case):
        return "echo"
    if len(answer) <= _LONGEST_REFUSAL and is_refusal(answer):
        return "refusal"
    return None


def is_refusal(text: str) -> bool:
    """Whether a text declines, at its beginning, to do what was asked."""
    head = text.strip()[:_LONGEST_REFUSAL]
    return bool(_REFUSAL.match(head) and _DECLINES.search(head))


def explain(why: Trivial) -> str:
    """The sentence a report has for it."""
    match why:
        case "empty":
            return tr("the answer is empty")
        case "short":
            return tr("the answer holds nothing: a character or two, or a bare announcement")
        case "punctuation":
            return tr("the answer has no letter and no digit")
        case "echo":
            return tr("the answer only repeats the task")
        case "refusal":
            return tr("the answer only declines the task")


def trivial_judgement(
    why: Trivial,
    rubric: Rubric,
    judge: ModelFacts,
    *,
    form: JudgeForm,
    repeat: int = 0,
    layout: Layout | None = None,
) -> Judgement:
    """0 for each criterion, with the reason. The judge was asked nothing."""
    reason = explain(why)
    return Judgement(
        judge=judge.spec,
        fingerprint=judge.fingerprint,
        form=form,
        repeat=repeat,
        layout=layout,
        scores=tuple(
            CriterionScore(criterion=each.key, score=0, reason=reason) for each in rubric.criteria
        ),
        explanation=tr("Scored 0 without asking the judge: {why}.", why=reason),
        attempts=0,
        trivial=why,
    )


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CZ"


def _echoes(answer: str, case: Case) -> bool:
    said = " ".join(answer[:_LONGEST_COMPARED].split())
    for message in case.messages:
        asked = " ".join(message.content[:_LONGEST_COMPARED].split())
        if not asked:
            continue
        # Most of the task in the task's own order, and nothing of one's own behind it.
        if said in asked and len(said) * 2 >= len(asked):
            return True
        if fuzz.ratio(said, asked, score_cutoff=_ECHO) > 0:
            return True
    return False
